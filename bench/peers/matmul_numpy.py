# NumPy's matmul, by the BLAS that it comes with; of integers by its own loops. usage: matmul_numpy.py DEVICE
import sys

import matmul
import peer

if sys.argv[1] != "cpu":
    peer.absent("numpy", "NumPy has no GPU")
try:
    import numpy as np
except ImportError as reason:
    peer.absent("numpy", reason)

types = {"f32": np.float32, "f64": np.float64, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}
sums = {"i8": np.int32, "i16": np.int32}   # with room for them, as Halfwarp's


def operand(case, which, rows, cols):
    data = np.frombuffer(matmul.blocks(case["dtype"])[which][0], types[case["dtype"]])
    flat = np.resize(data, case["batch"] * rows * cols)
    if case["layout"][which] == "t":
        return flat.reshape(case["batch"], cols, rows).transpose(0, 2, 1)
    return flat.reshape(case["batch"], rows, cols)


def measure(case):
    if case["dtype"] not in types or case["precision"] not in ("own", "fp32", "fp64"):
        raise peer.Skip("NumPy has f32, f64 and integers")
    a, b = operand(case, 0, case["m"], case["k"]), operand(case, 1, case["k"], case["n"])
    if case["batch"] == 1:
        a, b = a[0], b[0]
    dtype = sums.get(case["dtype"], types[case["dtype"]])
    c = np.matmul(a, b, dtype=dtype)
    error = matmul.error_of(case, lambda row: (c if case["batch"] == 1 else c[-1])[row])
    return peer.clock_samples(lambda: np.matmul(a, b, out=c, dtype=dtype), case["seconds"]), error


peer.serve("numpy", np.__version__, measure)
