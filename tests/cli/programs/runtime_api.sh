# Calls with good and bad arguments return what an H200's runtime returned (tests/shim/api.h200.txt), by each compiler
# that is there.
. "$(dirname "$0")/../check.bash"
source=$(dirname "$0")/../../shim/api.cu
recorded=${source%.cu}.h200.txt

routes=0
for compiler in nvcc clang; do
    command -v $compiler >/dev/null || continue
    "$halfwarp" run --gpu h200 --compiler $compiler "$source" > "$work/out" 2> "$work/err" < /dev/null
    status=$?
    routes=$((routes + 1))
    [ $status = 0 ] || fail "$compiler: exit status $status: $(tail -3 "$work/err")"
    diff "$recorded" "$work/out" > "$work/diff" || fail "$compiler: recorded on an H200 (<) and simulated (>):
$(head -40 "$work/diff")"
    # What was refused is explained on stderr, the launch's place included.
    grep -q 'launch refused: grid dimension x is 0' "$work/err" || fail "$compiler: no explanation of an empty grid"
    grep -q 'nothing() is launched with 50176 bytes' "$work/err" || fail "$compiler: no word of shared memory"
done
[ $routes -gt 0 ] || exit 77
finish
