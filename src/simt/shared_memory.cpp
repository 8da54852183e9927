// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/shared_memory.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tilewright::simt {

namespace {

/// What nvcc allows for arrays of a size known at compile time, on every architecture.
constexpr size_t kStaticBytes = 48 << 10;
/// Arrays of static size start at bank 0, so that counts do not depend on the order of declarations;
/// dynamic shared memory starts where swizzled tiles may.
constexpr size_t kAlignment = 128, kDynamicAlignment = 1024;
constexpr size_t kMostArrays = 16;

constexpr size_t round_up(size_t bytes, size_t alignment) {
    return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

SharedMemory::SharedMemory() : shadow_(kStaticBytes) {
    reserve(0);
    arrays_.reserve(kMostArrays);  // extents keep their place
}

void SharedMemory::reserve(size_t dynamic_bytes) {
    const size_t bytes = kStaticBytes + dynamic_bytes;
    if (bytes + kDynamicAlignment <= memory_.size()) return;
    memory_.resize(bytes + kDynamicAlignment);
    base_ = round_up(reinterpret_cast<uintptr_t>(memory_.data()), kDynamicAlignment);
    shadow_ = SharedShadow(bytes);
}

void SharedMemory::begin_block(size_t dynamic_bytes, bool counted) {
    reserve(dynamic_bytes);
    arrays_.clear();
    static_bytes_ = 0;
    dynamic_bytes_ = dynamic_bytes;
    counted_ = counted;
    shadow_.begin_block();
}

const Extent* SharedMemory::find(const void* place) const {
    for (const Array& array : arrays_)
        if (array.place == place) return &array.extent;
    return nullptr;
}

const Extent& SharedMemory::declare(size_t offset, size_t bytes, unsigned element_bytes,
                                    const char* name, const void* place) {
    if (arrays_.size() == kMostArrays)
        throw std::length_error("a kernel has more than " + std::to_string(kMostArrays) +
                                " shared arrays");
    const uintptr_t begin = base_ + offset;
    std::fill_n(reinterpret_cast<uint32_t*>(begin), bytes / 4, kUndefinedWord);
    if (counted_) shadow_.declare(offset, bytes);
    arrays_.push_back(
        {{.name = name, .begin = begin, .end = begin + bytes, .element_bytes = element_bytes},
         place});
    return arrays_.back().extent;
}

const Extent& SharedMemory::static_array(size_t bytes, unsigned element_bytes, const char* name,
                                         const void* place) {
    if (const Extent* known = find(place)) return *known;
    const size_t offset = static_bytes_;
    static_bytes_ += round_up(bytes, kAlignment);
    if (static_bytes_ > kStaticBytes)
        throw std::length_error("shared arrays of a kernel exceed 48 KiB: see DYNAMIC_SHARED");
    return declare(offset, bytes, element_bytes, name, place);
}

const Extent& SharedMemory::dynamic_array(size_t offset, size_t bytes, unsigned element_bytes,
                                          const char* name, const void* place) {
    if (const Extent* known = find(place)) return *known;
    if (offset + bytes > dynamic_bytes_)
        throw std::length_error(
            std::string(name) + " ends at byte " + std::to_string(offset + bytes) +
            " of dynamic shared memory; the launch asks for " + std::to_string(dynamic_bytes_));
    return declare(kStaticBytes + offset, bytes, element_bytes, name, place);
}

size_t SharedMemory::shared_bytes() const {
    return kStaticBytes + dynamic_bytes_;
}

Place SharedMemory::counterpart(const SharedMemory& other, const Place& place) {
    const auto at = reinterpret_cast<uintptr_t>(place.address);
    // Fast mode, which knows no arrays, looks for one by its address; those of dynamic memory, which
    // may share theirs, lie alike in all blocks.
    const auto array =
        std::find_if(other.arrays_.begin(), other.arrays_.end(), [&](const Array& each) {
            return place.extent ? place.extent == &each.extent
                                : at - each.extent.begin <= each.extent.end - each.extent.begin;
        });
    if (array == other.arrays_.end()) return place;
    const Extent& theirs = array->extent;
    const size_t offset = other.offset_of(theirs.begin), bytes = theirs.end - theirs.begin;
    const Extent& own = offset < kStaticBytes
                            ? static_array(bytes, theirs.element_bytes, theirs.name, array->place)
                            : dynamic_array(offset - kStaticBytes, bytes, theirs.element_bytes,
                                            theirs.name, array->place);
    return {place.extent ? &own : nullptr, reinterpret_cast<void*>(at - theirs.begin + own.begin),
            place.site};
}

}  // namespace tilewright::simt
