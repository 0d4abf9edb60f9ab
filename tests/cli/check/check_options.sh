# check's options, formats, suppressions and exit statuses, with one program that does as it is told.
. "$(dirname "$0")/../check.bash"

cat > "$work/told.cu" << 'CUDA'
#include <cstdio>
#include <cstdlib>
#include <cstring>

__device__ int variable[32];

__global__ void race(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;             // first
    out[threadIdx.x] = s[63 - threadIdx.x];   // second
}
__global__ void lanes(int *out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void barrier(int *out) {
    if (threadIdx.x < 32) __syncthreads();    // one place
    else {
        out[threadIdx.x] = 1;
        __syncthreads();                      // another place
    }
}
__global__ void fine(int *out) { out[threadIdx.x] = variable[threadIdx.x % 32]; }
__global__ void past(int *out) { out[1 << 28] = 1; }
__global__ void trap() { asm volatile("trap;"); }
__global__ void endless(int *out) {
    while (((volatile int *)out)[64] != 1) {
        out[threadIdx.x / 2]++;    // endless
        __syncthreads();
    }
}
// In a kernel of its own line, which its author knows of.
__global__ void known(int *out) {
    out[0] = threadIdx.x;   // halfwarp-check: allow race
}
__global__ void known_above(int *out) {
    // halfwarp-check: allow race
    out[0] = threadIdx.x;
}
__global__ void other_kind(int *out) {
    out[0] = threadIdx.x;   // halfwarp-check: allow barrier
}
// Functions in functions, which are inlined.
__device__ __forceinline__ void put(int *to) { *to += 1; }              // inner
__device__ __forceinline__ void put_twice(int *to) {
    put(to);                                                            // middle
    put(to + 1);
}
__global__ void inlined(int *out) { put_twice(out); }                   // outer
__global__ void inlined_too(int *out) {
    put_twice(out);   // halfwarp-check: allow race
}

int main(int argc, char **argv) {
    int *out, status = 0;
    cudaMalloc(&out, 4096);
    cudaMemset(out, 0, 4096);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "race")) race<<<1, 64>>>(out);
        if (!strcmp(argv[i], "lanes")) lanes<<<1, 32>>>(out);
        if (!strcmp(argv[i], "barrier")) barrier<<<1, 64>>>(out);
        if (!strcmp(argv[i], "fine")) fine<<<1, 64>>>(out);
        if (!strcmp(argv[i], "past")) past<<<1, 1>>>(out);
        if (!strcmp(argv[i], "trap")) trap<<<1, 1>>>();
        if (!strcmp(argv[i], "endless")) endless<<<1, 2>>>(out);
        if (!strcmp(argv[i], "known")) known<<<1, 64>>>(out);
        if (!strcmp(argv[i], "known_above")) known_above<<<1, 64>>>(out);
        if (!strcmp(argv[i], "other_kind")) other_kind<<<1, 64>>>(out);
        if (!strcmp(argv[i], "inlined")) inlined<<<1, 64>>>(out);
        if (!strcmp(argv[i], "inlined_too")) inlined_too<<<1, 64>>>(out);
        if (!strcmp(argv[i], "leak")) for (int k = atoi(argv[i + 1]); k > 0; k--) cudaMalloc(&out, 1000);
        if (!strcmp(argv[i], "reset")) cudaDeviceReset();
        if (!strcmp(argv[i], "free")) cudaFree(out);
        if (!strcmp(argv[i], "exit")) status = atoi(argv[i + 1]);
        cudaDeviceSynchronize();
    }
    puts("its own output");
    return status;
}
CUDA
check() { "$halfwarp" check "$@"; }
line_of() { grep -n "$1" "$work/told.cu" | head -1 | cut -d: -f1; }
first=$(line_of '// first') second=$(line_of '// second')
# What the program prints, and nothing else.
prints_only() {
    [ "$(cat "$work/out")" = "its own output" ] || fail "more than the program's output: $(head -c 600 "$work/out")"
    silent err
}

# ---- exit statuses --------------------------------------------------------------------------------------------------

