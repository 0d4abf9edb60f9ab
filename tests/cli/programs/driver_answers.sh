# What the driver answers where its reference leaves it open: captures, virtual memory, memory between processes, as an
# H200 answered (tests/shim/driver_answers.h200.txt). tests/shim/driver_answers.differs.txt has each answer that is
# another one here, with the reason behind the question's name; `<` is the H200's.
. "$(dirname "$0")/../check.bash"
tests=$(cd "$(dirname "$0")/../.." && pwd)
lib=$(cd "$(dirname "$halfwarp")/lib" && pwd)
cc=$(command -v cc || command -v gcc || command -v clang) || exit 77

"$cc" -I "$tests/../include/cuda" -o "$work/answers" "$tests/shim/driver_answers.c" "$lib/driver/libcuda.so.1" \
    -Wl,-rpath-link,"$lib" || exit 1
"$halfwarp" run "$work/answers" >"$work/ours" 2>"$work/said"
grep -q 'kernel add .*write of 4 bytes .*, which may only be read' "$work/said" || fail "said: $(cat "$work/said")"
# The answers to a question: what stands indented below its name.
answers() { awk -v name="$2" '/^[^ ]/ { is_its = $0 == name } is_its' "$1"; }
while read -r name; do
    answers "$work/ours" "$name" > "$work/a"
    answers "$tests/shim/driver_answers.h200.txt" "$name" > "$work/b"
    diff "$work/b" "$work/a" > "$work/diff" && continue
    echo "$name"
    grep '^[<>]' "$work/diff"
done < <(grep '^[^ ]' "$tests/shim/driver_answers.h200.txt") > "$work/differs"
sed 's/^\([a-z_0-9]*\): .*/\1/' "$tests/shim/driver_answers.differs.txt" | diff - "$work/differs" > "$work/diff" ||
    fail "other answers differ from the H200's than driver_answers.differs.txt has: $(cat "$work/diff")"
finish
