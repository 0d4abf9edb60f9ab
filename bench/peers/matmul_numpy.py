# NumPy's matmul, by the BLAS that it comes with. usage: matmul_numpy.py DEVICE
import sys

import matmul
import peer

if sys.argv[1] != "cpu":
    peer.absent("numpy", "NumPy has no GPU")
try:
    import numpy as np
except ImportError as reason:
    peer.absent("numpy", reason)

types = {"f32": np.float32, "f64": np.float64}


def operand(case, which, rows, cols):
    data = np.frombuffer(matmul.blocks(case["dtype"])[which][0], types[case["dtype"]])
    flat = np.resize(data, case["batch"] * rows * cols)
    if case["layout"][which] == "t":
        return flat.reshape(case["batch"], cols, rows).transpose(0, 2, 1)
    return flat.reshape(case["batch"], rows, cols)


def measure(case):
    if case["dtype"] not in types or case["precision"] not in ("own", "fp32", "fp64"):
        raise peer.Skip("NumPy's BLAS has f32 and f64")
    a, b = operand(case, 0, case["m"], case["k"]), operand(case, 1, case["k"], case["n"])
    if case["batch"] == 1:
        a, b = a[0], b[0]
    c = np.matmul(a, b)
    error = matmul.error_of(case, lambda row: (c if case["batch"] == 1 else c[-1])[row])
    return peer.clock_samples(lambda: np.matmul(a, b, out=c), case["seconds"]), error


peer.serve("numpy", np.__version__, measure)
