// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <new>

#if TILEWRIGHT_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace tilewright::simt {

namespace {

// Kernels keep their tiles in shared memory and registers: a few KiB of stack serve them, and pages
// that are not touched cost nothing. The sanitizers' guard zones around every local take more.
#if TILEWRIGHT_ASAN
constexpr size_t kStackBytes = 1024 << 10;
#else
constexpr size_t kStackBytes = 256 << 10;
#endif

size_t page_bytes() {
    static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

}  // namespace

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

Fiber::Fiber() {
    void* memory = mmap(nullptr, kStackBytes + page_bytes(), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    mprotect(memory, page_bytes(), PROT_NONE);
    stack_ = static_cast<std::byte*>(memory) + page_bytes();
}

Fiber::~Fiber() {
    munmap(stack_ - page_bytes(), kStackBytes + page_bytes());
}

void Fiber::start(Entry entry, void* argument) {
    entry_ = entry;
    argument_ = argument;
    self_ = make_fcontext(stack_ + kStackBytes, kStackBytes, &Fiber::enter);
}

void Fiber::enter(transfer_t from) {
    auto& fiber = *static_cast<Fiber*>(from.data);
    fiber.resumer_ = from.fctx;
#if TILEWRIGHT_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &fiber.resumer_stack_, &fiber.resumer_stack_bytes_);
#endif
    fiber.entry_(fiber.argument_);
    std::abort();  // entry did not end in finish()
}

void Fiber::resume() {
#if TILEWRIGHT_ASAN
    __sanitizer_start_switch_fiber(&resumer_fake_stack_, stack_, kStackBytes);
#endif
    self_ = jump_fcontext(self_, this).fctx;
#if TILEWRIGHT_ASAN
    __sanitizer_finish_switch_fiber(resumer_fake_stack_, nullptr, nullptr);
#endif
}

void Fiber::switch_out([[maybe_unused]] bool last) {
#if TILEWRIGHT_ASAN
    __sanitizer_start_switch_fiber(last ? nullptr : &fake_stack_, resumer_stack_,
                                   resumer_stack_bytes_);
#endif
    resumer_ = jump_fcontext(resumer_, nullptr).fctx;
#if TILEWRIGHT_ASAN
    __sanitizer_finish_switch_fiber(fake_stack_, &resumer_stack_, &resumer_stack_bytes_);
#endif
}

void Fiber::pause() {
    switch_out(false);
}

void Fiber::finish() {
    switch_out(true);
    std::abort();  // resumed after its end
}

}  // namespace tilewright::simt
