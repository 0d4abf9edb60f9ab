# Each kind of fault: the error that stays, call by call as on an H200 (tests/shim/faults.h200.txt), exit status 5, and
# a diagnosis that names kernel, line, place and allocation.
. "$(dirname "$0")/../check.bash"
source=$(dirname "$0")/../../shim/faults.cu
recorded=${source%.cu}.h200.txt

# fault NAME ERROR WORDS: words that stderr has, apart from the kernel's line
fault() {
    local name=$1 error=$2 words=$3
    expect 5 "$halfwarp" run --compiler $compiler "$source" $name
    sed "s/ 700\$/ $error/" "$recorded" | diff - "$work/out" > "$work/diff" ||
        fail "$compiler, $name: recorded (<) and simulated (>): $(cat "$work/diff")"
    says err "$words"
    [ "$name" = assert ] || says err "faults.cu:$(grep -n "$4" "$source" | head -1 | cut -d: -f1)"
}

routes=0
for compiler in nvcc clang; do
    command -v $compiler >/dev/null || continue
    routes=$((routes + 1))
    fault past 700 '0 bytes past the end of the nearest allocation of 1000 bytes' 'p\[i\] = 1'
    fault null 700 'null' 'p\[i\] = 1'
    fault freed 700 '40 bytes into freed allocation of 5000 bytes' 'p\[i\] = 1'
    fault misaligned 716 'write of 4 bytes' '(p + 1) = 1'
    fault trap 719 'trap' 'asm("trap;")'
    fault assert 710 'thread: [0,0,0] Assertion `x == 1` failed.'
    fault deadlock 702 'wait_in_two_places' 'bar.sync 1, 64'
done
[ $routes -gt 0 ] || exit 77
finish
