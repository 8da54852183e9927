#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tilewright authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests `tilewright bench` as a person and a script use it: bench_cli_test.sh [PROGRAM]
set -uo pipefail
. "$(dirname -- "$0")/cli.sh"

# --- bench
exits 0 bench k2 k5 --device cpu --sizes 16,32 --min-time 0.01 --format json
check "four rows" json '[(r["rung"], r["shape"][0]) for r in d["results"]] == [("k2", 16), ("k5", 16), ("k2", 32), ("k5", 32)]'
check "times" json 'all(0 < r["min_us"] <= r["median_us"] and r["samples"] >= 3 for r in d["results"])'
check "rates follow from times" json 'all(abs(r["gflops"] * r["median_us"] * 1e3 / (2 * r["shape"][0] ** 3) - 1) < 1e-6 for r in d["results"])'
check "how it was measured" json 'all(r["memory"] == "hot" and r["launch"] == "stream" for r in d["results"])'
exits 0 bench k2 --device cpu --shape 16x16x0 --min-time 0
check "no product, no rate" grep -q 'n/a' out
check "no pretence of GPU speed" grep -q 'nothing about a GPU' out
check "the table fits a terminal" lines_fit
exits 0 bench k2 --device cpu --sizes 16 --min-time 0 --beta 3
exits 0 bench k2 --device cpu --sizes 16 --min-time 0 --format md
check "a Markdown table" grep -q '^|---|' out
exits 0 bench k2 --device cpu --sizes 16 --min-time 0 --format csv
check "two lines of CSV" test "$(wc -l <out)" = 2
exits 2 bench k2 --hot --cold --sizes 16 --device cpu

check "help has a command for ncu" bash -c "'$program' bench --help | tr -s ' \n' ' ' | grep -q 'ncu --profile-from-start off --clock-control none'"

# --- noise, samples and a command in every row and form
exits 0 bench k2 --device cpu --sizes 16 --min-time 0 --format json
check "in JSON" json 'all(abs(r["noise_percent"] - r["spread_us"] / r["median_us"] * 100) < 1e-9 and r["samples"] >= 3 for r in d["results"])'
check "the command" json 'd["results"][0]["command"].startswith("tilewright bench k2 --device cpu --shape 16x16x16 ")'
exits 0 bench k2 --device cpu --sizes 16 --min-time 0 --format csv
check "in CSV" bash -c 'head -n 1 out | grep -q ",samples,.*,noise_percent,.*,command$"'
exits 0 bench k2 --device cpu --sizes 16 --min-time 0 --format md
check "in Markdown" grep -qF '| +-% | n |' out
exits 0 bench --device cpu --sizes 16 --min-time 0
check "all rungs fit a terminal" lines_fit

# --- opponents
exits 0 bench k1 k2 --device cpu --sizes 16 --min-time 0 --against k2 --format json
check "k2 is 100%" json '[r["percent_of_opponent"] == 100 for r in d["results"]] == [False, True]'
check "and named" json 'all(r["opponent"] == "k2" and r["percent_of_cublas"] is None for r in d["results"])'
exits 0 bench k1 --device cpu --sizes 16 --min-time 0 --against k9/a100
check "it takes part" grep -q '^k9/a100 ' out
check "the column says so" grep -q '%oppon' out
exits 0 bench tile --device cpu --sizes 16 --variant 16x16 --min-time 0 --against library --format json
check "the library as one" json '[r["opponent"] for r in d["results"]] == ["library"] * 2'
exits 0 bench k1 --device cpu --sizes 16 --min-time 0 --against none --format json
check "none" json '[r["opponent"] for r in d["results"]] == [None]'
refuses "cuBLAS takes part on a GPU only" bench k1 --device cpu --sizes 16 --against cublas
refuses "--against: no rung 'k99'" bench k1 --device cpu --sizes 16 --against k99
refuses "--against: --variant: no variant 'nosuch'" bench k1 --device cpu --sizes 16 --against k9/nosuch
refuses "means 2 kernels" bench k1 --device cpu --sizes 16 --against 'k1*'

