# Launches that kernels make: in the order of their parents, tails last, and counted; in any number of host threads.
. "$(dirname "$0")/../check.bash"
tests=$(cd "$(dirname "$0")/../.." && pwd)
lib=$(cd "$(dirname "$halfwarp")/lib" && pwd)
cc=$(command -v cc || command -v gcc || command -v clang) || exit 77
"$cc" -g -I "$tests/../include/cuda" -o "$work/children" "$tests/shim/driver_children.c" \
    "$lib/driver/libcuda.so.1" -Wl,-rpath-link,"$lib" || exit 1
expect 0 "$halfwarp" profile --launches --format csv -o "$work/rows" "$work/children"
says out '231'
[ "$(grep -c ',parent,' "$work/rows") $(grep -c ',append,' "$work/rows")" = "2 3" ] || fail "$(cat "$work/rows")"
for threads in 1 3; do
    expect 0 "$halfwarp" run --threads $threads "$work/children"
    says out '231'
done
# Nothing is linked with it: kernels as nvcc and NVRTC compile them call the device runtime's own names.
sed 's/__cuda_syscall_cnpv2StreamCreate/__cudaCDP2StreamCreateWithFlags/; s/__cuda_syscall_cnpv2/__cudaCDP2/' \
    "$tests/shim/driver_children.c" > "$work/unlinked.c"
"$cc" -g -I "$tests/../include/cuda" -o "$work/unlinked" "$work/unlinked.c" "$lib/driver/libcuda.so.1" \
    -Wl,-rpath-link,"$lib" || exit 1
expect 0 "$halfwarp" run "$work/unlinked"
says out '231'
# A stream that a kernel has made has a value.
"$halfwarp" check "$work/children" > "$work/found" 2>&1
grep -q 231 "$work/found" || fail "check did not run it: $(cat "$work/found")"
! grep -q uninitialised "$work/found" || fail "$(cat "$work/found")"
finish
