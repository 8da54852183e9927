// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A thread of CPU mode: its own stack, switched to and from without the operating system.
#pragma once

#include <cstddef>

#include "boost/context/detail/fcontext.hpp"

namespace tilewright::simt {

class Fiber {
  public:
    using Entry = void (*)(void* argument);

    Fiber();
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// Makes the next resume() call entry(argument) from the top; entry must end in finish().
    void start(Entry entry, void* argument);

    /// Runs the fiber until it pauses or finishes.
    void resume();

    /// From inside: gives control back to whoever resumed this fiber.
    void pause();

    /// From inside, last: as pause(), and never resumed again.
    [[noreturn]] void finish();

  private:
    using Context = boost::context::detail::fcontext_t;
    static void enter(boost::context::detail::transfer_t from);
    void switch_out(bool last);

    std::byte* stack_;  ///< Lowest address, behind a guard page.
    Context self_{}, resumer_{};
    Entry entry_{};
    void* argument_{};
    // AddressSanitizer must be told which stack is in use.
    void* fake_stack_{};
    void* resumer_fake_stack_{};
    const void* resumer_stack_{};
    size_t resumer_stack_bytes_{};
};

}  // namespace tilewright::simt
