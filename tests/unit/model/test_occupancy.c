// The occupancy calculator: the acceptance cases of the documents that started the project, known values of NVIDIA's
// calculator for each generation, and what an H200 was seen to hold.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "isa/gpu.h"
#include "model/occupancy.h"

static const hw_arch *arch_of(const char *gpu) { return hw_gpu_find(gpu)->arch; }

// ---- Acceptance cases -----------------------------------------------------------------------------------------------

// Case 7 (seed 001, section 4.6): 16 KiB of shared memory, tiles of floats for two matrices.
static void case_07_tiles_of_a_matrix_product(void **state) {
    (void)state;
    // A multiprocessor of 1536 threads as the seed's, with its 16 KiB.
    hw_arch arch = *arch_of("m2090");
    arch.smem_per_sm_bytes = arch.smem_per_block_bytes = 16 * 1024;
    hw_occupancy tile_16 = hw_model_occupancy(&arch, 16 * 16, 0, 2 * 16 * 16 * 4);
    assert_int_equal(tile_16.limit_smem, 8);      // as printed, with 8 x 256 x 2 = 4096 loads on their way
    assert_int_equal(tile_16.limit_warps, 6);     // what the seed leaves out: 1536 threads are 6 such blocks,
    assert_int_equal(tile_16.blocks, 6);
    assert_int_equal(tile_16.blocks * 16 * 16 * 2, 3072);   // and so 3072 loads
    hw_occupancy tile_32 = hw_model_occupancy(&arch, 32 * 32, 0, 2 * 32 * 32 * 4);
    assert_int_equal(tile_32.limit_smem, 2);
    assert_int_equal(tile_32.limit_warps, 1);     // the seed's own point
    assert_int_equal(tile_32.blocks, 1);
}

// Case 11 (seed 004, section 4.3.2): at least six warps and two blocks, in blocks of 64 to 256 and up to 512 threads.
static void case_11_warps_that_hide_the_latency_of_registers(void **state) {
    (void)state;
    for (uint32_t threads = 64; threads <= 256; threads += 64) {
        hw_occupancy o = hw_model_occupancy(arch_of("8800gtx"), threads, 10, 1024);
        assert_true(o.warps >= 6 && o.blocks >= 2);
    }
    assert_int_equal(hw_model_occupancy(arch_of("8800gtx"), 512, 10, 0).blocks, 1);   // allowed, and alone
    assert_int_equal(hw_model_occupancy(arch_of("8800gtx"), 544, 10, 0).blocks, 0);
}

// Case 12 (seed 004, section 4.2.1): G80, 256 threads, 2 KiB: 64 blocks are two waves.
static void case_12_waves_of_the_timed_reduction(void **state) {
    (void)state;
    const hw_gpu *gpu = hw_gpu_find("8800gtx");
    hw_occupancy o = hw_model_occupancy(gpu->arch, 256, 10, 2048);
    assert_int_equal(gpu->sms, 16);
    assert_int_equal(o.blocks, 3);
    assert_int_equal(hw_model_occupancy_limiters(&o), HW_LIMITED_BY_WARPS | HW_LIMITED_BY_REGS);
    uint32_t resident = gpu->sms * o.blocks;
    for (uint32_t blocks = 1; blocks <= 32; blocks *= 2) assert_int_equal((blocks + resident - 1) / resident, 1);
    assert_int_equal((64 + resident - 1) / resident, 2);
}

// Case 13 (seed 004, table 4-1 and section 4.3.2): 64 threads, 256 bytes, 8 registers on a G80.
static void case_13_worked_example_of_seed_004(void **state) {
    (void)state;
    hw_occupancy o = hw_model_occupancy(arch_of("8800gtx"), 64, 8, 256);
    assert_int_equal(o.limit_smem, 32);   // printed as 64: shared memory is handed out in pieces of 512 bytes
    assert_int_equal(o.limit_regs, 16);
    assert_int_equal(o.limit_warps, 12);
    assert_int_equal(o.limit_blocks, 8);
    assert_int_equal(o.blocks, 8);
    assert_int_equal(o.warps, 16);
    assert_int_equal(hw_model_occupancy_limiters(&o), HW_LIMITED_BY_BLOCKS);
}

