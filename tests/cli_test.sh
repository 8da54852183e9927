#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests the command line as a person and a script use it: cli_test.sh [PROGRAM]
set -uo pipefail

. "$(dirname -- "$0")/cli.sh"

# --- help and version
exits 0 --help
check "help names each verb" grep -q verify out
exits 0 --version
check "version is one line" test "$(wc -l <out)" = 1
for verb in list explain diff devices count check profile verify bench dispatch ladder report; do
    exits 0 "$verb" --help
    check "it fits a terminal" lines_fit
done
exits 2
exits 2 --no-such-option

# --- words that mean nothing
refuses "did you mean 'bench'" bnech
refuses "did you mean 'ladder'" lader --device cpu
refuses "did you mean" explain warptile
refuses "no rung 'k99'" verify k99 --device cpu
refuses "no variant 'nosuch'" verify k1 --variant nosuch --device cpu --sizes 8
refuses "did you mean 'json'" list --format jsn
refuses "did you mean 'uniform'" verify --dist unifrom --sizes 8 --device cpu
refuses "several rungs" explain 'k*'

# --- numbers that are none
refuses "is negative" verify k1 --device cpu --sizes -5
refuses "is negative" bench k1 --device cpu --shape 4x-4x4
refuses "is not a number" verify k1 --device cpu --sizes 12q
refuses "too large for 64 bits" verify k1 --device cpu --sizes 99999999999999999999
refuses "no step" verify k1 --device cpu --sizes 8:16
refuses "is no shape" verify k1 --device cpu --shape 8x8
refuses "is not a number" verify k1 --device cpu --sizes 8 --alpha one
refuses "--shuffle: '18446744073709551616' is out of range" verify k1 --device cpu --sizes 8 --shuffle 18446744073709551616
refuses "--shuffle: '18446744073709551616' is out of range" check k1 --sizes 8 --shuffle 18446744073709551616
refuses "--shuffle: -1 is negative" check k1 --sizes 8 --shuffle -1
refuses "--seed: -1 is negative" verify k1 --device cpu --sizes 8 --seed -1
refuses "is less than" verify k1 --device cpu --sizes 8 --lda 7
refuses "plain row-major products only" verify k1 --device cpu --sizes 8 --transa T
refuses "plain row-major products only" bench k1 --device cpu --sizes 8 --batch 2
refuses "plain row-major products only" count k1 --sizes 8 --parts 2
refuses "is not N, T or C" verify tile --device cpu --sizes 8 --transa X
refuses "is less than 1" verify tile --device cpu --sizes 8 --parts 0
refuses "a batch of one has no stride" verify tile --device cpu --sizes 8 --stride-a 64
refuses "of a product" verify tile --device cpu --sizes 8 --batch 2 --stride-c 63
refuses "--min-time" bench k1 --device cpu --sizes 8 --min-time -1
refuses "needs" verify k1 --device cpu --shape 1000000x1000000x1
refuses "available" check k1 --shape 1000000x1000000x1
refuses "more bytes than 64 bits" verify k1 --device cpu --shape 4000000000x4000000000x1

# --- report
refuses 'results is required' report
refuses 'nowhere.json: No such file' report nowhere.json -o r.html
printf '{"environment": {}, "profiles": []}' >profiles.json
refuses 'profiles.json: it has no "results", "counts" or "tuning" but "profiles"' report profiles.json -o r.html
printf '{"environment": {}, "results"' >torn.json
refuses 'torn.json: not JSON: parse error' report torn.json -o r.html
printf '{"environment": {"device": "a", "mode": "gpu"}, "results": []}' >empty.json
refuses 'empty.json: it has no rows' report empty.json -o r.html
check 'no page where there is nothing to show' test ! -e r.html
printf '{"environment": {"device": "a", "mode": "gpu"}, "results": [{"rung": "k1", "shape": [8, 8, 8]}]}' >one.json
refuses '--output: one.json is one of the results' report one.json -o one.json
ln -s one.json alias.json
refuses '--output: alias.json is one of the results' report one.json --output alias.json
refuses '--compare: takes two files' report --compare one.json
refuses 'cannot write no/r.html' report one.json -o no/r.html
PATH=/nowhere run report one.json --png figures
check 'no browser: usage' test "$status" = 2
check 'no browser: what to install' grep -q 'apt-get install chromium' err
TILEWRIGHT_BROWSER=/nowhere refuses 'TILEWRIGHT_BROWSER: /nowhere is no program' report one.json --png figures
exits 0 report one.json -o r.html
check 'a page' grep -q '<title>Tilewright report</title>' r.html
check 'the page and no more' test "$(ls ./*.tmp 2>/dev/null)" = ''
exits 0 report one.json
check 'a page on stdout' grep -q '<title>Tilewright report</title>' out

