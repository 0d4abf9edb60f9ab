# What `halfwarp transpose` must write, computed without NumPy, element by element; and how it behaves on signals and on
# a terminal. usage: transpose_cases.py HALFWARP FOLDER. Prints what is wrong; exit 1 then.
import glob
import itertools
import os
import pty
import random
import signal
import struct
import subprocess
import sys
import time

halfwarp, folder = sys.argv[1:3]
source, result = os.path.join(folder, "in.npy"), os.path.join(folder, "out.npy")
wrong = 0


def complain(text):
    global wrong
    wrong += 1
    print("FAILED:", text, file=sys.stderr)


def npy(descr, shape, data, fortran=False):
    """The file that numpy.save writes (numpy/lib/format.py)."""
    text = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, tuple(shape))
    if shape:
        text += " " * (21 - len(str(shape[-1 if fortran else 0])))
    text += " " * (64 - (10 + len(text) + 1) % 64) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode() + data


def strides_of(shape, fortran):
    strides, step = [0] * len(shape), 1
    for axis in range(len(shape)) if fortran else reversed(range(len(shape))):
        strides[axis] = step
        step *= shape[axis]
    return strides


def transposed(data, size, shape, axes, fortran):
    """The elements in C order of the result."""
    strides = strides_of(shape, fortran)
    places = itertools.product(*([i * strides[a] for i in range(shape[a])] for a in axes))
    return b"".join(data[sum(place) * size:sum(place) * size + size] for place in places)


