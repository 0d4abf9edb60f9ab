#!/usr/bin/env python3
"""Does advice name what the next rung of a ladder does? Runs the four ladders on a simulated H200 and writes, for each
step that gains 3% or more by their own estimates, what the rung before it is told: bench/results/advice_steps.csv, of
which tools/figures.py makes the table of docs/advice.md.

usage: bench/advice_steps.py HALFWARP

NAMES says which rules name which rung's idea; it was written by reading kernels/. Beside the estimates stands what
the step took on an H200, where bench/results has the ladder measured, at the size of those files."""
import csv
import json
import os
import subprocess
import sys

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results")
MEASURED = {"transpose": "ladder_transpose_h200_8192x8192.json", "reduce": "ladder_reduce_h200_268435456.json",
            "matmul": "ladder_matmul_h200_4096x4096x4096.json", "nearest": "ladder_nearest_h200_100000x3x1.json"}
LEAST_GAIN = 0.03
# The idea of a rung by the rules that name it; rungs without one have an idea that no rule has.
NAMES = {
    "transpose": {"read_cols": ["uncoalesced-stores"], "tile": ["uncoalesced-stores"], "any_block": ["smaller-blocks"],
                  "swizzle": ["bank-conflicts"], "pad": ["bank-conflicts"], "two_tiles": ["more-for-each-thread"],
                  "more_rows": ["more-for-each-thread"], "diagonal": ["partition-camping"],
                  "best": ["words-of-16-bytes", "more-for-each-thread"]},
    "reduce": {"conflicts": ["divergence"], "sequential": ["bank-conflicts"], "first_add": ["more-for-each-thread"],
               "last_warp": ["barriers"], "unrolled": ["loop-overhead"], "many": ["more-for-each-thread"],
               "shuffles": ["barriers"], "one_launch": ["launches"],
               "best": ["words-of-16-bytes", "more-for-each-thread"]},
    "matmul": {"tile16": ["tile-in-shared-memory"], "tile32": ["larger-tiles"], "strip": ["results-in-registers"],
               "register_tile": ["larger-tiles", "results-in-registers"], "async": ["copy-ahead"]},
    "nearest": {"blocks": ["tile-in-shared-memory"], "queries": ["results-in-registers"], "brute": ["few-blocks"]},
}
FIELDS = ["family", "rung", "est_us", "rule", "would_be_us", "next", "next_est_us", "next_measured"]


def fastest(rungs, key):
    """{rung: its row} with the block that takes least."""
    best = {}
    for row in rungs:
        if row.get("result") == "right" and row.get(key) and row[key] < best.get(row["rung"], {key: 1e99})[key]:
            best[row["rung"]] = row
    return best


def measured_steps(family):
    with open(os.path.join(RESULTS, MEASURED[family])) as file:
        times = fastest(json.load(file)["rungs"], "ns_median")
    return lambda rung, last: round(times[last]["ns_median"] / times[rung]["ns_median"], 3) \
        if rung in times and last in times else ""


def steps_of(halfwarp, family):
    command = [halfwarp, "ladder", family, "--gpu", "h200", "--advice", "--format", "json"]
    ladder = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    rungs, measured = fastest(ladder["rungs"], "est_us"), measured_steps(family)
    for name, row in rungs.items():
        base = rungs.get(row["builds_on"])
        if not base or row["est_us"] > (1 - LEAST_GAIN) * base["est_us"]:
            continue
        told = [a for a in ladder["advice"] if a["rung"] == base["rung"] and
                a["rule"] in NAMES[family].get(name, [])]
        best = min(told, key=lambda a: a["est_us_after"]) if told else {}
        yield {"family": family, "rung": base["rung"], "est_us": f"{base['est_us']:.4g}", "rule": best.get("rule", ""),
               "would_be_us": f"{best['est_us_after']:.4g}" if best else "", "next": name,
               "next_est_us": f"{row['est_us']:.4g}", "next_measured": measured(base["rung"], name)}


def main(words):
    if len(words) != 1:
        sys.exit(__doc__)
    rows = [row for family in MEASURED for row in steps_of(words[0], family)]
    with open(os.path.join(RESULTS, "advice_steps.csv"), "w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{sum(bool(row['rule']) for row in rows)} of {len(rows)} steps are named")


main(sys.argv[1:])
