#!/usr/bin/env python3
"""Two builds of Halfwarp side by side: how long they simulate kernels of many kinds, what memory they take, and how long
it is until a program has made its first launch. Runs alternate, so that what disturbs the machine disturbs both.

usage: bench/compare.py OLD_BUILD NEW_BUILD [PAIRS [OUT.csv [NAME...]]]

NAME: of these kernels alone. Where others share the machine, milliseconds of the processors say more than launches' own.
A row of the result has medians of both builds and the median of the pairs' ratios, new over old, with the quartiles."""
import csv
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ["saxpy", "reduce_shared", "reduce_shuffle", "scan", "stencil", "matmul_naive", "gather", "histogram",
         "mandelbrot", "unequal_loops", "bodies", "bits"]
SCATTERED = ["histogram_shared", "histogram_global", "gather_words", "gather_bytes", "gather_vectors", "scatter",
             "sparse_rows", "breadth_first", "local_array", "bitonic", "stencil_columns", "few_lanes"]
NUMBERS = ["half2_chains", "bfloat2_chains", "conversions", "half_conversions", "texture_linear", "black_scholes", "hash",
           "constant"]
PRODUCTS = ["product_f16", "product_bf16", "product_tf32", "product_s8", "product_f64"]
SINGLE = ["transpose_naive", "transpose_tile", "matmul_tiled"]
LAUNCHES = "9"
os.environ["HALFWARP_REUSE"] = "0"    # launches are repeated to be timed


def profile(build, program, words, csv_path):
    """One process: seconds from start to end, resident KiB at most, each launch's milliseconds, and milliseconds of the
    processors, of the whole process tree."""
    command = [os.path.join(build, "halfwarp"), "profile", "--format", "csv", "-o", csv_path, program] + words
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - start
    if status:
        sys.exit(f"{' '.join(command)} failed")
    with open(csv_path, newline="") as file:
        launches = [float(row["host_ms"]) for row in csv.DictReader(file)]
    return seconds, usage.ru_maxrss, launches, (usage.ru_utime + usage.ru_stime) * 1e3


def pairs_of(builds, pairs, measure):
    """measure(build) of both, in turns, each build the first one every second time."""
    found = ([], [])
    for pair in range(pairs):
        for which in ((0, 1), (1, 0))[pair % 2]:
            found[which].append(measure(builds[which]))
    return found


def row_of(what, unit, found):
    ratios = sorted(new / old for old, new in zip(*found))
    low, middle, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
    return [what, unit, f"{statistics.median(found[0]):.4g}", f"{statistics.median(found[1]):.4g}", f"{middle:.3f}",
            f"{low:.3f}", f"{high:.3f}"]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    builds, pairs = sys.argv[1:3], int(sys.argv[3]) if len(sys.argv) > 3 else 9
    wanted = sys.argv[5:]
    rows = [["what", "unit", "old", "new", "ratio", "lower_quartile", "upper_quartile"]]
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "launches.csv")
        for source in SINGLE + ["kinds", "scattered", "numbers", "products"]:
            subprocess.run([os.path.join(builds[1], "halfwarp"), "nvcc", "-O3", "-arch=sm_80", "-o",
                            os.path.join(folder, source), os.path.join(HERE, "kernels", source + ".cu")], check=True)
        jobs = [(name, [name], ["1024" if "transpose" in name else "256", LAUNCHES]) for name in SINGLE]
        kinds = [(name, [program], [name]) for program, names in
                 (("kinds", KINDS), ("scattered", SCATTERED), ("numbers", NUMBERS), ("products", PRODUCTS))
                 for name in names]
        for name, program, words in [job for job in jobs + kinds if not wanted or job[0] in wanted]:
            path = os.path.join(folder, program[0])
            found = pairs_of(builds, pairs, lambda build: profile(build, path, words, out))
            times = [[statistics.median(run[2]) for run in build] for build in found]
            rows.append(row_of(name, "ms", times))
            rows.append(row_of(f"{name}, processors", "ms", [[run[3] for run in build] for build in found]))
            rows.append(row_of(f"{name}, resident", "KiB", [[run[1] for run in build] for build in found]))
        first = pairs_of(builds, 3 * pairs, lambda build: profile(
            build, os.path.join(folder, "kinds"), ["saxpy", "32", "1"], out)[0] * 1e3)
        rows.append(row_of("a program with one small launch", "ms", first))
    target = open(sys.argv[4], "w", newline="") if len(sys.argv) > 4 else sys.stdout
    with target:
        csv.writer(target, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
