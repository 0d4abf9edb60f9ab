# check finds races between kernels that kernels launch and what has launched them, and between such launches, with both
# lines, and nothing where they are in order. clang has no launches within kernels.
about_nvcc=1
. "$(dirname "$0")/../check.bash"
command -v python3 > "$work/where" && command -v nvcc > "$work/where" || exit 77
here=$(dirname "$0")
source=$here/../../check/children.cu

# As in check_hazards.sh.
cat > "$work/table" << 'ROWS'
after_launch|race|launch|child_take
no_meeting|race|launch|child_take
other_lane|race|launch|child_clear
other_block|race|launch|child_take
read_after|race|launch|child_clear
grandchild|race|launch|child_clear
other_stream|race|siblings|
fire_and_forget|race|siblings|
blocks_streams|race|siblings|
cousins|race|siblings|
event|race|siblings|
streams_threads|race|siblings|
later_block|race|siblings|
ROWS

for compiler in nvcc; do
    for options in $(levels_of $compiler); do
        expect 0 $compiler $options -rdc=true -lineinfo -arch=sm_75 -o "$work/children" "$source"
        expect 0 "$halfwarp" check "$work/children"
        [ "$(cat "$work/out")" = done ] || fail "clean: $(head -c 3000 "$work/out")"
        expect 1 "$halfwarp" check --format json -o "$work/found.json" "$work/children" racy
        python3 "$here/check_hazards.py" "$work/table" "$work/found.json" "$here/../../check" || fail launches
    done
done
finish
