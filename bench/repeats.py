#!/usr/bin/env python3
"""Programs that launch again and again (bench/kernels/repeats.cu) by two builds of Halfwarp in turns: what is saved
where launches do what earlier ones did, and what looking for it costs where none does.

usage: bench/repeats.py OLD_BUILD NEW_BUILD [PAIRS [OUT.csv]]

A row has the medians of processor seconds of the program's process tree, and the median of the pairs' ratios, new over
old, with the quartiles. A build of before has no such thing; of one build, HALFWARP_REUSE=0 before OLD_BUILD's path
and a ':' takes its place."""
import csv
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = [("same", "65536", "1000"), ("chain", "65536", "500"), ("copied", "65536", "1000"), ("turns", "65536", "1000"),
         ("exchanged", "65536", "1000"), ("in_place", "65536", "1000"), ("different", "65536", "1000"),
         ("exchanged", "256", "20000"), ("in_place", "256", "20000"), ("different", "256", "20000")]


def seconds(build, command, program, words):
    """Of the processors, from start to end."""
    variable, _, folder = build.rpartition(":")
    environment = dict(os.environ)
    if variable:
        environment.update([variable.split("=", 1)])
    child = subprocess.Popen([os.path.join(folder, "halfwarp"), command, "--threads", "1"] + (
        ["--summary", "-o", os.devnull] if command == "profile" else []) + [program] + list(words),
        stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"repeats {' '.join(words)} failed")
    return usage.ru_utime + usage.ru_stime


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    builds, pairs = sys.argv[1:3], int(sys.argv[3]) if len(sys.argv) > 3 else 9
    rows = [["case", "elements", "launches", "command", "old_s", "new_s", "ratio", "lower_quartile", "upper_quartile"]]
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "repeats")
        subprocess.run([os.path.join(builds[1], "halfwarp"), "nvcc", "-O3", "-o", program,
                        os.path.join(HERE, "kernels", "repeats.cu")], check=True)
        for words in CASES:
            for command in ("run", "profile"):
                found = ([], [])
                for pair in range(pairs):
                    for which in ((0, 1), (1, 0))[pair % 2]:
                        found[which].append(seconds(builds[which], command, program, words))
                low, middle, high = statistics.quantiles([new / old for old, new in zip(*found)], n=4)
                rows.append(list(words) + [command] + [f"{statistics.median(times):.3f}" for times in found] +
                            [f"{number:.3f}" for number in (middle, low, high)])
    target = open(sys.argv[4], "w", newline="") if len(sys.argv) > 4 else sys.stdout
    with target:
        csv.writer(target, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
