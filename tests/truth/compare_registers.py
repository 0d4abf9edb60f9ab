"""compare_registers.py HALFWARP REGISTERS: the estimate of registers per thread beside what ptxas gave.

REGISTERS: tests/data/ptxas_registers.csv. Estimates each kernel's registers by `halfwarp occupancy` without a toolkit.
Kernels that need no more than the GPU's least number of registers agree by themselves and are counted apart. Of the
others it prints for each folder how many estimates equal ptxas's number, are within 2 of it and within a tenth, and how
many give as many blocks of 256 threads on a multiprocessor; then the worst.
"""
import collections
import csv
import io
import os
import subprocess
import sys

LEAST = 16   # of an H200 and a T4


def estimates(halfwarp, path, gpu, block):
    """Kernel: registers and blocks."""
    words = [halfwarp, "occupancy", "--gpu", gpu, "--block", block, "--format", "csv", path]
    text = subprocess.run(words, env=os.environ | {"HALFWARP_HIDE_NVCC": "1"}, check=True, stdout=subprocess.PIPE)
    rows = list(csv.DictReader(io.StringIO(text.stdout.decode())))
    assert all(row["regs_estimated"] == "1" for row in rows), "the registers of " + path + " are not estimated"
    return {row["kernel"]: (int(row["regs"]), int(row["blocks"])) for row in rows}


def main(halfwarp, registers):
    with open(registers) as file:
        wanted = list(csv.DictReader(line for line in file if not line.startswith("#")))
    by_file = {}
    folders = collections.defaultdict(list)
    for row in wanted:
        path = row["file"]
        if not os.path.exists(path):
            sys.exit(path + " is not there: kernels were recorded anew, and their registers are not; run "
                     "tools/record_registers.sh")
        if path not in by_file:
            by_file[path] = estimates(halfwarp, path, row["gpu"], row["block"])
        regs, blocks = by_file[path][row["kernel"]]
        folders[os.path.dirname(path)].append((regs, int(row["regs"]), blocks == int(row["blocks"]), row["kernel"]))
    for folder, rows in folders.items():
        large = [row for row in rows if max(row[0], row[1]) > LEAST]
        equal = sum(got == given for got, given, *_ in large)
        near = sum(abs(got - given) <= 2 for got, given, *_ in large)
        tenth = sum(abs(got - given) <= 0.1 * given for got, given, *_ in large)
        blocks = sum(row[2] for row in large)
        got, given, _, kernel = max(large, key=lambda row: abs(row[0] - row[1]))
        print(f"{folder}: {len(rows) - len(large)} kernels of {LEAST} registers; of {len(large)} larger ones "
              f"{equal} equal, {near} within 2, {tenth} within a tenth, {blocks} with as many blocks; "
              f"worst {got} for {given}, {kernel}")


main(*sys.argv[1:3])
