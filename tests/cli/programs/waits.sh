# Kernels that wait for kernels, as CUDA 11 lets them: as deep as the limit says, in any number of host threads; a GPU
# from 9.0 on has no such limit. What the children do is not counted; cli.check_waits is about what check says of them.
. "$(dirname "$0")/../check.bash"
tests=$(cd "$(dirname "$0")/../.." && pwd)
lib=$(cd "$(dirname "$halfwarp")/lib" && pwd)
cc=$(command -v cc || command -v gcc || command -v clang) || exit 77
"$cc" -g -I "$tests/../include/cuda" -o "$work/waits" "$tests/shim/driver_waits.c" \
    "$lib/driver/libcuda.so.1" -Wl,-rpath-link,"$lib" || exit 1
for threads in 1 3; do
    expect 0 "$halfwarp" run --gpu a100 --threads $threads "$work/waits"
    says out '1 1 2 3 [68] [0] [0] 7 same'
    says out 'limit 0'
    says out '1 2 3 4 [0] [0] [0] 7 same'
    says out '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 [0] [0]'
    says out '0 0 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 [0] [0] [0]'
    says out 'refused 9 9 9 0'
    says err 'is refused with error 9'
    [ "$(grep -c 'is refused' "$work/err")" = 1 ] || fail "$(cat "$work/err")"
    says out 'multiprocessors 108 blocks 2 threads 1024 binary 80 event 0 heap 8388608 limit 99: 215'
done
expect 0 "$halfwarp" run --gpu h200 "$work/waits"
says out 'limit 215'
[ "$(grep -c '^1 2 3 4 \[0\] \[0\] \[0\] 7 same$' "$work/out")" = 2 ] || fail "$(cat "$work/out")"
for gpu in gtx285:215 k40:0 h200:215; do
    expect 0 "$halfwarp" run --gpu ${gpu%:*} "$work/waits" limit
    says out "limit ${gpu#*:}"
done
expect 5 "$halfwarp" run "$work/waits" fault
says err 'kernel tree accessed memory it does not own'
expect 0 "$halfwarp" profile "$work/waits"
says err 'are executed and not counted'
expect 124 "$halfwarp" profile --threads 1 --timeout 0.5 "$work/waits" spin
says err 'in the midst of kernel tree, launch 1, of whose 8 blocks 0% were done'
says out 'tree (stopped)'
# Where the limit ends what it waits for; and both blocks of `refused` write the same four words.
expect 1 "$halfwarp" check --gpu a100 "$work/waits"
says out 'a kernel and one that it has launched access the same bytes'
[ "$(grep -c ' in refused, launch' "$work/out")" = 8 ] || fail "$(cat "$work/out")"
says out '5 hazards found'
if command -v nvcc > /dev/null; then
    nvcc -D__CDPRT_SUPPRESS_SYNC_DEPRECATION_WARNING -DCUDA_FORCE_CDP1_IF_SUPPORTED -rdc=true \
        -gencode arch=compute_80,code=compute_80 -lcudadevrt -o "$work/sums" "$tests/shim/waits.cu" || exit 1
    expect 0 "$halfwarp" run --gpu a100 "$work/sums"
    says out 496
    says out '0 0 0 0 20 21 22 23 cudaSuccess'
    says out '0 0 1 1 taken'
    says out '9 9 0 1 1 101 0 0 0 2048 cudaSuccess'
    says out '16448 sums'
    says out '4096 4096 4096 4096 sixes'
    expect 0 "$halfwarp" check --gpu a100 "$work/sums"
fi
finish
