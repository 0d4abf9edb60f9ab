# profile's budgets: exit status 1 and a sentence for each that a kernel breaks, JUnit XML and SARIF.
. "$(dirname "$0")/../check.bash"

cat > "$work/budgets.toml" <<'TOML'
fail-if = "spill_bytes > 0"
[tiles]
fail-if = ['kernel =~ /tile/ and bank_passes > 1.1']
TOML
profile() { "$halfwarp" profile "$@" examples/transpose.cu 64; }
expect 0 profile --fail-if 'est_us > 1000'
silent err
grep -q transpose.cu "$work/out" && fail "lines that nobody asked for: $(cat "$work/out")"
expect 1 profile --budgets "$work/budgets.toml" --fail-if 'gst_sectors_ratio > 2' --junit "$work/j.xml" \
    --sarif "$work/s.sarif"
[ "$(wc -l < "$work/err")" = 2 ] || fail "not two sentences: $(cat "$work/err")"
says err "launch 1 of transpose_tiled broke the budget 'kernel =~ /tile/ and bank_passes > 1.1' of tiles: bank_pass"
says err "transpose.cu:37 has 100% of it"
says err "launch 0 of transpose_naive broke the budget 'gst_sectors_ratio > 2': gst_sectors_ratio is 8 and the limit 2"
python3 - "$work" <<'PYTHON' || fail "JUnit or SARIF"
import json, sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1] + "/j.xml").getroot()[0]
assert (suite.get("tests"), suite.get("failures")) == ("9", "2"), suite.attrib
broken = [c for c in suite if len(c)]
assert broken[0].get("classname") == "transpose_tiled" and broken[0].get("line") == "37", broken[0].attrib
run = json.load(open(sys.argv[1] + "/s.sarif"))["runs"][0]
assert [r["id"] for r in run["tool"]["driver"]["rules"]] == ["spill_bytes > 0", "tiles", "gst_sectors_ratio > 2"]
place = run["results"][0]["locations"][0]["physicalLocation"]
assert place["artifactLocation"]["uri"] == "examples/transpose.cu" and place["region"]["startLine"] == 37, place
PYTHON
# Without budgets: what each line counts, and advice.
expect 0 profile --sarif "$work/s.sarif"
grep -q transpose.cu: "$work/out" && fail "lines that nobody asked for: $(cat "$work/out")"
python3 - "$work" <<'PYTHON' || fail "notes at lines"
import json, sys
results = json.load(open(sys.argv[1] + "/s.sarif"))["runs"][0]["results"]
at = lambda r: r["locations"][0]["physicalLocation"]["region"]["startLine"]
store = [r["message"]["text"] for r in results if r["level"] == "note" and at(r) == 21]
assert len(store) == 1 and store[0].startswith("transpose_naive: ") and "32.0 / 4.0 sectors/store" in store[0], store
assert "est. us 0." in store[0] and store[0].endswith(" for memory"), store
tiled = [r["message"]["text"] for r in results if r["level"] == "note" and at(r) == 37]
assert len(tiled) == 2 and "32.0x bank passes" in tiled[0] and "1.0x bank passes" in tiled[1], tiled
advice = [(r["ruleId"], at(r)) for r in results if r["level"] == "warning"]
assert ("bank-conflicts", 37) in advice, advice
PYTHON
# A broken budget is more than the program's own status, and less than a fault.
cat > "$work/fails.cu" <<'CUDA'
#include <cstdlib>
__global__ void touch(int *p) { *p = 1; }
int main(int argc, char **argv) {
    int *p;
    cudaMalloc(&p, 4);
    touch<<<1, 1>>>(argc > 2 ? nullptr : p);
    cudaDeviceSynchronize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
CUDA
expect 1 "$halfwarp" profile --fail-if 'inst > 0' "$work/fails.cu" 7
expect 7 "$halfwarp" profile --fail-if 'inst > 1000' "$work/fails.cu" 7
expect 5 "$halfwarp" profile --fail-if 'inst >= 0' "$work/fails.cu" 7 fault
refuses_rows "$halfwarp" profile <<'ROWS'
--fail-if 'foo > 1' x.cu|--fail-if: 'foo > 1' has 'foo' where a number, or a column
--fail-if 'bank_pases > 1' x.cu|there is no column 'bank_pases' of a launch; did you mean 'bank_passes'?
--fail-if 'est_stall_us > 1' x.cu|where a number, or a column of a launch
--budgets "$work/none.toml" x.cu|cannot read
--budgets examples/transpose.cu x.cu|transpose.cu:1: budgets have one key
--junit "$work/j.xml" x.cu|--junit is for the verdicts on budgets
--fail-if 'regs > 1' --sarif "$work" x.cu|cannot write
ROWS
expect 2 "$halfwarp" run --fail-if 'regs > 1' x.cu
says err "--fail-if is an option of \`halfwarp profile\`"
finish
