#!/usr/bin/env python3
"""How launches scale over a machine's processors, beside what the machine itself gives: one process with N host
threads, and N processes of one thread each, which share nothing but the machine.

usage: bench/scaling.py BUILD [--rounds N] [--only NAME,NAME] [--out OUT.csv]

A row of the result is a kernel: milliseconds of a launch by 1, 2, 4, ... host threads, all counters on, compiled; by
each of N processes at once, one on each processor (`processes`); `speedup` of N threads over one; and `share`, what
N threads reach of what N processes do: `processes` over N times the launch by N threads. Above 1 the processes get
in each other's way more than the threads do, by caches that each fills with data of its own. Medians of the rounds, in
each of which the median launch counts, the first one left out.

Needs nvcc."""
import argparse
import concurrent.futures
import csv
import os
import statistics
import subprocess
import sys
import tempfile

from check import compile_program, write_rows

LAUNCHES = 7
# Program, kernel, and a size at which one thread takes some hundred milliseconds.
CASES = [
    ("transpose_naive", None, 4096), ("transpose_tile", None, 4096), ("matmul_tiled", None, 768),
    ("kinds", "saxpy", 1 << 24), ("kinds", "bodies_shared", 1 << 16), ("kinds", "mandelbrot", 1024),
    ("kinds", "reduce_shuffle", 1 << 24), ("kinds", "scan", 1 << 23), ("numbers", "black_scholes", 2048),
    ("numbers", "hash", 2048), ("scattered", "histogram_shared", 1 << 20), ("scattered", "stencil_columns", 384),
    ("scattered", "sparse_rows", 1 << 19), ("scattered", "gather_words", 1 << 22),
    ("scattered", "local_array", 1 << 18), ("scattered", "bitonic", 1 << 20), ("scattered", "few_lanes", 1 << 20),
    ("scattered", "breadth_first", 1 << 20),
]


def launch(build, program, words, threads, processor=None):
    """Milliseconds of a process's launches, the median; on that processor alone if one is named."""
    environment = {**os.environ, "HALFWARP_COMPILE": "2", "HALFWARP_REUSE": "0"}
    with tempfile.NamedTemporaryFile(suffix=".csv") as out:
        pinned = ["taskset", "-c", str(processor)] if processor is not None else []
        command = pinned + [os.path.join(build, "halfwarp"), "profile", "--threads", str(threads), "--format", "csv",
                            "-o", out.name, program] + words
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
        with open(out.name, newline="") as file:
            return statistics.median([float(row["host_ms"]) for row in csv.DictReader(file)][1:])


def at_once(build, program, words, processors):
    with concurrent.futures.ThreadPoolExecutor(len(processors)) as pool:
        return statistics.median(pool.map(lambda processor: launch(build, program, words, 1, processor), processors))


def row_of(build, program, case, counts, rounds):
    name, kernel, size = case
    words = ([kernel] if kernel else []) + [str(size), str(LAUNCHES)]
    processors = sorted(os.sched_getaffinity(0))
    turns = [([launch(build, program, words, count) for count in counts], at_once(build, program, words, processors))
             for _ in range(rounds)]
    threads = [statistics.median(turn[0][which] for turn in turns) for which in range(len(counts))]
    alone = statistics.median(turn[1] for turn in turns)
    return [kernel or name] + [f"{ms:.4g}" for ms in threads + [alone]] + \
        [f"{threads[0] / threads[-1]:.1f}", f"{alone / (counts[-1] * threads[-1]):.2f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--out")
    options = parser.parse_args()
    processors = len(os.sched_getaffinity(0))
    counts = [1 << power for power in range(processors.bit_length()) if 1 << power < processors] + [processors]
    rows = [["kernel"] + counts + ["processes", "speedup", "share"]]
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            if options.only and (case[1] or case[0]) not in options.only.split(","):
                continue
            rows.append(row_of(options.build, compile_program(case[0], folder), case, counts, options.rounds))
            print(*rows[-1], file=sys.stderr, flush=True)
    write_rows(rows, options.out)


if __name__ == "__main__":
    main()
