#!/usr/bin/env bash
# Runs on a machine with a GPU what CI cannot: every rung and the operations on cuda:0, the hardware's counters of every
# rung, and compute-sanitizer. Usage: record.sh BUILD OUT, where BUILD holds halfwarp and tests/, OUT receives
#   ladder_right.csv       family, size, type, rung, right or wrong (of the transpose:
#                          tests/data/h200_transpose_right.csv)
#   FAMILY_counters.csv    NVIDIA's profiler's counters, a row per kernel (of the transpose:
#                          tests/data/h200_transpose_ladder.csv)
set -u
build=$1 out=$2
failed=0
say() { printf '== %s\n' "$*"; }

say tests
for test in test_device test_device_kernels test_transpose test_transpose_strides test_transpose_host test_matmul \
    test_matmul_ladder test_product_plan test_reduce test_reduce_exact test_reduce_plan test_nearest \
    test_nearest_ladder test_access; do
    HW_TEST_DEVICE=cuda:0 HW_TEST_NO_FAULT=1 "$build/tests/$test" > "$out/$test.log" 2>&1 || failed=1
    tail -3 "$out/$test.log"
done

ladder() { "$build/halfwarp" ladder "$@" --device cuda:0 --seconds 0; }

# Usage: right FAMILY "DTYPE..." SIZE...
right() {
    local family=$1 dtype size
    for dtype in $2; do
        for size in "${@:3}"; do
            ladder "$family" --size "$size" --dtype "$dtype" --format csv -o "$out/one.csv" || failed=1
            python3 - "$out/one.csv" "$family" "$size" "$dtype" >> "$out/ladder_right.csv" <<'PY'
import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    print(*sys.argv[2:5], row["rung"], row["result"], sep=",")
PY
        done
    done
    rm -f "$out/one.csv"
}
say every rung, size and type
echo 'family,size,dtype,rung,result' > "$out/ladder_right.csv"
right transpose "f32 u8 f16 f64 c128" 0x0 0x7 1x1 1x131 131x1 31x31 32x32 33x33 16x63 64x65 97x53 127x129 1009x1013 \
    2048x3072
right matmul f32 0x5x7 1x1x1 15x16x17 32x32x32 33x31x65 127x129x131 256x512x128
right reduce "f32 f64 i32" 0 1 31 512 513 1023 100003 1048576
right nearest "f32 f64" 1x3x1 2x3x1 129x3x1 1000x2x4 4099x3x8
awk -F, 'NR > 1 {n[$1 " " $5]++} END {for (r in n) print r, n[r]}' "$out/ladder_right.csv" | sort

# The first launch of each kernel. Wavefronts are taken by instrumented instructions: the hardware's own counter of them
# adds what arbitration costs, which differs from run to run. Usage: counters FAMILY SIZE
counters() {
    local global=l1tex__t_requests_pipe_lsu_mem_global_op shared=smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op
    ncu --clock-control none --csv --kernel-id :::1 --metrics \
${global}_ld.sum,${global/requests/sectors}_ld.sum,${global}_st.sum,${global/requests/sectors}_st.sum,\
smsp__inst_executed_op_shared_ld.sum,smsp__inst_executed_op_shared_st.sum,${shared}_ld.sum,${shared}_st.sum,\
sm__maximum_warps_per_active_cycle_pct,launch__registers_per_thread \
        "$build/halfwarp" ladder "$1" --device cuda:0 --size "$2" --seconds 0 \
        > "$out/ncu.csv" 2> "$out/ncu.log" || failed=1
    name_counters "$out/ncu.csv" > "$out/$1_counters.csv"
    rm -f "$out/ncu.csv"
    cat "$out/$1_counters.csv"
}
name_counters() {
    python3 - "$1" <<'PY'
import csv, sys
columns = {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "gld_requests",
           "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "gld_sectors",
           "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": "gst_requests",
           "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "gst_sectors",
           "smsp__inst_executed_op_shared_ld.sum": "lds_inst",
           "smsp__inst_executed_op_shared_st.sum": "sts_inst",
           "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "lds_wavefronts",
           "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "sts_wavefronts",
           "sm__maximum_warps_per_active_cycle_pct": "occupancy_pct",
           "launch__registers_per_thread": "regs"}
lines = [line for line in open(sys.argv[1]) if line.startswith('"')]
launches = {}
for row in csv.DictReader(lines):
    if row["ID"].isdigit():
        counters = launches.setdefault((row["ID"], row["Kernel Name"]), {})
        counters[row["Metric Name"]] = row["Metric Value"].replace(",", "")
print("kernel", *columns.values(), sep=",")
for (_, kernel), values in launches.items():
    print(kernel, *(values.get(name, "") for name in columns), sep=",")
PY
}
say counters
counters transpose 1024x1024
counters matmul 512x512x512
counters reduce 1048576
counters nearest 10000x3x1

say compute-sanitizer
for tool in memcheck racecheck; do
    while read -r family size; do
        compute-sanitizer --tool $tool "$build/halfwarp" ladder "$family" --device cuda:0 --size "$size" --seconds 0 \
            > "$out/one.log" 2>&1
        echo "$family: $(tail -1 "$out/one.log")"
    done <<'END'
transpose 129x257
matmul 65x66x67
reduce 100003
nearest 1000x3x1
END
    for test in test_transpose_strides test_transpose_host; do
        HW_TEST_DEVICE=cuda:0 HW_TEST_NO_FAULT=1 compute-sanitizer --tool $tool "$build/tests/$test" \
            > "$out/one.log" 2>&1
        echo "$test: $(tail -1 "$out/one.log")"
    done
done
rm -f "$out/one.log"
exit $failed
