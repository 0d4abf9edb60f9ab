// What the documents that started the project state, case by case (docs/seeds.md has the table): counts, degrees and
// ratios, of the ladder's own kernels on the models of the GPUs that the documents name. Where a document is wrong, the
// right number stands here and the claim beside it. Cases that other tests assert are not here.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/rates.h"
#include "ladder/sweep.h"
#include "model/banks.h"
#include "model/partition.h"
#include "model/transfer.h"

// ---- One rung on one GPU --------------------------------------------------------------------------------------------

typedef struct gpu_device {
    const char *id;
    hw_device *device;
} gpu_device;

static gpu_device devices[] = {{"8800gtx", NULL}, {"fx5600", NULL}, {"gtx280", NULL},
                               {"m2090", NULL},   {"k40", NULL},    {"h200", NULL}};
enum { N_DEVICES = sizeof devices / sizeof devices[0] };

static int setup(void **state) {
    const hw_device_options options = {.cache_dir = HW_TEST_CACHE, .search_path = getenv("PATH")};
    (void)state;
    for (size_t i = 0; i < N_DEVICES; i++) {
        char name[32];
        snprintf(name, sizeof name, "sim:%s", devices[i].id);
        if (hw_device_open(name, &options, &devices[i].device, NULL)) return -1;
    }
    return 0;
}

static int teardown(void **state) {
    (void)state;
    for (size_t i = 0; i < N_DEVICES; i++) hw_device_close(devices[i].device);
    return 0;
}

static hw_device *device_of(const char *id) {
    size_t i = 0;
    while (strcmp(devices[i].id, id)) i++;
    return devices[i].device;
}

// The row of a rung, right; rungs of the copies run as well.
static hw_ladder_row run_block(const char *gpu, const char *family, const char *rung, uint64_t a, uint64_t b,
                               uint64_t c, uint32_t block_cols, uint32_t block_rows) {
    hw_ladder_options options = {.family = hw_family_find(family), .problem = {.size = {a, b, c}}, .rung = rung,
                                 .block = {block_cols, block_rows}};
    hw_ladder ladder;
    hw_diag diag = {0};
    hw_ladder_row row = {0};
    assert_true(hw_dtype_find(strcmp(family, "access") ? "f32" : "u32", &options.problem.dtype));
    if (hw_ladder_run(device_of(gpu), NULL, &options, &ladder, &diag)) fail_msg("%s", diag.text);
    for (size_t i = 0; i < ladder.n_rows; i++)
        if (!strcmp(ladder.rows[i].rung->name, rung)) row = ladder.rows[i];
    if (!row.rung || row.status || !row.verdict.right)
        fail_msg("%s of %s on %s: %s%s", rung, family, gpu, row.text, row.verdict.text);
    hw_ladder_free(&ladder);
    return row;
}

static hw_ladder_row run(const char *gpu, const char *family, const char *rung, uint64_t a, uint64_t b, uint64_t c) {
    return run_block(gpu, family, rung, a, b, c, 0, 0);
}

static void expect(const char *gpu, const hw_ladder_row *row, hw_counter counter, uint64_t expected) {
    if (row->counts[counter] != expected)
        fail_msg("%s on %s: %s is %llu, not %llu", row->rung->name, gpu, hw_counter_rows[counter].name,
                 (unsigned long long)row->counts[counter], (unsigned long long)expected);
}

// Passes of each shared load and store of a warp.
static void expect_passes(const char *gpu, const hw_ladder_row *row, uint64_t of_store, uint64_t of_load) {
    expect(gpu, row, HW_COUNT_STS_WAVEFRONTS, of_store * row->counts[HW_COUNT_STS_INST]);
    expect(gpu, row, HW_COUNT_LDS_WAVEFRONTS, of_load * row->counts[HW_COUNT_LDS_INST]);
}

static uint64_t transactions(const hw_ladder_row *row, bool is_store) {
    const uint64_t *n = row->counts;
    return is_store ? n[HW_COUNT_GST_32B] + n[HW_COUNT_GST_64B] + n[HW_COUNT_GST_128B]
                    : n[HW_COUNT_GLD_32B] + n[HW_COUNT_GLD_64B] + n[HW_COUNT_GLD_128B];
}

