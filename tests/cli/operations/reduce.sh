# halfwarp reduce: NumPy's results, and one sentence for everything that is wrong.
. "$(dirname "$0")/../check.bash"
command -v python3 > "$work/where" || exit 77
data=tests/data/npy

mkdir "$work/cases"
for device in cpu sim:h200; do
    python3 -B tests/cli/operations/reduce_cases.py "$halfwarp" "$work/cases" $device ||
        fail "reduce_cases.py on $device"
done
rm -r "$work/cases"
python3 -B - "$work" << 'END'
import sys
sys.path.insert(0, "tests/cli/operations")
import npy_files
npy_files.write(sys.argv[1] + "/in.npy", "<f4", (3, 4), range(12))
npy_files.write(sys.argv[1] + "/i.npy", "<i4", (3, 4), [-2 ** 31] * 12)
npy_files.write(sys.argv[1] + "/u.npy", "<u8", (2,), [2 ** 64 - 1, 0])
npy_files.write(sys.argv[1] + "/empty.npy", "<f4", (0, 4), [])
npy_files.write(sys.argv[1] + "/bool.npy", "|b1", (2, 2), [True, False, True, True])
npy_files.write(sys.argv[1] + "/nan.npy", "<f8", (3,), [1, float("nan"), 0])
END
reduce() {
    expect "$1" "$halfwarp" reduce --device cpu "${@:2}"
}
# refused STATUS TEXT WORDS...: one line on stderr with TEXT in it, nothing on stdout, and no output.
refused() {
    rm -f "$work/out.npy"
    reduce "$1" "${@:3}"
    refuses "$2"
    [ -z "$(find "$work" -name 'out.npy*')" ] || fail "$2: left $(find "$work" -name 'out.npy*')"
}
in=$work/in.npy out=$work/out.npy

# One number is printed.
while read -r file op number; do
    reduce 0 "$work/$file.npy" --op "$op"
    silent err
    [ "$(cat "$work/out")" = "$number" ] || fail "$op of $file: $(cat "$work/out"), not $number"
done << 'ROWS'
in sum 66
in mean 5.5
in argmax 11
i sum -25769803776
i min -2147483648
u max 18446744073709551615
u sum 18446744073709551615
empty sum 0
empty product 1
nan argmin 1
in var 11.916667
in any True
in all False
in count_nonzero 11
bool sum 3
bool max True
bool mean 0.75
empty any False
empty all True
empty count_nonzero 0
empty std nan
nan any True
ROWS
reduce 0 "$work/in.npy" --op var --ddof 1
[ "$(cat "$work/out")" = 13 ] || fail "var with ddof 1: $(cat "$work/out")"
reduce 0 "$work/nan.npy" --op max
grep -q nan "$work/out" || fail "the largest with a NaN: $(cat "$work/out")"

refused 2 "where to? The result has 4 numbers" "$in" --op sum --axis 0
refused 2 "which operation?" "$in" -o "$out"
refused 2 "did you mean 'argmin'?" "$in" --op argmn -o "$out"
refused 2 "which array?" --op sum -o "$out"
refused 2 "there is no axis 2" "$in" --op sum --axis 2 -o "$out"
refused 2 "there is no axis -3" "$in" --op sum --axis=-3 -o "$out"
refused 2 "axis 1 is there twice" "$in" --op sum --axis 1,-1 -o "$out"
refused 2 "--axis names no axis" "$in" --op sum --axis "" -o "$out"
for wrong in x 0,x 0,,1 "0, 1" 0.5; do refused 2 "--axis takes numbers" "$in" --op sum --axis "$wrong" -o "$out"; done
for wrong in -1 x 1.5 16777216 ""; do refused 2 "--ddof is a whole number" "$in" --op var --ddof "$wrong"; done
refused 2 "--ddof is for var and std" "$in" --op mean --ddof 1
refused 2 "min" "$work/empty.npy" --op min
refused 2 "argmax" "$work/empty.npy" --op argmax --axis 0 -o "$out"
refused 4 "exact" "$in" --op max --exact
refused 4 "exact" "$work/i.npy" --op sum --exact
refused 4 "holds Python objects" $data/objects.npy --op sum
refused 4 "is none of integers, floats and bool" $data/c16_big.npy --op sum
refused 4 "its dtype has fields" $data/structured.npy --op sum
head -c 150 "$in" > "$work/short.npy"
refused 2 "short.npy: cut short" "$work/short.npy" --op sum -o "$out"
refused 2 "absent.npy: cannot be read" "$work/absent.npy" --op sum
refused 2 "one word too many" "$in" "$in" --op sum
refused 2 "did you mean --axis?" "$in" --op sum --axes 0
refused 2 "warp9" "$in" --op sum --device warp9
cp "$in" "$work/before.npy"
ln "$in" "$work/hard.npy"
for same in "$in" "$work/hard.npy"; do refused 2 "is the input" "$in" --op sum -o "$same"; done
cmp "$in" "$work/before.npy" || fail "the input has changed"
if [ -w /dev/full ]; then refused 2 "No space left" "$in" --op sum -o /dev/full; fi

# More than the device holds: a file with holes, 1 GiB and its result on a GPU of 1 GiB.
python3 - "$work/huge.npy" << 'END'
import struct, sys
text = "{'descr': '<f4', 'fortran_order': False, 'shape': (268435456,), }"
text += " " * (63 - (10 + len(text)) % 64) + "\n"
with open(sys.argv[1], "wb") as file:
    file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode())
    file.truncate(10 + len(text) + (1 << 30))
END
refused 2 "1073741828 bytes do not fit the memory of" "$work/huge.npy" --op sum -o "$out" --device sim:gtx280
rm "$work/huge.npy"

reduce 0 "$in" --op sum --axis 0 --explain
[ -s "$work/out" ] || fail "nothing explained"
silent err
reduce 0 "$in" --op sum --axis 0 --keepdims -o "$out"
"$halfwarp" reduce --device cpu - --op sum --axis 0 --keepdims -o - < "$in" > "$work/second.npy" || fail "by pipes"
cmp "$out" "$work/second.npy" || fail "by pipes: another result"
finish