# --- devices
exits 3 verify k1 --sizes 8 --device 4711
check "one sentence" test "$(wc -l <err)" = 1
exits 3 bench k1 --sizes 8 --device gpu
check "no word of the environment" bash -c '! grep -q environment err'
DEVICE=4711 exits 3 verify k1 --sizes 8
check "whose word it was" grep -q '^tilewright: DEVICE in the environment: no GPU 4711' err
DEVICE=cpu exits 0 verify k1 --sizes 8
DEVICE=4711 exits 0 verify k1 --sizes 8 --device cpu
exits 0 devices
check "CPU mode is a device" grep -q '^cpu' out
exits 0 devices --format json
check "devices in JSON" json 'd["devices"][0]["device"] == "cpu"'

# --- list, explain, diff
exits 0 list
check "the list fits a terminal" lines_fit
check "silent" silent
exits 0 list --format json
check "rungs in JSON" json '[r["id"] for r in d["rungs"] if r["kind"] != "baseline"][:2] == ["k1", "k2"]'
check "fields" json 'all({"id", "aliases", "name", "idea", "parent", "kind", "requirements"} <= r.keys() for r in d["rungs"])'
check "variants with their sizes" json 'all({"name", "block_m", "thread_k", "pad_b", "min_blocks"} <= v.keys() for r in d["rungs"] for v in r["variants"] if r["kind"] != "baseline")'
check "parents exist" json 'all(r["parent"] in [None] + [x["id"] for x in d["rungs"]] for r in d["rungs"])'
exits 0 list 'block*' --format csv
check "a glob" test "$(wc -l <out)" = 3
for word in k5 5 05 block_tile_2d; do
    exits 0 explain "$word"
    check "explain $word" grep -q '^05 block_tile_2d (k5)' out
done
exits 0 explain v0
check "the chapter's name" grep -q '^02 coalesced (k2)' out
exits 0 explain k5 --format json
check "explain in JSON" json 'd["variants"][0]["threads"] == 256'
check "claims in JSON" json 'all(c["claimed"] == c["counted"] for c in d["claims"]) and d["claims"]'
check "the default GPU" json '[o["gpu"] for o in d["occupancy"]] == ["h200"]'
check "rules in JSON" json 'all({"rule", "condition", "values"} <= r.keys() for r in d["rules"]) and d["rules"]'
exits 0 explain k10 --gpu all --variant a100
check "explain fits a terminal" lines_fit
check "every GPU" test "$(grep -cE '^(h200|h100|a100|3090|a6000|4090|l40s|b200|5090) +sm_' out)" = 9
refuses "there are h200, h100" explain k10 --gpu rtx
refuses "one at a time" explain k9 --variant all
exits 0 diff k4 k5
check "the last line counts" grep -qE '^[0-9]+ lines added, [0-9]+ removed$' out
check "no colours in a pipe" bash -c '! grep -q $'"'\\033'"' out'
check "no licence in the lesson" bash -c '! grep -q SPDX out'
exits 0 diff k5
check "the step from the parent" grep -q '^04 .*-> 05 ' out
refuses "k1 has no parent" diff k1

# --- verify
exits 0 verify k1 k2 --device cpu --sizes 33
check "a line a rung" grep -qE '^k2 .* ok$' out
check "silent" silent
exits 0 verify k5 --device cpu
check "hard cases" grep -qE '^k5 +block_tile_2d +20 +20 ' out
exits 0 verify k1 --device cpu --shape 2x3x5 --shape 7x1x0 --lda 9 --alpha -0.5 --beta 3 --format json
check "two results" json 'len(d["results"]) == 2'
check "the row says what was run" json '(lambda r: (r["shape"], r["lda"], r["alpha"], r["beta"]) == ([2, 3, 5], 9, -0.5, 3))(d["results"][0])'
check "no time" json 'd["results"][0]["median_us"] is None'
check "within its bound" json 'all(r["max_error"] <= r["bound"] and r["status"] == "ok" for r in d["results"])'
check "environment" json '{"device", "compute_capability", "clocks", "power", "driver", "cuda", "cublas", "host", "git_revision", "command", "date"} <= d["environment"].keys()'
check "the command is recorded" json 'd["environment"]["command"].startswith("tilewright verify k1 --device cpu --shape 2x3x5")'
exits 0 verify k1 --device cpu --sizes 8 --dist integers --shuffle 3 --fast
exits 0 verify k9 --device cpu --sizes 64 --variant all
exits 1 verify k1 --device cpu --sizes 8,1000000 --format json
check "in a sweep what does not fit is a row" json '[r["status"] for r in d["results"]] == ["ok", "not_run"]'
check "with its reason" json '"available" in d["results"][1]["reason"]'