// Case 22 (seed 004, section 4.7.1): the tiled product has 256 threads and two tiles of 16x16; sgemmNN has 64 threads
// and a tile of 16x17, and up to 32 registers each for its 16 results leave it the eight blocks.
static void blocks_of_the_matrix_products(void **state) {
    (void)state;
    hw_occupancy o = hw_model_occupancy(arch_of("gtx280"), 256, 10, 2 * 16 * 16 * 4);
    assert_int_equal(o.blocks, 4);
    o = hw_model_occupancy(arch_of("gtx280"), 64, 32, 16 * 17 * 4);
    assert_int_equal(o.blocks, 8);
    assert_int_equal(o.warps, 16);
    assert_int_equal(hw_model_occupancy_limiters(&o), HW_LIMITED_BY_BLOCKS | HW_LIMITED_BY_REGS);
    assert_int_equal(hw_model_occupancy(arch_of("gtx280"), 64, 33, 16 * 17 * 4).blocks, 6);
}

// Cases 3, 24 and 26: the padded tiles of the transposes, 16x17 and 32x33 floats on a GTX 280 and seed 000's 32x16 with
// two columns more on the GPUs that it names.
static void blocks_of_the_transposes(void **state) {
    (void)state;
    assert_int_equal(hw_model_occupancy(arch_of("gtx280"), 256, 10, 16 * 17 * 4).blocks, 4);
    assert_int_equal(hw_model_occupancy(arch_of("gtx280"), 256, 10, 32 * 33 * 4).blocks, 3);   // 4224 bytes as 4608
    assert_int_equal(hw_model_occupancy(arch_of("m2090"), 512, 10, 16 * 34 * 4).blocks, 3);
    assert_int_equal(hw_model_occupancy(arch_of("k40"), 512, 10, 16 * 34 * 4).blocks, 4);
}

// ---- Worked cases ---------------------------------------------------------------------------------------------------

// Worked by hand from the tables of the calculator, and from 3.5 on by cuda_occupancy.h of CUDA 13.0 as well: blocks as
// each limit alone allows them, together, warps, and percent as printed there.
static void fifteen_worked_cases(void **state) {
    (void)state;
    static const struct {
        int cc;
        uint32_t threads, regs, smem, by_warps, by_regs, by_smem, most, blocks, warps;
        double pct;
    } cases[] = {
        {10, 64, 8, 256, 12, 16, 32, 8, 8, 16, 66.7},
        {10, 256, 10, 1024, 3, 3, 16, 8, 3, 24, 100},
        {10, 256, 11, 1024, 3, 2, 16, 8, 2, 16, 66.7},
        {13, 96, 17, 2100, 10, 6, 6, 8, 6, 18, 56.25},
        {13, 256, 16, 4124, 4, 4, 3, 8, 3, 24, 75},
        {20, 256, 21, 0, 6, 5, HW_OCCUPANCY_UNLIMITED, 8, 5, 40, 83.3},
        {20, 192, 20, 12288, 8, 8, 4, 8, 4, 24, 50},
        {35, 256, 32, 8448, 8, 8, 5, 16, 5, 40, 62.5},
        {60, 160, 72, 0, 12, 5, HW_OCCUPANCY_UNLIMITED, 32, 5, 25, 39.1},
        {70, 96, 100, 1000, 21, 5, 96, 32, 5, 15, 23.4},
        {75, 256, 48, 16384, 4, 5, 4, 16, 4, 32, 100},
        {80, 128, 40, 20000, 16, 12, 7, 32, 7, 28, 43.75},
        {86, 256, 40, 16384, 6, 6, 5, 16, 5, 40, 83.3},
        {90, 384, 168, 204800, 5, 1, 1, 32, 1, 12, 18.75},
        {120, 192, 80, 24576, 8, 4, 4, 24, 4, 24, 50},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hw_occupancy o = hw_model_occupancy(hw_arch_find(cases[i].cc), cases[i].threads, cases[i].regs, cases[i].smem);
        if (o.limit_warps != cases[i].by_warps || o.limit_regs != cases[i].by_regs ||
            o.limit_smem != cases[i].by_smem || o.limit_blocks != cases[i].most || o.blocks != cases[i].blocks ||
            o.warps != cases[i].warps ||
            o.occupancy_pct < cases[i].pct - 0.05 || o.occupancy_pct > cases[i].pct + 0.05)
            fail_msg("case %zu: %u/%u/%u/%u, %u blocks, %u warps, %g%%", i + 1, o.limit_warps, o.limit_regs,
                     o.limit_smem, o.limit_blocks, o.blocks, o.warps, o.occupancy_pct);
    }
}

