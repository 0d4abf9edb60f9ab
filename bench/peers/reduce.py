# What the peers of reduce share: the numbers of bench/operations/bench_reduce.c, and what must come out.
import math

import peer

PERIOD, SMALLEST, SAMPLES = 262139, -128, 500
ROUNDING = {"f16": 2.0 ** -11, "bf16": 2.0 ** -8, "f32": 2.0 ** -24}
half = [peer.hash32(i) % 255 - 127 for i in range(PERIOD // 2)]
block = half + [0] + [-value for value in reversed(half)]


def count_of(case):
    return math.prod(case["shape"])


def smallest_at(case):
    """Of the one element that is smaller than all."""
    return count_of(case) - count_of(case) // 10 - 1


def scale_and_shift(dtype):
    return (1 / 128, 0) if dtype[0] in "fb" else (1, 128 if dtype[0] == "u" else 0)


def refuse_exact(case):
    if case["exact"]:
        raise peer.Skip("it has no sums that are rounded once")


def of_all(case):
    """The whole array as whole numbers: what repeats is multiplied."""
    count, at = count_of(case), smallest_at(case)
    periods, rest = divmod(count, PERIOD)
    total = sum(block) * periods + sum(block[:rest]) - block[at % PERIOD] + SMALLEST
    squares = sum(v * v for v in block) * periods + sum(v * v for v in block[:rest]) - block[at % PERIOD] ** 2
    first = block[:min(count, PERIOD)]
    return {"sum": total, "squares": squares + SMALLEST ** 2, "count": count, "min": SMALLEST, "argmin": at,
            "max": max(first), "argmax": first.index(max(first))}


def of_one(case, place):
    """Those of one result, by NumPy; place: its indices."""
    import numpy as np
    strides, step = [0] * len(case["shape"]), 1
    for axis in reversed(range(len(strides))):
        strides[axis] = step
        step *= case["shape"][axis]
    kept = [axis for axis in range(len(strides)) if axis not in case["axes"]]
    index = np.array(sum(p * strides[axis] for p, axis in zip(place, kept)), np.int64)
    for axis in sorted(case["axes"]):
        index = index[..., None] + np.arange(case["shape"][axis], dtype=np.int64) * strides[axis]
    index = index.ravel()
    values = np.array(block, np.int64)[index % PERIOD]
    values[index == smallest_at(case)] = SMALLEST
    return {"sum": int(values.sum()), "squares": int((values * values).sum()), "count": len(values),
            "min": int(values.min()), "max": int(values.max()), "argmin": int(values.argmin()),
            "argmax": int(values.argmax())}


def is_right(case, t, got):
    """Against what of_all or of_one says; NaN is not."""
    op, rounding = case["op"], ROUNDING.get(case["dtype"], 2.0 ** -53)
    scale, shift = scale_and_shift(case["dtype"])
    total = t["sum"] * scale + shift * t["count"]
    if op == "sum":
        return abs(got - total) <= rounding * abs(total)
    if op == "mean":
        return abs(got - total / t["count"]) <= 4 * rounding * abs(total / t["count"])
    if op == "norm":
        squares = t["squares"] * scale * scale + 2 * shift * t["sum"] + shift * shift * t["count"]
        return abs(got - math.sqrt(squares)) <= 1e-3 * math.sqrt(squares)
    return got == (t[op] if op.startswith("arg") else t[op] * scale + shift)


def check(case, result):
    """result: a NumPy array of the result's shape. Some of its elements, by peer.some_places."""
    if case["axes"] is None or len(case["axes"]) == len(case["shape"]):
        if not is_right(case, of_all(case), float(result)):
            raise ValueError("%r" % float(result))
        return
    for place in peer.some_places(result.shape)[:SAMPLES // 5]:
        if not is_right(case, of_one(case, place), float(result[place])):
            raise ValueError("element %s" % (place,))
