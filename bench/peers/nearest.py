# What the peers of nearest share: the points of bench/operations/bench_nearest.c, by NumPy, and whether distances are right.
import peer

CLUSTERS, CENTRES, SEPARATE, SIDE = 100, 0x10000000, 0x40000000, 40


def load_numpy(name):
    try:
        import numpy
    except ImportError as reason:
        peer.absent(name, reason)
    return numpy


def uniform(np, index):
    return (peer.hash32(index) >> np.uint32(8)) * 2.0 ** -24


def make(np, case, count, first):
    """count points; queries of their own are those of other indices."""
    d, data = case["d"], case["data"]
    i = (np.arange(count, dtype=np.uint32) + np.uint32(first))[:, None]
    axis = np.arange(d, dtype=np.uint32)[None, :]
    index = i * np.uint32(d) + axis
    if data == "clustered":
        which = peer.hash32(~i) % np.uint32(CLUSTERS) * np.uint32(d) + axis
        points = uniform(np, which + np.uint32(CENTRES))
        offset = np.zeros(points.shape)
        for part in range(4):
            offset += uniform(np, np.uint32(CENTRES + part) + np.uint32(4) * index)
        points = points + (offset - 2) * 0.01
    elif data == "duplicates":
        points = np.floor(uniform(np, index) * SIDE) / SIDE
    elif data == "line":
        points = np.repeat(uniform(np, i), d, axis=1)
    else:
        points = uniform(np, index)
        if data == "outlier" and first == 0:
            points[0] = 1e6
    return np.ascontiguousarray(points, np.float32 if case["dtype"] == "f32" else np.float64)


def points_and_queries(np, case):
    """queries None: the points themselves."""
    queries = make(np, case, case["queries"], SEPARATE) if case["queries"] else None
    return make(np, case, case["n"], 0), queries


def check(np, case, points, queries, distances, loss=1e-6):
    """distances, not squared: of each query the k nearest, the nearest first; some of them. loss: what their squares may
    be off, as a share of the squares of the coordinates."""
    asked = points if queries is None else queries
    wide, step = points.astype(np.float64), max(1, len(asked) // 20)
    for query in range(0, len(asked), step):
        squares = ((wide - asked[query]) ** 2).sum(axis=1)
        if queries is None:
            squares[query] = np.inf
        k = min(case["k"], len(squares))
        right = np.sort(np.partition(squares, k - 1)[:k])
        most = loss * (asked[query].astype(np.float64) ** 2).sum()
        if not np.allclose(np.asarray(distances[query][:k]) ** 2, right, rtol=1e-3, atol=most):
            raise ValueError("query %d" % query)