// ---- Transposes (000, 002, 004 section 4.7.3) -----------------------------------------------------------------------

// A tile of 32x32 is written by rows and read by columns: 16-way on a K40, 32-way on 2.x and from 5.0 on.
static void case_01_08_columns_of_a_square_tile(void **state) {
    static const struct { const char *gpu; uint64_t ways; } all[] = {{"k40", 16}, {"m2090", 32}, {"h200", 32}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        hw_ladder_row row = run(all[i].gpu, "transpose", "tile", 64, 64, 0);
        assert_int_equal(row.counts[HW_COUNT_LDS_INST], 64 * 64 / 32);
        expect_passes(all[i].gpu, &row, 1, all[i].ways);
    }
}

// Naive: loads coalesced, stores 64 rows apart. Through shared memory both are.
static void case_02_coalescing_by_a_tile(void **state) {
    enum { WARPS = 64 * 64 / 32 };
    hw_ladder_row naive = run("k40", "transpose", "read_rows", 64, 64, 0);
    hw_ladder_row tile = run("k40", "transpose", "any_block", 64, 64, 0);
    (void)state;
    assert_int_equal(transactions(&naive, false), 4 * WARPS);
    assert_int_equal(transactions(&naive, true), 32 * WARPS);
    assert_int_equal(transactions(&tile, false), 4 * WARPS);
    assert_int_equal(transactions(&tile, true), 4 * WARPS);
    assert_true(tile.counts[HW_COUNT_LDS_WAVEFRONTS] > tile.counts[HW_COUNT_LDS_INST]);   // which the pad cures
}

// Blocks of 32x16. 000 says that an M2090 needs a pad of one column: it needs two, as the K40 (unit.ladder has the
// degrees of pad 1).
static void case_03_pads(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *gpu = i ? "m2090" : "k40";
        hw_ladder_row bare = run_block(gpu, "transpose", "any_block", 64, 64, 0, 32, 16);
        hw_ladder_row padded = run_block(gpu, "transpose", "pad", 64, 64, 0, 32, 16);
        expect_passes(gpu, &bare, 1, i ? 16 : 8);
        expect_passes(gpu, &padded, 1, 1);
    }
}

// Two elements a thread: the same accesses by half of the blocks.
static void case_04_two_tiles_for_each_block(void **state) {
    hw_ladder_row one = run_block("k40", "transpose", "pad", 128, 128, 0, 16, 16);
    hw_ladder_row two = run_block("k40", "transpose", "two_tiles", 128, 128, 0, 16, 16);
    (void)state;
    expect("k40", &two, HW_COUNT_CTA_LAUNCHED, one.counts[HW_COUNT_CTA_LAUNCHED] / 2);
    expect("k40", &two, HW_COUNT_GLD_REQUESTS, one.counts[HW_COUNT_GLD_REQUESTS]);
    expect("k40", &two, HW_COUNT_GLD_BYTES, one.counts[HW_COUNT_GLD_BYTES]);
}

// [ty][tx ^ ty], read as [tx][ty ^ tx]: no conflicts and no pad.
static void case_09_swizzle(void **state) {
    (void)state;
    for (size_t i = 3; i < N_DEVICES; i++) {
        hw_ladder_row row = run(devices[i].id, "transpose", "swizzle", 64, 64, 0);
        expect_passes(devices[i].id, &row, 1, 1);
    }
}

// A tile of 16x16 is read 16-way by columns on 1.x, one of 16x17 without conflicts; naive stores are 16 transactions
// for each half-warp.
static void case_24_tiles_on_sixteen_banks(void **state) {
    hw_ladder_row naive = run_block("fx5600", "transpose", "read_rows", 64, 64, 0, 16, 16);
    hw_ladder_row bare = run_block("gtx280", "transpose", "tile", 64, 64, 0, 16, 16);
    hw_ladder_row padded = run_block("gtx280", "transpose", "pad", 64, 64, 0, 16, 16);
    (void)state;
    expect("fx5600", &naive, HW_COUNT_GLD_COALESCED, 64 * 64 / 16);
    expect("fx5600", &naive, HW_COUNT_GST_UNCOALESCED, 64 * 64 / 16);
    expect("fx5600", &naive, HW_COUNT_GST_32B, 64 * 64);
    expect_passes("gtx280", &bare, 2, 2 * 16);
    expect_passes("gtx280", &padded, 2, 2);
    expect("gtx280", &bare, HW_COUNT_WARP_SERIALIZE, 64 * 64 / 32);
    expect("gtx280", &padded, HW_COUNT_WARP_SERIALIZE, 0);
}

