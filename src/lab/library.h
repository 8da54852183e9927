// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// A shared library that is looked for when the program runs.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <string>
#include <utility>

namespace tilewright::lab {

class Library {
  public:
    Library() = default;
    /// RTLD_NOLOAD in `flags` takes only a library that is loaded already.
    explicit Library(const std::string& name, int flags = 0)
        : handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | flags)) {}
    ~Library() {
        if (handle_) dlclose(handle_);
    }
    Library(Library&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Library& operator=(Library&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }

    explicit operator bool() const { return handle_ != nullptr; }

    /// Sets `function` to the symbol; false when the library has none.
    template <class Function>
    bool find(Function*& function, const char* symbol) const {
        function = handle_ ? reinterpret_cast<Function*>(dlsym(handle_, symbol)) : nullptr;
        return function != nullptr;
    }

    /// The file it was loaded from.
    std::string path() const {
        link_map* map = nullptr;
        if (!handle_ || dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0) return {};
        return map->l_name;
    }

  private:
    void* handle_ = nullptr;
};

}  // namespace tilewright::lab
