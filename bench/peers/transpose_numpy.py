# NumPy's transpose, written out. usage: transpose_numpy.py DEVICE
import sys

import peer

if sys.argv[1] != "cpu":
    peer.absent("numpy", "NumPy has no GPU")
try:
    import numpy as np
except ImportError as reason:
    peer.absent("numpy", reason)



def measure(case):
    if case["in_place"]:
        raise peer.Skip("NumPy transposes in place through a copy")
    dtype, axes = np.dtype("%s%d" % (case["dtype"][0], int(case["dtype"][1:]) // 8)), case["axes"]
    count = int(np.prod(case["shape"]))
    array = np.resize(np.arange(1 << 16, dtype=np.uint16) * np.uint16(40503), count * dtype.itemsize // 2 + 1)
    array = array.view(np.uint8)[:count * dtype.itemsize].view(dtype).reshape(case["shape"])
    view = array.transpose(axes)
    result = np.empty(view.shape, dtype)
    np.copyto(result, view)
    as_bytes = np.dtype("V%d" % dtype.itemsize)
    for place in peer.some_places(view.shape):
        origin = [0] * len(axes)
        for k, axis in enumerate(axes):
            origin[axis] = place[k]
        if result.view(as_bytes)[place] != array.view(as_bytes)[tuple(origin)]:
            raise ValueError("element %s" % (place,))
    return peer.clock_samples(lambda: np.copyto(result, view), case["seconds"])


peer.serve("numpy", np.__version__, measure)
