// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/report/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "lab/report/kernels.h"

namespace tilewright::lab::report {

namespace {

std::string device_label(const ResultsFile& file) {
    const std::string device = file.text("device").empty() ? "unknown device" : file.text("device");
    return file.text("mode") == "cpu" ? "CPU mode, " + device : device;
}

std::string row_key(const MeasuredRow& row) {
    return fmt::format("{}/{} {} {}", row.rung, row.variant, row.arithmetic, case_key(row));
}

/// The least for what most people measure.
int rank(const MeasuredRow& row) {
    return 8 * (row.alpha != 1 || row.beta != 0) + 4 * (row.memory == "hot") +
           2 * (!row.dist.empty() && row.dist != "uniform") + row.device_scalars;
}

bool is_default(const MeasuredRow& row) {
    const KernelDefinition* kernel = kernel_with_id(row.rung);
    if (!kernel) return row.variant == "default";
    return kernel->kind != Kind::engine && row.variant == kernel->variants.front().name;
}

/// Files of a device told apart by what differs in their names.
void make_unique(std::vector<Series>& all, const std::vector<ResultsFile>& files) {
    std::map<std::string, int> seen;
    for (const Series& each : all) ++seen[each.label];
    for (Series& each : all)
        if (seen[each.label] > 1) each.label += ", " + files[each.files.front()].name;
}

}  // namespace

const Gpu* gpu_named(const std::string& device) {
    std::string name = ' ' + device + ' ';
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return std::isalnum(c) ? std::tolower(c) : ' '; });
    for (const Gpu& gpu : gpus())
        if (name.find(fmt::format(" {} ", gpu.word)) != name.npos) return &gpu;
    return nullptr;
}

std::vector<Series> series_of(const std::vector<ResultsFile>& files, Grouping grouping,
                              std::vector<size_t>& repeated) {
    std::vector<size_t> order(files.size());
    std::iota(order.begin(), order.end(), 0);
    if (grouping == Grouping::by_device)
        std::stable_sort(order.begin(), order.end(),
                         [&](size_t a, size_t b) { return files[a].date() < files[b].date(); });
    std::vector<Series> all;
    for (const size_t index : order) {
        if (!files[index].has_times()) continue;
        const std::string label = device_label(files[index]);
        auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Series& each) { return each.label == label; });
        if (found == all.end() || grouping == Grouping::by_file) {
            all.push_back({.label = label, .on_gpu = files[index].text("mode") != "cpu"});
            found = std::prev(all.end());
        }
        found->environment = files[index].environment;
        found->gpu = found->on_gpu ? gpu_named(files[index].text("device")) : nullptr;
        found->files.push_back(index);
    }
    repeated.assign(files.size(), 0);
    for (Series& each : all) {
        std::set<std::string> known;
        for (auto file = each.files.rbegin(); file != each.files.rend(); ++file) {
            std::vector<MeasuredRow> fresh;
            for (const MeasuredRow& row : files[*file].rows) {
                // Within one file nothing is repeated: a second try is a row of its own.
                if (known.count(row_key(row)))
                    ++repeated[*file];
                else
                    fresh.push_back(row);
            }
            for (const MeasuredRow& row : fresh) known.insert(row_key(row));
            each.rows.insert(each.rows.begin(), fresh.begin(), fresh.end());
            const auto& tuned = files[*file].tuned;
            each.tuned.insert(each.tuned.begin(), tuned.begin(), tuned.end());
        }
    }
    make_unique(all, files);
    return all;
}

bool is_plainer(const MeasuredRow& row, const MeasuredRow& best) {
    if (rank(row) != rank(best)) return rank(row) < rank(best);
    if (is_default(row) != is_default(best)) return is_default(row);
    if (row.variant == best.variant && row.parts == best.parts) return true;  // the later one
    return row.median_us < best.median_us;
}

Squares squares_of(const Series& series) {
    Squares squares;
    for (const MeasuredRow& row : series.rows) {
        if (!row.timed() || !row.is_square()) continue;
        const MeasuredRow*& best = squares[{contender_of(row), row.m}];
        if (!best || is_plainer(row, *best)) best = &row;
    }
    return squares;
}

}  // namespace tilewright::lab::report
