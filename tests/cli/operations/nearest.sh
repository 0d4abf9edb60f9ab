# halfwarp nearest: neighbours from every kind of file, and one sentence for everything that is wrong.
. "$(dirname "$0")/../check.bash"
command -v python3 > "$work/where" || exit 77
data=tests/data/npy

mkdir "$work/cases"
for device in cpu sim:h200; do
    python3 -B tests/cli/operations/nearest_cases.py "$halfwarp" "$work/cases" $device ||
        fail "nearest_cases.py on $device"
done
rm -r "$work/cases"
python3 -B - "$work" << 'END'
import sys
sys.path.insert(0, "tests/cli/operations")
import npy_files
nan = float("nan")
for name, shape, values in (("in", (4, 3), range(12)), ("two", (3, 2), range(6)), ("nan", (3, 2), [1, 2, 3, nan, 5, 6]),
                            ("deep", (2, 2, 2), range(8)), ("wide", (2, 17), range(34)), ("scalar", (), [1])):
    npy_files.write("%s/%s.npy" % (sys.argv[1], name), "<f4", shape, values)
END
nearest() {
    expect "$1" "$halfwarp" nearest --device cpu "${@:2}"
}
# refused STATUS TEXT WORDS...: one line on stderr with TEXT in it, nothing on stdout, and no output.
refused() {
    rm -f "$work/out.npy"
    nearest "$1" "${@:3}"
    refuses "$2"
    [ -z "$(find "$work" -name 'out.npy*' -o -name 'far.npy*')" ] || fail "$2: left $(ls "$work")"
}
in=$work/in.npy out=$work/out.npy far=$work/far.npy
refused 2 "row 1" "$work/nan.npy" -o "$out" --distances "$far"
refused 2 "row 1" "$work/two.npy" --queries "$work/nan.npy" -o "$out"
refused 4 "17" "$work/wide.npy" -o "$out"
refused 2 "its rank is 3" "$work/deep.npy" -o "$out"
refused 2 "its rank is 0" "$work/scalar.npy" -o "$out"
refused 2 "2" "$in" --queries "$work/two.npy" -o "$out"
refused 4 "holds Python objects" $data/objects.npy -o "$out"
refused 4 "is none of integers and floats" $data/c16_big.npy -o "$out"
head -c 150 "$in" > "$work/short.npy"
refused 2 "short.npy: cut short" "$work/short.npy" -o "$out"
refused 2 "absent.ply" "$work/absent.ply" -o "$out"
: > "$work/empty.xyz"
refused 2 "empty.xyz: there is no point" "$work/empty.xyz" -o "$out"
: > "$work/empty.npy"
refused 2 "empty.npy: empty" "$work/empty.npy" -o "$out"
printf '1 2 3\n4 five 6\n' > "$work/bad.xyz"
refused 2 "bad.xyz:2" "$work/bad.xyz" -o "$out"
printf '%s\n' ply "format ascii 1.0" "element vertex 2" "property float x" "property float y" end_header "1 2" \
    > "$work/cut.ply"
refused 2 "cut.ply" "$work/cut.ply" -o "$out"
for k in 0 129 -1 x ""; do refused 2 "--k is a number from 1 to 128" "$in" -o "$out" --k "$k"; done
for radius in 0 -1 nan x ""; do refused 2 "--radius is a distance above 0" "$in" -o "$out" --radius "$radius"; done
refused 2 "--method is auto" "$in" -o "$out" --method tree
refused 2 "where to?" "$in"
refused 2 "where to?" "$in" --explain --distances "$far"
refused 2 "which points?" -o "$out"
refused 2 "cannot be both" - --queries - -o "$out"
refused 2 "one word too many" "$in" "$in" -o "$out"
refused 2 "did you mean --distances?" "$in" -o "$out" --distance "$far"
refused 2 "warp9" "$in" -o "$out" --device warp9
refused 2 "No space left" "$in" -o "$out" --distances /dev/full
refused 2 "is named for two outputs" "$in" -o "$out" --distances "$out"
refused 2 "No such file" "$in" -o "$out" --distances "$work/no/far.npy"
cp "$in" "$work/before.npy"
ln -s in.npy "$work/soft.npy"
for same in "$in" "$work/soft.npy"; do
    refused 2 "is the input" "$in" -o "$same"
    refused 2 "is the input" "$in" -o "$out" --distances "$same"
    refused 2 "is the input" "$work/two.npy" --queries "$in" -o "$same"
done
cmp "$in" "$work/before.npy" || fail "the input has changed"

# A signal in the middle of the work leaves neither output.
python3 - "$halfwarp" "$work" << 'END' || fail "a signal"
import glob, os, signal, struct, subprocess, sys, time
halfwarp, work = sys.argv[1:]
count, source, out = 40000, work + "/many.npy", work + "/out.npy"
text = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 3), }" % count
text += " " * (63 - (10 + len(text)) % 64) + "\n"
with open(source, "wb") as file:
    file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode())
    file.write(b"".join(struct.pack("<f", i * 7919 % 99991) for i in range(3 * count)))
def outputs_of(child):
    """How many outputs are being made: each lies in its folder under another name, or under none."""
    try:
        files = [os.readlink(link) for link in glob.glob("/proc/%d/fd/*" % child.pid)]
    except OSError:
        files = []   # one was closed meanwhile
    return len(glob.glob(work + "/*.tmp")) + sum(f.startswith(work) and f.endswith("(deleted)") for f in files)


for number in signal.SIGINT, signal.SIGTERM:
    for _ in range(10):   # a machine of many processors may have done before the signal comes
        for old in glob.glob(out + "*") + glob.glob(work + "/far.npy*"):
            os.remove(old)
        child = subprocess.Popen([halfwarp, "nearest", source, "-o", out, "--distances", work + "/far.npy", "--device",
                                  "cpu", "--k", "100", "--method", "brute"],
                                 preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
        while child.poll() is None and outputs_of(child) < 2:
            time.sleep(0.0005)
        child.send_signal(number)
        child.wait()
        if child.returncode:
            break
    left = glob.glob(out + "*") + glob.glob(work + "/far.npy*")
    if child.returncode != -number or left:
        sys.exit("%s: status %d, left %s" % (number.name, child.returncode, left))
os.remove(source)
END

nearest 0 "$in" --explain --k 3
[ -s "$work/out" ] || fail "nothing explained"
silent err
nearest 0 "$in" -o "$out" --distances "$far"
"$halfwarp" nearest --device cpu - -o - < "$in" > "$work/second.npy" || fail "by pipes"
cmp "$out" "$work/second.npy" || fail "by pipes: another result"

# The picture of the example: every point is in it, the near ones dark blue, the far ones red.
printf '%s\n' "0 0 0 0.1" "1 0 0 0.1" "0 5 1 0.5" "3 2 2 9" > "$work/points"
awk -v low=0.1 -v high=1 -v k=8 -f examples/nearest_scan.awk "$work/points" > "$work/out"
[ "$(grep -o 'h1' "$work/out" | wc -l)" = 4 ] || fail "points of the picture: $(head -5 "$work/out")"
for row in "#30123b 2" "#7a0403 1"; do
    [ "$(grep "<path stroke=\"${row% *}\"" "$work/out" | grep -o h1 | wc -l)" = "${row#* }" ] || fail "not $row"
done
says out ">0.5</text>"
[ "$(tail -1 "$work/out")" = "</svg>" ] || fail "no picture: $(tail -1 "$work/out")"
finish
