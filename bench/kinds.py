#!/usr/bin/env python3
"""Kernels of many kinds by Halfwarp, with all counters and without, beside the same kernels in OpenCL C (PoCL) and the
same work in plain C loops, on the same processors. Rounds of one process each, in turns, so that what disturbs the
machine disturbs all; their results are compared.

usage: bench/kinds.py BUILD [ROUNDS [OUT.csv [KERNEL...]]]

A row of the result is a kind by one of them: medians and quartiles of the rounds, where a round is the median of a
process's launches but the first. `speed` is PoCL's time over this one's in the same round, of PoCL's two programs the
faster. `processor_ms` is what the process had of all processors, for machines that are not quiet. Launches are executed
(HALFWARP_REUSE=0), and compiled before the second one unless HALFWARP_COMPILE says otherwise.

Needs nvcc, gcc, and of Debian's packages ocl-icd-opencl-dev and pocl-opencl-icd. Nine rounds take minutes."""
import csv
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MANY, FEW = 32, 8     # launches of a process: of kinds that take some milliseconds, and of others
TOLERANCE = 1e-4      # of results that are rounded: of the sum of their magnitudes
PRODUCT_SIDE = 512
# What it is, the program of bench/kernels, the kernel, SIZE, LAUNCHES, and floating-point operations where these are
# counted in place of PTX instructions. Programs with one kernel are not told its name.
KINDS = [
    ("transpose, naive", "transpose_naive", "transpose_naive", 1024, MANY, 0),
    ("transpose, tiles in shared memory", "transpose_tile", "transpose_tile", 1024, MANY, 0),
    ("matrix product, tiles of 16x16", "matmul_tiled", "matmul_tiled", 256, MANY, 0),
    ("n-body from shared memory", "kinds", "bodies_shared", 1 << 14, MANY, 0),
    ("Mandelbrot, f32", "kinds", "mandelbrot_f32", 256, MANY, 0),
    ("Mandelbrot, f64", "kinds", "mandelbrot", 256, MANY, 0),
    ("Black-Scholes", "numbers", "black_scholes", 512, MANY, 0),
    ("reduction by shuffles", "kinds", "reduce_shuffle", 1 << 20, MANY, 0),
    ("integer hash", "numbers", "hash", 512, MANY, 0),
    ("constant memory, uniform", "numbers", "constant", 512, MANY, 0),
    ("3-D stencil, a column a thread", "scattered", "stencil_columns", 256, FEW, 0),
    ("bitonic sort in shared memory", "scattered", "bitonic", 1 << 18, FEW, 0),
    ("histogram, shared atomics", "scattered", "histogram_shared", 1 << 16, MANY, 0),
    ("histogram, global atomics", "scattered", "histogram_global", 1 << 16, MANY, 0),
    ("gather of 2^22 from 64 MB", "scattered", "gather_words", 1 << 22, FEW, 0),
    ("sparse matrix, a row a thread", "scattered", "sparse_rows", 1 << 16, MANY, 0),
    ("breadth-first step", "scattered", "breadth_first", 1 << 18, FEW, 0),
    ("array in local memory", "scattered", "local_array", 1 << 15, MANY, 0),
    ("half2 multiply-adds", "numbers", "half2_chains", 512, FEW, 0),
    ("wmma product (FLOP)", "products", "product_f16", PRODUCT_SIDE, FEW, 2 * PRODUCT_SIDE ** 3),
    ("texture, linear filter", "numbers", "texture_linear", 256, MANY, 0),
    ("3 of 32 lanes on", "scattered", "few_lanes", 1 << 18, FEW, 0),
]
NO_OPENCL = {"product_f16"}    # OpenCL has no tensor cores
UNROLLED = ["transpose_tile", "matmul_tiled", "hash", "constant", "local_array", "half2_chains", "texture_linear"]


class Run:
    """What a process printed: a launch's time, of the clock and of processors, and the result."""

    def __init__(self, text):
        lines = [line.split() for line in text.splitlines()]
        launches = [[float(number) for number in line[1:]] for line in lines if line[0] == "launch"]
        ms, processor_ms = zip(*launches[1:])
        # The kernel tells what another thread has had once a tick, so single launches have too much or too little.
        self.ms, self.processor_ms = statistics.median(ms), statistics.mean(processor_ms)
        self.result = next(line for line in lines if line[0] in ("floats", "words"))


def agree(a, b):
    if a[0] == "words" or b[0] == "words":
        return a == b
    return abs(float(a[1]) - float(b[1])) <= TOLERANCE * float(a[2])


