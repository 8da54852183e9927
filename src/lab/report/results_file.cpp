// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/report/results_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "lab/report/kernels.h"
#include "lab/saved_results.h"
#include "lab/text.h"
#include "lab/usage.h"

namespace tilewright::lab::report {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
    throw UsageError(fmt::format("{}: {}", path, what));
}

/// What a row must have; everything else it may lack.
bool has_shape(const Json& object) {
    const auto shape = object.find("shape");
    if (shape == object.end() || !shape->is_array() || shape->size() != 3) return false;
    for (const Json& size : *shape)
        if (!size.is_number_integer()) return false;
    return true;
}

MeasuredRow row_of(const Json& json) {
    MeasuredRow row;
    row.rung = text_at(json, "rung");
    row.variant = text_at(json, "variant", "default");
    row.arithmetic = text_at(json, "arithmetic", arithmetic_of(row.rung));
    const Json& shape = json["shape"];
    row.m = shape[0], row.n = shape[1], row.k = shape[2];
    row.batch = integer_at(json, "batch", 1);
    row.parts = integer_at(json, "parts", 1);
    row.transpose_a = text_at(json, "transa", "N") != "N";
    row.transpose_b = text_at(json, "transb", "N") != "N";
    row.alpha = number_at(json, "alpha").value_or(1);
    row.beta = number_at(json, "beta").value_or(0);
    row.device_scalars = flag_at(json, "device_scalars");
    row.ld = {integer_at(json, "lda", 0), integer_at(json, "ldb", 0), integer_at(json, "ldc", 0)};
    row.dist = text_at(json, "dist");
    row.memory = text_at(json, "memory");
    row.launch = text_at(json, "launch");
    row.sustained = flag_at(json, "sustained");
    row.chosen = text_at(json, "kernel");
    row.opponent = text_at(json, "opponent");
    row.throttling = text_at(json, "throttling");
    row.status = text_at(json, "status", "ok");
    row.reason = text_at(json, "reason");
    row.samples = static_cast<int>(integer_at(json, "samples", 0));
    row.median_us = number_at(json, "median_us");
    row.spread_us = number_at(json, "spread_us");
    row.gflops = number_at(json, "gflops");
    row.percent_of_cublas = number_at(json, "percent_of_cublas");
    row.percent_of_opponent = number_at(json, "percent_of_opponent");
    row.percent_of_peak = number_at(json, "percent_of_peak");
    row.sm_mhz = number_at(json, "sm_mhz");
    row.watts = number_at(json, "watts");
    row.max_error = number_at(json, "max_error");
    row.bound = number_at(json, "bound");
    if (!row.median_us && row.gflops && *row.gflops > 0)
        row.median_us = flop_of(row) / *row.gflops * 1e-3;
    return row;
}

std::map<std::string, double> numbers_in(const Json& object) {
    std::map<std::string, double> numbers;
    for (const auto& item : object.items())
        if (item.value().is_number()) numbers[item.key()] = item.value().get<double>();
    return numbers;
}

CountedKernel counted_of(const Json& json, const Json& totals) {
    const Json& shape = json["shape"];
    CountedKernel counted{text_at(json, "rung"),
                          text_at(json, "variant", "default"),
                          shape[0],
                          shape[1],
                          shape[2],
                          numbers_in(totals),
                          {}};
    if (const Json* compiled = object_at(json, "compiled")) {
        if (const auto wavefronts = number_at(*compiled, kCompiledWavefronts))
            counted.totals[kCompiledWavefronts] = *wavefronts;
        if (const Json* loop = object_at(*compiled, "main_loop"))
            counted.main_loop = numbers_in(*loop);
    }
    return counted;
}

/// Arrays that other verbs and tools write in place of results.
std::string arrays_in(const Json& json) {
    std::vector<std::string> keys;
    for (const auto& item : json.items())
        if (item.value().is_array()) keys.push_back('"' + item.key() + '"');
    return join(keys, ", ");
}

const Json* array_at(const std::string& path, const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end()) return nullptr;
    if (!found->is_array()) fail(path, fmt::format("\"{}\" is no array", key));
    return &*found;
}

const Json* rows_at(const std::string& path, const Json& json, const char* key) {
    const Json* found = array_at(path, json, key);
    if (!found) return nullptr;
    for (size_t i = 0; i < found->size(); ++i) {
        const Json& each = (*found)[i];
        if (!each.is_object() || text_at(each, "rung").empty() || !has_shape(each))
            fail(path, fmt::format("\"{}\", entry {}: it has no \"rung\", or no \"shape\" of three "
                                   "whole numbers",
                                   key, i + 1));
    }
    return found;
}

}  // namespace

std::string ResultsFile::text(const char* key) const {
    return text_at(environment, key);
}

std::string ResultsFile::date() const {
    return text("date");
}

namespace {

ResultsFile results_of(const std::string& path, const Json& json) {
    ResultsFile file{.path = path, .name = std::filesystem::path(path).filename().string()};
    file.environment = json["environment"];
    const Json* results = rows_at(path, json, "results");
    const Json* counts = rows_at(path, json, "counts");
    const Json* tuning = array_at(path, json, "tuning");
    if (!results && !counts && !tuning) {
        const std::string arrays = arrays_in(json);
        fail(path,
             fmt::format("it has no \"results\", \"counts\" or \"tuning\"{}: report reads what "
                         "ladder, bench, count and tune write with --output FILE.json or "
                         ".jsonl",
                         arrays.empty() ? "" : " but " + arrays));
    }
    if (results)
        for (const Json& each : *results) {
            file.rows.push_back(row_of(each));
            if (const Json* counted = object_at(each, "counted"))
                file.counts.push_back(counted_of(each, *counted));
        }
    if (counts)
        for (const Json& each : *counts)
            if (const Json* totals = object_at(each, "totals"))
                file.counts.push_back(counted_of(each, *totals));
    if (tuning) file.tuned = tuned_in(path, *tuning);
    if (!file.has_times() && file.counts.empty()) fail(path, "it has no rows");
    return file;
}

}  // namespace

ResultsFile parse_results(const std::string& path, std::string_view text) {
    return results_of(path, parse_saved(std::string(text), path));
}

ResultsFile read_results(const std::string& path) {
    return results_of(path, read_saved(path));
}

}  // namespace tilewright::lab::report
