# What `halfwarp matmul` must write, summed exactly. usage: matmul_cases.py HALFWARP FOLDER DEVICE; exit 1 when wrong.
import math
import os
import random
import subprocess
import sys

import npy_files

halfwarp, folder, device = sys.argv[1:4]
wrong = cases = 0


def numbers(descr, shape):
    kind = npy_files.LETTERS[descr[1:]]
    if descr[1] in "iu":
        bits = 8 * int(descr[2])
        return [random.randrange(1 << bits) - (1 << bits - 1 if descr[1] == "i" else 0) for _ in range(math.prod(shape))]
    return [npy_files.rounded(kind, random.uniform(-1, 1)) for _ in range(math.prod(shape))]


def element(values, shape, place):
    """With NumPy's broadcasting of the axes in front."""
    place, at = place[len(place) - len(shape):], 0
    for n, i in zip(shape, place):
        at = at * n + (0 if n == 1 else i)
    return values[at]


def expected(a, a_shape, b, b_shape):
    rows = a_shape if len(a_shape) > 1 else (1,) + a_shape
    cols = b_shape if len(b_shape) > 1 else b_shape + (1,)
    depth = max(len(rows), len(cols)) - 2
    in_front = [(1,) * (depth + 2 - len(shape)) + tuple(shape[:-2]) for shape in (rows, cols)]
    batches = [y if x == 1 else x for x, y in zip(*in_front)]
    full, values = tuple(batches) + (rows[-2], cols[-1]), []
    for *batch, i, j in npy_files.places(full):
        add = math.fsum if any(isinstance(value, float) for value in a[:1]) else sum
        values.append(add(element(a, rows, (*batch, i, l)) * element(b, cols, (*batch, l, j))
                                for l in range(rows[-1])))
    kept = tuple(batches) + (() if len(a_shape) == 1 else full[-2:-1]) + (() if len(b_shape) == 1 else full[-1:])
    return kept, values


def wrapped(value, descr):
    """Modulo 2^n, as NumPy's integers are."""
    bits = 8 * int(descr[2])
    value %= 1 << bits
    return value - (1 << bits) if descr[1] == "i" and value >> bits - 1 else value


