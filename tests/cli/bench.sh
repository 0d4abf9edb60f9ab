# halfwarp bench: the table, the JSON, and what it refuses. Times are no test.
. "$(dirname "$0")/check.bash"

cat > "$work/cases" << 'END'
# group, dtype, shape, axes
peers f32 300,517 1,0
peers u8 33,65,17 2,0,1
   inplace c128 64,64 1,0
END
bench() {
    expect "$1" "$halfwarp" bench transpose --device cpu --seconds 0.001 "${@:2}"
}
bench 0 --cases "$work/cases" --no-peers -o "$work/bench.json"
silent err
says out "f32 (300,517) 1,0"
says out "c128 (64,64) 1,0 in place"
grep -Eq '^inplace +halfwarp +1 cases: worst' "$work/out" || fail "no summary of a group"
if command -v python3 > "$work/where"; then
    python3 - "$work/bench.json" << 'END' || fail "the JSON"
import json, sys
report = json.load(open(sys.argv[1]))
assert report["commit"] and report["compiler"] and report["machine"]["processors"] > 0
assert [case["dtype"] for case in report["cases"]] == ["f32", "u8", "c128"]
for case in report["cases"]:
    assert [result["who"] for result in case["results"]] == ["copy", "halfwarp"]
    for result in case["results"]:
        assert result["ms"]["minimum"] <= result["ms"]["median"] <= result["ms"]["maximum"]
        assert result["ms"]["samples"] >= 5 and result["gbs"] > 0 and result["share"] > 0
END
    # With its peers: what is not installed is named once.
    bench 0 --cases "$work/cases" --only u8
    says out "not measured: cublas: cuBLAS is for GPUs"
    bench 0 --cases "$work/cases" --only u8 --format json
    python3 -c 'import json, sys; assert len(json.load(sys.stdin)["peers"]) == 3' < "$work/out" || fail "JSON on stdout"
fi
bench 0 --cases "$work/cases" --only u8 --python "$work/no-python"
says out "not measured: numpy: no Python can be started"

bench 2 --cases "$work/absent"
says err "absent"
bench 2 --cases "$work/cases" --only nothing
says err "no case"
bench 2 --cases "$work/cases" -o "$work/no/such.json" --no-peers
says err "no/such.json"
silent out
for line in "peers f32 300,517" "peers f33 3,5 1,0" "peers f32 3,5 1,1" "peers f32 3,5 0,2" "peers f32 3,-5 1,0" \
    "peers f32 3,5 1,0 more" "peers f32 3,5,7 1,0" "peers f32 0,5 1,0" "peers f32 1,1,1,1,1,1,1,1,1 8,7,6,5,4,3,2,1,0" \
    "peers f32 999999999,999999999,999999999,999999999 3,2,1,0"; do
    echo "$line" > "$work/wrong"
    bench 2 --cases "$work/wrong" --no-peers
    says err "wrong:1: not a group"
done
expect 2 "$halfwarp" bench matmul2
says err "no family 'matmul2'"
for seconds in 0 -1 x "" nan; do
    expect 2 "$halfwarp" bench --seconds "$seconds"
    says err "--seconds takes"
done
expect 2 "$halfwarp" bench --format csv
says err "table or json"
expect 2 "$halfwarp" bench --device sim:h200 --no-peers
says err "measures time"
# Halfwarp's own cases are all well-formed.
bench 0 --only "f32 1000000,3 1,0" --no-peers
finish
