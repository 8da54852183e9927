// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/nvrtc.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "lab/atomic_file.h"
#include "lab/lesson.h"
#include "lab/library.h"
#include "lab/text.h"
#include "lab/tune/journal.h"
#include "ladder/ladder.h"

namespace tilewright::lab {

namespace {

// nvrtc.h is not there in a build without CUDA.
using Program = struct _nvrtcProgram*;
using Result = int;  // 0: success

struct Nvrtc {
    Library library;
    Result (*version)(int*, int*);
    Result (*create)(Program*, const char*, const char*, int, const char* const*,
                     const char* const*);
    Result (*destroy)(Program*);
    Result (*compile)(Program, int, const char* const*);
    Result (*add_name)(Program, const char*);
    Result (*lowered_name)(Program, const char*, const char**);
    Result (*cubin_size)(Program, size_t*);
    Result (*cubin)(Program, char*);
    Result (*log_size)(Program, size_t*);
    Result (*log)(Program, char*);
    std::string version_text;

    bool load(const std::string& name) {
        library = Library(name);
        int major = 0, minor = 0;
        if (!library.find(version, "nvrtcVersion") || !library.find(create, "nvrtcCreateProgram") ||
            !library.find(destroy, "nvrtcDestroyProgram") ||
            !library.find(compile, "nvrtcCompileProgram") ||
            !library.find(add_name, "nvrtcAddNameExpression") ||
            !library.find(lowered_name, "nvrtcGetLoweredName") ||
            !library.find(cubin_size, "nvrtcGetCUBINSize") ||
            !library.find(cubin, "nvrtcGetCUBIN") ||
            !library.find(log_size, "nvrtcGetProgramLogSize") ||
            !library.find(log, "nvrtcGetProgramLog") || version(&major, &minor) != 0)
            return false;
        version_text = fmt::format("{}.{}", major, minor);
        return true;
    }
};

std::vector<std::string> places() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value ? value : "");
    };
    if (const std::string chosen = variable("TILEWRIGHT_NVRTC"); !chosen.empty()) return {chosen};
    std::vector<std::string> all;
    for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
        all.emplace_back(name);
        for (const char* home : {"CUDA_HOME", "CUDA_PATH"})
            if (const std::string folder = variable(home); !folder.empty())
                all.push_back(fmt::format("{}/lib64/{}", folder, name));
        all.push_back(fmt::format("/usr/local/cuda/lib64/{}", name));
    }
    return all;
}

/// Null where there is none.
const Nvrtc* nvrtc() {
    static Nvrtc loaded;
    static const bool found = [] {
        for (const std::string& place : places())
            if (loaded.load(place)) return true;
        return false;
    }();
    return found ? &loaded : nullptr;
}

/// As XDG has it; "" where there is none.
std::string cache_folder() {
    const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
    if (cache && *cache == '/') return fmt::format("{}/tilewright", cache);
    if (home && *home == '/') return fmt::format("{}/.cache/tilewright", home);
    return "";
}

/// A file is a digest of the rest, a newline, the symbol, a newline, and the image.
bool read_cached(Cubin& cubin) {
    std::ifstream file(cubin.path, std::ios::binary);
    std::string digest;
    if (!std::getline(file, digest)) return false;
    const std::string rest{std::istreambuf_iterator<char>(file), {}};
    const size_t newline = rest.find('\n');
    if (newline == rest.npos || digest != digest_of(rest)) return false;
    cubin.symbol = rest.substr(0, newline);
    cubin.image = rest.substr(newline + 1);
    return true;
}

void write_cached(const Cubin& cubin) try {
    std::filesystem::create_directories(std::filesystem::path(cubin.path).parent_path());
    const std::string rest = cubin.symbol + '\n' + cubin.image;
    replace_file(cubin.path, digest_of(rest) + '\n' + rest);
} catch (const std::exception&) {  // then it is compiled again
}

std::string expression_of(const KernelDefinition& rung, const TileConfig& config) {
    std::string text = fmt::format("tilewright::ladder::{}::sgemm<tilewright::TileConfig{{",
                                   ladder::name_of(rung));
    for_each_member(config, [&](const char*, int value) { text += fmt::format("{},", value); });
    return text + "}>";
}

struct Input {
    std::string source, expression;
    std::vector<std::string> options;

    std::string key(const std::string& version) const {
        std::string all = version + source + expression;
        for (const std::string& option : options) all += option;
        for (const EmbeddedFile& header : device_headers()) all += header.text;
        return digest_of(all);
    }
};

void compile(const Nvrtc& nvrtc, const Input& input, Cubin& cubin) {
    std::vector<std::string> names, texts;
    std::vector<const char*> header_names, header_texts, options;
    for (const EmbeddedFile& header : device_headers()) {
        names.emplace_back(header.path.substr(header.path.find('/') + 1));  // without src/
        texts.emplace_back(header.text);
    }
    for (const std::string& name : names) header_names.push_back(name.c_str());
    for (const std::string& text : texts) header_texts.push_back(text.c_str());
    for (const std::string& option : input.options) options.push_back(option.c_str());
    Program program = nullptr;
    if (nvrtc.create(&program, input.source.c_str(), "rung.cu", static_cast<int>(names.size()),
                     header_texts.data(), header_names.data()) != 0) {
        cubin.reason = "NVRTC takes no program";
        return;
    }
    const Result added = nvrtc.add_name(program, input.expression.c_str());
    const Result done = nvrtc.compile(program, static_cast<int>(options.size()), options.data());
    const char* symbol = nullptr;
    size_t bytes = 0;
    if (added == 0 && done == 0 &&
        nvrtc.lowered_name(program, input.expression.c_str(), &symbol) == 0 &&
        nvrtc.cubin_size(program, &bytes) == 0 && bytes > 0) {
        cubin.symbol = symbol;
        cubin.image.resize(bytes);
        nvrtc.cubin(program, cubin.image.data());
    } else {
        nvrtc.log_size(program, &bytes);
        std::string log(bytes, '\0');
        nvrtc.log(program, log.data());
        const std::vector<std::string> lines = split_lines(log.c_str());
        cubin.reason = "it does not compile";
        for (const std::string& line : lines)
            if (line.find("error") != line.npos) {
                cubin.reason += ": " + line;
                break;
            }
    }
    nvrtc.destroy(&program);
}

}  // namespace

std::string nvrtc_missing() {
    return nvrtc() ? "" : "no libnvrtc.so.13, .12 or libnvrtc.so is found";
}

bool has_cache() {
    return !cache_folder().empty();
}

Cubin compile_kernel(const KernelDefinition& rung, const TileConfig& config,
                     const std::string& architecture) {
    Cubin cubin;
    const Nvrtc* found = nvrtc();
    if (!found) {
        cubin.reason = nvrtc_missing();
        return cubin;
    }
    const Input input{std::string(source_of(rung)),
                      expression_of(rung, config),
                      {"-std=c++20", "--gpu-architecture=sm_" + architecture,
                       "-DTILEWRIGHT_TARGET=gpu", "--fmad=false"}};
    if (has_cache()) cubin.path = cache_folder() + "/cubins/" + input.key(found->version_text);
    if (!cubin.path.empty() && read_cached(cubin)) return cubin;
    const auto begin = std::chrono::steady_clock::now();
    compile(*found, input, cubin);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    cubin.compile_ms = took.count();
    if (!cubin.path.empty() && !cubin.image.empty()) write_cached(cubin);
    return cubin;
}

}  // namespace tilewright::lab
