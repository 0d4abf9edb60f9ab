# The CUDA driver by ctypes, for peers that need no other package: memory, times, and NVIDIA's libraries where they lie.
import ctypes
import glob
import os
import shutil
import subprocess
import sys
import tempfile

import peer

pointer, size = ctypes.c_void_p, ctypes.c_size_t
driver = None


def call(function, *words):
    status = function(*words)
    if status:
        raise peer.Skip("%s returned %d" % (function.__name__, status))


def open_device(name, device):
    """Makes device ("cuda:0") the current one; ends the peer `name` where that cannot be."""
    global driver
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as reason:
        peer.absent(name, reason)
    number, context = ctypes.c_int(), pointer()
    try:
        call(driver.cuInit, 0)
        call(driver.cuDeviceGet, ctypes.byref(number), int(device.partition(":")[2] or 0))
        call(driver.cuDevicePrimaryCtxRetain, ctypes.byref(context), number)
        call(driver.cuCtxSetCurrent, context)
    except peer.Skip as reason:
        peer.absent(name, reason)
    return number


def load_cublas(name):
    """Where the loader finds it, beside a toolkit, or in NVIDIA's Python packages."""
    names = ["libcublas.so.%d" % major for major in (14, 13, 12, 11)]
    folders = [os.path.join(path, "nvidia", "*", "lib") for path in sys.path] + ["/usr/local/cuda*/lib64"]
    found = [path for folder in folders for each in names for path in sorted(glob.glob(os.path.join(folder, each)))]
    for path in found:   # first what it needs
        try:
            ctypes.CDLL(path.replace("libcublas.so", "libcublasLt.so"), ctypes.RTLD_GLOBAL)
            return ctypes.CDLL(path)
        except OSError:
            continue
    for each in names:
        try:
            return ctypes.CDLL(each)
        except OSError:
            continue
    peer.absent(name, "no libcublas.so is found")


def open_cublas(name, cublas):
    """A handle, and the version as a text."""
    handle, version = pointer(), ctypes.c_int()
    try:
        call(cublas.cublasCreate_v2, ctypes.byref(handle))
        call(cublas.cublasGetVersion_v2, handle, ctypes.byref(version))
    except peer.Skip as reason:
        peer.absent(name, reason)
    return handle, str(version.value)


class Memory:
    """Of the device, until the end of a `with`."""

    def __init__(self, n_bytes):
        self.n_bytes, self.address = n_bytes, pointer()

    def __enter__(self):
        call(driver.cuMemAlloc_v2, ctypes.byref(self.address), size(max(self.n_bytes, 1)))
        return self

    def __exit__(self, *_):
        driver.cuMemFree_v2(self.address)

    def at(self, offset):
        return pointer(self.address.value + offset)

    def fill(self, block):
        """With the bytes of block, again and again."""
        have = min(len(block), self.n_bytes)
        call(driver.cuMemcpyHtoD_v2, self.address, block, size(have))
        while have < self.n_bytes:   # what is there, a whole number of blocks, is doubled
            more = min(have, self.n_bytes - have)
            call(driver.cuMemcpyDtoD_v2, self.at(have), self.address, size(more))
            have += more

    def put(self, offset, data):
        call(driver.cuMemcpyHtoD_v2, self.at(offset), data, size(len(data)))

    def get(self, offset, n_bytes):
        data = ctypes.create_string_buffer(n_bytes)
        call(driver.cuCtxSynchronize)
        call(driver.cuMemcpyDtoH_v2, data, self.at(offset), size(n_bytes))
        return data.raw


def compile_loops(source):
    """bench/peers/SOURCE as a library, whose functions call another one again and again; None: no C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "loops.so")
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), source)
        made = subprocess.run([compiler, "-O2", "-shared", "-fPIC", path, "-o", library], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return None if made.returncode else ctypes.CDLL(library)


def samples_of(run, seconds, loop=None):
    """Times on the GPU; as many runs in a sample as make a millisecond. loop(runs): as many calls of run, in C; None:
    they are made from Python, which takes some microseconds for each."""
    begin, end, ms = pointer(), pointer(), ctypes.c_float()
    call(driver.cuEventCreate, ctypes.byref(begin), 0)
    call(driver.cuEventCreate, ctypes.byref(end), 0)

    def sample(runs):
        call(driver.cuEventRecord, begin, None)
        if loop:
            loop(runs)
        else:
            for _ in range(runs):
                run()
        call(driver.cuEventRecord, end, None)
        call(driver.cuEventSynchronize, end)
        call(driver.cuEventElapsedTime, ctypes.byref(ms), begin, end)
        return ms.value * 1e6 / runs

    times = peer.event_samples(sample, seconds, "C loop" if loop else "Python")
    call(driver.cuEventDestroy_v2, begin)
    call(driver.cuEventDestroy_v2, end)
    return times
