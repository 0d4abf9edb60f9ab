# doctor: what is there and what is not, and an exit status that says whether programs can be run.
. "$(dirname "$0")/../check.bash"

expect 0 "$halfwarp" doctor
says out "ok  runtime libraries:"
grep -qE '^  (ok|--)  (nvcc|clang): ' "$work/out" || fail "no compiler: $(cat "$work/out")"
says out "next: halfwarp profile PROG.cu"
# Without a compiler, and with a folder that cannot be made.
mkdir "$work/bin"
PATH=$work/bin expect 1 "$halfwarp" doctor
says out "--  nvcc: there is no nvcc"
says out "apt-get install clang"
says out "next: halfwarp ladder transpose"
touch "$work/file"
HALFWARP_CACHE=$work/file/cache expect 1 "$halfwarp" doctor
says out "!!  cache folder: $work/file/cache cannot be written"
HALFWARP_HIDE_NVCC=1 expect 0 "$halfwarp" doctor --format json
python3 - "$work/out" <<'PYTHON' || fail "JSON of doctor"
import json, sys
rows = {row["what"]: row for row in json.load(open(sys.argv[1]))["rows"]}
assert not rows["nvcc"]["is_there"] and not rows["ptxas"]["is_there"] and rows["clang"]["is_there"], rows
PYTHON
refuses_rows "$halfwarp" doctor <<'ROWS'
--format xml|--format is text or json
more|one word too many
ROWS
finish
