// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// The device words of Hopper in CPU mode; see gpu_hopper.h.
#pragma once

#include "device/cpu_sync.h"

#define __grid_constant__

namespace tilewright::inline TILEWRIGHT_TARGET {

enum class Swizzle { none, bytes64 = 64, bytes128 = 128 };

struct TensorMap {
    GlobalPtr<const float> origin;
    int64_t rows, cols, ld;
    int box_rows, box_cols;
    Swizzle swizzle;
    int64_t slice_stride;
};

inline void cp_async_bulk_tensor(SharedPtr<float> to, const TensorMap& map, int64_t row,
                                 int64_t col, SharedPtr<Barrier> barrier,
                                 Site site = Site::here()) {
    simt::copy_tensor(place_of(to, site), place_of(map.origin, site),
                      {.rows = map.rows,
                       .cols = map.cols,
                       .ld = map.ld,
                       .box_rows = map.box_rows,
                       .box_cols = map.box_cols,
                       .row = row,
                       .col = col,
                       .swizzle = static_cast<int>(map.swizzle)},
                      place_of(barrier, site));
}

inline void cp_async_bulk_tensor(SharedPtr<float> to, const TensorMap& map, int64_t slice,
                                 int64_t row, int64_t col, SharedPtr<Barrier> barrier,
                                 Site site = Site::here()) {
    TensorMap one = map;
    one.origin += slice * map.slice_stride;
    cp_async_bulk_tensor(to, one, row, col, barrier, site);
}

// Launches do not overlap here.
inline void wait_for_stream() {}
inline void let_stream_go_on() {}

inline unsigned cluster_rank() {
    return simt::cluster_rank();
}
inline void cluster_arrive(Site site = Site::here()) {
    simt::cluster_arrive(true, site);
}
inline void cluster_arrive_relaxed(Site site = Site::here()) {
    simt::cluster_arrive(false, site);
}
inline void cluster_wait(Site site = Site::here()) {
    simt::cluster_wait(site);
}
template <class Pointer>
auto map_shared_rank(const Pointer& p, unsigned rank, Site site = Site::here()) {
    return cluster_ptr(p, simt::map_shared_rank(place_of(p, site), rank));
}

template <int kRegisters>
void setmaxnreg_inc() {}
template <int kRegisters>
void setmaxnreg_dec() {}

struct Slices {
    int64_t count, stride;
};

inline Status make_tensor_map(TensorMap& map, GlobalPtr<const float> origin, int64_t rows,
                              int64_t cols, int64_t ld, int box_rows, int box_cols,
                              Swizzle swizzle = Swizzle::none, const Slices* slices = nullptr) {
    const int most_cols = swizzle == Swizzle::none ? 256 : static_cast<int>(swizzle) / 4;
    if (!rows_aligned(origin, ld) || box_rows > 256 || box_cols > most_cols || box_cols % 4 != 0)
        return {StatusCode::invalid_value,
                "a tensor map's matrix lies on 16 bytes, as all its rows do, and its boxes are of "
                "256 x " +
                    std::to_string(most_cols) +
                    " elements at most, in rows of whole 16 bytes; not " +
                    std::to_string(box_rows) + " x " + std::to_string(box_cols) + ", rows " +
                    std::to_string(ld) + " apart"};
    if (slices && (slices->stride < 0 || slices->stride % 4 != 0))
        return {StatusCode::invalid_value,
                "a tensor map's matrices lie whole 16 bytes behind each other, not " +
                    std::to_string(slices->stride) + " elements"};
    map = {origin, rows, cols, ld, box_rows, box_cols, swizzle, slices ? slices->stride : 0};
    return {};
}

}  // namespace tilewright::inline TILEWRIGHT_TARGET
