#!/usr/bin/env python3
"""Halfwarp beside numba-cuda's own simulator (NUMBA_ENABLE_CUDASIM), at the same sizes: processor seconds of a process
that multiplies two matrices of n x n by tiles in shared memory, and of its parts: imports, the first launch (numba
compiles for it, the simulator does not), and each of some more.

    bench/numba_simulator.py --python VENV/bin/python [N...]

VENV has numba-cuda. With `--multiply N` it is that process."""
import argparse
import json
import os
import resource
import subprocess
import sys

TILE = 16
MORE = 5


def multiply(n):
    global cuda   # where the simulator looks for it
    begin = used(resource.RUSAGE_SELF)
    import numpy as np
    from numba import cuda, float64

    @cuda.jit
    def product(a, b, c):
        tile_a = cuda.shared.array((TILE, TILE), dtype=float64)
        tile_b = cuda.shared.array((TILE, TILE), dtype=float64)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        x, y = cuda.grid(2)
        total = 0.0
        for first in range(0, a.shape[0], TILE):
            tile_a[ty, tx] = a[y, first + tx]
            tile_b[ty, tx] = b[first + ty, x]
            cuda.syncthreads()
            for k in range(TILE):
                total += tile_a[ty, k] * tile_b[k, tx]
            cuda.syncthreads()
        c[y, x] = total

    a, b, c = np.random.rand(n, n), np.random.rand(n, n), np.zeros((n, n))
    launch = product[(n // TILE, n // TILE), (TILE, TILE)]
    imported = used(resource.RUSAGE_SELF)
    launch(a, b, c)
    first = used(resource.RUSAGE_SELF)
    for _ in range(MORE):
        launch(a, b, c)
    end = used(resource.RUSAGE_SELF)
    assert np.allclose(c, a @ b)
    print(json.dumps({"imports": imported - begin, "first": first - imported, "each": (end - first) / MORE}))


def used(whose):
    usage = resource.getrusage(whose)
    return usage.ru_utime + usage.ru_stime


def measure(command, **environment):
    before = used(resource.RUSAGE_CHILDREN)
    told = subprocess.run(command, check=True, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True)
    parts = json.loads(told.stdout.splitlines()[-1])
    return [f"{used(resource.RUSAGE_CHILDREN) - before:.1f}", f"{parts['imports']:.2f}", f"{parts['first']:.2f}",
            f"{parts['each']:.4f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=[16, 32, 64, 128], help="multiples of 16")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--halfwarp", default="build/halfwarp")
    parser.add_argument("--multiply", type=int)
    given = parser.parse_args()
    if given.multiply:
        return multiply(given.multiply)
    print("| n | by | process | imports | first launch | each more |\n|---|---|---|---|---|---|")
    for n in given.sizes:
        own = [given.python, "-W", "ignore", __file__, "--multiply", str(n)]
        rows = {"Halfwarp": measure([given.halfwarp, "run", "--", *own]),
                "simulator": measure(own, NUMBA_ENABLE_CUDASIM="1")}
        for by, row in rows.items():
            print("|", " | ".join([str(n), by, *row]), "|", flush=True)


if __name__ == "__main__":
    main()
