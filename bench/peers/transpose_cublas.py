# cuBLAS's geam, which transposes matrices, by ctypes: no other package is needed. usage: transpose_cublas.py DEVICE
import ctypes
import glob
import os
import sys

import peer

if not sys.argv[1].startswith("cuda"):
    peer.absent("cublas", "cuBLAS is for GPUs")
ordinal = int(sys.argv[1].partition(":")[2] or 0)


def load_cublas():
    """Where the loader finds it, beside a toolkit, or in NVIDIA's Python packages."""
    names = ["libcublas.so.%d" % major for major in (14, 13, 12, 11)]
    folders = [os.path.join(path, "nvidia", "*", "lib") for path in sys.path] + ["/usr/local/cuda*/lib64"]
    found = [path for folder in folders for name in names for path in sorted(glob.glob(os.path.join(folder, name)))]
    for path in found:   # first what it needs
        try:
            ctypes.CDLL(path.replace("libcublas.so", "libcublasLt.so"), ctypes.RTLD_GLOBAL)
            return ctypes.CDLL(path)
        except OSError:
            continue
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    peer.absent("cublas", "no libcublas.so is found")


try:
    cuda = ctypes.CDLL("libcuda.so.1")
except OSError as reason:
    peer.absent("cublas", reason)
cublas = load_cublas()


def call(function, *words):
    status = function(*words)
    if status:
        raise peer.Skip("%s returned %d" % (function.__name__, status))


pointer, size = ctypes.c_void_p, ctypes.c_size_t
try:
    device, context, handle, version = ctypes.c_int(), pointer(), pointer(), ctypes.c_int()
    call(cuda.cuInit, 0)
    call(cuda.cuDeviceGet, ctypes.byref(device), ordinal)
    call(cuda.cuDevicePrimaryCtxRetain, ctypes.byref(context), device)
    call(cuda.cuCtxSetCurrent, context)
    call(cublas.cublasCreate_v2, ctypes.byref(handle))
    call(cublas.cublasGetVersion_v2, handle, ctypes.byref(version))
except peer.Skip as reason:
    peer.absent("cublas", reason)

geams = {"f32": (cublas.cublasSgeam, 4, ctypes.c_float), "f64": (cublas.cublasDgeam, 8, ctypes.c_double),
         "c64": (cublas.cublasCgeam, 8, ctypes.c_float), "c128": (cublas.cublasZgeam, 16, ctypes.c_double)}


def samples_of(run, seconds):
    """Times on the GPU, in nanoseconds; as many runs in a sample as make a millisecond."""
    begin, end, ms = pointer(), pointer(), ctypes.c_float()
    call(cuda.cuEventCreate, ctypes.byref(begin), 0)
    call(cuda.cuEventCreate, ctypes.byref(end), 0)

    def sample(runs):
        call(cuda.cuEventRecord, begin, None)
        for _ in range(runs):
            run()
        call(cuda.cuEventRecord, end, None)
        call(cuda.cuEventSynchronize, end)
        call(cuda.cuEventElapsedTime, ctypes.byref(ms), begin, end)
        return ms.value * 1e6 / runs

    once = max(sample(3), 100)
    runs = max(1, int(1e6 / once))
    count = min(peer.MOST, max(peer.ENOUGH, int(seconds * 1e9 / (once * runs))))
    times = [sample(runs) for _ in range(count)]
    call(cuda.cuEventDestroy_v2, begin)
    call(cuda.cuEventDestroy_v2, end)
    return times


def check(rows, cols, bytes_each, array, result):
    """The array's memory holds numbers of 4 bytes that are all different; rows x cols became cols x rows."""
    got, wanted = ctypes.create_string_buffer(bytes_each), ctypes.create_string_buffer(bytes_each)
    for row, col in peer.some_places((rows, cols)):
        call(cuda.cuMemcpyDtoH_v2, got, pointer(result.value + (col * rows + row) * bytes_each), size(bytes_each))
        call(cuda.cuMemcpyDtoH_v2, wanted, pointer(array.value + (row * cols + col) * bytes_each), size(bytes_each))
        if got.raw != wanted.raw:
            raise ValueError("element (%d, %d)" % (col, row))


def measure(case):
    if case["in_place"] or len(case["shape"]) != 2 or case["axes"] != [1, 0] or case["dtype"] not in geams:
        raise peer.Skip("geam transposes matrices of f32, f64, c64 and c128")
    geam, bytes_each, number = geams[case["dtype"]]
    rows, cols = case["shape"]
    array, result, one, zero = pointer(), pointer(), (number * 2)(1, 0), (number * 2)(0, 0)
    call(cuda.cuMemAlloc_v2, ctypes.byref(array), size(rows * cols * bytes_each))
    try:
        call(cuda.cuMemAlloc_v2, ctypes.byref(result), size(rows * cols * bytes_each))
        # Numbers of which none is NaN, neighbours different; a block of an odd length, again and again.
        numbers = (0x3f800000 + (i * 2654435761 >> 9 & 0x7fffff) for i in range(262139))
        block = b"".join(number.to_bytes(4, "little") for number in numbers)
        total, at = rows * cols * bytes_each, 0
        while at < total:
            length = min(len(block), total - at)
            call(cuda.cuMemcpyHtoD_v2, pointer(array.value + at), block, size(length))
            at += length

        # Columns of geam are our rows: its matrix of cols x rows becomes rows x cols.
        def run():
            status = geam(handle, 1, 0, rows, cols, one, array, cols, zero, result, rows, result, rows)
            if status:
                raise peer.Skip("geam returned %d" % status)

        run()
        call(cuda.cuCtxSynchronize)
        check(rows, cols, bytes_each, array, result)
        return samples_of(run, case["seconds"])
    finally:
        cuda.cuMemFree_v2(array)
        if result.value:
            cuda.cuMemFree_v2(result)


peer.serve("cublas", str(version.value), measure)
