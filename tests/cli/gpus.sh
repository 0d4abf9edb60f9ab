# The list of GPUs.
. "$(dirname "$0")/check.bash"

expect 0 "$halfwarp" gpus
silent err
says out "h200"
grep -Eq '^h200 +9\.0 +132 ' "$work/out" || fail "h200's row: $(grep h200 "$work/out")"
while read -r gpu _; do
    [ "$gpu" = gpu ] || "$halfwarp" run --gpu "$gpu" /nonexistent 2>&1 | grep -q nonexistent ||
        fail "--gpu does not know $gpu"
done < "$work/out"
finish
