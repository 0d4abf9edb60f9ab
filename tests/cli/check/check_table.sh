# The table of docs/check.md that says which programs these tests run, and how, is theirs.
. "$(dirname "$0")/../check.bash"
command -v python3 > "$work/where" || exit 77
here=$(dirname "$0")
python3 "$here/check_table.py" "$here" "$here/../../../docs/check.md" > "$work/out" || fail "$(cat "$work/out")"
finish
