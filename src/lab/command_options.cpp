// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/command_options.h"

#include <fmt/format.h>

#include "lab/gpus.h"
#include "lab/text.h"
#include "lab/verbs.h"

namespace tilewright::lab {

namespace {

std::string not_empty(const std::string& path) {
    return path.empty() ? "a file has a name" : std::string();
}

void add_rung_option(CLI::App& app, Options& o) {
    app.add_option("rungs", o.rungs, "Rungs by id, alias, number, name or glob (default: all)");
}

void add_kernel_option(CLI::App& app, Options& o) {
    app.add_option("kernels", o.rungs,
                   "Rungs by id, alias, number, name or glob (default: all of them), or the "
                   "engine's kernels by id or glob; engine: all of these");
}

void add_bench_kernel_option(CLI::App& app, Options& o) {
    app.add_option("kernels", o.rungs,
                   "Rungs by id, alias, number, name or glob (default: all of them), or the "
                   "engine's kernels by id or glob; engine: all of these; library: whichever the "
                   "library takes for a product");
}

void add_variant_option(CLI::App& app, Options& o) {
    app.add_option("--variant", o.variant, "The variant of this name, default or all")
        ->capture_default_str();
}

void add_device_option(CLI::App& app, Options& o) {
    app.add_option("--device", o.device,
                   "cpu, or a GPU's number (default: DEVICE in the environment, else the first "
                   "GPU, else cpu)");
}

/// `meaning` has a place for the GPUs' words.
void add_gpu_option(CLI::App& app, Options& o, const char* meaning) {
    std::vector<std::string> words;
    for (const Gpu& gpu : gpus()) words.emplace_back(gpu.word);
    app.add_option("--gpu", o.gpu, fmt::format(fmt::runtime(meaning), join(words, ", ")));
}

void add_timing_options(CLI::App& app, Options& o) {
    auto* budget = app.add_option("--budget", o.budget,
                                  "Seconds that the run may take, about, such as 60s: chooses "
                                  "--min-time, up to 0.25");
    app.add_option("--min-time", o.min_time,
                   "Seconds measured for each kernel and shape (default: bench 0.25, with "
                   "--sustained 1; ladder what 10 s a shape allow)")
        ->excludes(budget);
    auto* cold = app.add_flag("--cold", o.cold, "Rotate buffers past the L2 cache (default)");
    app.add_flag("--hot", o.hot, "Use the same buffers in each call")->excludes(cold);
}

void add_bench_options(CLI::App& app, Options& o) {
    app.add_option(
           "--shapes", o.shape_file,
           "A file of shapes, a line each: row|col N|T N|T M N K [batch=] [slack=] [alpha=] "
           "[beta=] [graph]; slack is added to each leading dimension, # begins a comment")
        ->check(not_empty);
    app.add_option("--against", o.against,
                   "The opponent, whose rate is 100%: cublas (default; in TF32 for what computes "
                   "so), none, library, or one kernel such as k10 or tile/64x64");
    app.add_option(
        "--compute", o.compute_modes,
        "Compute modes of library, and those that the engine's kernels must serve: fp32, "
        "fp16x3, bf16x6, bf16x9, tf32 or several: fp32,fp16x3");
    auto* sustained = app.add_flag("--sustained", o.sustained,
                                   "Run each kernel for a second without a pause, so that the GPU "
                                   "finds its power limit, then measure, with power and energy");
    app.add_flag("--profile", o.profile,
                 "One call of each kernel for a profiler, after it was verified, and no times: ncu "
                 "--profile-from-start off --clock-control none --set full tilewright bench k10 "
                 "--sizes 4096 --profile")
        ->excludes(sustained);
    app.add_option("--rerun", o.rerun,
                   "Run the command of row ROW, or of all rows, of a results file again and "
                   "compare: FILE:ROW or FILE")
        ->check(not_empty);
}

void add_file_options(CLI::App& app, Options& o) {
    app.add_option("--output", o.output, "Write the results to this file, and a table to stdout")
        ->check(not_empty);
    app.add_flag("--quiet", o.quiet, "No progress; with --output no table either");
}

void add_output_options(CLI::App& app, Options& o) {
    app.add_option("--format", o.format,
                   "table, json, csv or md (default: the output file's ending, else table)");
    add_file_options(app, o);
}

void add_row_output_options(CLI::App& app, Options& o) {
    app.add_option("--format", o.format,
                   "table, json, jsonl, csv or md (default: the output file's ending, else table); "
                   "jsonl: the environment and each row in a line, written as they come");
    add_file_options(app, o);
}

void add_shape_options(CLI::App& app, Options& o) {
    app.add_option("--sizes", o.sizes,
                   "Square shapes: 128:4096*2 doubles, 256:1024:256 steps, 100,200 lists");
    // One word each: without a limit the option would also take the rungs that follow it.
    app.add_option("--shape", o.shapes, "A shape MxNxK; may be repeated")->allow_extra_args(false);
    app.add_option("--lda", o.lda, "Leading dimension of A (default: K)");
    app.add_option("--ldb", o.ldb, "Leading dimension of B (default: N)");
    app.add_option("--ldc", o.ldc, "Leading dimension of C (default: N)");
    app.add_option("--offset", o.offsets, "Elements of A,B,C behind a 256-byte boundary: a,b,c");
    app.add_option("--alpha", o.alpha, "Factor of the product")->capture_default_str();
    app.add_option("--beta", o.beta, "Factor of the old C")->capture_default_str();
}

void add_batch_options(CLI::App& app, Options& o) {
    app.add_option("--batch", o.batch, "So many products at once")->capture_default_str();
    app.add_option("--stride-a", o.stride_a,
                   "Elements from one A to the next (default: rows * lda)");
    app.add_option("--stride-b", o.stride_b, "Likewise of B");
    app.add_option("--stride-c", o.stride_c, "Likewise of C");
    app.add_flag("--device-scalars", o.device_scalars, "Alpha and beta lie in the device's memory");
}

/// Tune itself finds the parts of k.
void add_tuned_product_options(CLI::App& app, Options& o) {
    app.add_option("--transa", o.transa, "The engine's kernels: A as it is (N) or transposed (T)")
        ->capture_default_str();
    app.add_option("--transb", o.transb, "Likewise B")->capture_default_str();
    add_batch_options(app, o);
}

/// What rungs do not compute.
void add_engine_options(CLI::App& app, Options& o) {
    add_tuned_product_options(app, o);
    app.add_option("--parts", o.parts, "Parts of k for different blocks")->capture_default_str();
}

void add_dispatch_options(CLI::App& app, Options& o) {
    app.add_option("product", o.product,
                   "N or T for A, N or T for B, then M, N and K: N T 128 4096 4096")
        ->required()
        ->expected(5);
    app.add_option("--lda", o.lda, "Leading dimension of A as it is stored (default: the least)");
    app.add_option("--ldb", o.ldb, "Likewise of B");
    app.add_option("--ldc", o.ldc, "Likewise of C");
    add_batch_options(app, o);
    app.add_option("--offset-a", o.offset_a, "Elements of A behind a 16-byte boundary")
        ->capture_default_str();
    app.add_option("--offset-b", o.offset_b, "Likewise of B")->capture_default_str();
    app.add_option("--offset-c", o.offset_c, "Likewise of C")->capture_default_str();
    app.add_option("--alpha", o.alpha, "Only whether it is 0 matters")->capture_default_str();
    app.add_option("--compute", o.compute, "Compute mode: fp32, fp16x3, bf16x6, bf16x9, tf32")
        ->capture_default_str();
    app.add_flag("--prepared-a", o.prepared_a, "A was prepared with tilewright_prepare");
    app.add_flag("--prepared-b", o.prepared_b, "Likewise of B");
    app.add_option("--workspace", o.workspace, "Bytes that kernels may use (default: a handle's)");
    app.add_option("--multiprocessors", o.multiprocessors, "SMs (default: 132, an H200's)");
    app.add_option("--compute-capability", o.compute_capability, "Such as 8.6 (default: 9.0)");
    app.add_option(
        "--tensor-rate", o.tensor_rate,
        "Products of FP16 with FP32 sums to one of FP32 (default: by compute capability; "
        "GeForce: 2)");
    app.add_option("--device", o.device, "Take all three from CPU mode (cpu), or from this GPU");
}

void add_list_options(CLI::App& app, Options& o) {
    app.add_flag("--engine", o.engine, "The engine's kernels in place of the rungs");
}

void add_problem_options(CLI::App& app, Options& o) {
    add_shape_options(app, o);
    app.add_option("--dist", o.dist, "Data: uniform, positive, integers, wide, denormal, specials")
        ->capture_default_str();
    app.add_option("--seed", o.seed, "Draws the data")->capture_default_str();
}

void add_check_options(CLI::App& app, Options& o) {
    app.add_flag("--thorough", o.thorough, "More shapes that hurt");
    app.add_option("--shuffle", o.shuffle, "CPU mode: draw the threads' order");
}

void add_verify_options(CLI::App& app, Options& o) {
    add_check_options(app, o);
    app.add_flag("--fast", o.fast, "CPU mode without checking each access");
}

void add_diff_options(CLI::App& app, Options& o) {
    app.add_option("before", o.before, "A rung, such as k5; alone: the step to it from its parent")
        ->required();
    app.add_option("after", o.after, "The rung to compare it with, such as k6");
}

void add_explain_options(CLI::App& app, Options& o) {
    app.add_option("kernel", o.rungs,
                   "A rung's id, alias, number or name, or the id of one of the engine's")
        ->required()
        ->expected(1);
    app.add_option("--variant", o.variant, "The variant of this name, or default")
        ->capture_default_str();
    add_gpu_option(app, o, "Occupancy on {} or all (default: h200)");
}

void add_kernels(CLI::App& app, Options& o) {
    app.add_option("kernels", o.rungs,
                   "Rungs by id, alias, number, name or glob, or the engine's kernels; the others "
                   "are compared with the first")
        ->required();
}

void add_count_options(CLI::App& app, Options& o) {
    app.add_option("--device", o.device, "cpu, the only one: profile reads a GPU's counters");
    add_gpu_option(app, o, "Bound the speed on this GPU from its public numbers: {}");
}

void add_report_options(CLI::App& app, Options& o) {
    app.add_option("results", o.results,
                   "Files of ladder, bench, count and tune, JSON or JSON lines")
        ->required();
    app.add_option("-o,--output", o.output, "The page's file (default: to stdout)");
    app.add_flag("--compare", o.compare, "What changed beyond noise between two files");
    app.add_option("--png", o.png, "Write a README's figures to this folder");
    app.add_flag("--quiet", o.quiet, "Nothing to stdout but the page");
}

void add_tune_options(CLI::App& app, Options& o) {
    app.add_option("rung", o.rungs, "A rung whose sizes can be chosen, such as k9")->expected(0, 1);
    app.add_flag("--engine", o.engine, "The library's kernels and parts of k for the shape");
    app.add_option("--compute", o.compute, "Mode of the engine: fp32, fp16x3, bf16x6, bf16x9, tf32")
        ->capture_default_str();
    app.add_option("--budget", o.budget, "Time for each shape: 60s, 2m (default: enough)");
    app.add_option("--timeout", o.timeout, "Seconds for a step of a candidate")
        ->capture_default_str();
    app.add_flag("--fresh", o.fresh, "Measure again what an interrupted run has measured");
    app.add_flag("--why", o.why, "Why other configurations are not legal");
    add_gpu_option(app, o, "In CPU mode: bound the speed on this GPU: {} (default: h200)");
    app.add_flag("--hot", o.hot, "The same buffers in each call; then nothing is kept");
}

void add_database_options(CLI::App& app, Options& o) {
    app.add_flag("--explain", o.explain, "Which entry the library uses for the shape, or why none");
    app.add_option("--export", o.export_to, "Write the tuning database to this file");
    app.add_option("--import", o.import_from, "Take this file's entries over into the database");
    app.add_option("--merge", o.merge_from, "The same, but where both have one the newer holds");
}

void add_child_options(CLI::App& app, Options& o) {
    app.add_flag("--hot", o.hot);
}

void add_compiler_options(CLI::App& app, Options& o) {
    app.add_option("--architecture", o.architecture)->required();
}

}  // namespace

const std::vector<Verb>& verbs() {
    static const std::vector<Verb> all{
        {"ladder",
         "Verify all rungs and compare them: by speed on a GPU, else by counted accesses",
         run_ladder,
         {add_rung_option, add_device_option, add_problem_options, add_timing_options,
          add_row_output_options}},
        {"list",
         "List the rungs in reading order, or the engine's kernels",
         run_list,
         {add_rung_option, add_list_options, add_output_options}},
        {"explain", "Explain one kernel", run_explain, {add_explain_options, add_output_options}},
        {"diff", "Show the lesson between two rungs", run_diff, {add_diff_options}},
        {"count",
         "Count the accesses of kernels in CPU mode, in all and by source line",
         run_count,
         {add_kernels, add_variant_option, add_count_options, add_shape_options, add_engine_options,
          add_output_options}},
        {"check",
         "Look for races and other hazards of kernels in CPU mode, at shapes that hurt",
         run_check,
         {add_kernel_option, add_variant_option, add_shape_options, add_engine_options,
          add_check_options, add_output_options}},
        {"profile",
         "Compare CPU mode's counters with those of a GPU, through Nsight Compute",
         run_profile,
         {add_kernel_option, add_variant_option, add_device_option, add_shape_options,
          add_engine_options, add_output_options}},
        {"verify",
         "Compare kernels with an FP64 reference, by default at shapes that hurt",
         run_verify,
         {add_kernel_option, add_variant_option, add_device_option, add_problem_options,
          add_engine_options, add_verify_options, add_row_output_options}},
        {"bench",
         "Verify and time kernels, in turns with cuBLAS",
         run_bench,
         {add_bench_kernel_option, add_variant_option, add_device_option, add_problem_options,
          add_engine_options, add_bench_options, add_timing_options, add_row_output_options}},
        {"dispatch",
         "Show which kernel the library takes for a product, and what it weighed",
         run_dispatch,
         {add_dispatch_options, add_output_options}},
        {"report",
         "Make a page for a browser from results files",
         run_report,
         {add_report_options}},
        {"tune",
         "Find the fastest configuration of a rung, or kernel of the library",
         run_tune,
         {add_tune_options, add_database_options, add_device_option, add_problem_options,
          add_tuned_product_options, add_output_options}},
        {kTuneChild,
         "",
         run_tune_child,
         {add_device_option, add_problem_options, add_engine_options, add_child_options}},
        {kTuneCompiler, "", run_tune_compiler, {add_compiler_options}},
        {"devices", "Show where kernels can run", run_devices, {add_output_options}},
    };
    return all;
}

}  // namespace tilewright::lab
