// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A handle's rooms as they grow, by streams and captures that are only played: what is asked of the
// device, in which order.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/context.h"

namespace tilewright::engine {
namespace {

constexpr int64_t kMiB = 1 << 20;
constexpr auto kMode = Arithmetic::fp16x3;

void* stream(int number) {
    return reinterpret_cast<void*>(static_cast<uintptr_t>(number));
}

/// What was done, as words: "allocate 1", "wait 2": in which stream.
class PlayedBackend : public Backend {
  public:
    ~PlayedBackend() override { EXPECT_TRUE(memory.empty()) << "memory that nobody released"; }

    void* allocate(size_t bytes, size_t) override { return take(bytes); }
    void release(void* at) noexcept override { give_back(at); }
    void* allocate_in(void* in, size_t bytes) override {
        EXPECT_NE(in, capturing) << "a capture allocates";
        if (is_full) return nullptr;
        note("allocate", in);
        return take(bytes);
    }
    void release_in(void* in, void* at) noexcept override {
        EXPECT_NE(in, capturing) << "a capture releases";
        note("release", in);
        give_back(at);
    }
    Execution execution(void* in) override { return {.stream = in}; }
    bool is_capturing(void* in) override { return capturing && in == capturing; }
    Status remember(void* in) override {
        note("remember", in);
        return {};
    }
    Status wait(void* in) override {
        note("wait", in);
        return {};
    }

    std::vector<std::string> done;
    std::map<void*, size_t> memory;  ///< That is not released.
    void* capturing = nullptr;
    bool is_full = false;

  private:
    void note(const char* word, void* in) {
        done.push_back(std::string(word) + ' ' + std::to_string(reinterpret_cast<uintptr_t>(in)));
    }
    void* take(size_t bytes) {
        void* at = std::aligned_alloc(256, 256);  // nobody writes there
        memory[at] = bytes;
        return at;
    }
    void give_back(void* at) noexcept {
        EXPECT_EQ(memory.erase(at), 1u) << "released twice";
        std::free(at);
    }
};

class Rooms : public testing::Test {
  protected:
    Rooms() { EXPECT_TRUE(rooms.open().ok()); }

    /// A call in this stream, where it finds its workspace.
    void* call(int in) {
        Execution execution{};
        EXPECT_TRUE(rooms.enter(stream(in), execution).ok());
        EXPECT_NE(execution.counters, nullptr);
        EXPECT_TRUE(rooms.leave(stream(in)).ok());
        return execution.workspace;
    }
    int64_t bytes(int in, Arithmetic mode = kMode) { return rooms.bytes(stream(in), mode); }
    std::vector<std::string> take_done() { return std::exchange(backend.done, {}); }

    using Words = std::vector<std::string>;
    PlayedBackend backend;
    Workspaces rooms{backend};
};

TEST_F(Rooms, GrowUpAloneAndInOrderOfTheStream) {
    call(1);
    EXPECT_EQ(bytes(1), 32 * kMiB);
    rooms.grow(stream(1), 32 * kMiB);
    EXPECT_EQ(take_done(), Words{});
    rooms.grow(stream(1), 64 * kMiB);
    EXPECT_EQ(take_done(), Words{"allocate 1"});  // what a handle begins with is kept
    rooms.grow(stream(1), 48 * kMiB);
    EXPECT_EQ(take_done(), Words{});
    EXPECT_EQ(bytes(1), 64 * kMiB);
    rooms.grow(stream(1), 65 * kMiB);
    EXPECT_EQ(take_done(), (Words{"allocate 1", "release 1"}));
    EXPECT_EQ(bytes(1), 65 * kMiB);
    EXPECT_EQ(backend.memory.at(call(1)), size_t{65 * kMiB});
    EXPECT_EQ(take_done(), Words{}) << "the first stream has no turns to take";
}

TEST_F(Rooms, AreTheSameInFp32) {
    rooms.grow(stream(1), 64 * kMiB);
    EXPECT_EQ(bytes(1, Arithmetic::fp32), kWorkspaceBytes);
}

TEST_F(Rooms, OfSeveralStreamsAreGivenBackAfterTheWorkOfAll) {
    call(1);
    rooms.expect(stream(2));
    call(2);
    EXPECT_EQ(take_done(), (Words{"wait 2", "remember 2"}));
    rooms.grow(stream(3), 64 * kMiB);
    EXPECT_EQ(take_done(), (Words{"wait 3", "allocate 3"}));
    EXPECT_EQ(bytes(1), 32 * kMiB) << "the first stream's is another";
    const void* shared = call(3);
    EXPECT_EQ(call(2), shared);
    take_done();
    rooms.grow(stream(3), 65 * kMiB);
    EXPECT_EQ(take_done(), (Words{"wait 3", "allocate 3", "release 3"}));
}

TEST_F(Rooms, StayAsTheyAreInACapture) {
    call(1);
    backend.capturing = stream(1);
    rooms.grow(stream(1), 64 * kMiB);
    EXPECT_EQ(bytes(1), 32 * kMiB);
    EXPECT_EQ(take_done(), Words{});
}

TEST_F(Rooms, ThatAGraphUsesAreKept) {
    rooms.grow(stream(1), 64 * kMiB);
    backend.capturing = stream(1);
    void* in_graph = call(1);
    backend.capturing = nullptr;
    take_done();
    rooms.grow(stream(1), 65 * kMiB);
    EXPECT_EQ(take_done(), Words{"allocate 1"});
    EXPECT_EQ(backend.memory.at(in_graph), size_t{64 * kMiB});
    void* after = call(1);
    EXPECT_NE(after, in_graph);
    rooms.grow(stream(1), 66 * kMiB);
    EXPECT_EQ(take_done(), (Words{"allocate 1", "release 1"})) << "no graph has that";
}

TEST_F(Rooms, WithoutMemoryStayAsTheyAre) {
    rooms.grow(stream(1), 64 * kMiB);
    void* before = call(1);
    take_done();
    backend.is_full = true;
    rooms.grow(stream(1), 65 * kMiB);
    EXPECT_EQ(bytes(1), 64 * kMiB);
    EXPECT_EQ(call(1), before);
    EXPECT_EQ(take_done(), Words{});
}

TEST_F(Rooms, OfTheCallerDoNotGrow) {
    alignas(256) static std::byte users[256];
    rooms.set_replaced(true);
    rooms.replace(users, 256);
    rooms.grow(stream(1), 64 * kMiB);
    EXPECT_EQ(take_done(), Words{});
    EXPECT_EQ(bytes(1), 256);
    EXPECT_EQ(call(1), users);
    rooms.set_replaced(false);
    EXPECT_EQ(bytes(1), 32 * kMiB);
}

}  // namespace
}  // namespace tilewright::engine
