# Versions of the CUDA runtime that are in one process have one GPU: memory and its totals, handles, settings, a reset,
# a fault; one journal, one status.
. "$(dirname "$0")/../check.bash"
tests=$(cd "$(dirname "$0")/../.." && pwd)
lib=$(cd "$(dirname "$halfwarp")/lib" && pwd)
cc=$(command -v cc || command -v gcc || command -v clang) || exit 77

# A program of C alone, linked to each.
for mine in 11.0 12 13; do
    "$cc" -I "$tests/../include/cuda" -o "$work/doors" "$tests/shim/doors.c" "$lib/libcudart.so.$mine" -ldl \
        -Wl,-rpath,"$lib" || exit 1
    for other in 11.0 12 13; do
        [ $mine = $other ] || expect 0 "$work/doors" libcudart.so.$other
    done
done

# What the runtime gets from the driver: entries, and device code that is loaded at run time.
for mine in 11.0 12 13; do
    "$cc" -I "$tests/../include/cuda" -o "$work/libraries" "$tests/shim/libraries.c" "$lib/libcudart.so.$mine" \
        -Wl,-rpath,"$lib" || exit 1
    expect 0 "$work/libraries"
    for line in '1 device' 'not found' 'too new' '1 kernels, this one, 4 bytes' 21 cudaErrorInvalidSymbol; do
        says out "$line"
    done
done

# And one with kernels, all of which are counted once, by each compiler.
routes=0
for compiler in nvcc clang; do
    command -v $compiler >/dev/null || continue
    routes=$((routes + 1))
    expect 5 "$halfwarp" profile --compiler $compiler --format csv -o "$work/rows" -ldl "$tests/shim/doors.cu" \
        "$lib/libcudart.so.11.0" "$lib/libcudart.so.12" "$lib/libcudart.so.13"
    says out 'one GPU'
    [ "$(grep -c 'the kernel is there' "$work/out")" = 2 ] || fail "$compiler: printf of kernels: $(cat "$work/out")"
    says err 'trap'
    [ "$(grep -c '^halfwarp: ' "$work/err")" = 1 ] || fail "$compiler: more than the fault: $(cat "$work/err")"
    [ "$(grep -c 'add(int' "$work/rows")" = 4 ] || fail "$compiler: launches: $(cat "$work/rows")"
    [ "$(grep -c 'stop()' "$work/rows")" = 1 ] || fail "$compiler: launches: $(cat "$work/rows")"
done
[ $routes -gt 0 ] || exit 77
finish
