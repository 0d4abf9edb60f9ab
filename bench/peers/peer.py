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
    samples, end = [], time.perf_counter() + seconds
    while len(samples) < ENOUGH or (time.perf_counter() < end and len(samples) < MOST):
        begin = time.perf_counter_ns()
        run()
        samples.append(time.perf_counter_ns() - begin)
    return samples


def some_places(shape):
    """Places in an array: its corners and others, for comparing a result with what it must be."""
    if 0 in shape:
        return []
    random.seed(1)
    places = [tuple(0 for _ in shape), tuple(n - 1 for n in shape)]
    return places + [tuple(random.randrange(n) for n in shape) for _ in range(500)]


def serve(name, version, measure):
    """measure(case) returns samples, raises Skip, or raises ValueError when the result is wrong."""
    say(peer=name, version=version)
    for line in sys.stdin:
        case = json.loads(line)
        try:
            say(ns=measure(case))
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
