# Makes the .npy files beside it; run with NumPy 2.4.6. They are kept, so that the tests need no NumPy.
import os

import numpy as np

os.chdir(os.path.dirname(os.path.abspath(__file__)))


def numbers(shape, dtype):
    return np.arange(int(np.prod(shape)), dtype="<i4").reshape(shape).astype(dtype)


np.save("f4.npy", numbers((3, 4), "<f4"))
np.save("f8_fortran.npy", np.asfortranarray(numbers((2, 3, 4), "<f8")))
np.save("f8_fortran_transposed.npy", np.ascontiguousarray(np.transpose(numbers((2, 3, 4), "<f8"))))
np.save("i2_big.npy", numbers((5, 2), ">i2"))
np.save("c16_big.npy", numbers((2, 2), ">c16"))
np.save("u1.npy", numbers((7,), "u1"))
np.save("bool_scalar.npy", np.array(True))
np.save("f2_empty.npy", numbers((0, 3), "<f2"))
np.save("text.npy", np.array([["ab", "cd", "ef"]], dtype="<U2"))
np.save("bytes.npy", np.array([b"abcdefgh", b"i"], dtype="S8"))
np.save("void.npy", np.array([b"abcd", b"efgh"], dtype="V4"))
np.save("times.npy", np.array(["2026-11-20", "1970-01-01"], dtype="M8[ns]"))
np.save("rank5.npy", numbers((2, 1, 3, 2, 2), "<i8"))
np.save("rank16.npy", numbers((1,) * 16, "u1"))
np.save("structured.npy", np.zeros(2, dtype=[("x", "<f4"), ("n", "<i4")]))
np.save("objects.npy", np.array([None, 1], dtype=object))
for version in 2, 3:
    with open(f"version{version}.npy", "wb") as file:
        np.lib.format.write_array(file, numbers((3, 4), "<u2"), version=(version, 0))
