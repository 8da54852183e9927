// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What the report calls kernels, in which order, and which family each belongs to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/kernel.h"

namespace tilewright::lab::report {

inline constexpr const char* kCublas = "k0";
inline constexpr const char* kCublasTf32 = "k0_tf32";  ///< May round factors to TF32.

/// Of the ladder or the engine; null for cuBLAS, which is no kernel of ours, for the library as a
/// whole, and for ids that this build does not know.
const KernelDefinition* kernel_with_id(std::string_view id);
/// Null where the kernel or the variant is not known.
const Variant* variant_of(std::string_view id, std::string_view variant);

/// "fp32" for ids that are not known, and of the library, whose rows tell their own.
const char* arithmetic_of(std::string_view id);

bool is_cublas(std::string_view id);

/// "cublas", "worklog" (01 to 10), "chapter" (11 to 19), "beyond", "tensor", "library", "engine",
/// "other".
const char* family_of(std::string_view id);

/// These ids or contenders in reading order: cuBLAS, the ladder, the library as a whole, its kernels,
/// and what is not known.
std::vector<std::string> in_reading_order(std::vector<std::string> ids);

/// "cuBLAS", "10 warp_tile"; an id that is not known stays as it is.
std::string title_of(std::string_view id);

}  // namespace tilewright::lab::report