# --- the library, and compute modes
exits 0 bench library k2 --device cpu --sizes 16,64 --compute fp32,fp16x3 --min-time 0 --format json
check "a row for each mode" json '[(r["rung"], r["arithmetic"]) for r in d["results"]] == 2 * [("k2", "fp32"), ("library", "fp32"), ("library", "fp16x3")]'
check "which says what it took" json 'all(("/" in (r["kernel"] or "")) == (r["rung"] == "library") for r in d["results"])'
exits 0 bench library --device cpu --sizes 32 --min-time 0
check "the table says it too" grep -q '^library in fp32 at 32: tile/' out
exits 0 bench library k2 --device cpu --sizes 32 --min-time 0 --format json
check "nothing was tuned" json '[r["tuned"] for r in d["results"]] == [None, False] and d["environment"]["tuning_database"] == "off"'
TILEWRIGHT_TUNING=$work/tuning.tsv exits 0 bench library --device cpu --sizes 32 --min-time 0 --format json
check "and where it may have been" json 'd["environment"]["tuning_database"] == "tuning.tsv"'
exits 1 bench engine --device cpu --sizes 32 --compute tf32 --min-time 0 --format json
check "what refuses the shape says so" json 'any(r["status"] == "not_run" and "thin" in r["reason"] for r in d["results"])'
check "the engine's kernels that serve a mode" json '{r["arithmetic"] for r in d["results"]} == {"fp32", "tf32"}'
refuses "does not serve fp16x3" bench tf32_tile --device cpu --sizes 32 --compute fp16x3
refuses "is none of fp32, fp16x3" bench library --device cpu --sizes 32 --compute fp64
refuses "a rung computes as it does" bench k2 --device cpu --sizes 32 --compute tf32
refuses "takes part on a GPU only" bench k0_tf32 --device cpu --sizes 32

# --- shapes in a file
cat >shapes.txt <<'END'
# layout transA transB M N K [batch=] [slack= added to each ld] [alpha=] [beta=] [graph]
row N T 5 6 7
col T N 8 9 10 batch=3 slack=1 beta=0.5 graph  # three
END
exits 0 bench library --device cpu --shapes shapes.txt --min-time 0 --format json
check "a row a line" json '[(r["shape"], r.get("batch"), r["beta"]) for r in d["results"]] == [([5, 6, 7], 1, 0), ([9, 8, 10], 3, 0.5)]'
printf 'row N N 1 2 3\nrow N N 1 2 three\n' >bad.txt
refuses "bad.txt:2: K: 'three' is not a number" bench library --device cpu --shapes bad.txt
refuses "cannot read nosuch.txt" bench library --device cpu --shapes nosuch.txt
refuses "it is" bench library --device cpu --shapes shapes.txt --output .
refuses "is a folder" bench library --device cpu --shapes .
refuses "the file says what is transposed" bench library --device cpu --shapes shapes.txt --transa T
refuses "plain row-major products only" bench k2 --device cpu --shapes shapes.txt

# --- memory that does not suffice is a row
exits 1 bench k2 k3 --device cpu --shape 1000000x1000000x1 --format json
check "with its reason" json 'len(d["results"]) == 2 and all(r["status"] == "not_run" and "available" in r["reason"] and r["command"] for r in d["results"])'
exits 1 bench k2 --device cpu --sizes 16,1000000,32 --min-time 0
check "the others are timed" test "$(grep -cE '^k2 .* hot$' out)" = 2
check "and it is told below" grep -q 'not_run: shape 1000000x1000000x1000000 needs' out
exits 1 ladder k1 --device cpu --sizes 1000000

# --- sustained, profiled, budgeted
exits 0 bench k2 --device cpu --sizes 16 --sustained --min-time 0.1 --format json
check "a row says so, and has no power here" json '(lambda r: (r["sustained"], r["joules"], r["gflops_per_watt"], r["watts"]))(d["results"][0]) == (True, None, None, None)'
exits 0 bench k2 --device cpu --sizes 16 --sustained --min-time 0
check "a note says why" grep -q 'NVML (libnvidia-ml.so.1)' out
check "which fits" lines_fit
refuses "C would grow" bench k2 --device cpu --sizes 16 --sustained --beta -1
exits 0 bench k2 k3 --device cpu --sizes 16,32 --profile --format json
check "no times" json '[r["status"] for r in d["results"]] == ["ok"] * 4 and all(r["median_us"] is None and r["samples"] == 0 for r in d["results"])'
exits 2 bench k2 --device cpu --sizes 16 --profile --sustained
exits 2 bench k2 --device cpu --sizes 16 --budget 5s --min-time 1
refuses "kernels that take turns" bench k2 --device cpu --sizes 16 --budget 5s --sustained
refuses "is not between" bench k2 --device cpu --sizes 16 --budget 0s
refuses "is not a number" bench k2 --device cpu --sizes 16 --budget 5h
begun=$SECONDS
exits 0 bench k1 k2 k3 --device cpu --sizes 16,32 --budget 2s --format json
check "a budget is kept" test $((SECONDS - begun)) -le 4
check "and shortens what is measured" json 'all("--min-time 0.25" not in r["command"] for r in d["results"])'

