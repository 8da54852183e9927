// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/tuned.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <tuple>

#include "kernels_digest.h"
#include "tilewright/tilewright.h"

#define TILEWRIGHT_TEXT(number) #number
#define TILEWRIGHT_VERSION_TEXT(major, minor, patch) \
    TILEWRIGHT_TEXT(major) "." TILEWRIGHT_TEXT(minor) "." TILEWRIGHT_TEXT(patch)

namespace tilewright::engine {

namespace {

constexpr size_t kFields = 17;
using Fields = std::array<std::string, kFields>;

/// Names may hold anything: tabs and newlines are what a line is made of.
std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text)
        if (c == '\t' || c == '\n' || c == '\r' || c == '\\') {
            result += '\\';
            result += c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : '\\';
        } else {
            result += c;
        }
    return result;
}

std::string unescaped(std::string_view text) {
    std::string result;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            result += text[i];
            continue;
        }
        const char c = text[++i];
        result += c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c;
    }
    return result;
}

/// The same in any locale.
std::string text_of(double value) {
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value);
    return error == std::errc() ? std::string(text, end) : "0";
}

template <class Number>
bool read(const std::string& text, Number& value) {
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && at == end;
}

bool read_mode(const std::string& text, Arithmetic& mode) {
    for (const Arithmetic each : kArithmetics)
        if (text == name_of(each)) {
            mode = each;
            return true;
        }
    mode = Arithmetic::tf32x3;  // a rung's, and no compute mode
    return text == name_of(mode);
}

std::optional<Fields> split(std::string_view line) {
    Fields fields;
    for (size_t i = 0; i < kFields; ++i) {
        const size_t tab = line.find('\t');
        if ((tab == line.npos) != (i + 1 == kFields)) return std::nullopt;
        fields[i] = unescaped(line.substr(0, tab));
        if (tab != line.npos) line.remove_prefix(tab + 1);
    }
    return fields;
}

bool is_time(double us) {
    return std::isfinite(us) && us > 0;
}

bool is_date(const std::string& text) {
    constexpr std::string_view kShape = "dddd-dd-ddTdd:dd:ddZ";
    return text.size() == kShape.size() &&
           std::equal(text.begin(), text.end(), kShape.begin(), [](char c, char shape) {
               return shape == 'd' ? c >= '0' && c <= '9' : c == shape;
           });
}

/// What is wrong with a line; null where it is an entry.
const char* read_entry(std::string_view line, TunedEntry& e) {
    const auto fields = split(line);
    if (!fields) return "it does not have 17 fields";
    const auto& [subject, device, sms, capability, version, mode, transposes, alignment, m, n, k,
                 batch, kernel, median, spread, samples, date] = *fields;
    ProblemClass& p = e.problem;
    e.subject = subject, e.device.name = device, e.version = version, e.kernel = kernel;
    e.date = date;
    if (subject.empty() || device.empty() || version.empty() || kernel.empty())
        return "a name is empty";
    if (!read(sms, e.device.multiprocessors) || !read(capability, e.device.compute_capability) ||
        e.device.multiprocessors < 1 || e.device.compute_capability < 10)
        return "there is no such device";
    if (!read_mode(mode, p.mode)) return "there is no such compute mode";
    if (transposes.size() != 2 || transposes.find_first_not_of("NT") != transposes.npos)
        return "the operations are not two of N and T";
    p.transpose_a = transposes[0] == 'T', p.transpose_b = transposes[1] == 'T';
    if (alignment != "16" && alignment != "4") return "the alignment is neither 16 nor 4";
    p.aligned = alignment == "16";
    if (!read(m, p.m) || !read(n, p.n) || !read(k, p.k) || !read(batch, p.batch) ||
        std::min({p.m, p.n, p.k, p.batch}) < 1)
        return "a size is not a number from 1 on";
    if (!read(median, e.median_us) || !is_time(e.median_us) || !read(spread, e.spread_us) ||
        !(e.spread_us >= 0) || !std::isfinite(e.spread_us) || !read(samples, e.samples) ||
        e.samples < 1)
        return "a time is none";
    return is_date(date) ? nullptr : "the date is none";
}

/// Of the header; 0 where it is not ours.
int schema_of(std::string_view line) {
    if (!line.starts_with(kTunedMagic)) return 0;
    line.remove_prefix(kTunedMagic.size());
    int schema = 0;
    if (!line.starts_with(' ') || !read(std::string(line.substr(1)), schema)) return 0;
    return schema;
}

bool is_aligned(const float* data, int64_t ld, int64_t stride, int64_t batch) {
    return reinterpret_cast<uintptr_t>(data) % 16 == 0 && ld % 4 == 0 &&
           (batch == 1 || stride % 4 == 0);
}

}  // namespace

const char* kernels_version() {
    return TILEWRIGHT_VERSION_TEXT(TILEWRIGHT_VERSION_MAJOR, TILEWRIGHT_VERSION_MINOR,
                                   TILEWRIGHT_VERSION_PATCH) "+" TILEWRIGHT_KERNELS_DIGEST;
}

ProblemClass class_of(const Problem& p) {
    return {.mode = p.arithmetic,
            .transpose_a = p.transpose_a,
            .transpose_b = p.transpose_b,
            .aligned = is_aligned(p.A, p.lda, p.stride_a, p.batch) &&
                       is_aligned(p.B, p.ldb, p.stride_b, p.batch) &&
                       is_aligned(p.C, p.ldc, p.stride_c, p.batch),
            .m = p.m,
            .n = p.n,
            .k = p.k,
            .batch = p.batch};
}

