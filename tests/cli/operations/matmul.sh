# halfwarp matmul: NumPy's shapes, and one sentence for everything that is wrong.
. "$(dirname "$0")/../check.bash"
command -v python3 > "$work/where" || exit 77
data=tests/data/npy

mkdir "$work/cases"
for device in cpu sim:h200; do
    # A machine without OpenBLAS has no product on cpu.
    python3 -B tests/cli/operations/matmul_cases.py "$halfwarp" "$work/cases" $device
    [ $? = 0 ] || [ $? = 77 ] || fail "matmul_cases.py on $device"
done
rm -r "$work/cases"
device=sim:h200
python3 -B - "$work" << 'END'
import sys
sys.path.insert(0, "tests/cli/operations")
import npy_files
for name, descr, shape in (("a", "<f4", (3, 4)), ("b", "<f4", (4, 5)), ("wide", "<f8", (4, 5)), ("i", "<i4", (4, 5)),
                           ("u", "<u4", (5, 5)), ("square", "<i4", (5, 5)), ("bool", "|b1", (4, 5)),
                           ("tall", "<f8", (5, 2)), ("scalar", "<f4", ()),
                           ("batch3", "<f4", (3, 3, 4)), ("batch2", "<f4", (2, 4, 5))):
    count = 1
    for n in shape:
        count *= n
    npy_files.write("%s/%s.npy" % (sys.argv[1], name), descr, shape, [1] * count)
END
matmul() {
    expect "$1" "$halfwarp" matmul --device $device "${@:2}"
}
# refused STATUS TEXT WORDS...: one line on stderr with TEXT in it, nothing on stdout, and no output.
refused() {
    rm -f "$work/out.npy"
    matmul "$1" "${@:3}"
    refuses "$2"
    [ -z "$(find "$work" -name 'out.npy*')" ] || fail "$2: left $(find "$work" -name 'out.npy*')"
}
a=$work/a.npy b=$work/b.npy out=$work/out.npy
refused 2 "shapes (4, 5) and (3, 4) do not fit" "$b" "$a" -o "$out"
refused 2 "their batches cannot be broadcast" "$work/batch3.npy" "$work/batch2.npy" -o "$out"
refused 2 "two dtypes, '<f4' and '<f8'" "$a" "$work/wide.npy" -o "$out"
refused 2 "two dtypes, '<f4' and '<i4'" "$a" "$work/i.npy" -o "$out"
refused 2 "two dtypes, '<i4' and '<u4'" "$work/i.npy" "$work/u.npy" -o "$out"
refused 4 "C has not the type of A and B" "$work/u.npy" "$work/u.npy" -o "$out" --dtype i32
refused 2 "--dtype is a type of elements" "$a" "$b" -o "$out" --dtype int
refused 2 "i32 have no products in fp32" "$work/i.npy" "$work/square.npy" -o "$out" --precision fp32
refused 4 "is none of integers and floats" "$work/bool.npy" "$b" -o "$out"
refused 2 "takes arrays of one axis or more" "$work/scalar.npy" "$b" -o "$out"
refused 4 "holds Python objects" $data/objects.npy "$b" -o "$out"
refused 4 "is none of integers and floats" $data/times.npy "$b" -o "$out"
refused 4 "is none of integers and floats" "$a" $data/c16_big.npy -o "$out"
head -c 150 "$b" > "$work/short.npy"
refused 2 "short.npy: cut short" "$a" "$work/short.npy" -o "$out"
refused 2 "absent.npy: cannot be read" "$a" "$work/absent.npy" -o "$out"
refused 2 "--precision is fp32" "$a" "$b" -o "$out" --precision fp8
refused 2 "f32" "$a" "$b" -o "$out" --precision fp64
refused 2 "f64" "$work/wide.npy" "$work/tall.npy" -o "$out" --precision tf32
refused 2 "where to?" "$a" "$b"
refused 2 "which two arrays?" "$a" -o "$out"
refused 2 "cannot be both" - - -o "$out"
refused 2 "one word too many" "$a" "$b" "$b" -o "$out"
refused 2 "did you mean --precision?" "$a" "$b" -o "$out" --precison fp32
refused 2 "warp9" "$a" "$b" -o "$out" --device warp9
refused 2 "No such file" "$a" "$b" -o "$work/no/out.npy"
ln "$a" "$work/hard.npy"
ln -s b.npy "$work/soft.npy"
cp "$a" "$work/before.npy"
for same in "$a" "$b" "$work/hard.npy" "$work/soft.npy"; do refused 2 "is the input" "$a" "$b" -o "$same"; done
cmp "$a" "$work/before.npy" || fail "an input has changed"
if [ -w /dev/full ]; then refused 2 "No space left" "$a" "$b" -o /dev/full; fi

matmul 0 "$a" "$b" --explain
[ -s "$work/out" ] || fail "nothing explained"
silent err
matmul 0 "$a" "$b" -o "$out" --explain
cp "$out" "$work/first.npy"
"$halfwarp" matmul --device $device - "$b" -o - < "$a" > "$work/second.npy" || fail "by pipes"
cmp "$work/first.npy" "$work/second.npy" || fail "by pipes: another result"
finish