"$halfwarp" run "$work/told.cu" fine > "$work/where" 2>&1 || exit 77
expect 0 check "$work/told.cu"
prints_only
expect 0 check "$work/told.cu" fine
prints_only
expect 7 check "$work/told.cu" fine exit 7
prints_only
expect 1 check "$work/told.cu" race
expect 1 check "$work/told.cu" race exit 7
expect 5 "$halfwarp" run "$work/told.cu" past
expect 1 check "$work/told.cu" past
expect 1 check "$work/told.cu" past exit 7
expect 5 check "$work/told.cu" trap
expect 5 check "$work/told.cu" race trap
says out "race: threads of one block"
# A launch that is ended has its counts; what the program would have freed is no leak.
expect 124 check --leaks --timeout 2 "$work/told.cu" endless
says out "told.cu:$(line_of '// endless'): writes"
says out "times)"
grep -q leak: "$work/out" && fail "a program that was ended leaks: $(cat "$work/out")"

refuses_rows check << 'ROWS'
|Usage: halfwarp check
--format xml "$work/told.cu"|format
--format csv "$work/told.cu"|csv
--nonsense "$work/told.cu"|--nonsense
--suppress "$work/missing" "$work/told.cu" race|missing
-o "$work/no/such/folder" "$work/told.cu"|folder
--lines "$work/told.cu"|--lines
--schedule 0 "$work/told.cu"|--schedule
--schedule many "$work/told.cu"|--schedule
ROWS
expect 2 "$halfwarp" run --leaks "$work/told.cu"
says err "halfwarp check"
expect 2 check /bin/true
says err "nothing was checked"

# ---- text -----------------------------------------------------------------------------------------------------------

expect 1 check "$work/told.cu" race
says out "its own output"
says out "race: threads of one block access the same bytes of shared memory without an order between them"
says out "told.cu:$first: writes 4 bytes: thread ("
says out "told.cu:$second: reads 4 bytes: thread ("
says out "    s[threadIdx.x] = threadIdx.x;             // first"
says out "__syncthreads() between lines $(line_of '// first') and $(line_of '// second') gives one"
says out "1 hazard found"
expect 1 check "$work/told.cu" race race race lanes
says out "2 hazards found"
says out "(192 times)"
says out "in lanes(int*)"
expect 1 check "$work/told.cu" barrier
says out "barrier: threads of one block wait for each other at two barriers of the source"
says out "told.cu:$(line_of 'one place'): waits"
says out "told.cu:$(line_of 'another place'): waits"
expect 1 check -o "$work/report" "$work/told.cu" race
prints_only
grep -q "1 hazard found" "$work/report" || fail "-o: $(cat "$work/report")"
expect 0 check -o "$work/report" "$work/told.cu" fine
[ ! -s "$work/report" ] || fail "-o of a clean program: $(cat "$work/report")"

# What a line reads and writes is one finding; inlined functions are followed to the kernel where the compiler tells.
has_chains() { command -v nvcc > "$work/where"; }
expect 1 check "$work/told.cu" inlined
says out "told.cu:$(line_of '// inner'): reads and writes 4 bytes: thread ("
says out "1 hazard found"
if has_chains; then
    says out "    inlined at $work/told.cu:$(line_of '// middle') in put_twice(int*)"
    says out "    inlined at $work/told.cu:$(line_of '// outer') in inlined(int*)"
fi

# A warp's step was an order before compute capability 7.0, which is told as a note, and is none for warps with each
# other.
if "$halfwarp" gpus | grep -q p100; then
    expect 0 check --gpu p100 "$work/told.cu" lanes
    says out "step: lanes of one warp access the same bytes of shared memory, in order by the warp's step alone"
    says out "1 note, no hazards found"
    expect 1 check --gpu p100 "$work/told.cu" race
fi

# Many of a kind: some are shown, all are counted, and none of another kind goes under.
{
    echo '__global__ void many(int *out) {'
    for i in $(seq 60); do echo "    out[$i] = threadIdx.x;"; done
    echo '}'
    echo 'int main() { int *p; cudaMalloc(&p, 400); many<<<1, 64>>>(p); cudaFree(p); cudaFree(p); }'
} > "$work/many.cu"
expect 1 check "$work/many.cu"
says out "61 hazards found: 60 race (50 shown), 1 free"
says out "free: memory is freed for the second time"
[ "$(grep -c '^race:' "$work/out")" = 50 ] || fail "races shown: $(grep -c '^race:' "$work/out")"
expect 1 check --max-findings 2 "$work/many.cu"
says out "61 hazards found: 60 race (2 shown), 1 free"
[ "$(grep -c '^race:' "$work/out")" = 2 ] || fail "--max-findings 2: $(grep -c '^race:' "$work/out")"
expect 1 check --max-findings 60 "$work/many.cu"
says out "61 hazards found: 60 race, 1 free"
expect 1 check --max-findings 1 --format json "$work/many.cu"
[ "$(grep -c '"kind": "race"' "$work/out")" = 60 ] || fail "JSON lacks findings"
expect 2 check --max-findings many "$work/many.cu"
refuses "--max-findings takes a number"

