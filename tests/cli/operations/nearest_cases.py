# What `halfwarp nearest` must write, by every pair. usage: nearest_cases.py HALFWARP FOLDER DEVICE; exit 1 when wrong.
import math
import os
import random
import struct
import subprocess
import sys

import npy_files

halfwarp, folder, device = sys.argv[1:4]
wrong = 0


def path(name):
    return os.path.join(folder, name)


def complain(text):
    global wrong
    wrong += 1
    print("FAILED on %s: %s" % (device, text), file=sys.stderr)


def right_of(points, queries, k, radius=math.inf):
    """Indices, and squared distances in double."""
    indices, squares = [], []
    for number, query in enumerate(points if queries is None else queries):
        near = sorted((sum((p - q) ** 2 for p, q in zip(point, query)), i) for i, point in enumerate(points)
                      if queries is not None or i != number)
        near = [(square, i) for square, i in near if math.sqrt(square) <= radius][:k]
        near += [(math.inf, -1)] * (k - len(near))
        indices += [i for _, i in near]
        squares += [square for square, _ in near]
    return indices, squares


def run(source, words, what):
    done = subprocess.run([halfwarp, "nearest", source, "-o", path("out.npy"), "--device", device, *words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode or done.stdout or done.stderr:
        complain("%s: status %d, %s" % (what, done.returncode, done.stderr.decode()))
    return not done.returncode


def compare(what, count, k, right, distances=None):
    """distances: the dtype of the file of them, which is compared as well."""
    indices, squares = right
    shape = (count,) if k == 1 else (count, k)
    descr, got_shape, got = npy_files.read(path("out.npy"))
    if descr != "<i8" or got_shape != shape or got != indices:
        complain("%s: %s %s, not %s; %s and not %s" % (what, descr, got_shape, shape, got[:8], indices[:8]))
    if not distances:
        return
    descr, got_shape, got = npy_files.read(path("distances.npy"))
    bad = [(x, y) for x, y in zip(got, squares)
           if not (x == y == math.inf or abs(x - math.sqrt(y)) <= 1e-6 * math.sqrt(y) + 1e-12)]
    if descr != distances or got_shape != shape or bad:
        complain("%s: distances %s %s %s" % (what, descr, got_shape, bad[:3]))


def check(descr, points, k=1, queries=None, radius=None, more=(), fortran=False):
    """Coordinates are whole numbers, so that distances are exact and ties are ties."""
    d = len(points[0]) if points else 3
    what = "%s (%d, %d) k %d %s queries, radius %s %s" % (descr, len(points), d, k, queries and len(queries), radius,
                                                          more)
    words = ["--k", str(k), "--distances", path("distances.npy"), *more]
    npy_files.write(path("points.npy"), descr, (len(points), d), [c for p in points for c in p], fortran)
    if queries is not None:
        npy_files.write(path("queries.npy"), descr, (len(queries), d), [c for q in queries for c in q])
        words += ["--queries", path("queries.npy")]
    if radius:
        words += ["--radius", str(radius)]
    if run(path("points.npy"), words, what):
        kept = descr[1:] if descr[1:] in ("f4", "f8") else "f4" if descr[1:] == "f2" else "f8"
        compare(what, len(points if queries is None else queries), k, right_of(points, queries, k, radius or math.inf),
                "<" + kept)


def some(count, d, most=50):
    return [tuple(random.randrange(most) for _ in range(d)) for _ in range(count)]


random.seed(8)
for descr in "<f4", "<f8", ">f4", "<f2", "|u1", "<i4", ">i2":
    check(descr, some(60, 3), 4)
for d in 1, 2, 5, 16:
    check("<f4", some(40, d), 3)
for method in "auto", "brute", "search":
    check("<f4", some(200, 3, 6), 5, more=("--method", method))
    check("<f8", some(150, 2), 1, some(31, 2), more=("--method", method))
check("<f4", some(50, 3), 4, radius=12)
check("<f4", some(50, 3), 1, some(9, 3), radius=7.5)
check("<f4", [(1, 2, 3)] * 20, 3)
check("<f4", [(1, 2, 3)], 2)
check("<f4", [(1, 2, 3)])
check("<f4", [], 2)
check("<f4", some(9, 3), 2, [])
check("<f4", some(33, 3), 2, fortran=True)
# A number a point; and queries of another type.
npy_files.write(path("line.npy"), "<i2", (5,), [9, 4, 7, 1, 30])
if run(path("line.npy"), ["--k", "2"], "a line"):
    compare("a line", 5, 2, right_of([(9,), (4,), (7,), (1,), (30,)], None, 2))
points, queries = some(30, 3), some(7, 3)
npy_files.write(path("points.npy"), "<f8", (30, 3), [c for p in points for c in p])
npy_files.write(path("queries.npy"), "<f4", (7, 3), [c for q in queries for c in q])
if run(path("points.npy"), ["--queries", path("queries.npy")], "two types"):
    compare("two types", 7, 1, right_of(points, queries, 1))

# The other kinds of file.
with open(path("points.xyz"), "w") as file:
    file.write("30\na comment\n" + "".join("C %d %d %d\n" % p for p in points))
with open(path("points.csv"), "w") as file:
    file.write("name,x,y,z\n" + "".join("p,%d,%d,%d\n" % p for p in points))
with open(path("points.ply"), "wb") as file:
    file.write(b"ply\nformat binary_little_endian 1.0\nelement vertex 30\nproperty float x\nproperty float y\n"
               b"property float z\nend_header\n" + b"".join(struct.pack("<3f", *p) for p in points))
for name in "points.xyz", "points.csv", "points.ply":
    if run(path(name), ["--k", "3", "--queries", path("queries.npy")], name):
        compare(name, 7, 3, right_of(points, queries, 3))
try:
    import numpy
    from scipy.spatial import cKDTree
except ImportError:
    sys.exit(wrong != 0)


def check_scipy(random, n):
    """Points without ties, of the set itself or with queries, some with a radius."""
    dims, k = int(random.integers(1, 17)), int(random.integers(1, 41))
    points = random.random((n, dims)) if random.integers(2) else \
        random.random((5, dims))[random.integers(0, 5, n)] + random.normal(0, 1e-2, (n, dims))
    points = points.astype(random.choice(["f4", "f8"]))
    queries = random.random((50, dims)).astype(points.dtype) if random.integers(2) else None
    radius = 0.3 * dims ** 0.5 if random.integers(2) else numpy.inf
    numpy.save(path("points.npy"), points)
    options = ["--k", str(k), "--distances", path("distances.npy")]
    if queries is not None:
        numpy.save(path("queries.npy"), queries)
        options += ["--queries", path("queries.npy")]
    if radius < numpy.inf:
        options += ["--radius", repr(radius)]
    what = "SciPy's %d in %d dimensions, k %d, queries %s, radius %g" % (n, dims, k, queries is not None, radius)
    if not run(path("points.npy"), options, what):
        return
    tree, extra = cKDTree(points.astype("f8")), queries is None
    distances, indices = tree.query((points if extra else queries).astype("f8"), range(1 + extra, k + 1 + extra),
                                    distance_upper_bound=radius)
    indices[~numpy.isfinite(distances)] = -1
    got, got_distances = numpy.load(path("out.npy")), numpy.load(path("distances.npy"))
    got, got_distances = got.reshape(indices.shape), got_distances.reshape(indices.shape)
    tolerance = 1e-5 if points.dtype == "f4" else 1e-12
    # Neighbours that f32 cannot tell apart may have changed places; what counts are their distances.
    alike = numpy.isclose(got_distances, distances, rtol=tolerance, atol=tolerance)
    if not alike.all() or (points.dtype == "f8" and not (got == indices).all()):
        complain("another result than " + what)


generator = numpy.random.default_rng(2)
for _ in range(60 if device == "cpu" else 6):
    check_scipy(generator, 1500 if device == "cpu" else 200)
sys.exit(wrong != 0)
