# run --shards: which part it is, as K/N or as schedulers say, and how the program hears of it.
. "$(dirname "$0")/../check.bash"
# Whatever this test itself runs under.
unset ${!SLURM_*} ${!OMPI_*} ${!PMI_*} ${!CI_NODE_*} ${!CIRCLE_*} ${!BUILDKITE_*} ${!TEST_*} ${!GTEST_*}

# As GoogleTest and Bazel have it: parts count from 0, and who takes notice makes the file.
cat > "$work/cases" <<'END'
#!/bin/sh
[ "$1" = ignores ] || : > "$GTEST_SHARD_STATUS_FILE"
i=0
while [ $i -lt 7 ]; do
    [ $((i % GTEST_TOTAL_SHARDS)) = "$GTEST_SHARD_INDEX" ] && echo "case $i"
    i=$((i + 1))
done
[ "$TEST_TOTAL_SHARDS/$TEST_SHARD_INDEX" = "$GTEST_TOTAL_SHARDS/$GTEST_SHARD_INDEX" ] || echo "Bazel's differ"
[ "$TEST_SHARD_STATUS_FILE" = "$GTEST_SHARD_STATUS_FILE" ] || echo "Bazel's file differs"
echo "$HALFWARP_SHARD" >&2
END
chmod +x "$work/cases"
for k in 1 2 3; do
    expect 0 "$halfwarp" run --shards $k/3 "$work/cases"
    cat "$work/out" >> "$work/all"
    [ "$(cat "$work/err")" = $k/3 ] || fail "part $k of 3 heard: $(cat "$work/err")"
done
[ "$(sort "$work/all")" = "$(seq -f 'case %g' 0 6)" ] || fail "the parts together: $(cat "$work/all")"
expect 0 "$halfwarp" run --shards 2/3 "$work/cases" ignores
says err "cases has taken no notice of --shards 2/3, and has likely done all parts"
expect 0 "$halfwarp" run --shards 1/1 "$work/cases" ignores
[ "$(cat "$work/err")" = 1/1 ] || fail "one part alone: $(cat "$work/err")"
# What an outer halfwarp has told is not the inner one's.
HALFWARP_SHARD=5/6 expect 0 "$halfwarp" run sh -c 'echo "[$HALFWARP_SHARD]"'
says out "[]"

# ---- auto ------------------------------------------------------------------------------------------------------------

while IFS='|' read -r variables wanted; do
    # shellcheck disable=SC2086
    expect 0 env $variables "$halfwarp" run --shards auto "$work/cases"
    [ "$(cat "$work/err")" = "$wanted" ] || fail "$variables: $(cat "$work/err"), not $wanted"
done <<'ROWS'
SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_STEP=1|1/4
SLURM_ARRAY_TASK_ID=14 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_STEP=2|3/3
SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=4|3/4
OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=5|4/5
PMI_RANK=0 PMI_SIZE=2|1/2
CI_NODE_INDEX=2 CI_NODE_TOTAL=2|2/2
CIRCLE_NODE_INDEX=1 CIRCLE_NODE_TOTAL=2|2/2
BUILDKITE_PARALLEL_JOB=0 BUILDKITE_PARALLEL_JOB_COUNT=9|1/9
TEST_SHARD_INDEX=1 TEST_TOTAL_SHARDS=4|2/4
PMI_RANK=1 PMI_SIZE=2 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2|2/2
SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 CI_NODE_INDEX=1 CI_NODE_TOTAL=3|1/3
ROWS
while IFS='|' read -r variables text; do
    # shellcheck disable=SC2086
    expect 2 env $variables "$halfwarp" run --shards auto "$work/cases"
    refuses "$text"
done <<'ROWS'
A=1|--shards auto: no variable of Slurm, MPI or a CI says which part this is; give K/N
SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1|no variable of Slurm
SLURM_PROCID=0 SLURM_NTASKS=4|no variable of Slurm
SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_STEP=1|=9 is not one of 4 numbers
CI_NODE_INDEX=0 CI_NODE_TOTAL=4|CI_NODE_INDEX=0 is not one of 4 numbers in a row
PMI_RANK=1 PMI_SIZE=2 SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=4|part 3 of 4 says srun, and part 2 of 2 MPI
ROWS
refuses_rows "$halfwarp" run <<'ROWS'
--shards 0/2 p|--shards takes K/N, part K from 1 to N, or auto, and got '0/2'
--shards 3/2 p|got '3/2'
--shards 1 p|got '1'
--shards 1/ p|got '1/'
--shards 1/2x p|got '1/2x'
--shards -1/2 p|got '-1/2'
--shards 1/99999999999 p|got '1/99999999999'
ROWS

# ---- A project's tests, by CTest (docs/how-to-run-many.md) -----------------------------------------------------------

command -v cmake > "$work/where" && command -v ctest > "$work/where" || finish
mkdir "$work/project"
cat > "$work/project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.13...3.31)
project(many LANGUAGES C)
enable_testing()
file(WRITE ${CMAKE_BINARY_DIR}/t.c "
    #include <stdio.h>
    #include <stdlib.h>
    int main(int c, char **v) { return getenv(\"HALFWARP_GPU\") ? printf(\"test %s\\n\", v[1]) < 0 : 1; }")
add_executable(t ${CMAKE_BINARY_DIR}/t.c)
foreach(i RANGE 1 5)
  add_test(NAME t${i} COMMAND t ${i})
endforeach()
CMAKE
launcher="$(cd "$(dirname "$halfwarp")" && pwd)/halfwarp;run;--gpu;t4"
cmake -S "$work/project" -B "$work/project/build" "-DCMAKE_TEST_LAUNCHER=$launcher" \
    "-DCMAKE_CROSSCOMPILING_EMULATOR=$launcher" > "$work/log" 2>&1 || fail "cmake: $(tail -5 "$work/log")"
cmake --build "$work/project/build" > "$work/log" 2>&1 || fail "build: $(tail -5 "$work/log")"
: > "$work/all"
for k in 1 2; do
    expect 0 ctest --test-dir "$work/project/build" -I $k,,2 -V
    grep -o '^[0-9]*: test [0-9]' "$work/out" | cut -d' ' -f3 >> "$work/all"
done
[ "$(sort "$work/all" | tr -d '\n')" = 12345 ] || fail "CTest's parts together: $(cat "$work/all")"
expect 0 "$halfwarp" run ctest --test-dir "$work/project/build" -I 2,,2
says out "100% tests passed, 0 tests failed out of 2"
finish
