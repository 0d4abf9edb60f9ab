# CUB's DeviceReduce, compiled by nvcc when the peer starts. usage: reduce_cub.py DEVICE
import array
import ctypes
import os
import shutil
import struct
import subprocess
import sys
import tempfile

import cuda_driver as cuda
import matmul
import peer
import reduce

if not sys.argv[1].startswith("cuda"):
    peer.absent("cub", "CUB is for GPUs")
nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
if not os.access(nvcc, os.X_OK):
    peer.absent("cub", "no nvcc to compile it is found")
number = cuda.open_device("cub", sys.argv[1])

# dtype, op: C types of elements, sums and result, and how Python unpacks the result.
kinds = {("f32", "sum"): ("float", "float", "float", "<f"), ("f64", "sum"): ("double", "double", "double", "<d"),
         ("i8", "sum"): ("signed char", "long long", "long long", "<q"),
         ("i32", "sum"): ("int", "long long", "long long", "<q"),
         ("f16", "sum"): ("__half", "float", "__half", "<e"),
         ("bf16", "sum"): ("__nv_bfloat16", "float", "__nv_bfloat16", "<H"),
         ("f32", "min"): ("float", "float", "float", "<f"), ("f32", "max"): ("float", "float", "float", "<f"),
         ("f32", "argmin"): ("float", "float", "float", "<i")}
packing = {"i8": "b", "i32": "i", "f32": "f", "f64": "d"}
folder = tempfile.TemporaryDirectory()


def architecture():
    major, minor = ctypes.c_int(), ctypes.c_int()
    cuda.call(cuda.driver.cuDeviceGetAttribute, ctypes.byref(major), 75, number)
    cuda.call(cuda.driver.cuDeviceGetAttribute, ctypes.byref(minor), 76, number)
    return "sm_%d%d" % (major.value, minor.value)


def compiler(dtype, op):
    """One of them at work; all of them at a time, as CUB takes its time."""
    element, sums, result, _ = kinds[dtype, op]
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reduce_cub.cu")
    command = [nvcc, "-O3", "-std=c++17", "-arch=" + architecture(), "-shared", "-Xcompiler", "-fPIC", "-DOP=" +
               op.upper(), "-DELEMENT=" + element, "-DSUMS=" + sums, "-DRESULT=" + result, source, "-o",
               os.path.join(folder.name, dtype + op + ".so")]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


# To their ends: nothing may run while others are measured.
compilers = {kind: compiler(*kind) for kind in kinds}
told = {kind: compilers[kind].communicate()[1].decode(errors="replace") for kind in kinds}


def library(kind):
    if compilers[kind].returncode:
        raise peer.Skip("nvcc: " + told[kind].split("\n")[0])
    return ctypes.CDLL(os.path.join(folder.name, kind[0] + kind[1] + ".so"))


def version():
    """CUB's, of which 3.0.1 is 300001; the architecture alone where nothing was compiled."""
    for kind in kinds:
        if compilers[kind].returncode == 0:
            digits = library(kind).version()
            return "%d.%d.%d, %s" % (digits // 100000, digits // 100 % 1000, digits % 100, architecture())
    return architecture()


def packed(numbers, dtype):
    if dtype in packing:
        return array.array(packing[dtype], numbers).tobytes()
    return matmul.packed(numbers, dtype)[0]


def measure(case):
    reduce.refuse_exact(case)
    kind = case["dtype"], case["op"]
    if kind not in kinds or (case["axes"] is not None and len(case["axes"]) != len(case["shape"])):
        raise peer.Skip("not asked of CUB")
    scale, _ = reduce.scale_and_shift(case["dtype"])
    numbers = [value if scale == 1 else value * scale for value in reduce.block + [reduce.SMALLEST]]
    data, count = packed(numbers, case["dtype"]), reduce.count_of(case)
    each, n, cub = len(data) // len(numbers), ctypes.c_longlong(count), library(kind)
    if kind[1] == "argmin" and count > 0x7fffffff:
        raise peer.Skip("CUB's argmin has indices of 32 bits")
    room = ctypes.c_size_t()
    with cuda.Memory(count * each) as elements, cuda.Memory(16) as result:
        elements.fill(data[:-each])
        elements.put(reduce.smallest_at(case) * each, data[-each:])
        cuda.call(cub.reduce, None, ctypes.byref(room), elements.address, result.address, n)
        with cuda.Memory(room.value) as scratch:
            def loop(runs):
                cuda.call(cub.reduce_again, runs, scratch.address, ctypes.byref(room), elements.address,
                          result.address, n)

            loop(1)
            form = kinds[kind][3]
            got = struct.unpack(form, result.get(0, struct.calcsize(form)))[0]
            if case["dtype"] == "bf16":
                got = struct.unpack("<f", struct.pack("<I", got << 16))[0]
            if not reduce.is_right(case, reduce.of_all(case), got):
                raise ValueError("%r" % got)
            return cuda.samples_of(None, case["seconds"], loop)


peer.serve("cub", version(), measure)
