# Files of arrays for the tests of commands, without NumPy: written, read, and elements found by their indices.
import itertools
import struct

LETTERS = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I",
           "u8": "Q", "b1": "?"}


def places(shape):
    return itertools.product(*(range(n) for n in shape))


def write(path, descr, shape, values, fortran=False):
    """values in C order; descr such as "<f4"."""
    order = list(values)
    if fortran and len(shape) > 1:
        index = {place: i for i, place in enumerate(places(shape))}
        order = [order[index[tuple(reversed(place))]] for place in places(tuple(reversed(shape)))]
    text = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, tuple(shape))
    text += " " * (63 - (10 + len(text)) % 64) + "\n"
    data = struct.pack("%s%d%s" % ("><"[descr[0] != ">"], len(order), LETTERS[descr[1:]]), *order)
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode() + data)


def read(path):
    """descr, shape and the values of a file in C order."""
    with open(path, "rb") as file:
        whole = file.read()
    assert whole[:8] == b"\x93NUMPY\1\0", path
    end = 10 + struct.unpack("<H", whole[8:10])[0]
    header = eval(whole[10:end].decode(), {"__builtins__": {}}, {"False": False, "True": True})
    assert not header["fortran_order"], path
    kind = LETTERS[header["descr"][1:]]
    return header["descr"], header["shape"], list(struct.unpack("<%d%s" % ((len(whole) - end) // struct.calcsize(kind),
                                                                           kind), whole[end:]))


def rounded(letter, value):
    """To the nearest of the type."""
    return struct.unpack("<" + letter, struct.pack("<" + letter, value))[0]