// The fifth of them is a tile of 4096 bytes with three arguments of 4: before 2.0 a launch takes shared memory as well.
static void memory_of_a_launch(void **state) {
    (void)state;
    const hw_arch *gtx280 = arch_of("gtx280"), *arch;
    assert_int_equal(hw_model_launch_smem_bytes(gtx280, 12), 28);
    assert_int_equal(hw_model_occupancy(gtx280, 256, 16, 4096).blocks, 4);
    assert_int_equal(hw_model_occupancy(gtx280, 256, 16, 4096 + hw_model_launch_smem_bytes(gtx280, 12)).blocks, 3);
    for (size_t a = 0; (arch = hw_arch_at(a)); a++) {
        uint32_t taken = hw_model_launch_smem_bytes(arch, 0);
        assert_int_equal(taken, arch->cc < 20 ? 16 : 0);
        // As ptxas said of sm_10: 0x4000 bytes and 0x10 of the system's are too many, though there are no arguments.
        if (arch->cc >= 20) continue;
        assert_int_equal(hw_model_occupancy(arch, 64, 8, 16384 + taken).blocks, 0);
        assert_int_equal(hw_model_occupancy(arch, 64, 8, 16384 - 16 + taken).blocks, 1);
    }
    assert_int_equal(hw_model_launch_smem_bytes(arch_of("h200"), 4096), 0);
}

// ---- Known values ---------------------------------------------------------------------------------------------------

typedef struct known {
    int cc;
    uint32_t threads, regs, smem, blocks, warps;
    unsigned limiters;
} known;

static void check(const known *cases, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const known *k = &cases[i];
        hw_occupancy o = hw_model_occupancy(hw_arch_find(k->cc), k->threads, k->regs, k->smem);
        if (o.blocks != k->blocks || o.warps != k->warps || hw_model_occupancy_limiters(&o) != k->limiters)
            fail_msg("%d.%d, %u threads, %u regs, %u bytes: %u blocks, %u warps, limited by %x and not %u, %u, %x",
                     k->cc / 10, k->cc % 10, k->threads, k->regs, k->smem, o.blocks, o.warps,
                     hw_model_occupancy_limiters(&o), k->blocks, k->warps, k->limiters);
    }
}

enum { W = HW_LIMITED_BY_WARPS, B = HW_LIMITED_BY_BLOCKS, R = HW_LIMITED_BY_REGS, S = HW_LIMITED_BY_SMEM };

