# NumPy's reductions. usage: reduce_numpy.py DEVICE
import sys

import peer
import reduce

if sys.argv[1] != "cpu":
    peer.absent("numpy", "NumPy has no GPU")
try:
    import numpy as np
except ImportError as reason:
    peer.absent("numpy", reason)


def measure(case):
    reduce.refuse_exact(case)
    if case["dtype"] in ("f16", "bf16"):
        raise peer.Skip("NumPy sums no " + case["dtype"] + " in more bits")
    dtype = np.dtype("%s%d" % (case["dtype"][0], int(case["dtype"][1:]) // 8))
    scale, shift = reduce.scale_and_shift(case["dtype"])
    array = np.resize((np.array(reduce.block) * scale + shift).astype(dtype), reduce.count_of(case))
    array[reduce.smallest_at(case)] = reduce.SMALLEST * scale + shift
    array = array.reshape(case["shape"])
    axes = None if case["axes"] is None else tuple(case["axes"])
    if case["op"].startswith("arg") and axes:
        if len(axes) > 1:
            raise peer.Skip("NumPy's %s takes one axis" % case["op"])
        axes = axes[0]
    if case["op"] == "norm":
        if axes:
            raise peer.Skip("NumPy's norm is of one or two axes")
        run = lambda: np.linalg.norm(array.ravel())
    else:
        run = lambda: getattr(np, case["op"])(array, axis=axes)
    reduce.check(case, np.asarray(run()))
    return peer.clock_samples(run, case["seconds"])


peer.serve("numpy", np.__version__, measure)