def check(descr, a_shape, b_shape, orders=(False, False), more=(), tolerance=None, out=None):
    global wrong, cases
    cases += 1
    # Kernels are compiled for a simulated GPU: unit tests have all cases, which are the command's own on a processor.
    if device != "cpu" and cases % 3:
        return
    paths = [os.path.join(folder, name) for name in ("a.npy", "b.npy", "c.npy")]
    a, b = numbers(descr, a_shape), numbers(descr, b_shape)
    npy_files.write(paths[0], descr, a_shape, a, orders[0])
    npy_files.write(paths[1], descr, b_shape, b, orders[1])
    done = subprocess.run([halfwarp, "matmul", paths[0], paths[1], "-o", paths[2], "--device", device, *more],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    what = "%s %s %s %s %s on %s" % (descr, a_shape, b_shape, orders, more, device)
    if done.returncode == 2 and b"OpenBLAS" in done.stderr:
        sys.exit(77)
    if done.returncode or done.stdout or done.stderr:
        wrong += 1
        print("FAILED: %s: status %d, %s" % (what, done.returncode, done.stderr.decode()), file=sys.stderr)
        return
    shape, values = expected(a, a_shape, b, b_shape)
    wanted_descr = (out or descr)[1:]
    if wanted_descr[0] in "iu":
        values, tolerance = [wrapped(value, "<" + wanted_descr) for value in values], 1e-9
    tolerance = tolerance or {"f2": 2e-3, "f4": 1e-6, "f8": 1e-15}[descr[1:]]
    got_descr, got_shape, got = npy_files.read(paths[2])
    bad = [i for i, (x, y) in enumerate(zip(got, values)) if not abs(x - y) <= tolerance * (a_shape[-1] + 1)]
    if got_descr != ("|" if wanted_descr[1] == "1" else "<") + wanted_descr or got_shape != shape or len(got) != len(values) or bad:
        wrong += 1
        print("FAILED: %s: %s %s, not %s; wrong %s" % (what, got_descr, got_shape, shape, bad[:5]), file=sys.stderr)


random.seed(4)
for descr in "<f4", "<f8", ">f4", "<f2":
    check(descr, (5, 7), (7, 3))
for orders in (False, True), (True, False), (True, True):
    check("<f4", (33, 17), (17, 40), orders)
    check("<f8", (2, 3, 4, 5), (2, 3, 5, 6), orders)
for descr in "|i1", "<i4", "<i8", "|u1", ">u2", "<i2", "<u4", "<u8":
    check(descr, (5, 7), (7, 3))
check("|i1", (33, 70), (70, 40), (True, False), ("--dtype", "i32"), out="<i4")
check("<u2", (2, 5, 7), (7, 9), more=("--dtype", "u32"), out="<u4")
check("<f2", (5, 7), (7, 9), more=("--dtype", "f32"), out="<f4")
check("<i8", (65, 130), (130, 70), (True, True))
check("<i4", (3, 1, 5, 7), (4, 7, 2))
check("<i4", (9,), (9,))
check("<f4", (7,), (7, 3))
check("<f4", (5, 7), (7,))
check("<f4", (9,), (9,))
check("<f4", (9,), (4, 9, 3))
check("<f4", (4, 3, 9), (9,))
check("<f4", (3, 1, 5, 7), (4, 7, 2))
check("<f4", (2, 5, 7), (7, 2))
check("<f4", (1, 5, 7), (6, 7, 2), (True, True))
check("<f4", (0, 7), (7, 3))
check("<f4", (5, 0), (0, 3))
check("<f4", (2, 0, 7), (7, 3))
check("<f4", (1, 1), (1, 1))
check("<f4", (65, 130), (130, 70), more=("--precision", "fp32"))
check("<f8", (5, 6), (6, 7), more=("--precision=fp64",))
try:
    import numpy
except ImportError:
    sys.exit(wrong != 0)


def check_numpy(random):
    """Random shapes, some batched or broadcast, in either order of memory."""
    dtype = str(random.choice(["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]))
    m, n, k = (int(x) for x in random.integers(0 if random.random() < 0.1 else 1, 70, 3))
    batch = [(), (3,), (2, 3)][random.integers(3)]
    shapes = [batch + (m, k), (batch if random.integers(2) else ()) + (k, n)]
    if dtype[0] == "f":
        arrays = [random.standard_normal(shape).astype(dtype) for shape in shapes]
    else:
        limits = numpy.iinfo(dtype)
        arrays = [random.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True) for shape in shapes]
    for name, array in zip(("a.npy", "b.npy"), arrays):
        numpy.save(os.path.join(folder, name), numpy.asfortranarray(array) if random.integers(2) else array)
    subprocess.run([halfwarp, "matmul", *(os.path.join(folder, name) for name in ("a.npy", "b.npy")), "-o",
                    os.path.join(folder, "c.npy"), "--device", device], check=True)
    got = numpy.load(os.path.join(folder, "c.npy"))
    right = numpy.matmul(*(array.astype("f8") if dtype[0] == "f" else array for array in arrays))
    tolerance = 0 if dtype[0] != "f" else {"f2": 1e-3, "f4": 1e-5, "f8": 1e-13}[dtype] * max(k, 1) ** 0.5
    if got.shape != right.shape or got.dtype != dtype or not numpy.allclose(got, right, rtol=tolerance, atol=tolerance):
        print("FAILED: NumPy's %s %s %s" % (dtype, arrays[0].shape, arrays[1].shape), file=sys.stderr)
        return 1
    return 0


generator = numpy.random.default_rng(3)
wrong += sum(check_numpy(generator) for _ in range(80 if device == "cpu" else 8))
sys.exit(wrong != 0)