// 64 blocks at a time of a transpose of 2048 columns, on the six partitions of a G80 (unit.model_generations has the
// eight of a GT200): the tiles that they write begin in three of them, 22, 21 and 21, in diagonal order in four, 16
// each. The document's figure gives elements 0 to 7 to partition 0, 8 to 15 to partition 1 and 504 to 511 to partition
// 7; they are 0 to 63, 64 to 127 and 448 to 511.
static void case_26_six_partitions(void **state) {
    const uint32_t n = hw_partition_count(hw_gpu_find("8800gtx"));
    uint32_t naive[HW_PARTITIONS] = {0}, turned[HW_PARTITIONS] = {0}, used[2] = {0};
    (void)state;
    assert_int_equal(n, 6);
    for (uint64_t block = 0; block < 64; block++) {
        naive[hw_partition_of(n, 4 * 2048 * 32 * block)]++;
        turned[hw_partition_of(n, 4 * 2048 * 32 * block + 4 * 32 * block)]++;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (naive[i]) assert_in_range(naive[i], 21, 22);
        if (turned[i]) assert_int_equal(turned[i], 16);
        used[0] += naive[i] > 0;
        used[1] += turned[i] > 0;
    }
    assert_int_equal(used[0], 3);
    assert_int_equal(used[1], 4);
    for (uint64_t element = 0; element < 512; element++)
        assert_int_equal(hw_partition_of(8, 4 * element), element / 64);
}

// ---- Products and neighbours (001, 003, 004 section 4.7.1) ----------------------------------------------------------

// 4 bytes for each operation: 1600 GFLOPS would need 6400 GB/s, and 600 GB/s allow 150 GFLOPS, 9.375% (9.3 in print).
static void case_05_bytes_for_each_operation(void **state) {
    hw_ladder_row naive = run("h200", "matmul", "naive", 32, 32, 32);
    const double flop_per_byte = naive.facts[2];
    (void)state;
    assert_true(flop_per_byte == 0.25);
    assert_true(1600 / flop_per_byte == 6400 && 600 * flop_per_byte == 150);
    assert_true(100 * 600 * flop_per_byte / 1600 == 9.375);
}

// Blocks of 128: each point is read once by each block; staging stores are three words apart, which is odd; all lanes
// read the same point.
static void case_10_points_through_shared_memory(void **state) {
    enum { POINTS = 512, BLOCKS = POINTS / 128, WARPS = POINTS / 32 };
    hw_ladder_row global = run("gtx280", "nearest", "global", POINTS, 3, 1);
    hw_ladder_row blocks = run("gtx280", "nearest", "blocks", POINTS, 3, 1);
    (void)state;
    // Three coordinates of each warp's own points; of every point, by each warp, or by the warps of a block together.
    expect("gtx280", &global, HW_COUNT_GLD_REQUESTS, 3 * WARPS * (1 + POINTS));
    expect("gtx280", &blocks, HW_COUNT_GLD_REQUESTS, 3 * (WARPS + BLOCKS * POINTS / 32));
    expect("gtx280", &blocks, HW_COUNT_STS_WAVEFRONTS, 2 * blocks.counts[HW_COUNT_STS_INST]);
    expect("gtx280", &blocks, HW_COUNT_LDS_WAVEFRONTS, 2 * 3 * POINTS * WARPS);   // a pass for each word and half-warp
    expect("gtx280", &blocks, HW_COUNT_WARP_SERIALIZE, 0);
}

