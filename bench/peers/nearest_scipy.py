# SciPy's cKDTree on all processors, built each time. usage: nearest_scipy.py DEVICE
import sys

import nearest
import peer

if sys.argv[1] != "cpu":
    peer.absent("scipy", "SciPy has no GPU")
np = nearest.load_numpy("scipy")
try:
    import scipy
    from scipy.spatial import cKDTree
except ImportError as reason:
    peer.absent("scipy", reason)


def measure(case):
    if case["method"] == "brute":
        raise peer.Skip("cKDTree searches")
    points, queries = nearest.points_and_queries(np, case)

    # Its own points come first, or others at the same place.
    def run():
        tree = cKDTree(points)
        if queries is None:
            return tree.query(points, case["k"] + 1, workers=-1)[0][:, 1:]
        distances = tree.query(queries, case["k"], workers=-1)[0]
        return distances.reshape(len(queries), case["k"])

    nearest.check(np, case, points, queries, run())
    return peer.clock_samples(run, case["seconds"])


peer.serve("scipy", scipy.__version__, measure)