// Each generation's limits met one after the other, at the last value that fits and the first that does not.
static void limits_of_each_generation(void **state) {
    (void)state;
    static const known cases[] = {
        // 1.0: 24 warps, 8 blocks, 8192 registers by 256 per block, 16 KiB by 512.
        {10, 32, 4, 0, 8, 8, B}, {10, 96, 8, 0, 8, 24, W | B | R}, {10, 128, 10, 0, 6, 24, W | R},
        {10, 256, 16, 0, 2, 16, R}, {10, 256, 17, 0, 1, 8, R}, {10, 256, 32, 0, 1, 8, R}, {10, 256, 33, 0, 0, 0, R},
        {10, 192, 4, 4096, 4, 24, W | S}, {10, 192, 4, 4097, 3, 18, S}, {10, 512, 4, 16384, 1, 16, W | S},
        {11, 256, 10, 1024, 3, 24, W | R},
        // 1.x gives an odd number of warps registers for one more: 96 threads take those of 128.
        {10, 96, 16, 0, 4, 12, R}, {10, 128, 16, 0, 4, 16, R},
        // 1.2 and 1.3: 32 warps, 16384 registers by 512.
        {12, 128, 16, 0, 8, 32, W | B | R}, {13, 256, 16, 0, 4, 32, W | R}, {13, 256, 17, 0, 3, 24, R},
        {13, 512, 32, 0, 1, 16, R}, {13, 512, 33, 0, 0, 0, R}, {13, 64, 124, 0, 2, 4, R}, {13, 64, 125, 0, 0, 0, R},
        // 2.x: 48 warps, 8 blocks, 32768 registers by 64 per warp, 48 KiB by 128.
        {20, 192, 20, 0, 8, 48, W | B | R}, {20, 192, 21, 0, 7, 42, R}, {20, 256, 63, 0, 2, 16, R},
        {20, 64, 16, 0, 8, 16, B}, {21, 512, 20, 49152, 1, 16, S}, {20, 1024, 32, 0, 1, 32, W | R},
        {20, 1024, 33, 0, 0, 0, R}, {20, 256, 64, 0, 0, 0, R},
        // 3.x: 64 warps, 16 blocks, 65536 registers by 256 per warp.
        {30, 256, 32, 0, 8, 64, W | R}, {30, 256, 33, 0, 6, 48, R}, {30, 256, 63, 0, 4, 32, R},
        {30, 256, 64, 0, 0, 0, R}, {35, 256, 64, 0, 4, 32, R}, {35, 128, 32, 0, 16, 64, W | B | R},
        {35, 64, 32, 0, 16, 32, B}, {35, 128, 24, 3072, 16, 64, W | B | S}, {35, 128, 24, 3073, 14, 56, S},
        {37, 256, 64, 0, 8, 64, W | R}, {37, 256, 32, 16384, 7, 56, S},
        // 5.x and 6.x: 32 blocks.
        {50, 64, 32, 0, 32, 64, W | B | R}, {50, 256, 32, 8192, 8, 64, W | R | S},
        {52, 256, 32, 12288, 8, 64, W | R | S},
        {53, 1024, 32, 0, 2, 64, W | R}, {53, 1024, 33, 0, 0, 0, R}, {61, 256, 48, 0, 5, 40, R},
        {60, 256, 48, 0, 5, 40, R}, {60, 317, 193, 0, 0, 0, R}, {62, 256, 32, 0, 8, 64, W | R},
        // 7.x: opt-in beyond 48 KiB; Turing has half the warps.
        {70, 1024, 32, 98304, 1, 32, S}, {70, 1024, 32, 98305, 0, 0, S}, {70, 256, 32, 0, 8, 64, W | R},
        {72, 256, 64, 0, 4, 32, R}, {75, 1024, 64, 0, 1, 32, W | R}, {75, 64, 64, 0, 16, 32, W | B | R},
        {75, 256, 64, 16384, 4, 32, W | R | S}, {75, 32, 32, 65536, 1, 1, S},
        // 8.x on: 1 KiB of shared memory per block is the system's.
        {80, 256, 32, 19968, 8, 64, W | R | S}, {80, 256, 32, 19969, 7, 56, S}, {80, 32, 32, 163 * 1024, 1, 1, S},
        {80, 32, 32, 163 * 1024 + 1, 0, 0, S}, {86, 96, 40, 0, 16, 48, W | B | R}, {86, 32, 32, 0, 16, 16, B},
        {86, 1024, 64, 0, 1, 32, W | R}, {87, 256, 32, 0, 6, 48, W}, {89, 64, 40, 0, 24, 48, W | B | R},
        {89, 32, 32, 0, 24, 24, B}, {89, 256, 32, 99 * 1024, 1, 8, S},
        // 9.0 and on.
        {90, 128, 32, 0, 16, 64, W | R}, {90, 128, 168, 0, 3, 12, R}, {90, 256, 32, 28032, 8, 64, W | R | S},
        {90, 256, 32, 28289, 7, 56, S}, {100, 256, 255, 0, 1, 8, R}, {120, 1024, 40, 0, 1, 32, W | R},
        {120, 512, 40, 32 * 1024, 3, 48, W | R | S},
    };
    check(cases, sizeof cases / sizeof cases[0]);
}

// shared/truth of an H200: threads, registers, bytes as its profiler reported them.
static void what_an_h200_held(void **state) {
    (void)state;
    char path[1024], line[256];
    int rows = 0;
    snprintf(path, sizeof path, "%s/tests/data/h200_ladder_limits.csv", HW_SOURCE_DIR);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        unsigned threads, regs, smem, blocks, by_regs, by_smem, by_warps;
        double pct;
        if (line[0] == '#') continue;
        assert_int_equal(sscanf(line, "%u,%u,%u,%u,%u,%u,%u,%lf", &threads, &regs, &smem, &blocks, &by_regs, &by_smem,
                                &by_warps, &pct), 8);
        hw_occupancy o = hw_model_occupancy(arch_of("h200"), threads, regs, smem);
        if (o.occupancy_pct < pct - 0.006 || o.occupancy_pct > pct + 0.006) fail_msg("%s: %g%%", line, o.occupancy_pct);
        assert_true(o.limit_smem >= by_smem);   // the profiler's is of the memory that the driver set aside
        // The limiters are those of the least of the four.
        unsigned limiters = hw_model_occupancy_limiters(&o), least = by_regs < by_warps ? by_regs : by_warps;
        if (blocks < least) least = blocks;
        if (o.limit_smem < least) least = o.limit_smem;
        assert_int_equal(!!(limiters & W), by_warps == least);
        assert_int_equal(!!(limiters & B), blocks == least);
        assert_int_equal(!!(limiters & R), by_regs == least);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 28);
}

