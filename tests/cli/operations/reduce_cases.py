# What `halfwarp reduce` must write, computed exactly. usage: reduce_cases.py HALFWARP FOLDER DEVICE; exit 1 when wrong.
import fractions
import itertools
import math
import os
import random
import subprocess
import sys

import npy_files

halfwarp, folder, device = sys.argv[1:4]
source, result = os.path.join(folder, "in.npy"), os.path.join(folder, "out.npy")
OPS = ("sum", "product", "min", "max", "argmin", "argmax", "mean", "norm", "var", "std", "any", "all",
       "count_nonzero")
wrong = cases = 0


def complain(text):
    global wrong
    wrong += 1
    print("FAILED on %s: %s" % (device, text), file=sys.stderr)


def result_descr(op, descr):
    if op.startswith("arg") or op == "count_nonzero":
        return "<i8"
    if op in ("any", "all"):
        return "|b1"
    if descr[1] == "b" and op in ("sum", "product"):
        return "<i8"
    is_float = descr[1] == "f"
    if op in ("sum", "product") and not is_float:
        return "<%s8" % descr[1]
    if op in ("mean", "norm", "var", "std") and not is_float:
        return "<f8"
    return "|" + descr[1:] if descr[2] == "1" else "<" + descr[1:]


def wrapped(value, descr):
    """Modulo 2^64, as integers' sums and products are."""
    value %= 1 << 64
    return value - (1 << 64) if descr[1] == "i" and value >> 63 else value


def variance(values):
    mean = sum(map(fractions.Fraction, values)) / len(values)
    return float(sum((fractions.Fraction(v) - mean) ** 2 for v in values) / len(values))


def exact(op, values, descr):
    """What it would be without rounding; None: NaN."""
    if op in ("any", "all", "count_nonzero"):
        count = sum(v != 0 for v in values)
        return count if op == "count_nonzero" else count > 0 if op == "any" else count == len(values)
    if any(v != v for v in values):
        return next(i for i, v in enumerate(values) if v != v) if op.startswith("arg") else None
    if op == "sum":
        total = sum(map(fractions.Fraction, values))
        return float(total) if descr[1] == "f" else wrapped(int(total), descr)
    if op == "product":
        total = math.prod(map(fractions.Fraction, values))
        return float(total) if descr[1] == "f" else wrapped(int(total), descr)
    if op in ("var", "std"):
        spread = variance(values) if values else None
        return spread if op == "var" or spread is None else math.sqrt(spread)
    if op == "mean":
        return float(sum(map(fractions.Fraction, values)) / len(values)) if values else None
    if op == "norm":
        return math.sqrt(sum(fractions.Fraction(v) ** 2 for v in values))
    if op in ("min", "max"):
        return (min if op == "min" else max)(values)
    return values.index((min if op == "argmin" else max)(values))


def expected(op, values, descr, shape, axes):
    """Shape and numbers of the result."""
    kept = [k for k in range(len(shape)) if k not in axes]
    strides = [math.prod(shape[k + 1:]) for k in range(len(shape))]
    numbers = []
    for place in npy_files.places([shape[k] for k in kept]):
        first = sum(i * strides[k] for i, k in zip(place, kept))
        inner = [sum(i * strides[k] for i, k in zip(more, sorted(axes)))
                 for more in npy_files.places([shape[k] for k in sorted(axes)])]
        numbers.append(exact(op, [values[first + at] for at in inner], descr))
    return tuple(shape[k] for k in kept), numbers


def is_near(op, got, right, descr, magnitude):
    if right is None:
        return got != got
    if descr[1] != "f" or op in ("min", "max", "argmin", "argmax"):
        return got == right or (op in ("mean", "norm", "var", "std") and abs(got - right) <= 1e-14 * abs(right))
    tolerance = {"2": 2e-3, "4": 1e-6, "8": 1e-14}[descr[2]]
    return abs(got - right) <= tolerance * max(magnitude, abs(right))


