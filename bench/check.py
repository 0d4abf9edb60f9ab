#!/usr/bin/env python3
"""What `halfwarp check` costs beside `halfwarp run`, both by the interpreter on one host thread.

usage: bench/check.py BUILD [--memory] [--rounds N] [--only NAME,NAME] [--out OUT.csv] [--programs FOLDER]

A row is a kernel: milliseconds of the processor for a launch with `run` and with `check`. A round runs each program
with two launches and with more, with either command; the difference of the least that each took over all rounds is
what the launches cost, since other work on the machine only adds. The programs are compiled once, by nvcc.

With --memory a row is a way to touch 16 MB, each element once a launch (bench/kernels/touched.cu): bytes that `check`
has resident more than `run`, for a byte that is touched; the medians of the rounds."""
import argparse
import csv
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# Program, name of the kernel in it, size, launches more than two.
CASES = [
    ("transpose_naive", None, 1024, 12), ("transpose_tile", None, 1024, 12), ("matmul_tiled", None, 256, 12),
    ("kinds", "gather", 1 << 19, 12), ("kinds", "saxpy", 1 << 20, 24), ("kinds", "reduce_shared", 1 << 19, 8),
    ("kinds", "reduce_shuffle", 1 << 20, 8), ("kinds", "scan", 1 << 18, 8), ("kinds", "stencil", 1024, 8),
    ("kinds", "matmul_naive", 192, 12), ("kinds", "bodies", 4096, 4), ("kinds", "histogram", 1 << 17, 12),
    ("scattered", "gather_words", 1 << 19, 6), ("scattered", "gather_bytes", 1 << 18, 6),
    ("scattered", "histogram_shared", 1 << 16, 8), ("scattered", "bitonic", 1 << 18, 4),
    ("scattered", "sparse_rows", 1 << 16, 4), ("scattered", "stencil_columns", 256, 2),
]
MEGABYTES = 16
WAYS = ["rows", "words", "words-read", "bytes-written", "bytes-written-read", "bytes-changed", "bytes-changed-read",
        "bytes-exchanged", "bytes-exchanged-read", "anywhere-written", "anywhere-written-read", "anywhere-changed",
        "anywhere-changed-read", "anywhere-exchanged", "anywhere-exchanged-read"]
INTERPRETED = {"HALFWARP_COMPILE": "0", "HALFWARP_REUSE": "0"}


def compile_program(name, folder):
    program = os.path.join(folder, name)
    if not os.path.exists(program):
        subprocess.run(["nvcc", "-std=c++17", "-O3", "-w", "-lineinfo", "-cudart", "shared", "-gencode",
                        "arch=compute_80,code=compute_80", "-o", program, os.path.join(HERE, "kernels", f"{name}.cu")],
                       check=True)
    return program


def usage_of(build, command, program, words):
    """What the whole process tree has used."""
    one_thread = ["--threads", "1"] if command == "run" else []    # `check` has one by itself
    child = subprocess.Popen([os.path.join(build, "halfwarp"), command] + one_thread + [program] + words,
                             env={**os.environ, **INTERPRETED}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"halfwarp {command} {' '.join([program] + words)} failed")
    return usage


def cost(build, command, program, words):
    """Milliseconds of the processor."""
    usage = usage_of(build, command, program, words)
    return 1000 * (usage.ru_utime + usage.ru_stime)


def memory_of(build, program, way, rounds):
    """Bytes for a byte that is touched."""
    words = [way, str(MEGABYTES)]
    more = [usage_of(build, "check", program, words).ru_maxrss - usage_of(build, "run", program, words).ru_maxrss
            for _ in range(rounds)]
    return statistics.median(more) / (MEGABYTES << 10)


def words_of(kernel, size, launches):
    return ([kernel] if kernel else []) + [str(size), str(launches)]


def row_of(build, program, case, rounds):
    name, kernel, size, more = case
    least = {}
    for turn in range(rounds):
        for command in (("run", "check"), ("check", "run"))[turn % 2]:
            for launches in (2, 2 + more):
                taken = cost(build, command, program, words_of(kernel, size, launches))
                least[command, launches] = min(taken, least.get((command, launches), taken))
    run, check = ((least[command, 2 + more] - least[command, 2]) / more for command in ("run", "check"))
    return [kernel or name, f"{run:.3g}", f"{check:.3g}", f"{check / run:.2g}"]


def write_rows(rows, path):
    target = open(path, "w", newline="") if path else sys.stdout
    with target:
        csv.writer(target, lineterminator="\n").writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--out")
    parser.add_argument("--programs", help="a folder that keeps what is compiled")
    options = parser.parse_args()
    rows = [["way", "bytes"]] if options.memory else [["kernel", "run", "check", "times"]]
    with tempfile.TemporaryDirectory() as folder:
        for way in WAYS if options.memory else []:
            if options.only and way not in options.only.split(","):
                continue
            program = compile_program("touched", options.programs or folder)
            rows.append([way, f"{memory_of(options.build, program, way, options.rounds):.1f}"])
            print(*rows[-1], file=sys.stderr, flush=True)
        for case in [] if options.memory else CASES:
            name = case[1] or case[0]
            if options.only and name not in options.only.split(","):
                continue
            program = compile_program(case[0], options.programs or folder)
            rows.append(row_of(options.build, program, case, options.rounds))
            print(*rows[-1], file=sys.stderr, flush=True)
    write_rows(rows, options.out)


if __name__ == "__main__":
    main()
