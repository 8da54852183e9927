// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/report/browser.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "lab/usage.h"

extern char** environ;

namespace tilewright::lab::report {

namespace {

namespace fs = std::filesystem;

constexpr const char* kNames[] = {"chromium", "chromium-browser", "google-chrome",
                                  "google-chrome-stable", "chrome"};
constexpr auto kPatience = std::chrono::seconds(60);

bool is_program(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

/// A folder for the browser's profile, removed with all that it left there.
class Profile {
  public:
    Profile() {
        std::string name = (fs::temp_directory_path() / "tilewright-XXXXXX").string();
        if (!mkdtemp(name.data()))
            throw std::runtime_error(fmt::format("no folder {}: {}", name, std::strerror(errno)));
        path_ = name;
    }
    ~Profile() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Profile(const Profile&) = delete;
    Profile& operator=(const Profile&) = delete;
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

/// Its exit status; -1 where it did not end in time and was ended. What it prints goes to `output`.
int run_quietly(std::vector<std::string> words, const std::string& output = "/dev/null") {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT,
                                     S_IRUSR | S_IWUSR);
    posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    // A group of its own: the browser's helpers end with it.
    posix_spawnattr_t group;
    posix_spawnattr_init(&group);
    posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP);
    pid_t child = 0;
    const int error =
        posix_spawn(&child, words.front().c_str(), &quiet, &group, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&quiet);
    posix_spawnattr_destroy(&group);
    if (error != 0)
        throw std::runtime_error(
            fmt::format("cannot run {}: {}", words.front(), std::strerror(error)));
    const auto end = std::chrono::steady_clock::now() + kPatience;
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > end) {
            kill(-child, SIGKILL);
            waitpid(child, &status, 0);
            return -1;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/// file:// and the path; what a URL gives a meaning is written in hexadecimal.
std::string url_of(const fs::path& path) {
    std::string url = "file://";
    for (const char c : fs::absolute(path).string()) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = std::isalnum(byte) || std::strchr("/-_.~", c);
        url += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
    }
    return url;
}

/// What both uses of it have in common.
std::vector<std::string> words_for(const std::string& browser, const Profile& profile,
                                   const Figure& figure) {
    std::vector<std::string> words{browser,
                                   "--headless",
                                   "--disable-gpu",
                                   "--hide-scrollbars",
                                   "--no-first-run",
                                   "--force-device-scale-factor=1.5",
                                   fmt::format("--user-data-dir={}", profile.path().string()),
                                   fmt::format("--window-size={},{}", figure.width, figure.height)};
    // Chromium has no sandbox for root, and the page is our own.
    if (geteuid() == 0) words.emplace_back("--no-sandbox");
    return words;
}

}  // namespace

std::string find_browser() {
    if (const char* named = std::getenv("TILEWRIGHT_BROWSER"); named && *named) {
        if (is_program(named)) return named;
        throw UsageError(fmt::format("TILEWRIGHT_BROWSER: {} is no program", named));
    }
    const char* path = std::getenv("PATH");
    for (const char* name : kNames) {
        std::istringstream folders(path ? path : "");
        for (std::string folder; std::getline(folders, folder, ':');)
            if (!folder.empty() && is_program(fs::path(folder) / name))
                return (fs::path(folder) / name).string();
    }
    throw UsageError(
        "--png: figures are drawn by Chromium, and none was found on PATH: apt-get install "
        "chromium, "
        "or name one in TILEWRIGHT_BROWSER");
}

std::string dump_page(const std::string& browser, const std::string& page, const Figure& figure) {
    const Profile profile;
    const fs::path text = profile.path() / "page.html";
    std::vector<std::string> words = words_for(browser, profile, figure);
    words.emplace_back("--dump-dom");
    words.push_back(fmt::format("{}#{}", url_of(page), figure.name));
    const int status = run_quietly(words, text.string());
    if (status != 0)
        throw std::runtime_error(
            status == -1
                ? fmt::format("{} did not show the page within {} s", browser, kPatience.count())
                : fmt::format("{} did not show the page: it ended with "
                              "status {}",
                              browser, status));
    std::ifstream file(text, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void draw_figure(const std::string& browser, const std::string& page, const Figure& figure,
                 const std::string& folder) {
    const Profile profile;
    const fs::path target = fs::path(folder) / (figure.name + ".png");
    const fs::path drawn = profile.path() / "figure.png";
    std::vector<std::string> words = words_for(browser, profile, figure);
    words.push_back(fmt::format("--screenshot={}", drawn.string()));
    words.push_back(fmt::format("{}#figure={}", url_of(page), figure.name));
    const int status = run_quietly(words);
    std::error_code ignored;
    if (status == -1)
        throw std::runtime_error(
            fmt::format("{} did not draw {} within {} s", browser, figure.name, kPatience.count()));
    if (status != 0 || fs::file_size(drawn, ignored) == 0 || ignored)
        throw std::runtime_error(fmt::format("{} drew no {}: it ended with status {}", browser,
                                             target.string(), status));
    // Beside the target first, since the other folder may be on another disk.
    const fs::path beside = target.string() + ".tmp";
    fs::copy_file(drawn, beside, fs::copy_options::overwrite_existing);
    fs::rename(beside, target);
}

}  // namespace tilewright::lab::report