def run(*words, **more):
    return subprocess.run([halfwarp, "transpose", *words, "--device", "cpu"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, **more)


def check(descr, size, shape, axes, fortran, spelled=None):
    count = 1
    for extent in shape:
        count *= extent
    data = random.randbytes(count * size)
    order = list(reversed(range(len(shape)))) if axes is None else axes
    expected = npy(descr, [shape[a] for a in order], transposed(data, size, shape, order, fortran))
    with open(source, "wb") as file:
        file.write(npy(descr, shape, data, fortran))
    option = [] if axes is None else ["--axes", spelled or ",".join(map(str, axes))]
    done = run(source, "-o", result, *option)
    what = "%s %s axes %s%s" % (descr, shape, spelled or axes, " Fortran order" if fortran else "")
    if done.returncode or done.stdout or done.stderr:
        complain("%s: status %d, %s" % (what, done.returncode, done.stderr.decode()))
        return
    with open(result, "rb") as file:
        if file.read() != expected:
            complain("%s: the file is another one" % what)


def check_arrays():
    random.seed(3)
    dtypes = [("|b1", 1), ("|i1", 1), ("|u1", 1), ("|S1", 1), ("<i2", 2), (">u2", 2), ("<f2", 2), ("|V2", 2),
              ("<f4", 4), (">f4", 4), ("<U1", 4), (">i4", 4), ("|S4", 4), ("<f8", 8), (">f8", 8), ("<c8", 8),
              ("<M8[ns]", 8), (">U2", 8), ("<u8", 8), ("<c16", 16), (">c16", 16), ("<f16", 16), ("|V16", 16),
              ("<U4", 16)]
    for number, (descr, size) in enumerate(dtypes):
        check(descr, size, (13, 37), None, number % 2 == 1)
        check(descr, size, (3, 5, 4), [(1, 2, 0), (2, 0, 1), (1, 0, 2), (0, 2, 1)][number % 4], number % 3 == 1)
    for fortran in False, True:
        for shape in (), (1,), (9,), (0,), (33, 65), (1, 8), (0, 4), (129, 1), (7, 8, 9), (2, 0, 3):
            check("<f4", 4, shape, None, fortran)
        for axes in itertools.permutations(range(3)):
            check(">i2", 2, (4, 33, 6), axes, fortran)
        for axes in (3, 1, 0, 2), (0, 1, 2, 3), (2, 3, 0, 1):
            check("<f8", 8, (3, 4, 5, 6), axes, fortran)
        for axes in (4, 3, 2, 1, 0), (0, 4, 2, 1, 3), (1, 0, 3, 2, 4):
            check("|u1", 1, (2, 3, 4, 5, 6), axes, fortran)
    check("<f4", 4, (2, 3, 4), (2, 0, 1), False, "-1,0,1")
    check("<f4", 4, (2, 3, 4), (0, 2, 1), False, "-3,-1,-2")
    check("<f4", 4, (), (), False, "")
    check("<f4", 4, (1,) * 16, None, False)


def check_streams():
    shape, data = (40, 50), random.randbytes(4000)
    whole = npy("<u2", shape, data)
    expected = npy("<u2", (50, 40), transposed(data, 2, shape, (1, 0), False))
    for output in "-", "/dev/stdout":
        done = subprocess.run([halfwarp, "transpose", "-", "-o", output, "--device", "cpu"], input=whole,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode or done.stdout != expected:
            complain("a pipe to %s: status %d, %s" % (output, done.returncode, done.stderr.decode()))
    with open(source, "wb") as file:
        file.write(whole)
    with open(source, "rb") as file:
        done = subprocess.run([halfwarp, "transpose", "-", "-o", result, "--device", "cpu"], stdin=file)
    with open(result, "rb") as file:
        if done.returncode or file.read() != expected:
            complain("standard input from a file: status %d" % done.returncode)


def check_cut_short():
    """Every length but the right one is refused, and no file comes of it."""
    whole = npy("<f8", (3, 2), bytes(48))
    os.remove(result)
    for length in [*range(0, 12), 50, 127, 128, 175, 177]:
        with open(source, "wb") as file:
            file.write((whole + b"x")[:length])
        done = run(source, "-o", result)
        if done.returncode != 2 or done.stderr.count(b"\n") != 1 or b"in.npy" not in done.stderr:
            complain("a file of %d bytes: status %d, %s" % (length, done.returncode, done.stderr.decode()))
        if os.listdir(folder) != ["in.npy"]:
            complain("a file of %d bytes leaves %s" % (length, os.listdir(folder)))


def make_large(descr, size, shape):
    """Numbered 64-byte blocks, quickly."""
    count = size
    for extent in shape:
        count *= extent
    blocks = b"".join(struct.pack("<Q", i * 2654435761 % (1 << 64)) * 8 for i in range(1 << 14))
    with open(source, "wb") as file:
        file.write(npy(descr, shape, b""))
        while count > 0:
            file.write(blocks[:count])
            count -= len(blocks)
            blocks = blocks[64:] + blocks[:64]


def same(first, second):
    return subprocess.run(["cmp", "-s", first, second]).returncode == 0


def terminals_exist():
    """False in a root without /dev/pts."""
    try:
        for end in pty.openpty():
            os.close(end)
        return True
    except OSError:
        return False


has_terminals = terminals_exist()


def check_terminal():
    """With progress the work is cut in pieces; the result is the same."""
    if not has_terminals:
        return
    other = os.path.join(folder, "other.npy")
    for shape, axes in ((8191, 4099), "1,0"), ((3, 12000000), "1,0"), ((64, 110, 120, 43), "3,2,1,0"):
        make_large("<u2", 2, shape)
        screen, terminal = pty.openpty()
        shown = subprocess.run([halfwarp, "transpose", source, "-o", result, "--axes", axes, "--device", "cpu"],
                               stderr=terminal).returncode
        os.close(terminal)
        os.close(screen)
        if shown or run(source, "-o", other, "--axes", axes).returncode or not same(result, other):
            complain("in pieces: %s %s" % (shape, axes))
        os.remove(other)


def check_gpu():
    """A simulated GPU and the processor agree; a machine without a compiler of kernels says so."""
    other = os.path.join(folder, "other.npy")
    for size, shape, axes in ((1, (301, 203), "1,0"), (2, (5, 3, 40, 33), "2,0,3,1"), (4, (1000, 3), "1,0"), (8, (), ""),
                              (16, (31, 47), "1,0"), (8, (0, 5), "1,0"), (4, (2, 3, 4, 5, 6, 7), "3,1,5,0,4,2")):
        make_large({1: "|u1", 2: ">i2", 4: "<f4", 8: "<f8", 16: "<c16"}[size], size, shape)
        done = subprocess.run([halfwarp, "transpose", source, "-o", result, "--axes", axes, "--device", "sim:h200",
                               "--memory-limit", "40000"], stderr=subprocess.PIPE)
        if done.returncode and b"compiler" in done.stderr:
            return
        if done.returncode or run(source, "-o", other, "--axes", axes).returncode or not same(result, other):
            complain("sim:h200 and cpu: %s %s: status %d, %s" % (shape, axes, done.returncode, done.stderr.decode()))
    # On a terminal as well it is the GPU that works: a kernel comes into an empty cache.
    if not has_terminals:
        return
    make_large("<f4", 4, (3000, 4000))
    cache = os.path.join(folder, "cache")
    screen, terminal = pty.openpty()
    done = subprocess.run([halfwarp, "transpose", source, "-o", result, "--device", "sim:h200"], stderr=terminal,
                          env={**os.environ, "HALFWARP_CACHE": cache})
    os.close(terminal)
    os.close(screen)
    if done.returncode or not os.path.isdir(cache) or not os.listdir(cache):
        complain("on a terminal no kernel was used: status %d" % done.returncode)
    if run(source, "-o", other).returncode or not same(result, other):
        complain("on a terminal: wrong on sim:h200")
    os.remove(other)


def has_begun(child):
    """The output is being made: it lies in its folder under another name, or under none."""
    try:
        files = [os.readlink(link) for link in glob.glob("/proc/%d/fd/*" % child.pid)]
    except OSError:
        files = []   # one was closed meanwhile
    return glob.glob(result + ".*") or any(f.startswith(folder) and f.endswith("(deleted)") for f in files)


def check_signals():
    """A signal in the middle of the work leaves nothing, and ends the program as a signal does."""
    make_large("|u1", 1, (16381, 16369))
    kinds = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    if hasattr(os, "O_TMPFILE"):
        try:
            os.close(os.open(folder, os.O_TMPFILE | os.O_RDWR))
            kinds.append(signal.SIGKILL)   # only a file without a name goes with its process then
        except OSError:
            pass
    for number in kinds:
        for _ in range(10):
            for old in glob.glob(result + "*"):
                os.remove(old)
            child = subprocess.Popen([halfwarp, "transpose", source, "-o", result, "--device", "cpu"],
                                     preexec_fn=lambda: number == signal.SIGKILL or
                                     signal.signal(number, signal.SIG_DFL))
            while child.poll() is None and not has_begun(child):
                time.sleep(0.0005)
            child.send_signal(number)
            child.wait()
            if child.returncode == -number:
                break
        else:
            complain("%s never came in time, or ends otherwise: %d" % (number.name, child.returncode))
        if glob.glob(result + "*"):
            complain("%s leaves %s" % (number.name, glob.glob(result + "*")))


check_arrays()
check_streams()
check_cut_short()
check_terminal()
check_gpu()
check_signals()
sys.exit(wrong != 0)
