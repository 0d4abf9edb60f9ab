# What the peers of matmul share: the inputs of bench/operations/bench_matmul.c, and the error of a result.
import array
import math
import struct

import peer

PERIOD, SAMPLES = 262139, 64
# Of the relative error, for each sqrt(k) / 8; and what rounding the result adds.
TOLERANCE = {"fp32": 1e-6, "tf32": 2e-3, "bf16": 1.6e-2, "fp64": 2e-15, "own": 1e-6}
ROUNDING = {"f16": 2.0 ** -11, "bf16": 2.0 ** -8}
BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i8": 1, "i16": 2, "i32": 4, "i64": 8}
INTEGERS = {"i8": "b", "i16": "h", "i32": "i", "i64": "q"}   # letters of array; sums of small ones are i32
MOST_INTEGER = 100


def packed(numbers, dtype):
    """As the bytes of their type, rounded to the nearest, and what they have become."""
    if dtype in INTEGERS:
        return array.array(INTEGERS[dtype], map(int, numbers)).tobytes(), numbers
    if dtype == "f64":
        return array.array("d", numbers).tobytes(), numbers
    if dtype == "f32":
        return array.array("f", numbers).tobytes(), numbers
    if dtype == "f16":
        data = struct.pack("<%de" % len(numbers), *numbers)
        return data, list(struct.unpack("<%de" % len(numbers), data))
    if dtype != "bf16":
        raise peer.Skip("no such type here: " + dtype)
    bits = array.array("I", array.array("f", numbers).tobytes())
    halves = array.array("H", ((b + 0x7fff + (b >> 16 & 1)) >> 16 for b in bits))
    return halves.tobytes(), list(array.array("f", array.array("I", (h << 16 for h in halves)).tobytes()))


kept = {}


def blocks(dtype):
    """Of a and of b: bytes that repeat, and their numbers."""
    def number(i):
        if dtype in INTEGERS:
            return float(peer.hash32(i) % (2 * MOST_INTEGER + 1) - MOST_INTEGER)
        return (peer.hash32(i) >> 8) * 2.0 ** -23 - 1

    if dtype not in kept:
        numbers = [[number(i) for i in range(first, first + PERIOD)] for first in (0, PERIOD)]
        kept[dtype] = [packed(each, dtype) for each in numbers]
    return kept[dtype]


def unpacked(data, dtype):
    if dtype == "f16":
        return struct.unpack("<%de" % (len(data) // 2), data)
    if dtype == "bf16":
        return array.array("f", array.array("I", (h << 16 for h in array.array("H", data))).tobytes())
    return array.array("d" if dtype == "f64" else "f", data)


def line(numbers, case, which, rows, cols, row=None, col=None):
    """A row or a column of an operand's last batch."""
    first, turned = (case["batch"] - 1) * rows * cols, case["layout"][which] == "t"
    row_step, col_step = (1, rows) if turned else (cols, 1)
    if row is not None:
        return [numbers[(first + row * row_step + i * col_step) % PERIOD] for i in range(cols)]
    return [numbers[(first + i * row_step + col * col_step) % PERIOD] for i in range(rows)]


def error_of(case, row_of):
    """Relative, of up to SAMPLES rows and columns of the last batch; row_of(row) gives one of the result's."""
    m, n, k = case["m"], case["n"], case["k"]
    try:
        import numpy
        most = SAMPLES
    except ImportError:
        numpy, most = None, 8
    rows = [m * i // min(m, most) for i in range(min(m, most))]
    cols = [n * i // min(n, most) for i in range(min(n, most))]
    (_, a), (_, b) = blocks(case["dtype"])
    lines = [line(b, case, 1, k, n, col=col) for col in cols]
    if numpy:
        lines = numpy.array(lines)
    error = total = 0.0
    for row in rows:
        left, got = line(a, case, 0, m, k, row=row), row_of(row)
        right = lines @ numpy.array(left) if numpy else [math.fsum(map(float.__mul__, left, each)) for each in lines]
        for col, wanted in zip(cols, right):
            error += (float(got[col]) - wanted) ** 2
            total += wanted ** 2
    relative = math.sqrt(error / total)
    tolerance = TOLERANCE["fp64" if case["dtype"] == "f64" else case["precision"]]
    if case["dtype"] in INTEGERS and relative:
        raise ValueError("sums of integers are not exact")
    if not relative <= tolerance * math.sqrt(k) / 8 + tolerance + ROUNDING.get(case["dtype"], 0):
        raise ValueError("relative error %.3g" % relative)
    return relative