# ---- JSON and SARIF -------------------------------------------------------------------------------------------------

if command -v python3 > "$work/where"; then
    expect 1 check --format json -o "$work/r.json" "$work/told.cu" race barrier
    prints_only
    python3 - "$work/r.json" "$first" "$second" << 'PYTHON' || fail "JSON: $(head -c 2000 "$work/r.json")"
import json, sys
report = json.load(open(sys.argv[1]))
race, barrier = report["findings"]
assert report["suppressed"] == 0
assert race["kind"] == "race" and race["count"] == 64 and race["space"] == "shared", race
assert race["sentence"] and race["remedy"] and 0 <= race["address"] < 256
assert [side["line"] for side in race["sides"]] == [int(line) for line in sys.argv[2:]]
for side in race["sides"]:
    assert side["file"].endswith("told.cu") and side["kernel"] == "race(int*)" and side["launch"] == 1
    assert side["bytes"] == 4 and side["block"] == [0, 0, 0] and len(side["thread"]) == 3
assert race["sides"][0]["thread"][0] == 63 - race["sides"][1]["thread"][0]
assert barrier["kind"] == "barrier" and len(barrier["sides"]) == 2
PYTHON
    expect 1 check --format sarif --leaks -o "$work/r.sarif" "$work/told.cu" race
    sed -n 's/^KIND([A-Z]*, "\([a-z-]*\)".*/\1/p' src/check/kinds.def > "$work/kinds"
    python3 - "$work/r.sarif" "$first" "$second" "$work/kinds" << 'PYTHON' || fail "SARIF: $(cat "$work/r.sarif")"
import json, sys
log = json.load(open(sys.argv[1]))
assert log["version"] == "2.1.0" and log["$schema"].endswith(".json")
(run,) = log["runs"]
driver = run["tool"]["driver"]
rules = [rule["id"] for rule in driver["rules"]]
assert driver["name"] == "halfwarp check" and rules == open(sys.argv[4]).read().split(), rules
assert all(rule["shortDescription"]["text"] for rule in driver["rules"])
race, leak = run["results"]
assert race["ruleId"] == "race" and race["level"] == "error" and race["message"]["text"]
assert race["occurrenceCount"] == 64
def place(location):
    physical = location["physicalLocation"]
    assert physical["artifactLocation"]["uri"].endswith("told.cu") and location["message"]["text"]
    return physical["region"]["startLine"]
assert place(race["locations"][0]) == int(sys.argv[3])
assert place(race["relatedLocations"][0]) == int(sys.argv[2])
assert leak["ruleId"] == "leak" and len(leak["locations"]) == 1
PYTHON
    middle=$(line_of '// middle') outer=$(line_of '// outer')
    expect 1 check --format json -o "$work/r.json" "$work/told.cu" inlined
    expect 1 check --format sarif -o "$work/r.sarif" "$work/told.cu" inlined
    has_chains && python3 - "$work/r.json" "$work/r.sarif" $middle $outer << 'PYTHON' > "$work/chains" 2>&1
import json, sys
(finding,) = json.load(open(sys.argv[1]))["findings"]
wanted = [int(line) for line in sys.argv[3:]]
for side in finding["sides"]:
    assert [at["line"] for at in side["inlined_at"]] == wanted, side
    assert [at["function"] for at in side["inlined_at"]] == ["put_twice(int*)", "inlined(int*)"]
(result,) = json.load(open(sys.argv[2]))["runs"][0]["results"]
def lines(locations):
    return [location["physicalLocation"]["region"]["startLine"] for location in locations]
for stack in result["stacks"]:
    assert lines(frame["location"] for frame in stack["frames"])[1:] == wanted
