// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::days kStale{7};

Json record_of(const Tried& tried) {
    return {{"candidate", json_of(tried.candidate)},
            {"outcome", name_of(tried.outcome)},
            {"reason", tried.reason},
            {"stage", tried.stage},
            {"samples", tried.samples},
            {"earlier", tried.earlier},
            {"cold", tried.cold},
            {"graph", tried.graph},
            {"tied", tried.tied},
            {"compile_ms", tried.compile_ms}};
}

std::optional<Tried> tried_in(const Json& json) try {
    const auto candidate = candidate_in(json.at("candidate"));
    if (!candidate) return std::nullopt;
    Tried tried{.candidate = *candidate};
    const std::string outcome = json.at("outcome");
    for (const Outcome each : {Outcome::ok, Outcome::wrong, Outcome::failed, Outcome::not_run})
        if (outcome == name_of(each)) tried.outcome = each;
    tried.reason = json.at("reason");
    tried.stage = json.at("stage");
    tried.samples = json.at("samples").get<std::vector<double>>();
    tried.earlier = json.at("earlier").get<std::vector<std::vector<double>>>();
    tried.cold = json.at("cold"), tried.graph = json.at("graph");
    tried.tied = json.at("tied"), tried.compile_ms = json.at("compile_ms");
    tried.resumed = true;
    const bool timed = tried.outcome == Outcome::ok;
    if (timed == tried.samples.empty() || tried.stage < 0 ||
        (timed && std::cmp_not_equal(tried.earlier.size(), tried.stage)))
        return std::nullopt;
    return tried;
} catch (const nlohmann::json::exception&) {
    return std::nullopt;
}

/// None where one of them is not what record_of() makes.
std::optional<std::vector<Tried>> all_in(const Json& json) {
    std::vector<Tried> all;
    for (const Json& each : json) {
        auto tried = tried_in(each);
        if (!tried) return std::nullopt;
        all.push_back(std::move(*tried));
    }
    return all;
}

std::string line_of(const Json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

/// Of its first line; "" where there is none.
std::string key_in(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    const Json json = Json::parse(line, nullptr, false);
    return json.is_object() && json.contains("key") && json["key"].is_string()
               ? json["key"].get<std::string>()
               : "";
}

}  // namespace

Journal::Journal(std::string path, std::string key) : path_(std::move(path)), key_(std::move(key)) {
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) {
        const Json json = Json::parse(line, nullptr, false);
        if (!json.is_object() || json.value("key", Json()) != Json(key_)) continue;
        if (json.contains("all"))
            finished_ = all_in(json["all"]);
        else if (auto tried = tried_in(json.value("tried", Json())))
            known_.push_back(std::move(*tried));
    }
}

const Tried* Journal::find(const TuneCandidate& candidate, int stage) const {
    for (const Tried& tried : known_)
        if (tried.stage == stage && json_of(tried.candidate) == json_of(candidate)) return &tried;
    return nullptr;
}

void Journal::add(const Tried& tried) {
    if (!tried.ok() && tried.outcome != Outcome::wrong) return;
    if (!path_.empty()) write(line_of({{"key", key_}, {"tried", record_of(tried)}}));
}

void Journal::finish(const std::vector<Tried>& all) {
    if (path_.empty()) return;
    Json json{{"key", key_}, {"all", Json::array()}};
    for (const Tried& tried : all) json["all"].push_back(record_of(tried));
    write(line_of(json));
}

void Journal::write(const std::string& line) {
    if (!failure_.empty()) return;
    std::error_code ignored;
    if (const auto folder = std::filesystem::path(path_).parent_path(); !folder.empty())
        std::filesystem::create_directories(folder, ignored);
    // In one write: two runs of the same command do not mix their lines.
    const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0 || ::write(file, line.data(), line.size()) != std::ssize(line))
        failure_ = fmt::format("cannot write {}: {}", path_, std::strerror(errno));
    if (file >= 0) close(file);
}

void Journal::remove() {
    if (!path_.empty()) unlink(path_.c_str());
}

void remove_stale_journals(const std::string& database) {
    namespace fs = std::filesystem;
    const fs::path path = database;
    const std::string begin = path.filename().string() + '.';
    const auto now = fs::file_time_type::clock::now();
    std::error_code error;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
    for (fs::directory_iterator each(folder, error), end; !error && each != end;
         each.increment(error)) {
        const std::string name = each->path().filename().string();
        if (!name.starts_with(begin) || !name.ends_with(".journal")) continue;
        std::error_code ignored;
        const auto written = fs::last_write_time(each->path(), ignored);
        if (ignored || now - written < kStale) continue;
        if (key_in(each->path()).find(program_stamp()) == std::string::npos)
            fs::remove(each->path(), ignored);
    }
}

std::string program_stamp() {
    struct stat status {};
    if (stat("/proc/self/exe", &status) != 0) return "";
    return fmt::format("{} {}.{}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

std::string digest_of(const std::string& text) {
    // FNV-1a from two bases.
    uint64_t one = 0xcbf29ce484222325u, two = 0x84222325cbf29ce4u;
    for (const unsigned char c : text) {
        one = (one ^ c) * 0x100000001b3u;
        two = (two ^ c) * 0x100000001b3u + (two >> 57);
    }
    return fmt::format("{:016x}{:016x}", one, two);
}

}  // namespace tilewright::lab
