// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Words for copies that go on while threads do something else, and for what they wait at.
#include <algorithm>
#include <cstring>

#include "simt/block.h"
#include "simt/words.h"

namespace tilewright::simt {

using State = BlockRunner::Thread::State;

// --- asynchronous copies

namespace {

void make(const Copy& copy, Order::Stamp by) {
    std::memcpy(copy.to, copy.from, copy.valid_bytes);
    std::memset(copy.to + copy.valid_bytes, 0, copy.bytes - copy.valid_bytes);
    BlockRunner& block = BlockRunner::current();
    if (block.launch().counted)
        block.shared().shadow().end_copy(
            block.shared().offset_of(reinterpret_cast<uintptr_t>(copy.to)), copy.bytes, by);
}

void make_all(const std::vector<Copy>& copies) {
    BlockRunner& block = BlockRunner::current();
    for (const Copy& copy : copies) make(copy, block.order().now(block.thread().number));
}

/// Nobody's until the copy is made. False when it must not be begun.
bool begin(const Place& to, const Place& from, unsigned bytes, unsigned valid_bytes) {
    BlockRunner& block = BlockRunner::current();
    if (!block.launch().counted) return true;
    if (const auto at = reinterpret_cast<uintptr_t>(from.address); at % bytes != 0) {
        block.report(HazardKind::misaligned, from.site,
                     "asynchronous copy of " + std::to_string(bytes) + " bytes from " +
                         place_text(*from.extent, at) +
                         ", whose address is not a multiple of that");
        return false;
    }
    // A row's end may leave 12 bytes: counted as 8 and 4.
    for (unsigned done = 0; done < valid_bytes;) {
        const unsigned piece = valid_bytes - done >= 16 ? 16 : valid_bytes - done >= 8 ? 8 : 4;
        if (!trace(Operation::copy_load, *from.extent, static_cast<std::byte*>(from.address) + done,
                   piece, from.site))
            return false;
        done += piece;
    }
    if (!trace(Operation::copy_store, *to.extent, to.address, bytes, to.site)) return false;
    std::fill_n(static_cast<uint32_t*>(to.address), bytes / 4, kUndefinedWord);
    block.shared().shadow().begin_copy(
        block.shared().offset_of(reinterpret_cast<uintptr_t>(to.address)), bytes);
    return true;
}

}  // namespace

void copy_async(const Place& to, const Place& from, unsigned bytes, int asked_bytes) {
    const auto valid_bytes =
        static_cast<unsigned>(std::clamp(asked_bytes, 0, static_cast<int>(bytes)));
    if (valid_bytes != static_cast<unsigned>(asked_bytes))
        BlockRunner::current().report(HazardKind::out_of_bounds, from.site,
                                      "a copy of " + std::to_string(bytes) + " bytes that reads " +
                                          std::to_string(asked_bytes));
    if (begin(to, from, bytes, valid_bytes))
        BlockRunner::current().thread().copies.add({static_cast<std::byte*>(to.address),
                                                    static_cast<const std::byte*>(from.address),
                                                    bytes, valid_bytes});
}

void copy_commit() {
    BlockRunner::current().thread().copies.commit();
}

void copy_wait(unsigned groups) {
    make_all(BlockRunner::current().thread().copies.take(groups));
}

// --- mbarriers

namespace {

/// False, and told, outside the array of barriers.
bool is_inside(const Place& place) {
    const auto at = reinterpret_cast<uintptr_t>(place.address);
    constexpr uint8_t kBytes = 8;
    if (!place.extent || (at >= place.extent->begin && at + kBytes <= place.extent->end))
        return true;
    report_fault({at, place.extent, place.site, Operation::shared_store, kBytes});
    return false;
}

/// Null, and told, where it was not initialised before for all the running thread knows.
Mbarrier* find(const Place& place) {
    if (!is_inside(place)) return nullptr;
    BlockRunner& block = BlockRunner::current();
    const auto found = block.mbarriers().find(reinterpret_cast<uintptr_t>(place.address));
    const bool exists = found != block.mbarriers().end();
    if (exists && block.order().before(found->second.initialised, block.thread().number))
        return &found->second;
    const std::string name =
        place.extent ? place_text(*place.extent, reinterpret_cast<uintptr_t>(place.address)) : "";
    block.report(
        HazardKind::uninitialised_barrier, place.site,
        "use of " + name +
            (exists
                 ? ", which " + block.thread_text(Order::thread_of(found->second.initialised)) +
                       " initialises at line " + std::to_string(found->second.initialised_at.line())
                 : ""));
    return exists ? &found->second : nullptr;
}

/// Completes the phase if nothing is missing any more.
void advance(Mbarrier& barrier) {
    if (!barrier.is_ready()) return;
    BlockRunner& block = BlockRunner::current();
    const int agent = Order::kThreads + barrier.agent;
    for (const Copy& copy : barrier.copies) make(copy, block.order().now(agent));
    block.order().release(agent, barrier.arriving);
    barrier.completed.push_back(barrier.arriving);
    barrier.copies.clear();
    barrier.bytes = 0;
    barrier.left = barrier.count;
    ++barrier.phase;
}

void arrive(Mbarrier& barrier, const Place& place) {
    BlockRunner& block = BlockRunner::current();
    advance(barrier);
    if (barrier.left == 0) {
        block.report(HazardKind::excess_arrival, place.site,
                     "an arrival more than the " + std::to_string(barrier.count) +
                         " of a phase that still misses bytes");
        return;
    }
    block.order().release(block.thread().number, barrier.arriving);
    --barrier.left;
}

}  // namespace

void mbarrier_init(const Place& place, unsigned arrivals) {
    if (!is_inside(place)) return;
    BlockRunner& block = BlockRunner::current();
    const auto address = reinterpret_cast<uintptr_t>(place.address);
    const int agent = static_cast<int>(block.mbarriers().size()) % Order::kAgents;
    block.order().refine();
    Mbarrier& barrier = block.mbarriers()[address];
    barrier = {.count = arrivals,
               .left = arrivals,
               .copies = {},
               .arriving = {},
               .completed = {},
               .next_phase = std::vector<int64_t>(block.launch().block.count(), -1),
               .agent = agent,
               .initialised = block.order().now(block.thread().number),
               .initialised_at = place.site};
}

void mbarrier_arrive(const Place& place, unsigned announced_bytes) {
    Mbarrier* barrier = find(place);
    if (!barrier) return;
    advance(*barrier);
    barrier->bytes += announced_bytes;
    arrive(*barrier, place);
}

void mbarrier_wait(const Place& place, unsigned parity) {
    Mbarrier* barrier = find(place);
    if (!barrier) return;
    BlockRunner& block = BlockRunner::current();
    const auto is_over = [barrier, parity] {
        if (!barrier->has_completed(parity)) advance(*barrier);
        return barrier->has_completed(parity);
    };
    while (!is_over()) {
        block.thread().condition = is_over;
        block.stop(State::waiting, place.site);
    }
    // Later phases may be over too. The thread knows of the first that could let it pass.
    int64_t& phase = barrier->next_phase[block.thread().number];
    if ((phase & 1) != (parity & 1)) ++phase;
    const int64_t last = std::ssize(barrier->completed) - 1;
    if (phase >= 0)
        block.order().acquire(block.thread().number, barrier->completed[std::min(phase, last)]);
    ++phase;
}

void copy_arrive(const Place& place) {
    Mbarrier* barrier = find(place);
    if (!barrier) return;
    advance(*barrier);
    for (const Copy& copy : BlockRunner::current().thread().copies.take_all())
        barrier->copies.push_back(copy);
    arrive(*barrier, place);
}

namespace {

constexpr unsigned kPieceBytes = 16;  ///< The smallest that the TMA takes.

/// The two halves of a copy by the TMA: one request each, however many bytes it brings.
class TmaCopy {
  public:
    TmaCopy(Mbarrier& barrier, const Place& to, const Place& from)
        : barrier_(barrier), to_(to), from_(from), counted_(block_.launch().counted) {}
    ~TmaCopy() {
        if (!counted_) return;
        block_.count(record(Operation::copy_load, from_, 0), load_);
        block_.count(record(Operation::copy_store, to_, 0), store_);
    }
    TmaCopy(const TmaCopy&) = delete;
    TmaCopy& operator=(const TmaCopy&) = delete;

