# What a peer of `halfwarp bench` is: a program that does the same operation with another library. FAMILY_NAME.py is
# started once, with the device's name; its first line on standard output says who it is, and then it answers each case,
# a line of JSON on standard input, with a line of JSON.
import json
import random
import sys
import time

ENOUGH, MOST = 5, 200   # samples


class Skip(Exception):
    """The peer has no such operation, or no memory for it."""


def say(**words):
    print(json.dumps(words), flush=True)


def clock_samples(run, seconds):
    """Times of run() by the clock, in nanoseconds."""
    samples, start = [], time.perf_counter()
    while True:
        spent = time.perf_counter() - start
        if len(samples) >= ENOUGH and (spent >= seconds or len(samples) >= MOST):
            return samples
        if len(samples) >= 2 and spent > 20:   # a case that takes long has to do with fewer
            return samples
        begin = time.perf_counter_ns()
        run()
        samples.append(time.perf_counter_ns() - begin)


def some_places(shape):
    """Places in an array: its corners and others, for comparing a result with what it must be."""
    if 0 in shape:
        return []
    random.seed(1)
    places = [tuple(0 for _ in shape), tuple(n - 1 for n in shape)]
    return places + [tuple(random.randrange(n) for n in shape) for _ in range(500)]


def event_samples(sample, seconds):
    """Times on a GPU, in nanoseconds: sample(runs) gives that of one of so many runs, a millisecond's worth of them."""
    once = max(sample(3), 100)
    runs = max(1, int(1e6 / once))
    return [sample(runs) for _ in range(min(MOST, max(ENOUGH, int(seconds * 1e9 / (once * runs)))))]


def hash32(index):
    """Numbers without a pattern, of an int or a NumPy array of uint32: hw_bench_hash of bench/operations/bench_measure.c."""
    mask = 0xffffffff
    index = index ^ (index >> 16)
    index = index * 0x7feb352d & mask
    index = index ^ (index >> 15)
    index = index * 0x846ca68b & mask
    return index ^ (index >> 16)


def serve(name, version, measure):
    """measure(case) returns samples, or samples and a relative error; raises Skip, or ValueError when it is wrong."""
    say(peer=name, version=version)
    for line in sys.stdin:
        case = json.loads(line)
        try:
            found = measure(case)
            say(ns=found[0], error=found[1]) if isinstance(found, tuple) else say(ns=found)
        except Skip as reason:
            say(skip=str(reason))
        except ValueError as reason:
            say(wrong=str(reason))
        except Exception as reason:   # a case that a library does not take is no reason to lose the others
            say(skip="%s: %s" % (type(reason).__name__, str(reason).split("\n")[0]))


def absent(name, reason):
    """There is no such peer on this machine or for this device."""
    say(peer=name, absent=str(reason).split("\n")[0])
    sys.exit(0)
