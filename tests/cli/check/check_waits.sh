# check finds races between kernels and those that they have launched and wait for (CUDA 11), with both lines, and
# nothing where they are in order. Such kernels are nvcc's, for GPUs before 9.0.
about_nvcc=1
. "$(dirname "$0")/../check.bash"
command -v python3 > "$work/where" && command -v nvcc > "$work/where" || exit 77
here=$(dirname "$0")
source=$here/../../check/waits.cu
waiting="-D__CDPRT_SUPPRESS_SYNC_DEPRECATION_WARNING -DCUDA_FORCE_CDP1_IF_SUPPORTED"
waiting="$waiting -gencode arch=compute_80,code=compute_80"

# As in check_hazards.sh.
cat > "$work/table" << 'ROWS'
wait_missing|race|launch|wait_put
wait_barrier|race|child|wait_put
wait_own|race|child|wait_put
wait_syncwarp|race|child|wait_put
wait_late|race|launch|wait_put
wait_block|race|child|wait_put
wait_unmet|race|child|wait_put
wait_streams|race|siblings|
wait_parent|race|launch|wait_take
wait_grandchild|race|launch|wait_put
wait_stream|race|child|wait_put
wait_inner|race|child|wait_put
wait_launcher|race|child|wait_set
wait_event|race|siblings|
ROWS

for compiler in nvcc; do
    for options in $(levels_of $compiler); do
        expect 0 $compiler $options $waiting -rdc=true -lineinfo -o "$work/waits" "$source"
        expect 0 "$halfwarp" check --gpu a100 "$work/waits"
        [ "$(cat "$work/out")" = done ] || fail "clean: $(head -c 3000 "$work/out")"
        expect 1 "$halfwarp" check --gpu a100 --format json -o "$work/found.json" "$work/waits" racy
        python3 "$here/check_hazards.py" "$work/table" "$work/found.json" "$here/../../check" || fail waits
    done
done
finish