# --- JSON lines
exits 0 bench k2 k3 --device cpu --sizes 16,32 --min-time 0 --format jsonl
check "the environment, then a row a line" python3 -c 'import json
lines = [json.loads(line) for line in open("out")]
assert list(lines[0]) == ["environment"] and [r["rung"] for r in lines[1:]] == ["k2", "k3"] * 2'
exits 0 bench k2 --device cpu --sizes 16 --min-time 0 --output rows.jsonl
check "a table for those who watch" grep -q '^k2 ' out
check "the file's ending says lines" test "$(wc -l <rows.jsonl)" = 2
exits 0 bench k2 --device cpu --sizes 16 --min-time 0 --output rows.jsonl --quiet
check "in place of the old ones" test "$(wc -l <rows.jsonl)" = 2
check "quiet" test ! -s out
exits 0 verify k1 --device cpu --sizes 8,9 --output verified.jsonl --quiet
check "verify has them too" test "$(wc -l <verified.jsonl)" = 3
refuses "did you mean" list --format jsonl

# --- a row again
exits 0 bench k1 k2 --device cpu --sizes 16,24 --beta 0.5 --min-time 0 --output first.json --quiet
exits 0 bench --rerun first.json:4 --format json
check "the same row" json '(lambda r: [r["now"][k] == r["before"][k] for k in ("rung", "shape", "beta", "command", "seed", "status")])(d["reruns"][0]) == [True] * 6 and d["reruns"][0]["now"].keys() == d["reruns"][0]["before"].keys()'
check "the fourth" json '(lambda r: (r["rung"], r["shape"][0]))(d["reruns"][0]["now"]) == ("k2", 24)'
check "both environments" json 'd["differing"] == [] and all(d["environments"][e]["device"] for e in ("before", "now"))'
check "with the difference" json '{"change_percent", "noise_percent", "beyond_noise"} <= d["reruns"][0].keys()'
exits 0 bench --rerun first.json
check "all rows" test "$(grep -cE 'within noise|beyond noise' out)" = 4
check "silent" silent
exits 0 bench --rerun rows.jsonl:1
check "of lines too" grep -q '^tilewright bench k2 --device cpu --shape 16x16x16' out
refuses "has 4 rows, and no row 5" bench --rerun first.json:5
python3 -c 'import json
d = json.load(open("first.json"))
d["environment"]["driver"] = "1.2"
json.dump(d, open("elsewhere.json", "w"))
del d["results"][3]["variant"]
json.dump(d, open("lacking.json", "w"))'
exits 0 bench --rerun elsewhere.json:4
check "another driver is told" grep -q '^driver differs: "1.2" before' out
refuses "a row does not say its variant" bench --rerun lacking.json
refuses "rows count from 1" bench --rerun first.json:0
refuses "nosuch.json: No such file" bench --rerun nosuch.json
refuses "not JSON" bench --rerun shapes.txt
refuses "no kernels and no shapes beside it" bench k1 --rerun first.json
refuses "no command of bench" bench --rerun verified.jsonl

# --- Ctrl-C keeps what was measured
ran="tilewright bench, interrupted"
timeout --preserve-status -s INT 4 "$program" bench k2 --device cpu --sizes 16:64:1 --min-time 1 \
    --output part.json >out 2>err
status=$?
check "exit status 130" test "$status" = 130
check "what was measured" json 'd["results"][0]["status"] == "ok" and len(d["results"]) < 49' part.json
check "what was not" json 'all(r["reason"] == "interrupted" for r in d["results"] if r["status"] != "ok")' part.json
ran="tilewright bench, lines, interrupted"
timeout --preserve-status -s INT 4 "$program" bench k2 --device cpu --sizes 16:64:1 --min-time 1 \
    --output part.jsonl >out 2>err
status=$?
check "exit status 130" test "$status" = 130
check "each line is whole" python3 -c 'import json
lines = [json.loads(line) for line in open("part.jsonl")]
assert "environment" in lines[0] and lines[1]["status"] == "ok" and len(lines) < 50
assert all(r["reason"] == "interrupted" for r in lines[1:] if r["status"] != "ok")'
ran="tilewright bench, lines, killed"
{
    timeout -s KILL 4 "$program" bench k2 --device cpu --sizes 16:64:1 --min-time 1 \
        --output killed.jsonl >out 2>err
    status=$?
} 2>/dev/null
check "what was measured stays" python3 -c 'import json
lines = [json.loads(line) for line in open("killed.jsonl")]
assert lines[1]["status"] == "ok"'

printf '%d passed, %d failed\n' "$passed" "$failed"
test "$failed" = 0
