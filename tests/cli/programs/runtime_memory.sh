# A program that checks copies, sets, symbols, managed and mapped memory, streams and callbacks itself.
. "$(dirname "$0")/../check.bash"
source=$(dirname "$0")/../../shim/memory.cu

routes=0
for compiler in nvcc clang; do
    command -v $compiler >/dev/null || continue
    routes=$((routes + 1))
    expect 0 "$halfwarp" run --compiler $compiler "$source"
    says out "0 failures"
    silent err
done
[ $routes -gt 0 ] || exit 77
finish
