# halfwarp bench: the table, the JSON, and what it refuses. Times are no test.
. "$(dirname "$0")/../check.bash"

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
assert "ptx_by" in report and report["ptx_by"] is None   # the processors need no kernels
assert [case["dtype"] for case in report["cases"]] == ["f32", "u8", "c128"]
for case in report["cases"]:
    assert [result["who"] for result in case["results"]] == ["copy", "halfwarp"]
    assert all(result["called"] == "C loop" for result in case["results"])
    for result in case["results"]:
        assert result["ms"]["minimum"] <= result["ms"]["median"] <= result["ms"]["maximum"]
        assert result["ms"]["samples"] >= 5 and result["gbs"] > 0 and result["share"] > 0
END
    # With its peers: what is not installed is named once.
    bench 0 --cases "$work/cases" --only u8
    says out "not measured: cublas: cuBLAS is for GPUs"
    bench 0 --cases "$work/cases" --only u8 --format json
    python3 -c '
import json, sys
report = json.load(sys.stdin)
assert len(report["peers"]) == 3
for result in report["cases"][0]["results"][2:]:   # what peers of the processors there are is called a call at a time
    assert ("problem" in result) != (result.get("called") == "Python"), result' < "$work/out" || fail "JSON on stdout"
fi
bench 0 --cases "$work/cases" --only u8 --python "$work/no-python"
says out "not measured: numpy: no Python can be started"

# A peer that says how it was called: the JSON has it, and the table what a call from Python is.
cat > "$work/peer" << 'END'
#!/bin/sh
echo '{"peer": "other", "version": "1"}'
while read -r line; do echo '{"ns": [5000, 5000, 6000], "called": "Python", "error": null}'; done
END
chmod +x "$work/peer"
bench 0 --cases "$work/cases" --only u8 --python "$work/peer" -o "$work/bench.json"
says out "called from Python, which takes some microseconds: numpy in 1 cases"
[ "$(grep -c '"called": "Python"' "$work/bench.json")" = 3 ] || fail "three peers: $(grep called "$work/bench.json")"

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

# The other families: every operation is verified, and the JSON has what it was measured in.
cat > "$work/reduce" << 'END'
a f32 sum 300000 all
a i8 sum 300000 all
a u8 mean 1000,300 0
a f16 sum 300000 all
a f32 argmin 100,300 1
a f64 argmax 100,30,40 0,2
a bf16 max 300000 all
a f32 norm 300000 all
a f32 sum+exact 300000 all
a f64 sum+exact 100,300 1
gpu f32 sum 1073741824 all
END
cat > "$work/nearest" << 'END'
brute f32 uniform 1000,3 1 own brute
search f32 clustered 2000,3 4 own auto
search f64 duplicates 1000,2 3 100 search
search f32 line 500,3 2 own auto
search f32 outlier 500,16 2 own auto
END
cat > "$work/matmul" << 'END'
a f32 fp32 65,70,31 nn
a f32 own 65,70,31 tt
a f64 fp64 3,20,30,40 nt
a f32 fp32 1,1,1 tn
a i8 own 65,70,31 nt
a i64 own 3,20,30,40 tn
END
for family in reduce nearest matmul; do
    expect 0 "$halfwarp" bench $family --device cpu --seconds 0.001 --cases "$work/$family" --no-peers -o "$work/b.json"
    silent err
    for line in "a more" "a f32 sum 5,5" "a x99 y 5 z 1 2 3 4 5 6 7 8"; do
        echo "$line" > "$work/wrong"
        expect 2 "$halfwarp" bench $family --device cpu --cases "$work/wrong"
        says err "wrong:1: not a group"
    done
    command -v python3 > "$work/where" || continue
    python3 - "$work/b.json" $family << 'END' || fail "the JSON of $family"
import json, sys
report, family = json.load(open(sys.argv[1])), sys.argv[2]
assert report["family"] == family and len(report["cases"]) == {"reduce": 10, "nearest": 5, "matmul": 6}[family]
for case in report["cases"]:
    limit, own = {"reduce": case["results"], "nearest": [None] + case["results"],
                  "matmul": [None] + case["results"]}[family]
    assert own["who"] == "halfwarp" and own["ms"]["median"] > 0, case
    assert limit is None or (limit["who"] == "read" and own["share"] > 0), case
    assert own[{"reduce": "gbs", "matmul": "tflops",
                "nearest": "gpairs" if case["group"] == "brute" else "mqueries"}[family]] > 0
    assert family != "matmul" or 0 <= own["error"] < 1e-5 and (own["error"] == 0 or case["dtype"][0] == "f")
END
    expect 0 "$halfwarp" bench $family --device cpu --seconds 0.001 --cases "$work/$family"
    ! grep -q wrong "$work/out" || fail "a peer of $family: $(cat "$work/out")"
done
expect 0 "$halfwarp" bench reduce --device cpu --seconds 0.001 --cases "$work/reduce" --no-peers
says out "1 cases for GPUs alone"
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
expect 0 "$halfwarp" bench matmul --device cpu --seconds 0.001 --no-peers --only "1000,32,32,32"
expect 0 "$halfwarp" bench reduce --device cpu --seconds 0.001 --no-peers --only "sum 65536 all"
expect 0 "$halfwarp" bench nearest --device cpu --seconds 0.001 --no-peers --only "uniform 100000,3 1 own auto"
finish
