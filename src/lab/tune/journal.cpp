// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tilewright::lab {

namespace {

using Json = nlohmann::ordered_json;

std::optional<Tried> tried_in(const Json& json) try {
    const auto candidate = candidate_in(json.at("candidate"));
    if (!candidate) return std::nullopt;
    Tried tried{.candidate = *candidate};
    const std::string outcome = json.at("outcome");
    for (const Outcome each : {Outcome::ok, Outcome::wrong, Outcome::failed, Outcome::not_run})
        if (outcome == name_of(each)) tried.outcome = each;
    tried.reason = json.at("reason");
    tried.samples = json.at("samples").get<std::vector<double>>();
    tried.cold = json.at("cold"), tried.graph = json.at("graph");
    tried.compile_ms = json.at("compile_ms");
    tried.resumed = true;
    return tried;
} catch (const nlohmann::json::exception&) {
    return std::nullopt;
}

}  // namespace

Journal::Journal(std::string path, std::string key) : path_(std::move(path)), key_(std::move(key)) {
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) {
        const Json json = Json::parse(line, nullptr, false);
        if (!json.is_object() || json.value("key", Json()) != Json(key_)) continue;
        if (auto tried = tried_in(json)) known_.push_back(std::move(*tried));
    }
}

const Tried* Journal::find(const TuneCandidate& candidate) const {
    for (const Tried& tried : known_)
        if (json_of(tried.candidate) == json_of(candidate)) return &tried;
    return nullptr;
}

void Journal::add(const Tried& tried) {
    if (path_.empty() || !failure_.empty()) return;
    const Json json{{"key", key_},
                    {"candidate", json_of(tried.candidate)},
                    {"outcome", name_of(tried.outcome)},
                    {"reason", tried.reason},
                    {"samples", tried.samples},
                    {"cold", tried.cold},
                    {"graph", tried.graph},
                    {"compile_ms", tried.compile_ms}};
    const std::string line =
        json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), ignored);
    // In one write: two runs of the same command do not mix their lines.
    const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0 || write(file, line.data(), line.size()) != std::ssize(line))
        failure_ = fmt::format("cannot write {}: {}", path_, std::strerror(errno));
    if (file >= 0) close(file);
}

void Journal::remove() {
    if (!path_.empty()) unlink(path_.c_str());
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
