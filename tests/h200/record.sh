#!/usr/bin/env bash
# Runs on a machine with a GPU what CI cannot: every rung and the operation on cuda:0, the hardware's counters of every
# rung, and compute-sanitizer. Usage: record.sh BUILD OUT, where BUILD holds halfwarp and tests/, OUT receives
#   ladder_right.csv      rung, size, type, right or wrong
#   ladder_counters.csv   NVIDIA's profiler's counters, a row per rung (kept as tests/data/h200_transpose_ladder.csv)
#   ladder.json           times
set -u
build=$1 out=$2
failed=0
say() { printf '== %s\n' "$*"; }

say tests
for test in test_device test_device_kernels test_transpose test_transpose_strides test_transpose_host test_matmul \
    test_matmul_ladder test_product_plan test_reduce test_reduce_exact test_nearest test_access; do
    HW_TEST_DEVICE=cuda:0 HW_TEST_NO_FAULT=1 "$build/tests/$test" > "$out/$test.log" 2>&1 || failed=1
    tail -3 "$out/$test.log"
done

say every rung, size and type
echo 'size,dtype,rung,result' > "$out/ladder_right.csv"
for dtype in f32 u8 f16 f64 c128; do
    for size in 0x0 0x7 1x1 1x131 131x1 31x31 32x32 33x33 16x63 64x65 97x53 127x129 1009x1013 2048x3072; do
        "$build/halfwarp" ladder transpose --device cuda:0 --size $size --dtype $dtype --seconds 0 --format csv \
            -o "$out/one.csv" || failed=1
        python3 - "$out/one.csv" "$size" "$dtype" >> "$out/ladder_right.csv" <<'PY'
import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    print(sys.argv[2], sys.argv[3], row["rung"], row["result"], sep=",")
PY
    done
done
awk -F, 'NR > 1 {n[$4]++} END {for (r in n) print r, n[r]}' "$out/ladder_right.csv"

say times
for size in 8192x8192 10007x9973; do
    "$build/halfwarp" ladder transpose --device cuda:0 --size $size --seconds 0.3 --format json \
        -o "$out/ladder_$size.json" || failed=1
done
"$build/halfwarp" ladder transpose --device cuda:0 --size 8192x8192 --seconds 0.3 || failed=1

say counters
# The first launch of each kernel. Wavefronts are taken by instrumented instructions: the hardware's own counter of them
# adds what arbitration costs, which differs from run to run.
global=l1tex__t_requests_pipe_lsu_mem_global_op shared=smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op
ncu --clock-control none --csv --kernel-id :::1 --metrics \
${global}_ld.sum,${global/requests/sectors}_ld.sum,${global}_st.sum,${global/requests/sectors}_st.sum,\
smsp__inst_executed_op_shared_ld.sum,smsp__inst_executed_op_shared_st.sum,${shared}_ld.sum,${shared}_st.sum,\
sm__maximum_warps_per_active_cycle_pct,launch__registers_per_thread \
    "$build/halfwarp" ladder transpose --device cuda:0 --size 1024x1024 --seconds 0 \
    > "$out/ncu.csv" 2> "$out/ncu.log" || failed=1
python3 - "$out/ncu.csv" > "$out/ladder_counters.csv" <<'PY'
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
cat "$out/ladder_counters.csv"

say compute-sanitizer
for tool in memcheck racecheck; do
    compute-sanitizer --tool $tool "$build/halfwarp" ladder transpose --device cuda:0 --size 129x257 --seconds 0 \
        > "$out/$tool.log" 2>&1
    tail -1 "$out/$tool.log"
    HW_TEST_DEVICE=cuda:0 HW_TEST_NO_FAULT=1 compute-sanitizer --tool $tool "$build/tests/test_transpose_strides" \
        > "$out/${tool}_strides.log" 2>&1
    tail -1 "$out/${tool}_strides.log"
done
exit $failed
