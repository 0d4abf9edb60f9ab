# check finds each hazard of tests/check with its kind and lines, and nothing in their clean twins: at -O0, -O3 and -G,
# by every compiler in sight.
. "$(dirname "$0")/../check.bash"
command -v python3 > "$work/where" || exit 77
here=$(dirname "$0")
source=$here/../../check/hazards.cu

# case|kind|whom the order is missing between, any of them|marks of lines that are not the case's own name. Lines of
# both sides are marked in the source by a comment at their end.
cat > "$work/table" << 'ROWS'
own_then_read|race|block|
own_then_write|race|block|
own_after_read|race|block|
own_byte|race|block|
own_vector|race|warp block|
barrier_read|race|block|
barrier_write|race|block|
barrier_round|race|block|
barrier_global|race|block|
barrier_count|race|block|
barrier_of_one_block|race|grid|
named_pair|race|block|
named_two_pairs|race|block|
readers_of_shared|race|block|
readers_of_global|race|block|
named_producer|race|block|
named_for_all|race|block|
named_back|race|block|
named_back_all|race|block|
barrier_elsewhere|barrier||
barrier_of_halves|barrier||
barrier_of_rounds|barrier||
barrier_in_function|barrier||
barrier_in_branch|barrier||
barrier_after_exit|race|warp block|
lanes_read|race|warp|
lanes_write|race|warp|
lanes_of_mask|race|warp|
lanes_shuffle|race|warp|
lanes_vote|race|warp|
lanes_global|race|warp|
lanes_stencil|race|warp|
lanes_of_bytes|race|warp|
lanes_of_word|race|warp|
lanes_branch|race|warp|
stranger_shuffle|barrier||
stranger_vote|barrier||
stranger_meets|barrier||
stranger_match|barrier||
flag_writer_fence|race|grid|
flag_reader_fence|race|grid|
flag_volatile|race|grid|
flag_scope|race|grid|
flag_two_fences|race|grid|
flag_release|race|grid|
flag_acquire|race|grid|
flag_in_block|race|block|
flag_beside|race|grid|
readers_of_blocks|race|grid|
forty_readers|race|grid|
flag_chain|race|grid|
flag_narrow_chain|race|grid|
flag_for_pair|race|grid|
flag_for_tile|race|grid|
flag_for_warp|race|grid|
wait_for_warp|race|grid|
atomic_and_plain|race|grid|
atomic_scope|race|grid|
grid_read|race|grid|
grid_write|race|grid|
grid_write_twice|race|grid|
grid_clear|race|grid|
copy_own|race|wait|
copy_others|race|block|
copy_barrier|race|wait|
copy_groups|race|wait|
copy_over_read|race|block|
copy_over_copy|race|wait|
phase_not_waited|race|block|
phase_of_other|race|block|
phase_too_early|race|block|
phase_over_read|race|block|
row_not_asked|race|row|
row_over_read|race|warp block|
row_no_fence|race|proxy|
row_written_again|race|row|
row_out_read|race|row|
row_across|race|cluster row|
cluster_read|race|cluster|
cluster_write|race|cluster|
cluster_sum|race|cluster|
cluster_over_read|race|cluster|
stream_read|race|streams|put take
stream_write|race|streams|put
stream_write_after_read|race|streams|put take
stream_of_other_bytes|race|streams|put
readers_of_streams|race|streams|put take
readers_by_copies|race|streams|put
event_wait|race|streams|put take
event_too_early|race|streams|put take
event_of_other_stream|race|streams|put take
event_host|race|streams|put take
event_asked|race|streams|put take
event_twice|race|streams|put take
wait_for_stream|race|streams|put take
wait_for_device|race|streams|put take
wait_for_copy|race|streams|put take
wait_by_asking|race|streams|put take
wait_by_free|race|streams|put take
legacy_before|race|streams|put take
legacy_after|race|streams|put take
legacy_between|race|streams|put take
legacy_set|race|streams|take
legacy_copy|race|streams|take
copy_in|race|streams|take
copy_out|race|streams|put
copy_out_before|race|streams|put
copy_within|race|streams|put
copy_rows|race|streams|put
set_read|race|streams|take
set_twice|race|streams|
free_in_order|race|streams|put
last_block|race|grid|
spin_lock|race|grid|
flags_between_blocks|race|grid|
work_queue|race|grid|
work_stealing|race|grid|
ticket_lock|race|grid|
look_back|race|grid|
double_buffer|race|block wait|
stages|race|block wait|
warp_reduction|race|warp|
warp_volatile|race|warp|
histogram|race|warp block|
stencil|race|warp block|
stencil_of_blocks|race|warp block grid|
past_end|bounds||
before_begin|bounds||
far_past_end|bounds||
half_past_end|bounds||
into_another|bounds||
into_third|bounds||
in_function|bounds||
of_structure|bounds||
loop_past_end|bounds||
atomic_past_end|bounds||
null_pointer|bounds||
into_neighbour|bounds||
past_shared|bounds||
past_dynamic|bounds||
before_dynamic|bounds||
past_variable|bounds||
past_local|bounds||
row_past_end|bounds||
freed_read|use-after-free||
freed_write|use-after-free||
freed_in_stream|use-after-free||
freed_atomic|use-after-free||
freed_twice|use-after-free||
freed_list|use-after-free||
misaligned_vector|misaligned||
misaligned_write|misaligned||
misaligned_shared|misaligned||
misaligned_atomic|misaligned||
fresh_branch|uninitialised||
fresh_index|uninitialised||
fresh_atomic|uninitialised||
fresh_byte|uninitialised||
tile_sum|uninitialised||
tile_halo|uninitialised||
tile_buffers|uninitialised||
tile_index|uninitialised||
array_sum|uninitialised||
array_branch|uninitialised||
array_count|uninitialised||
array_passed|uninitialised||
register_branch|uninitialised||
register_index|uninitialised||
register_atomic|uninitialised||
register_lane|uninitialised||
back_computed|uninitialised||
back_whole|uninitialised||
back_untouched|uninitialised||
back_rows|uninitialised||
ROWS

routes=0
for compiler in clang nvcc; do
    command -v $compiler > "$work/where" || continue
    routes=$((routes + 1))
    for options in $(levels_of $compiler); do
        expect 0 "$halfwarp" check --compiler $compiler $options "$source" clean
        silent err
        [ "$(cat "$work/out")" = done ] || fail "$compiler $options, clean: $(head -c 3000 "$work/out")"
        expect 1 "$halfwarp" check --compiler $compiler $options --format json -o "$work/found.json" "$source" racy
        silent err
        [ "$(cat "$work/out")" = done ] || fail "$compiler $options, racy: $(cat "$work/out")"
        python3 "$here/check_hazards.py" "$work/table" "$work/found.json" "$here/../../check" ||
            fail "$compiler $options: hazards"
    done
done
[ $routes -gt 0 ] || exit 77
finish