def check(op, descr, shape, values, axis=None, fortran=False, more=(), always=False):
    global cases
    cases += 1
    # Kernels are compiled for a simulated GPU: unit tests have all cases, which are the command's own on a processor.
    if device != "cpu" and cases % 3 and not always:
        return
    axes = list(range(len(shape))) if axis is None else [a % len(shape) for a in axis]
    npy_files.write(source, descr, shape, values, fortran)
    option = [] if axis is None else ["--axis=" + ",".join(map(str, axis))]
    done = subprocess.run([halfwarp, "reduce", source, "--op", op, "-o", result, "--device", device, *option, *more],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    what = "%s of %s %s axes %s%s %s" % (op, descr, shape, axis, " Fortran order" if fortran else "", more)
    if done.returncode or done.stdout or done.stderr:
        complain("%s: status %d, %s" % (what, done.returncode, done.stderr.decode()))
        return
    right_shape, right = expected(op, values, descr, shape, axes)
    if "--keepdims" in more:
        right_shape = tuple(1 if k in axes else n for k, n in enumerate(shape))
    got_descr, got_shape, got = npy_files.read(result)
    magnitude = sum(abs(v) for v in values if v == v) if op == "sum" else 0
    bad = [(i, x, y) for i, (x, y) in enumerate(zip(got, right))
           if not ("--exact" in more and x == npy_files.rounded(npy_files.LETTERS[descr[1:]], y or 0) or
                   is_near(op, x, y, descr, magnitude) and "--exact" not in more)]
    if (got_descr, got_shape, len(got)) != (result_descr(op, descr), right_shape, len(right)) or bad:
        complain("%s: %s %s, not %s %s; wrong %s" % (what, got_descr, got_shape, result_descr(op, descr), right_shape,
                                                    bad[:3]))


def numbers(descr, count):
    kind = npy_files.LETTERS[descr[1:]]
    if descr[1] == "b":
        return [random.random() < 0.7 for _ in range(count)]
    if descr[1] == "f":
        return [npy_files.rounded(kind, random.uniform(-2, 2)) for _ in range(count)]
    least = 0 if descr[1] == "u" else -(1 << (8 * int(descr[2]) - 1))
    return [random.randrange(least, least + (1 << 8 * int(descr[2]))) for _ in range(count)]


random.seed(6)
descrs = "<f4", "<f8", "<f2", ">f4", "|i1", "<i2", "<i4", ">i8", "|u1", "<u2", "<u4", "<u8", "|b1"
for op, descr in itertools.product(OPS, descrs if device == "cpu" else ("<f4", "|i1", ">u2", "|b1")):
    check(op, descr, (3, 7), numbers(descr, 21), (1,))
for op in OPS:
    check(op, "<f4", (5, 6, 7), numbers("<f4", 210), (0, -1), True)
    check(op, "<f4", (5, 6, 7), numbers("<f4", 210))
    check(op, "<f4", (), numbers("<f4", 1))
    check(op, "<f8", (4, 5), numbers("<f8", 20), (0,), True, ("--keepdims",))
    check(op, "<f4", (6,), [1.5, math.nan, -2.0, math.nan, 7.0, 7.0])
    check(op, "<i4", (6,), [3, -1, 7, -1, 7, 0])
for op in "sum", "product", "mean", "norm", "var", "std", "any", "all", "count_nonzero":
    check(op, "<f4", (0,), [])
    check(op, "<f8", (3, 0), [], (1,))
check("sum", "<f4", (0, 3), [], (1,))
check("max", "<f4", (0, 3), [], (1,))
check("sum", "<f4", (4, 3), numbers("<f4", 12), (1, 0), more=("--keepdims",))
# Sums that lose everything but for exactness.
check("sum", "<f4", (5,), [2.0 ** 100, 1.0, -2.0 ** 100, 2.0 ** -140, 3.0], more=("--exact",))
check("sum", "<f8", (3, 4), [1e300, 1.0, -1e300, 5e-324] * 3, (1,), more=("--exact",))
check("mean", "<f4", (4,), [2.0 ** 60, 1.0, -2.0 ** 60, 2.0], more=("--exact",))
# Sums begin with nothing, which is +0.
check("sum", "<f4", (2,), [-0.0, -0.0], always=True)
if math.copysign(1, npy_files.read(result)[2][0]) < 0:
    complain("a sum of negative zeros is -0")
try:
    import numpy
except ImportError:
    sys.exit(wrong != 0)


def numpy_result(op, array, axes, keepdims):
    """None: NumPy refuses it. Sums of floats in float64, since ours of f16 are in f32."""
    if op.startswith("arg"):
        return getattr(numpy, op)(array, axis=axes[0] if len(axes) == 1 else None, keepdims=keepdims)
    wide = array.astype("f8") if array.dtype.kind == "f" else array
    if op == "count_nonzero":
        return numpy.count_nonzero(array, axis=axes, keepdims=keepdims)
    if op == "norm":
        return numpy.sqrt((wide.astype("f8") ** 2).sum(axis=axes, keepdims=keepdims))
    return getattr(numpy, {"product": "prod"}.get(op, op))(wide, axis=axes, keepdims=keepdims)


def check_numpy(random):
    dtype, op = random.choice(["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "b1"]), random.choice(OPS)
    shape = tuple(int(n) for n in random.integers(0 if random.random() < 0.2 else 1, 9, random.integers(1, 5)))
    axes = tuple(sorted(random.choice(len(shape), random.integers(1, len(shape) + 1), replace=False).tolist()))
    if op.startswith("arg") and 1 < len(axes) < len(shape):
        axes = axes[:1]
    keepdims = bool(random.integers(2))
    array = (random.standard_normal(shape) * 3).astype(dtype) if dtype[0] == "f" else \
        random.integers(0, 100, shape).astype(dtype)
    if dtype[0] == "f" and array.size and random.random() < 0.3:
        array.flat[random.integers(array.size)] = numpy.nan
    if not all(shape[k] for k in axes) and op in ("min", "max", "argmin", "argmax", "mean", "var", "std"):
        return
    with numpy.errstate(all="ignore"):
        right = numpy_result(op, array, axes, keepdims)
        right = numpy.asarray(right).astype(result_descr(op, "<" + dtype))
    if not array.size and op.startswith("arg"):
        return
    numpy.save(source, numpy.asfortranarray(array) if random.integers(2) else array)
    subprocess.run([halfwarp, "reduce", source, "--op", op, "-o", result, "--device", device, "--axis",
                    ",".join(map(str, axes))] + ["--keepdims"] * keepdims, check=True)
    got = numpy.load(result)
    tolerance = {2: 4e-3, 4: 1e-5, 8: 1e-12}[right.dtype.itemsize] if right.dtype.kind == "f" else 0
    size = float(numpy.nansum(numpy.abs(array.astype("f8")))) if op in ("sum", "mean") else 0
    if got.shape != right.shape or got.dtype != right.dtype or \
            not numpy.allclose(got, right, rtol=tolerance, atol=tolerance * size, equal_nan=True):
        complain("NumPy's %s of %s %s along %s: %s, not %s" % (op, dtype, shape, axes, got, right))


generator = numpy.random.default_rng(1)
for _ in range(200 if device == "cpu" else 12):
    check_numpy(generator)
sys.exit(wrong != 0)
