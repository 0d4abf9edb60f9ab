# check names the places of threads that wait for each other for ever, at -O0, -O3 and -G by every compiler in
# sight, and of those that go round; and nothing where the order is right.
. "$(dirname "$0")/../check.bash"
command -v python3 > "$work/where" || exit 77
here=$(dirname "$0")
source=$here/../../check/stuck.cu

# finds KIND CASE [COMPILER OPTION]: the case has findings of that kind, whose lines are those that are marked.
finds() {
    printf '%s|%s||\n' "$2" "$1" > "$work/table.$2"
    python3 "$here/check_hazards.py" "$work/table.$2" "$work/found.$2" "$here/../../check" || fail "$2 ${*:3}"
}

routes=0
for compiler in clang nvcc; do
    command -v $compiler > "$work/where" || continue
    routes=$((routes + 1))
    for options in $(levels_of $compiler); do
        for name in too_few crossed half_warp shuffle_in_branch; do
            expect 5 "$halfwarp" check --compiler $compiler $options --format json -o "$work/found.$name" "$source" \
                $name
            says err "threads wait for each other for ever"
            finds deadlock $name $compiler $options
            expect 0 "$halfwarp" check --compiler $compiler $options "$source" $name clean
            [ "$(cat "$work/out")" = done ] || fail "$compiler $options $name, clean: $(cat "$work/out")"
        done
    done
done
[ $routes -gt 0 ] || exit 77

# Nothing has changed for three seconds: all at the same time.
rounds="no_flag kept_lock grid_of_some both_wait"
for name in $rounds; do
    "$halfwarp" check --timeout 100 --format json -o "$work/found.$name" "$source" $name \
        > "$work/out.$name" 2> "$work/err.$name" &
    eval "$name=$!"
done
for name in $rounds; do
    expect 0 "$halfwarp" check "$source" $name clean
    [ "$(cat "$work/out")" = done ] || fail "$name, clean: $(cat "$work/out")"
done
for name in $rounds; do
    eval "process=\$$name"
    until grep -q "has changed nothing for" "$work/err.$name" || ! kill -0 "$process" 2> "$work/where"; do
        sleep 0.2
    done
    kill "$process" 2> "$work/where"
    wait "$process"
    status=$?
    [ $status = 143 ] || fail "$name: status $status: $(cat "$work/err.$name")"
    finds livelock $name
done
finish
