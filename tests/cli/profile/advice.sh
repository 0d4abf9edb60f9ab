# Advice: each rule has a kernel that triggers it and one that does not (tests/data/advice.cu; larger-tiles and
# partition-camping: unit.advice), and rungs of ladders are told what the next ones do.
. "$(dirname "$0")/../check.bash"

expect 0 "$halfwarp" profile --advice --format json -o "$work/advice.json" tests/data/advice.cu
python3 - "$work/advice.json" <<'PYTHON' || fail "advice"
import json, sys
profile = json.load(open(sys.argv[1]))
given = {(a["kernel"].split("(")[0], a["rule"]): a for a in profile["advice"]}
# Rule, the kernel that has the problem, the one that has it not.
pairs = [("uncoalesced-stores", "stores_bad", "stores_good"), ("uncoalesced-loads", "loads_bad", "loads_good"),
         ("bank-conflicts", "banks_bad", "banks_good"), ("divergence", "divergence_bad", "divergence_good"),
         ("tile-in-shared-memory", "reuse_bad", "reuse_good"), ("more-for-each-thread", "more_bad", "more_good"),
         ("words-of-16-bytes", "words_bad", "words_good"), ("barriers", "barriers_bad", "barriers_good"),
         ("loop-overhead", "loops_bad", "loops_good"), ("smaller-blocks", "blocks_bad", "banks_good"),
         ("occupancy", "occupancy_bad", "occupancy_good"), ("few-blocks", "grid_bad", "grid_good"),
         ("local-memory", "local_bad", "local_good"), ("atomics", "atomics_bad", "atomics_good"),
         ("launches", "launches_bad", "launches_good"), ("results-in-registers", "reuse_good", "banks_good"),
         ("copy-ahead", "reuse_good", "banks_good"), ("words-of-16-bytes", "words_bad", "stencil"),
         ("results-in-registers", "reuse_good", "bins"), ("copy-ahead", "reuse_good", "bins"),
         ("loop-overhead", "loops_bad", "loops_apart"), ("few-blocks", "grid_bad", "grid_whole")]
for rule, bad, good in pairs:
    assert (bad, rule) in given, f"{bad} is not told of {rule}: {[k for k in given if k[0] == bad]}"
    assert (good, rule) not in given, f"{good} is told of {rule}: {given[good, rule]}"
for a in profile["advice"]:
    assert a["est_us_after"] <= 0.97 * a["est_us_before"] + 0.001, a
# The same work without the problem takes what was foretold, where nothing else differs.
times = {l["kernel"].split("(")[0]: l["est_us"] for l in profile["launches"]}
for rule, bad, good in pairs[:3] + [pairs[10]]:
    told = given[bad, rule]["est_us_after"]
    assert abs(told - times[good]) < 0.1 * times[good], (rule, told, times[good])
stores = given["stores_bad", "uncoalesced-stores"]
text = open("tests/data/advice.cu").read().splitlines()[stores["line"] - 1]
assert "out[x * SIDE + y]" in text and "kernels" not in profile, text
PYTHON
expect 0 "$halfwarp" profile --advice examples/transpose.cu
says out "shared memory takes 16.5 passes"
says out "transpose.cu:37"
says out "pad the rows of the shared array"
refuses_rows "$halfwarp" profile <<'ROWS'
--advice --format csv x.cu|--advice has no place in CSV
ROWS

# A rung, and what it is told, which is what the next one does.
expect 0 "$halfwarp" ladder transpose --gpu h200 --size 1024x1024 --advice
while read -r rung rule; do
    grep -qE "^ +$rung +[0-9.]+ +$rule " "$work/out" || fail "$rung is not told of $rule: $(cat "$work/out")"
done <<'ROWS'
read_rows uncoalesced-stores
read_cols uncoalesced-loads
tile bank-conflicts
any_block bank-conflicts
pad more-for-each-thread
ROWS
finish
