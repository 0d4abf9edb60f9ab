# check finds each hazard of the host program's calls in tests/check/hosts.cu with its kind and lines, and nothing in
# their right twins: at -O0, -O3 and -G, by every compiler in sight.
. "$(dirname "$0")/../check.bash"
command -v python3 > "$work/where" || exit 77
here=$(dirname "$0")
source=$here/../../check/hosts.cu

# As in check_hazards.sh.
cat > "$work/table" << 'ROWS'
free_twice|free||
free_inside|free||
free_of_stack|free||
free_of_malloc|free||
free_pinned_as_device|free||
free_device_as_pinned|free||
free_pinned_twice|free||
free_in_stream_twice|free||
free_array_twice|free||
unregister_twice|free||
copy_past_device|copy||
copy_past_pinned|copy||
copy_past_middle|copy||
copy_rows_past|copy||
copy_past_symbol|copy||
copy_past_array|copy||
copy_from_freed|copy||
copy_from_null|copy||
copy_other_way|copy||
copy_within_as_in|copy||
copy_out_as_host|copy||
copy_symbol_other_way|copy||
set_past|copy||
set_of_host|copy||
set_rows_past|copy||
set_freed|copy||
launch_in_destroyed|handle||
wait_for_destroyed|handle||
copy_in_destroyed|handle||
destroy_stream_twice|handle||
record_destroyed|handle||
record_unmade|handle||
copy_to_freed_array|handle||
destroy_texture_twice|handle||
launch_large_block|launch||
launch_no_blocks|launch||
launch_tall_grid|launch||
launch_much_shared|launch||
launch_deep_block|launch||
error_of_malloc|error||
error_of_attribute|error||
error_peeked|error||
error_unasked|error||
error_overwritten|error||
copy_and_write|race|host|
copy_and_write_target|race|host|
copy_rows_and_write|race|host|
copy_and_write_other|race|host|
copy_and_free|race|host|
copy_and_unregister|race|host|
copy_and_free_of_pool|race|host|
launch_and_free_of_pool|race|host|
leak_device|leak||
leak_managed|leak||
leak_pinned|leak||
leak_registered|leak||
leak_array|leak||
leak_stream|leak||
leak_event|leak||
leak_texture|leak||
ROWS

routes=0
for compiler in clang nvcc; do
    command -v $compiler > "$work/where" || continue
    routes=$((routes + 1))
    # A call that a function ends with may be made a jump, which leaves the caller's line alone.
    calls="-Xcompiler -fno-optimize-sibling-calls"
    for options in -O0 "-O3 $calls" "-G $calls"; do
        check() { "$halfwarp" check --leaks --compiler $compiler $options "$@"; }
        expect 0 check "$source" clean
        [ "$(cat "$work/out")" = done ] || fail "$compiler $options, clean: $(head -c 3000 "$work/out")"
        expect 1 check --format json -o "$work/found.json" "$source" racy
        python3 "$here/check_hazards.py" "$work/table" "$work/found.json" "$here/../../check" ||
            fail "$compiler $options: hazards"
    done
done
[ $routes -gt 0 ] || exit 77

# ---- texture objects that are gone ----------------------------------------------------------------------------------

textures=$here/../../check/textures.cu
line_of() { grep -n "// $1\$" "$textures" | cut -d: -f1; }
for case in "destroyed destroys read that has been destroyed" "freed frees read whose memory has been freed" \
        "array frees read_array whose memory has been freed"; do
    read -r name does reads sentence <<< "$case"
    expect 5 "$halfwarp" check "$textures" "$name"
    says out "handle: a kernel reads through a texture object $sentence"
    says out "textures.cu:$(line_of "$name"): $does"
    says out "textures.cu:$(line_of "$reads"): reads"
    says out "1 hazard found"
done
expect 5 "$halfwarp" check "$textures" unmade
says out "handle: a kernel reads through a texture object that nobody has created"
says err "there is no texture object 0x4d"
for name in clean array_clean; do
    expect 0 "$halfwarp" check "$textures" $name
    [ "$(cat "$work/out")" = done ] || fail "textures, $name: $(cat "$work/out")"
done
finish
