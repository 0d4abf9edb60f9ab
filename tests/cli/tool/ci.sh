# What builds and services run: halfwarp_add_test, the examples of examples/ci/ step by step on a change that breaks
# coalescing, and the hook for pre-commit.
. "$(dirname "$0")/../check.bash"

command -v git > "$work/where" || { echo "skipped: no git"; exit 77; }
PATH=$(cd "$(dirname "$halfwarp")" && pwd):$PATH
halfwarp=$(basename "$halfwarp")
root=$PWD
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b

# A project whose change turns rows and columns of what it stores. Always in the same folder, so that its programs are
# compiled once.
project=$HALFWARP_CACHE/ci-project
rm -rf "$project"
git init -q -b main "$project" && cd "$project" || exit 1
cat > prog.cu <<'CUDA'
__global__ void copy(float *out, const float *in) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * 64 + x] = in[y * 64 + x];
}
int main() {
    float *a, *b;
    cudaMalloc(&a, 64 * 64 * 4);
    cudaMalloc(&b, 64 * 64 * 4);
    cudaMemset(b, 0, 64 * 64 * 4);
    copy<<<dim3(2, 8), dim3(32, 8)>>>(a, b);
    return cudaDeviceSynchronize();
}
CUDA
cp "$root/examples/ci/budgets.toml" .
git add . && git commit -qm "in order" && git clone -q --bare . "$work/origin" || fail "a repository"
git remote add origin "$work/origin" && git fetch -q && git checkout -q -b change || fail "a branch"

# step NAME: the commands of that step of the workflow, as GitHub's shell runs them.
step() {
    "$root/tools/workflow_step.sh" "$1" > "$work/step.sh" || fail "the workflow has no step '$1'"
    GITHUB_BASE_REF=main GITHUB_STEP_SUMMARY=$work/summary.md bash -e "$work/step.sh"
}
expect 0 step "profile the change"
sed -i 's/out\[y \* 64 + x\]/out[x * 64 + y]/' prog.cu
git commit -qam "turned"
expect 1 step "profile the change"
says err "launch 0 of copy broke the budget 'gst_sectors_ratio > 2' of memory: gst_sectors_ratio is 8 and the limit 2"
says err "prog.cu:3 has 100% of it"
grep -q '"uri": "prog.cu"' budgets.sarif || fail "budgets.sarif: $(cat budgets.sarif)"
expect 0 step "what has changed"
grep -qE '^\| `copy` \|  \| gst_sectors_ratio \| 1\.0x \| 8\.0x \| \+700% \| worse \|$' "$work/summary.md" ||
    fail "the summary: $(cat "$work/summary.md")"
sed -n 's/^ *- halfwarp/halfwarp/p' "$root/examples/ci/gitlab.yml" > "$work/step.sh"
expect 1 bash -e "$work/step.sh"
grep -q '<failure message="launch 0 of copy broke' budgets.xml || fail "budgets.xml: $(cat budgets.xml)"

# What an editor's tasks look for in what they run is there: of this change, and of a program with hazards.
expect 1 "$halfwarp" profile --budgets budgets.toml prog.cu
cp "$work/err" "$work/broken"
expect 1 "$halfwarp" check "$root/examples/race.cu"
tasks=$root/examples/ci/vscode-tasks.json
python3 - "$tasks" "$work/out" "$work/broken" <<'PYTHON' || fail "an editor finds no problems"
import json, re, sys
tasks = json.load(open(sys.argv[1]))["tasks"]
hazards, budgets = [task["problemMatcher"]["pattern"] for task in tasks if task["problemMatcher"]]
lines = open(sys.argv[2]).read().split("\n")
found = [re.match(hazards[1]["regexp"], lines[i + 1]) for i, l in enumerate(lines) if re.match(hazards[0]["regexp"], l)]
assert len(found) == 3 and all(f and f[1].endswith("race.cu") for f in found), found
broken = [re.match(budgets["regexp"], l) for l in open(sys.argv[3])]
assert any(b and b[2].endswith("prog.cu") and b[3] == "3" for b in broken), open(sys.argv[3]).read()
PYTHON

# pre-commit looks for the hook's script beside the hook, and gives the files behind its words.
grep -q '^  language: script$' "$root/.pre-commit-hooks.yaml" || fail "a hook that is nowhere to be found"
expect 0 "$root/tools/each_program.sh" check prog.cu
expect 1 "$root/tools/each_program.sh" profile --budgets budgets.toml prog.cu prog.cu
[ "$(grep -c 'broke the budget' "$work/err")" = 2 ] || fail "each program: $(cat "$work/err")"

command -v cmake > "$work/where" || finish
cat > CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.18)
project(p LANGUAGES NONE)
enable_testing()
include($root/cmake/HalfwarpTest.cmake)
add_executable(prog IMPORTED)
set_target_properties(prog PROPERTIES IMPORTED_LOCATION \${CMAKE_SOURCE_DIR}/prog.cu)
halfwarp_add_test(prog BUDGETS "inst > 1000000" CHECK ARGS 1)
halfwarp_add_test(prog NAME tight GPU t4 BUDGETS \${CMAKE_SOURCE_DIR}/budgets.toml "regs > 255")
CMAKE
expect 0 cmake -S . -B build
expect 8 ctest --test-dir build --output-on-failure
grep -qE 'halfwarp\.prog \.+ +Passed' "$work/out" || fail "$(cat "$work/out")"
grep -qE "broke the budget 'gst_sectors_ratio > 2'" "$work/out" || fail "$(cat "$work/out")"
finish