# --- the engine's kernels
exits 0 list --engine
check "they fit a terminal" lines_fit
check "with their variants" grep -qE '^ +Variants: 128x64 64x128' out
exits 0 list --engine --format json
check "kernels in JSON" json 'all(k["kind"] == "engine" and k["number"] is None and k["variants"] for k in d["kernels"]) and "tile" in [k["id"] for k in d["kernels"]]'
exits 0 list --engine tile --format csv
check "one of them" test "$(wc -l <out)" = 2
refuses "is no rung but the engine's" list tile
refuses "is no rung but the engine's" ladder tile --device cpu
refuses "is no rung but the engine's" diff tile
exits 0 explain tile
check "an explanation fits a terminal" lines_fit
check "its name once" grep -q '^tile: ' out
check "its header" grep -q '^Design ' out
check "no claims" bash -c '! grep -q ^Claims out'
exits 0 verify tile --device cpu --shape 33x17x65 --transa T --transb T --batch 2 --stride-b 0 --parts 3 --beta 2 --device-scalars --format json
check "what is not plain is recorded" json '(lambda r: (r["transa"], r["batch"], r["stride_b"], r["parts"], r["device_scalars"], r["status"]))(d["results"][0]) == ("T", 2, 0, 3, True, "ok")'
exits 0 verify tile k2 --device cpu --variant default --sizes 20 --format csv
check "rungs first" bash -c 'sed -n 2p out | grep -q ^k2, && sed -n 3p out | grep -q ^tile,'
exits 0 verify 'til*' --variant 16x16 --device cpu
check "more hard cases" grep -qE '^tile/16x16 +tile +40 +40 ' out
exits 1 verify thin --device cpu --sizes 64 --format json
check "a refusal is a row that was not run" json '(lambda r: (r["status"], "thin" in r["reason"]))(d["results"][0]) == ("not_run", True)'
exits 0 verify engine --device cpu --variant default --shape 5x1x70 --transa T
exits 0 bench tile --variant 32x32 --device cpu --shape 40x30x200 --transb T --parts 2 --min-time 0
check "the shape says so" grep -qE '^tile/32x32 +40x30x200 NT parts=2 ' out
exits 0 count tile --variant 16x16 --shape 32x32x128 --transa T --format json
check "accesses in the engine's headers" json '{s["file"] for s in d["counts"][0]["sites"]} >= {"src/engine/operands.h", "src/engine/tile.cu", "src/engine/tile_copy.h"}'
check "with their text" json 'any("cp_async" in s["source"] for s in d["counts"][0]["sites"] if s["file"].endswith("tile_copy.h"))'
exits 0 count tile --variant 16x16 --shape 32x32x128 --parts 2
check "their tables fit a terminal" lines_fit
check "a header by its name" grep -q '^in src/engine/split.h$' out
exits 1 check tile --variant 16x16x16-1 --shape 35x37x70 --shuffle 7
check "a case has the threads' order" grep -q -e '--shuffle 7' out
for kernel in thin large_tile; do
    exits 0 explain $kernel
    check "an explanation fits a terminal" lines_fit
done
exits 0 explain thin --variant 4
check "sums that several threads share" grep -q '512 x 8 slices of k / 256 = 16 a thread' out
exits 0 check tile --variant 32x32x32 --shape 40x40x100 --parts 3
check "nothing found" grep -qE '^tile/32x32x32 +tile +1 +0 +0 +0$' out