std::string text_of(const ProblemClass& p) {
    std::string text;
    text += p.transpose_a ? 'T' : 'N';
    text += p.transpose_b ? 'T' : 'N';
    text += ' ' + std::to_string(p.m) + " x " + std::to_string(p.n) + " x " + std::to_string(p.k);
    if (p.batch != 1) text += ", batch " + std::to_string(p.batch);
    text += std::string(", ") + name_of(p.mode);
    return p.aligned ? text : text + ", unaligned";
}

bool same_key(const TunedEntry& a, const TunedEntry& b) {
    return a.subject == b.subject && a.device == b.device && a.version == b.version &&
           a.problem == b.problem;
}

TunedText parse_tuned(std::string_view text) {
    TunedText result;
    int number = 0, schema = 0;
    std::string first_reason;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        const bool whole = end != text.npos;  // the last line of a file that was cut off is not
        text.remove_prefix(whole ? end + 1 : text.size());
        if (++number == 1) {
            schema = schema_of(line);
            if (schema == kTunedSchema) continue;
            result.foreign = true;
            result.complaints.push_back(
                schema > kTunedSchema
                    ? "it has schema " + std::to_string(schema) + " of a newer version; this one " +
                          "reads " + std::to_string(kTunedSchema)
                    : "it does not begin with '" + std::string(kTunedMagic) + ' ' +
                          std::to_string(kTunedSchema) + "' and is no tuning database");
            return result;
        }
        if (line.empty() || line.front() == '#') continue;
        TunedEntry entry;
        const char* fault = whole ? read_entry(line, entry) : "it has no end";
        if (!fault) {
            result.entries.push_back(std::move(entry));
            continue;
        }
        if (result.rejected.empty())
            first_reason = "line " + std::to_string(number) + " is no entry: " + fault;
        result.rejected.emplace_back(line);
    }
    if (result.rejected.size() > 1)
        first_reason += "; " + std::to_string(result.rejected.size() - 1) + " more like it";
    if (!first_reason.empty()) result.complaints.push_back(first_reason);
    return result;
}

std::string line_of(const TunedEntry& e) {
    const ProblemClass& p = e.problem;
    const std::string transposes = {p.transpose_a ? 'T' : 'N', p.transpose_b ? 'T' : 'N'};
    const Fields fields{e.subject,
                        e.device.name,
                        std::to_string(e.device.multiprocessors),
                        std::to_string(e.device.compute_capability),
                        e.version,
                        name_of(p.mode),
                        transposes,
                        p.aligned ? "16" : "4",
                        std::to_string(p.m),
                        std::to_string(p.n),
                        std::to_string(p.k),
                        std::to_string(p.batch),
                        e.kernel,
                        text_of(e.median_us),
                        text_of(e.spread_us),
                        std::to_string(e.samples),
                        e.date};
    std::string line;
    for (const std::string& field : fields) line += (line.empty() ? "" : "\t") + escaped(field);
    return line + '\n';
}

std::string text_of(const std::vector<TunedEntry>& entries) {
    std::string text = std::string(kTunedMagic) + ' ' + std::to_string(kTunedSchema) +
                       "\n# subject\tdevice\tSMs\tcapability\tversion\tcompute\toperations\t"
                       "alignment\tm\tn\tk\tbatch\tkernel\tmedian_us\tspread_us\tsamples\tdate\n";
    for (const TunedEntry& entry : entries) text += line_of(entry);
    return text;
}

Tuned::Tuned(std::vector<TunedEntry> entries, const TunedDevice& device)
    : entries_(std::move(entries)) {
    std::erase_if(entries_, [&](const TunedEntry& entry) {
        return entry.subject != kEngine || entry.device != device ||
               entry.version != kernels_version();
    });
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const TunedEntry& a, const TunedEntry& b) {
                         return std::tie(a.problem, b.date) < std::tie(b.problem, a.date);
                     });
    const auto rest = std::unique(
        entries_.begin(), entries_.end(),
        [](const TunedEntry& a, const TunedEntry& b) { return a.problem == b.problem; });
    entries_.erase(rest, entries_.end());
}

const TunedEntry* Tuned::exact(const ProblemClass& problem) const {
    const auto at = std::lower_bound(
        entries_.begin(), entries_.end(), problem,
        [](const TunedEntry& entry, const ProblemClass& of) { return entry.problem < of; });
    return at != entries_.end() && at->problem == problem ? &*at : nullptr;
}

std::optional<double> distance(const ProblemClass& a, const ProblemClass& b) {
    if (a.mode != b.mode || a.transpose_a != b.transpose_a || a.transpose_b != b.transpose_b ||
        a.aligned != b.aligned)
        return std::nullopt;
    double sum = 0;
    for (const auto& [x, y] : {std::pair(a.m, b.m), {a.n, b.n}, {a.k, b.k}, {a.batch, b.batch}}) {
        if (x < 1 || y < 1) return std::nullopt;
        sum += std::fabs(std::log(static_cast<double>(x) / static_cast<double>(y)));
    }
    return sum;
}

std::vector<const TunedEntry*> Tuned::near(const ProblemClass& problem) const {
    const auto is_near = [](int64_t a, int64_t b) {
        const auto x = static_cast<double>(a), y = static_cast<double>(b);
        return x <= kNearFactor * y && y <= kNearFactor * x;
    };
    std::vector<std::pair<double, const TunedEntry*>> found;
    for (const TunedEntry& entry : entries_) {
        const ProblemClass& p = entry.problem;
        if (p == problem || !is_near(p.m, problem.m) || !is_near(p.n, problem.n) ||
            !is_near(p.k, problem.k) || !is_near(p.batch, problem.batch))
            continue;
        if (const auto far = distance(p, problem)) found.emplace_back(*far, &entry);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<const TunedEntry*> sorted;
    for (const auto& [far, entry] : found) sorted.push_back(entry);
    return sorted;
}

}  // namespace tilewright::engine