// C of 80x128, k = 64, grid (8, 5): on 1.0 a half-warp's loads of A are 16 transactions for one word, those of B one.
// 004 says that the naive reads of B are not coalesced; they are, and A's are not. Tiled, A is read 8 times and B 5.
static void case_22_products_on_half_warps(void **state) {
    enum { M = 80, N = 128, K = 64, HALVES = M * N / 16 };
    hw_ladder_row naive = run("fx5600", "matmul", "naive", M, N, K);
    hw_ladder_row tile = run("fx5600", "matmul", "tile16", M, N, K);
    hw_ladder_row strip = run("gtx280", "matmul", "strip", M, N, K);
    (void)state;
    expect("fx5600", &naive, HW_COUNT_CTA_LAUNCHED, 8 * 5);
    expect("fx5600", &naive, HW_COUNT_GLD_UNCOALESCED, HALVES * K);
    expect("fx5600", &naive, HW_COUNT_GLD_COALESCED, HALVES * K);
    expect("fx5600", &naive, HW_COUNT_GLD_32B, 16 * HALVES * K);
    expect("fx5600", &naive, HW_COUNT_GLD_64B, HALVES * K);
    assert_int_equal(HALVES * 16, M * 128);   // A's rows are read by 128 columns, B's by 80 rows
    expect("fx5600", &tile, HW_COUNT_GLD_UNCOALESCED, 0);
    expect("fx5600", &tile, HW_COUNT_GLD_BYTES, 4 * (M * K * 8 + K * N * 5));
    expect("fx5600", &tile, HW_COUNT_SMEM_WAVEFRONTS, tile.counts[HW_COUNT_SMEM_WAVEFRONTS_IDEAL]);
    // sgemmNN's 64 threads make 64x16, in four phases; turned stores 17 words apart, without conflicts on 1.x.
    expect("gtx280", &strip, HW_COUNT_CTA_LAUNCHED, M / 16 * (N / 64));
    expect("gtx280", &strip, HW_COUNT_STS_INST, M / 16 * (N / 64) * (K / 16) * 4 * 2);
    expect("gtx280", &strip, HW_COUNT_STS_WAVEFRONTS, 2 * strip.counts[HW_COUNT_STS_INST]);
}

// ---- The GPUs (004 sections 4.4, 4.5) -------------------------------------------------------------------------------

static void case_14_gtx_280(void **state) {
    const hw_gpu *gpu = hw_gpu_find("gtx280");
    (void)state;
    assert_true(fabs(gpu->memory_gbs - 141) < 1 && gpu->pcie_gbs == 8);
    assert_true(fabs(1.5 * gpu->fp32_gflops - 933) < 1);   // about 1 TFLOPS, with the multiply beside the multiply-add
    // Streams: execution + transfer / n, where execution takes longer; else the other way round, which the seed leaves
    // out.
    assert_true(hw_model_overlap_us(100, 40, 4) == 100 + 40 / 4.0);
    assert_true(hw_model_overlap_us(40, 100, 4) == 100 + 40 / 4.0);
}

// Results per clock of a multiprocessor of 1.x.
static double per_clock(const char *name, hw_type type) {
    const hw_mods none = {{0}};
    const hw_issue_cost cost =
        hw_issue_cost_of(hw_op_find(name, strlen(name)), &none, (hw_type[2]){type, HW_T_NONE});
    return (double)hw_rate_of(hw_arch_find(13), (hw_rate)cost.rate) / cost.count;
}

static void case_21_instructions(void **state) {
    (void)state;
    assert_true(per_clock("add", HW_T_F32) == 8 && per_clock("fma", HW_T_F32) == 8 && per_clock("add", HW_T_S32) == 8);
    assert_true(per_clock("rcp", HW_T_F32) == 2 && per_clock("rsqrt", HW_T_F32) == 2);
    assert_true(per_clock("lg2", HW_T_F32) == 2);
    assert_true(per_clock("sqrt", HW_T_F32) == 1 && per_clock("sin", HW_T_F32) == 1 && per_clock("cos", HW_T_F32) == 1);
    assert_true(per_clock("ex2", HW_T_F32) == 1 && per_clock("mul24", HW_T_S32) == 8);
    assert_true(per_clock("and", HW_T_B32) == 8 && per_clock("shl", HW_T_B32) == 8 && per_clock("setp", HW_T_F32) == 8);
    assert_true(per_clock("mul", HW_T_S32) == 2 && per_clock("ld", HW_T_F32) == 8 && per_clock("bar", HW_T_NONE) == 8);
    assert_true(fabs(per_clock("div", HW_T_F32) - 0.88) < 0.01);
}