# --- dispatch
exits 0 dispatch N T 128 4096 4096 --lda 4100 --offset-b 1
check "what was asked" grep -qxF 'tilewright dispatch N T 128 4096 4096 --lda 4100 --offset-b 1' out
check "for an H200" grep -q '^132 SMs of compute capability 9.0' out
check "one is chosen" test "$(grep -c ' chosen$' out)" = 1
check "it fits a terminal" lines_fit
check "silent" silent
exits 0 dispatch T N 64 64 65536 --workspace 0 --device cpu --format json
check "each refusal has its reason" json 'all((c["refusal"] is None) == (i == 0 or d["candidates"][i - 1]["refusal"] is None and c["refusal"] is None) for i, c in enumerate(d["candidates"]))'
check "no room for parts" json '"needs a larger workspace" in [c["refusal"] for c in d["candidates"]] and "parts" not in d["chosen"]'
exits 0 dispatch N N 4096 4096 4096 --compute fp16x3
check "the mode is named" grep -q 'a workspace that grows, in fp16x3$' out
check "tensor cores, where they are faster" grep -q '^chosen: tensor_tile/.* compute=fp16x3$' out
check "it fits a terminal" lines_fit
refuses "no kernel for fp16x3 on compute capability 7.5" dispatch N N 8 8 8 --compute fp16x3 --compute-capability 7.5
exits 0 dispatch N N 4096 4096 4096 --compute fp16x3 --compute-capability 8.6
check "by mma.sync where there is no wgmma" grep -q '^chosen: mma_tile/.* compute=fp16x3$' out
exits 0 dispatch N N 4096 4096 4096 --compute fp16x3 --compute-capability 8.6 --tensor-rate 2
check "not where FP32 is faster" grep -qE '^chosen: [a-z_]+/[0-9x]+( parts=[0-9]+)?$' out
check "which says so" grep -q "FP32's kernels" out
check "it fits a terminal" lines_fit
refuses "is none of fp32" dispatch N N 8 8 8 --compute fp64
exits 0 dispatch N N 0 5 5
check "nothing to do" grep -q 'no kernel runs' out
exits 1 dispatch N N 64 64 64 --compute-capability 7.5
check "each says why" grep -q 'needs a newer GPU' out
refuses "is not N, T or C" dispatch X N 1 1 1
refuses "is negative" dispatch N N 1 1 1 --batch -1
refuses "is less than max(1, 8)" dispatch N N 8 8 8 --lda 7
refuses "is not a number" dispatch N N 8 8 eight
refuses "required" dispatch N N 8 8

# --- count
exits 0 count k5 k6
check "the tables fit a terminal" lines_fit
check "what changed" grep -qE '^  load requests +8192 +2048 +x0.25$' out
check "where" grep -qF '85  for (int j = 0; j < TN; ++j) b[j] = Bs[k * BN + thread_col + j];' out
check "with its conflicts" grep -qE '^ +shared load +Bs +32 +65536 +- +4.00 +1.00 +4.00$' out
check "silent" silent
exits 0 count 'k*' --shape 64x64x64
check "all rungs fit a terminal" lines_fit
DEVICE=4711 exits 0 count k1 --shape 33x31x7 --format md
check "a Markdown table" grep -q '^|---' out
exits 0 count k9 --variant all --sizes 64 --output counts.csv --quiet
check "a line a kernel" test "$(wc -l <counts.csv)" -gt 5
exits 0 count k6 k5 --format json --beta 2 --shape 64x64x64
check "the first is the first that was asked for" json '[c["rung"] for c in d["counts"]] == ["k6", "k5"]'
check "C moves twice" json 'abs(d["counts"][0]["totals"]["intensity_dram"] - 2 * 64**3 / (4 * 4 * 64**2)) < 1e-9'
exits 0 count k10 --shape 8192x8192x64 --format json
check "a large shape is sampled" json '0 < d["counts"][0]["sampled"]["blocks_run"] < d["counts"][0]["sampled"]["blocks"] == 4096'
check "for all blocks" json 'd["counts"][0]["totals"]["ffma"] == 8192**2 * 64 // 32'
exits 0 count k6 --format json --shape 64x64x64
check "no sampling" json 'd["counts"][0]["sampled"] is None'
exits 0 count k4 k10 k1 k2 --gpu h200
check "bounds fit a terminal" lines_fit
check "a limiter" grep -qE '^limiter +shared memory +instructions' out
check "measured beside it" grep -qE '^GFLOP/s, measured +[0-9]+ ' out
exits 0 count k3 --gpu a100 --shape 40x50x60 --format json
check "nothing was measured there" json 'd["counts"][0]["bound"]["measured_gflops"] is None'
check "its terms" json '{"ffma", "issue", "shared", "l1", "l2", "dram", "mma", "launch"} == d["counts"][0]["bound"]["terms_us"].keys()'
exits 0 count tf32_wgmma k3 --gpu 3090 --shape 64x64x64
check "where it cannot run" grep -q '^tf32_wgmma needs compute capability 9.0, and ' out
exits 0 count copy_engine --shape 65x67x33 --format json
check "a pre-pass has a place of its own" json '{s["file"] for s in d["counts"][0]["sites"]} == {"src/device/pack.h", "src/ladder/33_copy_engine.cu"}'
check "and its text" json 'any("tile[" in s["source"] for s in d["counts"][0]["sites"] if s["file"].endswith("pack.h"))'
exits 0 count k3 --gpu 4090 --format json --shape 64x64x64
check "whose code stands in" json 'd["counts"][0]["compiled"]["architecture"] == "86"'
refuses "there are h200" count k1 --gpu h20
exits 1 count k5 --shape 1x1x99999999999 --format json
check "what cannot run has a reason" json '"k-tiles" in d["counts"][0]["reason"]' 
refuses "runs in CPU mode" count k1 --device 0
refuses "required" count
refuses "did you mean" count k99
refuses "no variant" count k1 --variant nosuch
refuses "more bytes than 64 bits" count k1 --shape 4000000000x4000000000x1
refuses "no room" count k1 --shape 10000000x10000000x1

