// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/tuned_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string_view>

namespace tilewright::engine {

namespace {

/// A hundred thousand entries have less; what is larger is something else.
constexpr int64_t kMostBytes = 32 << 20;

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number() const { return number_; }

  private:
    int number_;
};

/// Sets `fault` where there is no whole text.
std::string text_in(int file, std::string& fault) {
    struct stat status {};
    if (fstat(file, &status) != 0) {
        fault = std::strerror(errno);
    } else if (!S_ISREG(status.st_mode)) {
        fault = "it is no file";
    } else if (status.st_size > kMostBytes) {
        fault = "it has " + std::to_string(status.st_size) + " bytes, more than the " +
                std::to_string(kMostBytes) + " that are read";
    }
    std::string text;
    while (fault.empty()) {
        char piece[1 << 16];
        const ssize_t got = read(file, piece, sizeof piece);
        if (got == 0 || std::ssize(text) > kMostBytes) break;
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fault = std::strerror(errno);
        if (got > 0) text.append(piece, static_cast<size_t>(got));
    }
    return text;
}

void report_once(const std::string& path, const TunedText& text) {
    static std::mutex mutex;
    static auto& told = *new std::set<std::string>;  // programs may call when their process ends
    const std::lock_guard lock(mutex);
    for (const std::string& complaint : text.complaints)
        if (told.insert(path + '\n' + complaint).second)
            std::fprintf(stderr, "tilewright: tuning database %s: %s\n", path.c_str(),
                         complaint.c_str());
}

}  // namespace

TunedPlace tuned_place() {
    constexpr const char* kFile = "/tilewright/tuning.tsv";
    const std::string wish = variable("TILEWRIGHT_TUNING");
    if (wish == "off" || wish == "/dev/null") return {"", "TILEWRIGHT_TUNING=" + wish};
    if (!wish.empty()) return {wish, ""};
    // A relative path there is to be ignored, says the XDG Base Directory Specification.
    const std::string data = variable("XDG_DATA_HOME"), home = variable("HOME");
    if (data.starts_with('/')) return {data + kFile, ""};
    if (home.starts_with('/')) return {home + "/.local/share" + kFile, ""};
    return {"", "neither XDG_DATA_HOME nor HOME names a folder"};
}

TunedFile read_tuned_file(const std::string& path) {
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.number() < 0 && (errno == ENOENT || errno == ENOTDIR)) return {};
    std::string fault = file.number() < 0 ? std::strerror(errno) : "";
    const std::string text = fault.empty() ? text_in(file.number(), fault) : "";
    if (fault.empty() && text.empty()) return {.text = {}, .exists = true};
    if (fault.empty()) return {.text = parse_tuned(text), .exists = true};
    TunedFile unread{.text = {}, .exists = true, .unreadable = true};
    unread.text.complaints.push_back("it cannot be read: " + fault);
    return unread;
}

std::unique_ptr<const Tuned> tuned_for(const TunedDevice& device) {
    const TunedPlace place = tuned_place();
    if (place.path.empty()) return std::make_unique<const Tuned>();
    TunedFile file = read_tuned_file(place.path);
    report_once(place.path, file.text);
    return std::make_unique<const Tuned>(std::move(file.text.entries), device);
}

}  // namespace tilewright::engine