    /// `bytes` from `from_offset` bytes on, zero from `valid_bytes` on, to `to_offset`.
    void add(size_t to_offset, size_t from_offset, unsigned bytes, unsigned valid_bytes) {
        for (unsigned done = 0; counted_ && done < bytes; done += kPieceBytes) {
            const unsigned valid = std::clamp(valid_bytes, done, done + kPieceBytes) - done;
            if (!begin_piece(to_offset + done, from_offset + done, valid)) return;
        }
        barrier_.copies.push_back(
            {at(to_, to_offset), at(from_, from_offset), bytes, valid_bytes, true});
    }

  private:
    static std::byte* at(const Place& place, size_t offset) {
        // Through an integer: what is not read may lie outside its array.
        return reinterpret_cast<std::byte*>(reinterpret_cast<uintptr_t>(place.address) + offset);
    }
    static Record record(Operation operation, const Place& place, size_t offset,
                         unsigned bytes = kPieceBytes) {
        return {reinterpret_cast<uintptr_t>(at(place, offset)), place.extent, place.site, operation,
                static_cast<uint8_t>(bytes)};
    }
    /// False, and told, where it must not be made.
    bool begin_piece(size_t to_offset, size_t from_offset, unsigned valid_bytes);

    BlockRunner& block_ = BlockRunner::current();
    Mbarrier& barrier_;
    Place to_, from_;
    bool counted_;
    SiteCounters load_, store_;
    uintptr_t last_sector_ = 0;
};

bool TmaCopy::begin_piece(size_t to_offset, size_t from_offset, unsigned valid_bytes) {
    for (unsigned word = 0; word < valid_bytes; word += 4)
        if (!check(record(Operation::copy_load, from_, from_offset + word, 4))) return false;
    const Record store = record(Operation::copy_store, to_, to_offset);
    if (!check(store)) return false;
    std::fill_n(reinterpret_cast<uint32_t*>(at(to_, to_offset)), kPieceBytes / 4, kUndefinedWord);
    block_.shared().shadow().begin_copy(block_.shared().offset_of(store.address), kPieceBytes);
    constexpr unsigned kSectorBytes = 32, kWavefrontBytes = 128;
    const uintptr_t sector = reinterpret_cast<uintptr_t>(at(from_, from_offset)) / kSectorBytes;
    if (valid_bytes > 0 && sector != last_sector_) ++load_.sectors;
    last_sector_ = sector;
    load_.bytes += valid_bytes;
    store_.bytes += kPieceBytes;
    store_.wavefronts = store_.ideal_wavefronts =
        (store_.bytes + kWavefrontBytes - 1) / kWavefrontBytes;
    return true;
}

}  // namespace

namespace {

/// What the TMA asks of an address: else told, and false.
bool is_on(const Place& place, unsigned alignment) {
    BlockRunner& block = BlockRunner::current();
    const auto at = reinterpret_cast<uintptr_t>(place.address);
    if (!block.launch().counted || at % alignment == 0) return true;
    block.report(HazardKind::misaligned, place.site,
                 "a copy by the TMA, which wants multiples of " + std::to_string(alignment) +
                     " bytes, at " + place_text(*place.extent, at));
    return false;
}

}  // namespace

void copy_bulk(const Place& to, const Place& from, unsigned bytes, const Place& place) {
    Mbarrier* barrier = find(place);
    if (!barrier || !is_on(to, kPieceBytes) || !is_on(from, kPieceBytes)) return;
    if (bytes % kPieceBytes != 0)
        return BlockRunner::current().report(
            HazardKind::misaligned, from.site,
            "a copy of " + std::to_string(bytes) + " bytes, which are not whole pieces of 16");
    advance(*barrier);
    TmaCopy(*barrier, to, from).add(0, 0, bytes, bytes);
}

void copy_tensor(const Place& to, const Place& from, const TensorBox& box, const Place& place) {
    Mbarrier* barrier = find(place);
    // A swizzle goes by the address, whose pattern comes again after 8 rows.
    if (!barrier || !is_on(to, box.swizzle ? 8 * box.swizzle : 128)) return;
    advance(*barrier);
    TmaCopy copy(*barrier, to, from);
    const auto left = [](int64_t size, int64_t first, int64_t most) {
        return std::clamp<int64_t>(size - first, 0, most);
    };
    const int64_t rows = left(box.rows, box.row, box.box_rows);
    const int64_t cols = left(box.cols, box.col, box.box_cols);
    const unsigned row_bytes = box.box_cols * 4;
    const unsigned step = box.swizzle ? kPieceBytes : row_bytes;
    for (int row = 0; row < box.box_rows; ++row)
        for (unsigned done = 0; done < row_bytes; done += step) {
            const size_t target = size_t{row_bytes} * row + done;
            const int64_t valid = row < rows ? left(4 * cols, done, step) : 0;
            copy.add(box.swizzle ? swizzled(target, box.swizzle) : target,
                     ((box.row + row) * box.ld + box.col) * 4 + done, step,
                     static_cast<unsigned>(valid));
        }
}

}  // namespace tilewright::simt
