# cuBLAS's geam, which transposes matrices, by ctypes: no other package is needed. usage: transpose_cublas.py DEVICE
import ctypes
import sys

import cuda_driver as cuda
import peer

if not sys.argv[1].startswith("cuda"):
    peer.absent("cublas", "cuBLAS is for GPUs")
cuda.open_device("cublas", sys.argv[1])
cublas = cuda.load_cublas("cublas")
handle, version = cuda.open_cublas("cublas", cublas)
loops = cuda.compile_loops("cublas_loops.c")

geams = {"f32": (cublas.cublasSgeam, 4, ctypes.c_float), "f64": (cublas.cublasDgeam, 8, ctypes.c_double),
         "c64": (cublas.cublasCgeam, 8, ctypes.c_float), "c128": (cublas.cublasZgeam, 16, ctypes.c_double)}


def check(rows, cols, bytes_each, array, result):
    """The array's memory holds numbers of 4 bytes that are all different; rows x cols became cols x rows."""
    for row, col in peer.some_places((rows, cols)):
        got = result.get((col * rows + row) * bytes_each, bytes_each)
        if got != array.get((row * cols + col) * bytes_each, bytes_each):
            raise ValueError("element (%d, %d)" % (col, row))


def measure(case):
    if case["in_place"] or len(case["shape"]) != 2 or case["axes"] != [1, 0] or case["dtype"] not in geams:
        raise peer.Skip("geam transposes matrices of f32, f64, c64 and c128")
    geam, bytes_each, number = geams[case["dtype"]]
    rows, cols = case["shape"]
    one, zero = (number * 2)(1, 0), (number * 2)(0, 0)
    total = rows * cols * bytes_each
    with cuda.Memory(total) as array, cuda.Memory(total) as result:
        # Numbers of which none is NaN, neighbours different; a block of an odd length, again and again.
        numbers = (0x3f800000 + (i * 2654435761 >> 9 & 0x7fffff) for i in range(262139))
        array.fill(b"".join(number.to_bytes(4, "little") for number in numbers))

        # Columns of geam are our rows: its matrix of cols x rows becomes rows x cols.
        words = [handle, 1, 0, rows, cols, one, array.address, cols, zero, result.address, rows, result.address, rows]

        def run():
            status = geam(*words)
            if status:
                raise peer.Skip("geam returned %d" % status)

        def loop(runs):
            cuda.call(loops.geam_again, runs, geam, *words)

        run()
        check(rows, cols, bytes_each, array, result)
        return cuda.samples_of(run, case["seconds"], loops and loop)


peer.serve("cublas", version, measure)