assert lines(result["relatedLocations"])[1:] == 2 * wanted, result
PYTHON
    [ ! -s "$work/chains" ] || fail "chains: $(cat "$work/chains" "$work/r.sarif")"
    for format in json sarif; do
        expect 0 check --format $format -o "$work/empty" "$work/told.cu" fine
        prints_only
        python3 -m json.tool "$work/empty" > "$work/where" || fail "$format of no findings: $(cat "$work/empty")"
    done
fi

# ---- leaks ----------------------------------------------------------------------------------------------------------

expect 0 check "$work/told.cu" leak 1
prints_only
expect 1 check --leaks "$work/told.cu" fine
says out "leak: 4096 bytes of device memory are still allocated at the end"
says out "told.cu:$(line_of 'cudaMalloc(&out, 4096)')"
says out "cudaFree() gives it back"
says out "1 hazard found"
expect 0 check --leaks "$work/told.cu" fine free
prints_only
expect 0 check --leaks "$work/told.cu" fine reset
prints_only
# Those of one line are one, with all of their bytes.
expect 1 check --leaks "$work/told.cu" free leak 3
says out "leak: 3000 bytes of device memory are still allocated at the end (3 times)"
says out "1 hazard found"

# ---- other orders ---------------------------------------------------------------------------------------------------

cat > "$work/orders.cu" << 'CUDA'
#include <cstdio>
#include <cstdlib>
// A warp that is the second to come, and finds the first one still at work, does what nobody else does.
__global__ void visit(int *lock, int *out, int act) {
    if (threadIdx.x % 32 != 0) return;
    if (atomicCAS(lock, 0, 1) == 0) {
        __threadfence();
        out[0]++;
        __threadfence();
        atomicExch(lock, 0);
    } else if (act == 0) {
        out[1]++;                        // in some orders
    } else if (act == 1) {
        __trap();
    } else {
        atomicAdd(out + 2, 1);
    }
}
int main(int, char **argv) {
    int *memory, refused, letter = getchar();
    cudaMalloc(&memory, 16);
    cudaMemset(memory, 0, 16);
    visit<<<8, 256>>>(memory, memory + 1, atoi(argv[1]));
    cudaMemcpy(&refused, memory + 3, sizeof refused, cudaMemcpyDeviceToHost);
    printf("its own output, %c\n", letter);
    return letter != 'x' ? 8 : refused != 0 ? 9 : 0;
}
CUDA
printf x > "$work/letter"
orders() { "$halfwarp" check "$@" < "$work/letter"; }
expect 0 orders "$work/orders.cu" 0
expect 1 orders --schedule 6 "$work/orders.cu" 0
[ "$(grep -c "its own output, x" "$work/out")" = 1 ] || fail "the output of other orders: $(cat "$work/out")"
silent err
says out "orders.cu:$(grep -n 'in some orders' "$work/orders.cu" | cut -d: -f1): writes 4 bytes"
seed=$(sed -n 's/^  found with --seed //p' "$work/out" | head -1)
cp "$work/out" "$work/once"
expect 1 orders --schedule 6 "$work/orders.cu" 0
cmp -s "$work/out" "$work/once" || fail "two runs of the same orders differ: $(diff "$work/out" "$work/once")"
expect 1 orders --seed "$seed" "$work/orders.cu" 0
says out "in some orders"
# A status that another order ends with is told; what halfwarp says itself wins.
expect 5 orders --schedule 6 "$work/orders.cu" 1
says err "with --seed $seed the program ends with status 5, and not with 0: halfwarp check --seed $seed shows how"
expect 0 orders --schedule 6 "$work/orders.cu" 2
says err "with --seed $seed the program ends with status 9, and not with 0"
# What cannot be read twice is empty in the other orders.
expect 0 eval 'printf x | check --schedule 1 "$work/orders.cu" 2'
says err "with --seed 1 the program ends with status 8, and not with 0"

# ---- suppressions ---------------------------------------------------------------------------------------------------