// ---- Block sizes ----------------------------------------------------------------------------------------------------

static void best_blocks(void **state) {
    (void)state;
    const hw_arch *h200 = arch_of("h200");
    assert_int_equal(hw_model_occupancy_best_block(h200, 32, 0, 0), 1024);
    assert_int_equal(hw_model_occupancy_best_block(h200, 32, 0, 700), 512);
    assert_int_equal(hw_model_occupancy_best_block(h200, 40, 0, 0), 768);    // 48 warps, where 1024 threads hold 32
    assert_int_equal(hw_model_occupancy_best_block(h200, 40, 0, 100), 96);
    assert_int_equal(hw_model_occupancy_best_block(h200, 40, 0, 31), 0);     // no whole warp
    assert_int_equal(hw_model_occupancy_best_block(h200, 256, 0, 0), 0);
    assert_int_equal(hw_model_occupancy_best_block(h200, 32, UINT32_MAX, 0), 0);
    assert_int_equal(hw_model_occupancy_best_block(arch_of("8800gtx"), 10, 0, UINT32_MAX), 384);
    assert_int_equal(hw_model_occupancy_best_block(arch_of("8800gtx"), 11, 1024, 0), 320);   // as found by trying all
}

// It is never worse than any other size, and the largest of its like.
static void best_blocks_against_all(void **state) {
    (void)state;
    const hw_arch *arch;
    for (size_t a = 0; (arch = hw_arch_at(a)); a++)
        for (uint32_t regs = 8; regs <= 128; regs += 8)
            for (uint32_t smem = 0; smem <= 48 * 1024; smem += 4096) {
                uint32_t best = hw_model_occupancy_best_block(arch, regs, smem, 0);
                uint32_t warps = hw_model_occupancy(arch, best, regs, smem).warps;
                for (uint32_t threads = 1; threads <= arch->max_threads_per_block; threads += 31) {
                    uint32_t other = hw_model_occupancy(arch, threads, regs, smem).warps;
                    assert_true(other <= warps);
                    assert_true(threads <= best || other < warps || !other);
                }
            }
}

static void limiters_of_what_cannot_run(void **state) {
    (void)state;
    hw_occupancy o = hw_model_occupancy(arch_of("h200"), 1025, 16, 0);
    assert_int_equal(hw_model_occupancy_limiters(&o), W);
    o = hw_model_occupancy(arch_of("h200"), 0, 16, 0);
    assert_int_equal(hw_model_occupancy_limiters(&o), W);
    o = hw_model_occupancy(arch_of("h200"), 32, 256, UINT32_MAX);
    assert_int_equal(hw_model_occupancy_limiters(&o), R | S);
    o = hw_model_occupancy(arch_of("8800gtx"), 64, 0, 0);   // nothing used, nothing limits
    assert_int_equal(hw_model_occupancy_limiters(&o), B);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_07_tiles_of_a_matrix_product),
        cmocka_unit_test(case_11_warps_that_hide_the_latency_of_registers),
        cmocka_unit_test(case_12_waves_of_the_timed_reduction),
        cmocka_unit_test(case_13_worked_example_of_seed_004),
        cmocka_unit_test(blocks_of_the_matrix_products),
        cmocka_unit_test(blocks_of_the_transposes),
        cmocka_unit_test(fifteen_worked_cases),
        cmocka_unit_test(memory_of_a_launch),
        cmocka_unit_test(limits_of_each_generation),
        cmocka_unit_test(what_an_h200_held),
        cmocka_unit_test(best_blocks),
        cmocka_unit_test(best_blocks_against_all),
        cmocka_unit_test(limiters_of_what_cannot_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
