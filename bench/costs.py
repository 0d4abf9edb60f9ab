#!/usr/bin/env python3
"""What programs cost beside their kernels, by two builds of Halfwarp in turns: gigabytes of memory
(bench/kernels/large_memory.cu), and modules of many kernels of which one is launched (many_kernels.cu, library.cu).

usage: bench/costs.py OLD_BUILD NEW_BUILD [PAIRS [OUT.csv]]

A row has the medians of milliseconds of the processors, of the program's whole process tree from start to end, of page
faults, and the median of the pairs' ratios of processor time, new over old, with the quartiles. The programs are
compiled once, by nvcc (library.cu includes CUB). Each case is run once before it is measured: a virtual machine may
have given memory that lay idle back to its host, and then the first to touch it pays many times what others pay."""
import csv
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = [("many_kernels",), ("library",)] + [
    ("large_memory", kind, "2") for kind in ("copies", "sets", "zeros", "pinned", "managed", "again")]


def cost(build, command, program, words):
    """Milliseconds of the processors, and page faults."""
    child = subprocess.Popen([os.path.join(build, "halfwarp"), command] + (
        ["--summary", "-o", os.devnull] if command == "profile" else []) + [program] + list(words),
        stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{' '.join((program,) + tuple(words))} failed")
    return 1000 * (usage.ru_utime + usage.ru_stime), usage.ru_minflt


def compile_program(name, folder):
    program = os.path.join(folder, name)
    subprocess.run(["nvcc", "-std=c++17", "-O3", "-w", "-cudart", "shared", "-gencode",
                    "arch=compute_80,code=compute_80", "-o", program, os.path.join(HERE, "kernels", f"{name}.cu")],
                   check=True)
    return program


def row_of(builds, command, words, program, pairs):
    found = ([], [])
    cost(builds[0], command, program, words[1:])
    for pair in range(pairs):
        for which in ((0, 1), (1, 0))[pair % 2]:
            found[which].append(cost(builds[which], command, program, words[1:]))
    low, middle, high = statistics.quantiles([new[0] / old[0] for old, new in zip(*found)], n=4)
    medians = [[f"{statistics.median(each):.0f}" for each in zip(*costs)] for costs in found]
    return [" ".join(words), command, medians[0][0], medians[1][0], medians[0][1], medians[1][1]] + [
        f"{number:.3f}" for number in (middle, low, high)]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    builds, pairs = sys.argv[1:3], int(sys.argv[3]) if len(sys.argv) > 3 else 9
    rows = [["program", "command", "old_ms", "new_ms", "old_faults", "new_faults", "ratio", "lower_quartile",
             "upper_quartile"]]
    with tempfile.TemporaryDirectory() as folder:
        programs = {name: compile_program(name, folder) for name in dict.fromkeys(case[0] for case in CASES)}
        for words in CASES:
            for command in ("run", "profile"):
                rows.append(row_of(builds, command, words, programs[words[0]], pairs))
                print(*rows[-1], file=sys.stderr)
    target = open(sys.argv[4], "w", newline="") if len(sys.argv) > 4 else sys.stdout
    with target:
        csv.writer(target, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