// ---- Global memory (004 section 4.4.2) ------------------------------------------------------------------------------

enum { ELEMENTS = 1 << 13, ACCESS_WARPS = ELEMENTS / 32, ACCESS_HALVES = ELEMENTS / 16 };

static void case_15_idle_and_permuted_lanes(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *gpu = i ? "gtx280" : "fx5600";
        hw_ladder_row idle = run(gpu, "access", "idle", ELEMENTS, 0, 0);
        hw_ladder_row permuted = run(gpu, "access", "permuted", ELEMENTS, 0, 0);
        expect(gpu, &idle, HW_COUNT_GLD_64B, ACCESS_HALVES);
        expect(gpu, &idle, HW_COUNT_GST_64B, ACCESS_HALVES);
        assert_int_equal(transactions(&idle, false), ACCESS_HALVES);
        expect(gpu, &permuted, HW_COUNT_GLD_64B, i ? ACCESS_HALVES : 0);
        expect(gpu, &permuted, HW_COUNT_GLD_32B, i ? 0 : 16 * ACCESS_HALVES);
        expect(gpu, &permuted, HW_COUNT_GST_64B, ACCESS_HALVES);
    }
}

// Offset 1: half of the half-warps lie inside of a segment of 128 bytes, the others take 64 and 32 of two. What
// counts is the half-warp's number; 004 says the warp's. Memory begins at multiples of 256 bytes.
static void case_16_misaligned_runs(void **state) {
    hw_ladder_row tesla = run("gtx280", "access", "offset", ELEMENTS, 1, 0);
    hw_ladder_row strict = run("fx5600", "access", "offset", ELEMENTS, 1, 0);
    void *memory = NULL;
    (void)state;
    expect("gtx280", &tesla, HW_COUNT_GLD_128B, ACCESS_HALVES / 2);
    expect("gtx280", &tesla, HW_COUNT_GLD_64B, ACCESS_HALVES / 2);
    expect("gtx280", &tesla, HW_COUNT_GLD_32B, ACCESS_HALVES / 2);
    expect("fx5600", &strict, HW_COUNT_GLD_32B, 16 * ACCESS_HALVES);
    for (size_t bytes = 1; bytes < 4000; bytes += 1333) {
        assert_int_equal(hw_device_alloc(device_of("fx5600"), bytes, &memory, NULL), HW_OK);
        assert_int_equal((uintptr_t)memory % 256, 0);
        hw_device_free(device_of("fx5600"), memory);
    }
}

static const hw_sweep_curve *curve_of(const hw_sweep *sweep, const char *rung, const char *gpu) {
    for (size_t i = 0; i < sweep->n_curves; i++) {
        const hw_sweep_curve *curve = &sweep->curves[i];
        if (!strcmp(curve->rung->name, rung) && !strcmp(curve->gpu->id, gpu)) return curve;
    }
    fail_msg("no curve of %s on %s", rung, gpu);
    return NULL;
}

// Of all steps of both rungs, made when it is first asked for.
static const hw_sweep *sweep_gpus(void) {
    static hw_sweep sweep;
    static bool is_made;
    hw_device *gpus[] = {device_of("fx5600"), device_of("gtx280"), device_of("h200")};
    const hw_sweep_options options = {.family = hw_family_find("access")};
    hw_diag diag = {0};
    if (!is_made && hw_sweep_run(gpus, 3, &options, &sweep, &diag)) fail_msg("%s", diag.text);
    is_made = true;
    return &sweep;
}

