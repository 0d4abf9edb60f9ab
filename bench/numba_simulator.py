#!/usr/bin/env python3
"""Halfwarp beside numba-cuda's own simulator (NUMBA_ENABLE_CUDASIM), at the same sizes: processor seconds of a process
that multiplies two matrices of n x n by tiles in shared memory.

    bench/numba_simulator.py --python VENV/bin/python [N...]

VENV has numba-cuda. With `--multiply N` it is that process."""
import argparse
import os
import resource
import subprocess
import sys

TILE = 16


def multiply(n):
    global cuda   # where the simulator looks for it
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
    product[(n // TILE, n // TILE), (TILE, TILE)](a, b, c)
    assert np.allclose(c, a @ b)


def seconds(command, **environment):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, env={**os.environ, **environment})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=[16, 32, 64, 128], help="multiples of 16")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--halfwarp", default="build/halfwarp")
    parser.add_argument("--multiply", type=int)
    given = parser.parse_args()
    if given.multiply:
        return multiply(given.multiply)
    print("| n | Halfwarp | simulator |\n|---|---|---|")
    for n in given.sizes:
        own = [given.python, __file__, "--multiply", str(n)]
        print(f"| {n} | {seconds([given.halfwarp, 'run', '--', *own]):.1f} "
              f"| {seconds(own, NUMBA_ENABLE_CUDASIM='1'):.1f} |", flush=True)


if __name__ == "__main__":
    main()