def output_of(command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def build_programs(build, folder, kinds):
    """The programs of bench/kernels, `opencl`, `unrolled` and `loops`, into the folder."""
    for source in sorted({kind[1] for kind in kinds}):
        subprocess.run([os.path.join(build, "halfwarp"), "nvcc", "-O3", "-arch=sm_80", "-o",
                        os.path.join(folder, source), os.path.join(HERE, "kernels", source + ".cu")], check=True)
    peers = os.path.join(HERE, "peers", "kinds")
    found_in = f"-I {peers} -I {os.path.join(HERE, 'kernels')}"
    for who, source, options in (
            ("opencl", "opencl.c", ["-O2", f'-DOPENCL_OPTIONS="{found_in}"', "-lOpenCL"]),
            ("unrolled", "opencl.c", ["-O2", f'-DOPENCL_OPTIONS="{found_in} -D UNROLLED"', "-lOpenCL"]),
            ("loops", "loops.c", ["-O3", "-march=native", "-fopenmp"])):
        sources = [os.path.join(peers, each) for each in (source, "problem.c")]
        command = ["gcc", "-std=gnu11", "-o", os.path.join(folder, who)] + sources + options + ["-lm"]
        if subprocess.run(command).returncode:
            sys.exit("kinds.py: apt-get install gcc libc6-dev ocl-icd-opencl-dev pocl-opencl-icd")


def commands_of(build, folder, kind):
    """Who does it, by which command."""
    _, program, name, size, launches, _ = kind
    halfwarp = os.path.join(build, "halfwarp")
    cuda = [os.path.join(folder, program)] + ([name] if program != name else []) + [str(size), str(launches)]
    peers = [] if name in NO_OPENCL else ["opencl", "unrolled"] if name in UNROLLED else ["opencl"]
    others = {who: [os.path.join(folder, who), name, str(size), str(launches)] for who in peers + ["loops"]}
    return {"profile": [halfwarp, "profile", "--format", "csv", "-o", os.path.join(folder, "counters.csv")] + cuda,
            "run": [halfwarp, "run"] + cuda, **others}


def measure(commands, rounds):
    """A Run for each round and each of those who do it, who take turns in being the first."""
    found = {who: [] for who in commands}
    for number in range(rounds):
        order = list(commands)
        for who in order[number % len(order):] + order[:number % len(order)]:
            found[who].append(Run(output_of(commands[who])))
    first = found["profile"][0].result
    for who, runs in found.items():
        for run in runs:
            if not agree(first, run.result):
                sys.exit(f"{' '.join(commands[who])}: the result is {run.result}, not {first}")
    return found


def quartiles(values):
    return statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3


def rows_of(kind, count, found):
    peer = [min(ms) for ms in zip(*([run.ms for run in found[who]] for who in ("opencl", "unrolled") if who in found))]
    for who, runs in found.items():
        low, middle, high = quartiles([run.ms for run in runs])
        processor_ms = statistics.median(run.processor_ms for run in runs)
        speeds = quartiles([ms / run.ms for ms, run in zip(peer, runs)]) if peer else []
        yield [kind[0], kind[2], who, count] + [f"{ms:.4g}" for ms in (middle, low, high, processor_ms)] + (
            [f"{speeds[i]:.3g}" for i in (1, 0, 2)] if speeds else [""] * 3)


def what_is_measured(folder):
    """Machine, compilers, commit and day."""
    with open("/proc/cpuinfo") as file:
        models = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    driver = re.search("^driver (.*)", output_of([os.path.join(folder, "opencl"), "constant", "16", "2"])).group(1)
    commit = subprocess.run(["git", "-C", HERE, "describe", "--always", "--dirty", "--abbrev=12"], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.strip() or "unknown"
    return (f"{models[0] if models else platform.machine()}, {os.cpu_count()} processors; PoCL {driver}; "
            f"gcc {output_of(['gcc', '-dumpfullversion']).strip()}; commit {commit}; {time.strftime('%d %B %Y')}")


def main():
    if len(sys.argv) < 2 or not os.path.exists(os.path.join(sys.argv[1], "halfwarp")):
        sys.exit(__doc__)
    build, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 9
    chosen = [kind for kind in KINDS if len(sys.argv) < 5 or kind[2] in sys.argv[4:]]
    os.environ["HALFWARP_REUSE"] = "0"
    os.environ.setdefault("HALFWARP_COMPILE", "2")
    if not chosen:
        sys.exit(f"kinds.py: no such kernel; there are {', '.join(kind[2] for kind in KINDS)}")
    target = open(sys.argv[3], "w", newline="") if len(sys.argv) > 3 else sys.stdout
    with target, tempfile.TemporaryDirectory() as folder:
        os.environ["POCL_CACHE_DIR"] = os.path.join(folder, "pocl")
        build_programs(build, folder, chosen)
        target.write(f"# {what_is_measured(folder)}; medians of {rounds} processes of {FEW} or {MANY} launches, in turns\n")
        writer = csv.writer(target, lineterminator="\n")
        writer.writerow(["kind", "kernel", "who", "count", "ms", "lower", "upper", "processor_ms", "speed",
                         "lower_speed", "upper_speed"])
        for kind in chosen:
            found = measure(commands_of(build, folder, kind), rounds)
            with open(os.path.join(folder, "counters.csv"), newline="") as counters:
                count = kind[5] or int(next(csv.DictReader(counters))["thread_inst"])
            writer.writerows(rows_of(kind, count, found))
            target.flush()


if __name__ == "__main__":
    main()