// Figure 4-7. The FX 5600 falls to an eighth where it is not coalesced: 7.5 of 60 GB/s; 6.6 were measured ("nearly 8
// times" in print, where 60 / 6.6 is 9.1). The GTX 280: 120 GB/s, and 66 measured for 120 x 128 / 224 = 68.6.
static void case_17_18_offsets(void **state) {
    const hw_sweep *sweep = sweep_gpus();
    const hw_sweep_curve *strict = curve_of(sweep, "offset", "fx5600"), *tesla = curve_of(sweep, "offset", "gtx280");
    const hw_sweep_curve *h200 = curve_of(sweep, "offset", "h200");
    (void)state;
    assert_int_equal(strict->n_points, 33);
    for (uint64_t offset = 0; offset <= 32; offset++) {
        const bool is_aligned = offset % 16 == 0;
        assert_int_equal(strict->points[offset].step, offset);
        assert_true(strict->points[offset].moved == (is_aligned ? 1 : 8));
        assert_true(fabs(strict->points[offset].gbs - (is_aligned ? 60 : 6.6)) < 1);
        assert_true(tesla->points[offset].moved == (is_aligned ? 1 : offset % 8 ? 1.75 : 1.5));
        if (offset % 8) assert_true(fabs(tesla->points[offset].gbs - 66) < 3);
        if (is_aligned) assert_true(fabs(tesla->points[offset].gbs - 120) < 1);
        assert_true(h200->points[offset].moved < 1.01);   // the neighbouring warp's sector comes from the cache
    }
}

// Figure 4-9. Every stride but 1 is 16 transactions on 1.0; on 1.3 stride 2 wastes a half, until each lane has its own,
// and it falls no more.
static void case_19_strides(void **state) {
    const hw_sweep *sweep = sweep_gpus();
    const hw_sweep_curve *strict = curve_of(sweep, "stride", "fx5600"), *tesla = curve_of(sweep, "stride", "gtx280");
    const hw_sweep_curve *h200 = curve_of(sweep, "stride", "h200");
    (void)state;
    assert_int_equal(tesla->n_points, 32);
    assert_true(tesla->points[1].step == 2 && tesla->points[1].moved == 2);
    for (size_t i = 1; i < 32; i++) {
        const double stride = i + 1.0, pieces = stride < 16 ? stride : 16;   // of 64 bytes
        // Six partitions get unequal shares of some strides: of 24, one has a ninth more than the others.
        assert_true(strict->points[i].moved >= 8 && strict->points[i].moved <= 9);
        // Sectors that stay partly unwritten are read before: loads count once, stores twice.
        assert_true(fabs(h200->points[i].moved - 1.5 * pieces) < 0.01);
        assert_true(i < 16 ? tesla->points[i].gbs < tesla->points[i - 1].gbs : tesla->points[i].moved == 16);
    }
}

// ---- Shared memory (004 section 4.4.3.1) ----------------------------------------------------------------------------

// Passes of a warp's access on 16 banks, 32 banks, banks of 8 bytes, and an H200's. A struct of a float and a char
// has 8 bytes, not the 5 of 004: lanes 8 apart meet, as those of two floats.
static void case_20_shared_accesses(void **state) {
    static const struct { const char *rung; uint64_t store[4], load[4]; } all[] = {
        {"bank_char", {2, 1, 1, 1}, {8, 1, 1, 1}},      {"bank_char_4", {2, 1, 1, 1}, {2, 1, 1, 1}},
        {"bank_short", {2, 1, 1, 1}, {4, 1, 1, 1}},     {"bank_double", {8, 2, 1, 2}, {8, 2, 1, 2}},
        {"bank_halves", {2, 1, 1, 1}, {2, 1, 1, 1}},    {"bank_three", {2, 1, 1, 1}, {2, 1, 1, 1}},
        {"bank_two", {8, 2, 1, 2}, {8, 2, 1, 2}},       {"bank_mixed", {4, 2, 1, 2}, {4, 2, 1, 2}},
        {"broadcast", {2, 1, 1, 1}, {2, 1, 1, 1}},      {"broadcast_4", {2, 1, 1, 1}, {8, 1, 1, 1}},
        {"broadcast_bank", {2, 1, 1, 1}, {8, 4, 2, 4}}};
    static const char *const gpus[] = {"gtx280", "m2090", "k40", "h200"};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (size_t g = 0; g < 4; g++) {
            hw_ladder_row row = run(gpus[g], "access", all[i].rung, ELEMENTS, 0, 0);
            expect_passes(gpus[g], &row, all[i].store[g], all[i].load[g]);
        }
    // Three reads, and two: one of 8 bytes where the compiler joins them.
    hw_ladder_row three = run("gtx280", "access", "bank_three", ELEMENTS, 0, 0);
    expect("gtx280", &three, HW_COUNT_LDS_INST, 3 * ACCESS_WARPS);
    hw_ladder_row mixed = run("gtx280", "access", "bank_mixed", ELEMENTS, 0, 0);
    expect("gtx280", &mixed, HW_COUNT_LDS_INST, 2 * ACCESS_WARPS);
}