# --- ladder
exits 0 ladder --device cpu --sizes 64 --format json
check "each rung was counted" json 'len(d["results"]) >= 10 and all(r["counted"]["ffma"] + r["counted"]["mma"] > 0 for r in d["results"])'
check "no times in CPU mode" json 'all(r["median_us"] is None for r in d["results"])'
exits 0 ladder k1 k2 --device cpu --sizes 64
check "the table fits a terminal" lines_fit

# --- output files
refuses "cannot write" bench k2 --device cpu --sizes 16 --output missing/out.json
refuses "a file has a name" bench k2 --device cpu --sizes 16 --output ''
refuses "it is a folder" bench k2 --device cpu --sizes 16 --output .
exits 0 bench k2 --device cpu --sizes 16 --min-time 0 --output results.json
check "the file's ending says JSON" json 'len(d["results"]) == 1' results.json
check "a table for those who watch" grep -q '^k2 ' out
exits 0 bench k2 --device cpu --sizes 16 --min-time 0 --output results.csv --quiet
check "quiet" test ! -s out
check "the file's ending says CSV" grep -q '^rung,' results.csv
exits 0 verify k2 --device cpu --sizes 16 --output "$work/results.md"
check "a path in the command loses its folders" bash -c '! grep -q "$0" results.md' "$work"
mkdir real
ln -s real/linked.json latest.json
exits 0 bench k2 --device cpu --sizes 16 --min-time 0 --output latest.json
check "a link leads to a new file" json 'len(d["results"]) == 1' real/linked.json
exits 0 bench k2 --device cpu --sizes 16,32 --min-time 0 --output latest.json
check "or to one that was there" json 'len(d["results"]) == 2' real/linked.json
check "and stays" test "$(readlink latest.json)" = real/linked.json
ln -s loop.json loop.json
refuses "cannot write loop.json" bench k2 --device cpu --sizes 16 --output loop.json
check "nothing is left over" bash -c '! ls *.tmp real/*.tmp 2>/dev/null'

# --- a terminal
if command -v script >/dev/null; then
    ran="tilewright in a terminal"
    script -qec "TERM=xterm '$program' diff k4 k5" /dev/null >out 2>err </dev/null
    status=$?
    check "colours in a terminal" grep -q $'\033\[32m+' out
    script -qec "TERM=xterm NO_COLOR=1 '$program' diff k4 k5" /dev/null >out 2>err </dev/null
    check "NO_COLOR" bash -c '! grep -q $'"'\\033'"' out'
    script -qec "TERM=xterm '$program' verify k2 --device cpu --sizes 16" /dev/null >out 2>err </dev/null
    check "progress in a terminal" grep -q 'verifying k2' out
    script -qec "TERM=xterm '$program' verify k2 --device cpu --sizes 16 --quiet" /dev/null >out 2>err </dev/null
    check "no progress when quiet" bash -c '! grep -q "verifying k2" out'
fi

printf '%d passed, %d failed\n' "$passed" "$failed"
test "$failed" = 0
