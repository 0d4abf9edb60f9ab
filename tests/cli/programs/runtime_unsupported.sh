# What is not supported is named once, with the place of the call, and decides the exit status; the program goes on.
. "$(dirname "$0")/../check.bash"
source=$(dirname "$0")/../../shim/unsupported.cu

routes=0
for compiler in nvcc clang; do
    command -v $compiler >/dev/null || continue
    routes=$((routes + 1))
    expect 4 "$halfwarp" run --compiler $compiler "$source"
    [ "$(tr '\n' ' ' < "$work/out")" = "801 801 801 801 801 0 0 " ] || fail "$compiler: $(cat "$work/out")"
    [ "$(grep -c 'cudaDeviceGetNvSciSyncAttributes is not supported$' "$work/err")" = 1 ] ||
        fail "$compiler: $(cat "$work/err")"
    says err 'cudaGraphicsUnregisterResource is not supported'
    # And at the end, behind all that the program has printed since.
    tail -1 "$work/err" | grep -q 'went on without what is not simulated (.*cudaDeviceGetNvSciSyncAttributes' ||
        fail "$compiler: $(cat "$work/err")"
    [ "$(wc -l < "$work/err")" = 3 ] || fail "$compiler: more than three lines: $(cat "$work/err")"
done
[ $routes -gt 0 ] || exit 77
finish