# suppress 0|1 LINES: the status of `race lanes barrier` with these lines.
suppress() {
    printf '%s\n' "${@:2}" > "$work/list"
    expect "$1" check --suppress "$work/list" "$work/told.cu" race lanes barrier
}
suppress 1 '# nothing'
says out "3 hazards found"
suppress 1 'race told.cu:*'
says out "1 hazard found, 2 suppressed"
suppress 1 "race   told.cu:$second  # the tile"
says out "2 hazards found, 1 suppressed"
suppress 1 'barrier race(int[*])' 'leak *'
says out "3 hazards found"
suppress 1 'race lanes(*' '' 'barrier barrier(*'
says out "1 hazard found, 2 suppressed"
suppress 0 '* told.cu:*'
prints_only
suppress 1 '* other.cu:*'
says out "3 hazards found"
# A line that is none is wrong usage, before the program runs.
for wrong in 'race' 'races told.cu:*' 'told.cu:8'; do
    suppress 2 "$wrong"
    refuses "list:1: a line is a kind of finding"
done
suppress 1 $'* \xff*' 'race told.cu:*'
says out "1 hazard found, 2 suppressed"
# The kinds of their table are named: by that complaint, the help and the manual.
suppress 2 nothing
"$halfwarp" check --help > "$work/help"
while read -r kind; do
    grep -qE "[( ]$kind[ ,]" "$work/err" || fail "the complaint has no $kind: $(cat "$work/err")"
    grep -q "^  $kind\$" "$work/help" || fail "check --help has no $kind"
    grep -q "^.It Cm $kind\$" man/halfwarp-check.1 || fail "man/halfwarp-check.1 has no $kind"
done < <(sed -n 's/^KIND([A-Z]*, "\([a-z-]*\)".*/\1/p' src/check/kinds.def)

# By any place at which the function of a side was inlined; elsewhere it is told.
suppress_inlined() {
    printf '%s\n' "$2" > "$work/list"
    expect "$1" check --suppress "$work/list" "$work/told.cu" inlined
}
suppress_inlined 0 "race told.cu:$(line_of '// inner')"
if has_chains; then
    suppress_inlined 0 "race told.cu:$(line_of '// outer')"
    suppress_inlined 1 "race told.cu:$(line_of '// middle')"
    says out "told.cu:$(($(line_of '// middle') + 1)) in put_twice(int*)"
    expect 0 check "$work/told.cu" inlined_too
    prints_only
fi

# In the source: a comment in the line of either side, or above it; for its own kind.
expect 0 check "$work/told.cu" known known_above
prints_only
expect 1 check "$work/told.cu" other_kind
says out "1 hazard found"

# ---- long chains ----------------------------------------------------------------------------------------------------

# Blocks pass a flag on, each to the next: the last one knows what the first did, however many there are, and nothing of
# what another thread of that block did.
cat > "$work/chain.cu" << 'CUDA'
__global__ void pass(int *flags, int *out, int length, int writer) {
    if (threadIdx.x == writer && blockIdx.x == 0) *out = 1;
    if (threadIdx.x != 0) return;
    while (blockIdx.x && !atomicAdd(&flags[blockIdx.x], 0)) {}
    __threadfence();
    if (blockIdx.x == length) *out = 2;
    atomicExch(&flags[blockIdx.x + 1], 1);
}
int main(int argc, char **) {
    const int length = 4200, writer = argc > 1 ? 0 : 1;
    int *flags;
    cudaMalloc(&flags, 8000 * sizeof *flags);
    cudaMemset(flags, 0, 8000 * sizeof *flags);
    pass<<<length + 1, 2>>>(flags, flags + 7999, length, writer);
    return cudaDeviceSynchronize();
}
CUDA
expect 1 check "$work/chain.cu"
says out "1 hazard found"
silent err
expect 0 check "$work/chain.cu" ordered
silent out
silent err

# ---- names that are no ASCII ----------------------------------------------------------------------------------------

mkdir "$work/grün"
echo 'int main() { int *p; return cudaMalloc(&p, 400); }' > "$work/grün/leak.cu"
expect 1 check --leaks "$work/grün/leak.cu"
says out "grün/leak.cu:1: allocates"
if command -v python3 > "$work/where"; then
    expect 1 check --leaks --format sarif -o "$work/green.sarif" "$work/grün/leak.cu"
    grep -q '"uri": ".*/gr%C3%BCn/leak.cu"' "$work/green.sarif" || fail "URI: $(grep uri "$work/green.sarif")"
    python3 "$(dirname "$0")/check_sarif.py" "$work/green.sarif" "$work/r.sarif" || fail "no SARIF"
fi
finish
