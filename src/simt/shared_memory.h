// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A block's shared memory: where its arrays lie, and what is known of their words.
#pragma once

#include <cstddef>
#include <vector>

#include "simt/shared_shadow.h"
#include "simt/trace.h"
#include "simt/words.h"

namespace tilewright::simt {

/// Reused from block to block.
class SharedMemory {
  public:
    SharedMemory();

    /// `dynamic_bytes` more than static arrays have; `counted`: with a shadow.
    void begin_block(size_t dynamic_bytes, bool counted);

    /// An array of this declaration, `place`: the same one each time, and at first undefined. Throws
    /// where there is no room.
    const Extent& static_array(size_t bytes, unsigned element_bytes, const char* name,
                               const void* place);
    const Extent& dynamic_array(size_t offset, size_t bytes, unsigned element_bytes,
                                const char* name, const void* place);

    size_t offset_of(uintptr_t address) const { return address - base_; }
    bool contains(uintptr_t address) const { return address - base_ < shared_bytes(); }
    /// The same place as in another block's memory, where the same arrays are.
    Place counterpart(const SharedMemory& other, const Place& place);
    SharedShadow& shadow() { return shadow_; }

  private:
    struct Array {
        Extent extent;
        const void* place;
    };

    size_t shared_bytes() const;
    void reserve(size_t dynamic_bytes);
    const Extent* find(const void* place) const;
    const Extent& declare(size_t offset, size_t bytes, unsigned element_bytes, const char* name,
                          const void* place);

    std::vector<std::byte> memory_;
    uintptr_t base_ = 0;
    std::vector<Array> arrays_;
    size_t static_bytes_ = 0, dynamic_bytes_ = 0;
    bool counted_ = false;
    SharedShadow shadow_;
};

}  // namespace tilewright::simt