static void case_20_odd_strides(void **state) {
    (void)state;
    for (uint64_t stride = 1; stride <= 32; stride++) {
        hw_ladder_row row = run("gtx280", "access", "bank_stride", 512, stride, 0);
        const uint64_t ways = stride % 16 ? stride & -stride : 16;   // gcd(stride, 16)
        expect("gtx280", &row, HW_COUNT_LDS_WAVEFRONTS, 512 / 32 * 2 * ways);
    }
}

// ---- The timed reduction, sums, counters (004 sections 4.2.1, 4.6, 4.7.2) -------------------------------------------

// Each block has a time of its own, which the family checks; 64 blocks on a G80 are two waves (unit.occupancy).
static void case_12_blocks_time_themselves(void **state) {
    (void)state;
    for (uint64_t blocks = 1; blocks <= 64; blocks *= 2) {
        hw_ladder_row row = run("8800gtx", "access", "timed", blocks * 512, 0, 0);
        expect("8800gtx", &row, HW_COUNT_CTA_LAUNCHED, blocks);
        expect("8800gtx", &row, HW_COUNT_GLD_COALESCED, blocks * 2 * 16);
    }
}

// Passes of the loads of one tree of 512 threads: an element's word and its partner's, s = 1 to 256, and the sum.
static uint64_t tree_loads(const char *gpu, const char *rung) {
    hw_ladder_row row = run(gpu, "reduce", rung, 512, 0, 0);
    return row.counts[HW_COUNT_LDS_WAVEFRONTS];
}

// Neighbouring threads at words 2s apart meet 2, 4, 8, 16, 16, 8, 4, 2, 1 deep for s = 1 to 256. 004 says "and so
// on" after 2, 4, 8, and finds the same in reduce0, which has no conflicts; and it calls threads 0, 2, ... 254 and 0,
// 4, ... 128 active in the first two steps of reduce1, which are 0 to 255 and 0 to 127.
static void case_23_conflicts_of_the_sums(void **state) {
    static const uint32_t ways[] = {2, 4, 8, 16, 16, 8, 4, 2, 1};
    static const int ccs[] = {13, 20, 90};
    (void)state;
    for (int level = 0; level < 9; level++)
        for (int c = 0; c < 3; c++) {
            const uint32_t lanes = 256u >> level, most = ccs[c] < 20 ? 16 : 32;
            const uint32_t mask = lanes >= most ? (uint32_t)((1ull << most) - 1) : (1u << lanes) - 1;
            int64_t delta[32];
            for (int lane = 0; lane < 32; lane++) delta[lane] = 4ll * (2ll << level) * lane;
            const hw_arch *arch = hw_arch_find(ccs[c]);
            assert_int_equal(hw_banks_wavefronts(arch, HW_NOTE_LOAD, 4, mask, 0, delta, 4), ways[level]);
        }
    // Busy half-warps or warps times ways, over the levels.
    assert_int_equal(tree_loads("gtx280", "conflicts"), 2 * (4 * 32 + 16 + 8 + 4 + 2 + 1) + 1);
    assert_int_equal(tree_loads("m2090", "conflicts"), 2 * (4 * 16 + 16 + 8 + 4 + 2 + 1) + 1);
    // Without conflicts: reduce0's 16, 16, 16, 16, 16, 8, 4, 2, 1 busy warps, reduce2's 8, 4, 2, 1 and then one.
    assert_int_equal(tree_loads("m2090", "modulo"), 2 * (5 * 16 + 8 + 4 + 2 + 1) + 1);
    assert_int_equal(tree_loads("m2090", "sequential"), 2 * (8 + 4 + 2 + 6) + 1);
}

