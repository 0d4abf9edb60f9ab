# cuBLAS's gemm, by ctypes: no other package is needed. usage: matmul_cublas.py DEVICE
import ctypes
import sys

import cuda_driver as cuda
import matmul
import peer

if not sys.argv[1].startswith("cuda"):
    peer.absent("cublas", "cuBLAS is for GPUs")
cuda.open_device("cublas", sys.argv[1])
cublas = cuda.load_cublas("cublas")
handle, version = cuda.open_cublas("cublas", cublas)
loops = cuda.compile_loops("cublas_loops.c")

types = {"f32": 0, "f64": 1, "f16": 2, "bf16": 14}                                # cudaDataType
compute = {"fp32": 68, "own": 68, "tf32": 77, "bf16": 75, "fp64": 70}             # cublasComputeType_t
DEFAULT = -1                                                                      # cublasGemmAlgo_t


def measure(case):
    dtype, m, n, k, batch = (case[key] for key in ("dtype", "m", "n", "k", "batch"))
    if dtype not in types:
        raise peer.Skip("gemm has no " + dtype)
    kind = compute["fp64" if dtype == "f64" else case["precision"]]
    scalar = ctypes.c_double if dtype == "f64" else ctypes.c_float
    one, zero, each = scalar(1), scalar(0), matmul.BYTES[dtype]
    (a_block, _), (b_block, _) = matmul.blocks(dtype)
    # Columns of gemm are our rows: C^T = B^T A^T, and what is transposed for us is not for it.
    turned_a, turned_b = (letter == "t" for letter in case["layout"])
    long = ctypes.c_longlong
    with cuda.Memory(batch * m * k * each) as a, cuda.Memory(batch * k * n * each) as b, \
            cuda.Memory(batch * m * n * each) as c:
        a.fill(a_block)
        b.fill(b_block)
        words = [handle, int(turned_b), int(turned_a), n, m, k, ctypes.byref(one),
                 b.address, types[dtype], k if turned_b else n, long(k * n),
                 a.address, types[dtype], m if turned_a else k, long(m * k), ctypes.byref(zero),
                 c.address, types[dtype], n, long(m * n), batch, kind, DEFAULT]
        function, again = cublas.cublasGemmStridedBatchedEx, loops and loops.gemm_batched_again
        if batch == 1:   # which may choose other kernels
            function, again = cublas.cublasGemmEx, loops and loops.gemm_again
            for at in (20, 19, 14, 10):
                del words[at]

        def run():
            status = function(*words)
            if status:
                raise peer.Skip("gemm returned %d" % status)

        def loop(runs):
            cuda.call(again, runs, function, *words)

        run()
        first = (batch - 1) * m
        error = matmul.error_of(case, lambda row: matmul.unpacked(c.get((first + row) * n * each, n * each), dtype))
        return cuda.samples_of(run, case["seconds"], again and loop), error


peer.serve("cublas", version, measure)
