// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// What is read of Nsight Compute's output, and how it is called.
#include "lab/ncu.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <utility>

#include "lab/device.h"

namespace tilewright::lab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOutput =
    R"CSV(==WARNING== Note: Running with unmodified GPU clocks. If not controlled otherwise, profiling results may be inconsistent.
==PROF== Connected to process 77 (/usr/bin/tilewright)
NVIDIA H200, 132 SMs, 1980 MHz
==PROF== Profiling "sgemm" - 0: 0%....50%....100% - 2 passes

rung  name   cases  ok
k1    naive      1   1
==PROF== Disconnected from process 77
"ID","Process ID","Kernel Name","Block Size","Grid Size","CC","gpu__time_duration.sum","smsp__inst_executed.sum","l1tex__t_sectors.sum","nvlink__bandwidth"
"","","","","","","ns","inst","sector",""
"0","77","void sgemm<TileConfig{128, 128, 8}>(Gemm)","(256, 1, 1)","(16, 1, 1)","9.0","1,234.5","33,554,432","n/a",""
"1","77","sgemm(""b"", Gemm)","(32, 1, 1)","(1, 1, 1)","9.0","7","0","1e3","nan"
)CSV";

TEST(Ncu, LaunchesAmongOtherLines) {
    const auto launches = parse_ncu(kOutput);
    ASSERT_EQ(launches.size(), 2u);
    EXPECT_EQ(launches[0].kernel, "void sgemm<TileConfig{128, 128, 8}>(Gemm)");
    EXPECT_EQ(launches[0].metric("gpu__time_duration.sum"), 1234.5);
    EXPECT_EQ(launches[0].metric("smsp__inst_executed.sum"), 33554432);
    EXPECT_EQ(launches[1].kernel, "sgemm(\"b\", Gemm)");
    EXPECT_EQ(launches[1].metric("smsp__inst_executed.sum"), 0);
    EXPECT_EQ(launches[1].metric("l1tex__t_sectors.sum"), 1000);
}

std::string complaint(const std::function<void()>& action) {
    try {
        action();
    } catch (const DeviceError& error) {
        return error.what();
    }
    return {};
}

TEST(Ncu, AMetricThatIsNoNumberIsNamed) {
    const auto launches = parse_ncu(kOutput);
    for (const auto& [launch, name] :
         {std::pair(0, "l1tex__t_sectors.sum"), std::pair(0, "nvlink__bandwidth"),
          std::pair(1, "nvlink__bandwidth"), std::pair(1, "no_such_metric")})
        EXPECT_NE(complaint([&] { launches[launch].metric(name); }).find(name), std::string::npos)
            << name;
}

TEST(Ncu, NoLaunchIsAnError) {
    EXPECT_EQ(complaint([] { parse_ncu(""); }), "ncu reported no kernel");
    EXPECT_EQ(complaint([] { parse_ncu("==PROF== Disconnected\n\"0\",\"77\"\n"); }),
              "ncu reported no kernel");
    EXPECT_EQ(complaint([] { parse_ncu("\"ID\",\"a\"\n\"\",\"ns\"\n"); }),
              "ncu reported no kernel");
    EXPECT_EQ(complaint([] { parse_ncu("\"ID\",\"a\",\"b\"\n\"3\",\"1\"\n"); }),
              "ncu's line of launch 3 has 2 fields, its header 3");
}

/// A folder with a program "ncu" that does what the script says.
class FakeNcu {
  public:
    explicit FakeNcu(const std::string& script) {
        char name[] = "/tmp/tilewright_ncu_XXXXXX";
        folder_ = mkdtemp(name);
        std::ofstream(program()) << "#!/bin/sh\n" << script;
        chmod(program().c_str(), 0755);
    }
    ~FakeNcu() { fs::remove_all(folder_); }
    std::string program() const { return (folder_ / "ncu").string(); }
    std::string folder() const { return folder_.string(); }

  private:
    fs::path folder_;
};

TEST(Ncu, IsCalledForPlainNumbersAndWithAllArguments) {
    const FakeNcu ncu(
        R"SH(case "$*" in *"--print-units base"*"--metrics a.sum,b.sum"*) units=1;; esac
echo '"ID","Kernel Name","locale","units","arguments"'
for last; do :; done
echo "\"0\",\"$LC_ALL\",\"5\",\"$units\",\"$last\""
)SH");
    const auto launches =
        run_ncu(ncu.program(), {"a.sum", "b.sum"}, {"verify", "it's; exit 3", "42"});
    ASSERT_EQ(launches.size(), 1u);
    EXPECT_EQ(launches[0].kernel, "C");
    EXPECT_EQ(launches[0].metric("units"), 1);
    EXPECT_EQ(launches[0].metric("arguments"), 42);
}

TEST(Ncu, WhatItComplainsOfIsTold) {
    const FakeNcu fails("echo '==ERROR== Failed to find metric x'; exit 9\n");
    EXPECT_EQ(complaint([&] { run_ncu(fails.program(), {"x"}, {}); }),
              "ncu failed: ==ERROR== Failed to find metric x");
    const FakeNcu denied("echo '==ERROR== ERR_NVGPUCTRPERM - no permission'; exit 1\n");
    EXPECT_NE(complaint([&] {
                  run_ncu(denied.program(), {"x"}, {});
              }).find("NVreg_RestrictProfilingToAdminUsers"),
              std::string::npos);
}

TEST(Ncu, IsFoundWhereItMayBeRun) {
    const std::string path = std::getenv("PATH");
    const FakeNcu first(""), second("");
    setenv("PATH", (first.folder() + ":" + second.folder()).c_str(), 1);
    EXPECT_EQ(find_ncu(), first.program());
    chmod(first.program().c_str(), 0644);
    EXPECT_EQ(find_ncu(), second.program());
    setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace tilewright::lab
