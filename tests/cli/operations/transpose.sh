# halfwarp transpose: results to the byte, and one sentence for everything that is wrong.
. "$(dirname "$0")/../check.bash"
command -v python3 > "$work/where" || exit 77
data=tests/data/npy

mkdir "$work/cases"
python3 tests/cli/operations/transpose_cases.py "$halfwarp" "$work/cases" || fail "transpose_cases.py"
rm -r "$work/cases"

transpose() {
    expect "$1" "$halfwarp" transpose --device cpu "${@:2}"
}
# refused STATUS TEXT WORDS...: one line on stderr with TEXT in it, nothing on stdout, and no output.
refused() {
    rm -f "$work/out.npy"
    transpose "$1" "${@:3}"
    refuses "$2"
    [ -z "$(find "$work" -name 'out.npy*')" ] || fail "$2: left $(find "$work" -name 'out.npy*')"
}

# NumPy's own files.
transpose 0 $data/f8_fortran.npy -o "$work/t.npy"
cmp "$work/t.npy" $data/f8_fortran_transposed.npy || fail "a transpose of NumPy's"
transpose 0 $data/f8_fortran_transposed.npy -o - --axes=2,1,0
transpose 0 "$work/t.npy" -o "$work/twice.npy"
transpose 0 "$work/twice.npy" -o "$work/t.npy"
cmp "$work/t.npy" $data/f8_fortran_transposed.npy || fail "three transposes are one"
silent out

refused 4 "dtype '|O' holds Python objects" $data/objects.npy -o "$work/out.npy"
refused 4 "its dtype has fields" $data/structured.npy -o "$work/out.npy"
refused 2 "axis 1 is there twice" $data/f4.npy -o "$work/out.npy" --axes 1,1
refused 2 "axis 1 is there twice" $data/f4.npy -o "$work/out.npy" --axes 1,-1
refused 2 "no axis 2" $data/f4.npy -o "$work/out.npy" --axes 0,2
refused 2 "no axis -3" $data/f4.npy -o "$work/out.npy" --axes 0,-3
refused 2 "1 axis, and the array has 2" $data/f4.npy -o "$work/out.npy" --axes 0
refused 2 "0 axes, and the array has 2" $data/f4.npy -o "$work/out.npy" --axes ""
for wrong in x 0,x 0,,1 0, ,0 "0, 1" 0.5 99999999999999999999,0; do
    refused 2 "--axes takes numbers" $data/f4.npy -o "$work/out.npy" --axes "$wrong"
done
refused 2 "absent.npy: cannot be read" "$work/absent.npy" -o "$work/out.npy"
refused 2 "not a .npy file" README.md -o "$work/out.npy"
refused 2 "is a folder" "$work" -o "$work/out.npy"
refused 2 "is a folder" $data/f4.npy -o "$work"
refused 2 "No such file" $data/f4.npy -o "$work/no/out.npy"
refused 2 "where to?" $data/f4.npy
refused 2 "which array?" -o "$work/out.npy"
refused 2 "one word too many" $data/f4.npy "$work/out.npy"
refused 2 "-o takes a value" $data/f4.npy -o
refused 2 "did you mean --axes?" $data/f4.npy -o "$work/out.npy" --axis 1,0
refused 2 "--explain takes no value" $data/f4.npy -o "$work/out.npy" --explain=1
for wrong in 0 -1 x 2XB 99999999999TiB ""; do
    refused 2 "--memory-limit takes" $data/f4.npy -o "$work/out.npy" --memory-limit "$wrong"
done
refused 2 "warp9" $data/f4.npy -o "$work/out.npy" --device warp9
refused 2 "standard input: empty" - -o "$work/out.npy"

# The output is the input, by whatever name.
cp $data/f4.npy "$work/in.npy"
ln -s in.npy "$work/soft.npy"
ln "$work/in.npy" "$work/hard.npy"
for same in "$work/in.npy" "$work/soft.npy" "$work/hard.npy" "$work/../$(basename "$work")/in.npy"; do
    refused 2 "is the input" "$work/in.npy" -o "$same"
    refused 2 "is the input" "$same" -o "$work/in.npy"
done
cmp $data/f4.npy "$work/in.npy" || fail "the input has changed"

# No space: found before the work where it can be, and an older output stays.
if [ -w /dev/full ]; then
    refused 2 "No space left" $data/f4.npy -o /dev/full
fi
cp $data/u1.npy "$work/out.npy"
python3 - "$work/large.npy" << 'END'
import sys
text = "{'descr': '<f4', 'fortran_order': False, 'shape': (1024, 1024), }\n".encode()
open(sys.argv[1], "wb").write(b"\x93NUMPY\1\0" + bytes([len(text), 0]) + text + bytes(4 << 20))
END
expect 2 bash -c 'ulimit -f 1024; "$@"' bash "$halfwarp" transpose --device cpu "$work/large.npy" -o "$work/out.npy"
says err "4194432 bytes are more than a file may have here"
cmp $data/u1.npy "$work/out.npy" || fail "the older output is gone"
[ "$(find "$work" -name 'out.npy*' | wc -l)" = 1 ] || fail "left $(find "$work" -name 'out.npy*')"
mkdir "$work/small"
if unshare -m sh -c 'mount -t tmpfs -o size=1m none "$1"' sh "$work/small" 2> "$work/err"; then
    expect 2 unshare -m sh -c 'mount -t tmpfs -o size=1m none "$1"; "$2" transpose --device cpu "$3" -o "$1/out.npy"
        status=$?; ls -A "$1"; exit $status' sh "$work/small" "$halfwarp" "$work/large.npy"
    silent out
    says err "no space left for its 4194432 bytes"
fi

# Explained, with and without doing it.
transpose 0 $data/rank5.npy --explain
[ -s "$work/out" ] || fail "nothing explained"
silent err
transpose 0 $data/f8_fortran.npy --explain --memory-limit 1GiB -o "$work/t2.npy"
[ -s "$work/out" ] || fail "nothing explained"
cmp "$work/t2.npy" "$work/t.npy" || fail "explained, and done wrong"
transpose 0 $data/f8_fortran.npy --explain -o -
cmp "$work/out" "$work/t.npy" || fail "the explanation is in the array"
[ -s "$work/err" ] || fail "nothing explained"
finish