// Six blocks of 512 threads: 3072 elements, and 6144 when each thread adds two while loading. Warps of reduce2 part
// once fewer than 32 threads are left, which 004 leaves out.
static void case_23_elements_for_each_block(void **state) {
    hw_ladder_row one = run("8800gtx", "reduce", "sequential", 6 * 512, 0, 0);
    hw_ladder_row two = run("8800gtx", "reduce", "first_add", 6 * 1024, 0, 0);
    (void)state;
    expect("8800gtx", &one, HW_COUNT_CTA_LAUNCHED, 6 + 1);   // the second launch adds the six sums
    expect("8800gtx", &two, HW_COUNT_CTA_LAUNCHED, 6 + 1);
    hw_ladder_row modulo = run("8800gtx", "reduce", "modulo", 512, 0, 0);
    hw_ladder_row sequential = run("8800gtx", "reduce", "sequential", 512, 0, 0);
    assert_true(modulo.counts[HW_COUNT_DIVERGENT_BRANCH] > sequential.counts[HW_COUNT_DIVERGENT_BRANCH]);
    assert_true(sequential.counts[HW_COUNT_DIVERGENT_BRANCH] >= 5);
}

// Table 4-2: requests exist from 1.2 on, coalesced and uncoalesced on 1.0 and 1.1 alone. The transactions by size,
// which the table has from 1.2 on, are shown of all 1.x: they say what the uncoalesced ones moved.
static void case_25_counters_of_their_time(void **state) {
    const hw_gpu *strict = hw_gpu_find("fx5600"), *tesla = hw_gpu_find("gtx280"), *fermi = hw_gpu_find("m2090");
    static const hw_counter all_ages[] = {HW_COUNT_LOCAL_LOAD, HW_COUNT_LOCAL_STORE, HW_COUNT_BRANCH,
                                          HW_COUNT_DIVERGENT_BRANCH, HW_COUNT_INSTRUCTIONS, HW_COUNT_WARP_SERIALIZE,
                                          HW_COUNT_CTA_LAUNCHED};
    (void)state;
    assert_false(hw_counter_is_column(HW_COUNT_GLD_REQUEST, strict) ||
                 hw_counter_is_column(HW_COUNT_GST_REQUEST, strict));
    assert_true(hw_counter_is_column(HW_COUNT_GLD_REQUEST, tesla) && hw_counter_is_column(HW_COUNT_GST_REQUEST, tesla));
    assert_true(hw_counter_is_column(HW_COUNT_GLD_UNCOALESCED, strict) &&
                hw_counter_is_column(HW_COUNT_GST_COALESCED, strict));
    assert_false(hw_counter_is_column(HW_COUNT_GLD_UNCOALESCED, tesla) ||
                 hw_counter_is_column(HW_COUNT_GST_COALESCED, tesla));
    for (int c = HW_COUNT_GLD_32B; c <= HW_COUNT_GST_128B; c++)
        assert_true(hw_counter_is_column((hw_counter)c, strict) && hw_counter_is_column((hw_counter)c, tesla) &&
                    !hw_counter_is_column((hw_counter)c, fermi));
    for (size_t i = 0; i < sizeof all_ages / sizeof all_ages[0]; i++)
        assert_true(hw_counter_is_column(all_ages[i], strict) && hw_counter_is_column(all_ages[i], tesla));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_01_08_columns_of_a_square_tile),
        cmocka_unit_test(case_02_coalescing_by_a_tile),
        cmocka_unit_test(case_03_pads),
        cmocka_unit_test(case_04_two_tiles_for_each_block),
        cmocka_unit_test(case_05_bytes_for_each_operation),
        cmocka_unit_test(case_09_swizzle),
        cmocka_unit_test(case_10_points_through_shared_memory),
        cmocka_unit_test(case_12_blocks_time_themselves),
        cmocka_unit_test(case_14_gtx_280),
        cmocka_unit_test(case_15_idle_and_permuted_lanes),
        cmocka_unit_test(case_16_misaligned_runs),
        cmocka_unit_test(case_17_18_offsets),
        cmocka_unit_test(case_19_strides),
        cmocka_unit_test(case_20_shared_accesses),
        cmocka_unit_test(case_20_odd_strides),
        cmocka_unit_test(case_21_instructions),
        cmocka_unit_test(case_22_products_on_half_warps),
        cmocka_unit_test(case_23_conflicts_of_the_sums),
        cmocka_unit_test(case_23_elements_for_each_block),
        cmocka_unit_test(case_24_tiles_on_sixteen_banks),
        cmocka_unit_test(case_25_counters_of_their_time),
        cmocka_unit_test(case_26_six_partitions),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
