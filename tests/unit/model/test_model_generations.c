// The models of GPUs before 7.0: what the programming guides of their time say, on the cases that the documents which
// started the project work out (docs/seeds.md), and hostile values.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/banks.h"
#include "model/constant.h"
#include "model/partition.h"
#include "model/transactions.h"

enum { FULL = 0xffffffff, HALF = 0xffff };

static const hw_arch *cc(int number) { return hw_arch_find(number); }

// Lane k at (first + k * step) * width.
static hw_transactions strided(int number, hw_note_kind kind, uint32_t mask, int64_t first, int64_t step,
                               uint32_t width) {
    int64_t delta[32];
    for (int lane = 0; lane < 32; lane++) delta[lane] = (first + lane * step) * width;
    return hw_transactions_count(cc(number), kind, true, mask, 1 << 20, delta, width);
}

static void assert_sizes(hw_transactions t, uint32_t of_32, uint32_t of_64, uint32_t of_128) {
    assert_int_equal(t.of_32, of_32);
    assert_int_equal(t.of_64, of_64);
    assert_int_equal(t.of_128, of_128);
}

// ---- Coalescing -----------------------------------------------------------------------------------------------------

static void strict_coalescing(void **state) {
    (void)state;
    for (int number = 10; number <= 11; number++) {
        assert_sizes(strided(number, HW_NOTE_LOAD, FULL, 0, 1, 4), 0, 2, 0);
        assert_sizes(strided(number, HW_NOTE_STORE, FULL, 16, 1, 4), 0, 2, 0);
        assert_sizes(strided(number, HW_NOTE_LOAD, FULL, 0, 1, 8), 0, 0, 2);
        assert_sizes(strided(number, HW_NOTE_LOAD, FULL, 0, 1, 16), 0, 0, 4);
        assert_sizes(strided(number, HW_NOTE_LOAD, FULL, 0, 1, 2), 32, 0, 0);   // words of 1 and 2 bytes never
        for (int offset = 1; offset < 16; offset++)
            assert_sizes(strided(number, HW_NOTE_LOAD, FULL, offset, 1, 4), 32, 0, 0);
        for (int step = 2; step <= 32; step++) assert_sizes(strided(number, HW_NOTE_LOAD, FULL, 0, step, 4), 32, 0, 0);
        // One word for all: 16 transactions a half-warp (the naive product's reads of A).
        assert_sizes(strided(number, HW_NOTE_LOAD, FULL, 0, 0, 4), 32, 0, 0);
        // A lane that is off changes nothing.
        hw_transactions t = strided(number, HW_NOTE_LOAD, HALF & ~0x20u, 0, 1, 4);
        assert_sizes(t, 0, 1, 0);
        assert_int_equal(t.coalesced, 1);
        assert_int_equal(t.requests, 1);
        // The segment of 16 words of 16 bytes begins at a multiple of 256.
        assert_int_equal(strided(number, HW_NOTE_LOAD, HALF, 8, 1, 16).uncoalesced, 1);
    }
}

static void swapped_lanes(void **state) {
    (void)state;
    int64_t delta[32];
    for (int lane = 0; lane < 32; lane++) delta[lane] = 4 * lane;
    delta[5] = 4 * 6;
    delta[6] = 4 * 5;
    assert_sizes(hw_transactions_count(cc(10), HW_NOTE_LOAD, true, HALF, 0, delta, 4), 16, 0, 0);
    assert_sizes(hw_transactions_count(cc(13), HW_NOTE_LOAD, true, HALF, 0, delta, 4), 0, 1, 0);
}

// The GTX 280's offset copy: bytes and transactions a warp.
static void segments_by_offset(void **state) {
    (void)state;
    for (int offset = 0; offset <= 32; offset++) {
        hw_transactions t = strided(13, HW_NOTE_LOAD, FULL, offset, 1, 4);
        uint32_t bytes = offset % 16 == 0 ? 128 : offset % 8 == 0 ? 192 : 224;
        assert_int_equal(t.of_32 + t.of_64 + t.of_128, offset % 16 == 0 ? 2 : 3);
        assert_int_equal(hw_transactions_bytes(&t), bytes);
    }
    // Within a segment of 128 bytes one transaction of 128; across two, 64 and 32.
    assert_sizes(strided(12, HW_NOTE_LOAD, HALF, 1, 1, 4), 0, 0, 1);
    assert_sizes(strided(12, HW_NOTE_LOAD, HALF, 17, 1, 4), 1, 1, 0);
    assert_sizes(strided(12, HW_NOTE_LOAD, HALF, 24, 1, 4), 2, 0, 0);
}

static void segments_by_stride(void **state) {
    (void)state;
    static const struct { int step; uint32_t count, bytes; } cases[] = {
        {1, 2, 128}, {2, 2, 256}, {3, 4, 384}, {4, 4, 512}, {8, 8, 1024}, {16, 16, 2048}, {32, 32, 1024}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hw_transactions t = strided(13, HW_NOTE_STORE, FULL, 0, cases[i].step, 4);
        assert_int_equal(t.of_32 + t.of_64 + t.of_128, cases[i].count);
        assert_int_equal(hw_transactions_bytes(&t), cases[i].bytes);
    }
}

static void segments_of_other_words(void **state) {
    (void)state;
    assert_sizes(strided(13, HW_NOTE_LOAD, FULL, 0, 1, 1), 2, 0, 0);
    assert_sizes(strided(13, HW_NOTE_LOAD, FULL, 0, 1, 2), 2, 0, 0);
    assert_sizes(strided(13, HW_NOTE_LOAD, FULL, 0, 1, 8), 0, 0, 2);
    assert_sizes(strided(13, HW_NOTE_LOAD, FULL, 0, 1, 16), 0, 0, 4);
    assert_sizes(strided(13, HW_NOTE_LOAD, FULL, 0, 0, 4), 2, 0, 0);
}

// Transactions of 32 bytes that no other one of the warp lies beside, on 1.2 and 1.3.
static void lone_transactions(void **state) {
    (void)state;
    assert_int_equal(strided(13, HW_NOTE_LOAD, FULL, 0, 1, 4).lone_32, 0);
    assert_int_equal(strided(13, HW_NOTE_LOAD, FULL, 1, 1, 4).lone_32, 0);     // 32 bytes behind 128 and 64
    assert_int_equal(strided(12, HW_NOTE_LOAD, FULL, 8, 1, 4).lone_32, 0);     // 128, and 32 twice
    assert_int_equal(strided(13, HW_NOTE_LOAD, FULL, 0, 16, 4).lone_32, 0);    // segments of 128
    assert_int_equal(strided(13, HW_NOTE_LOAD, FULL, 0, 32, 4).lone_32, 32);
    assert_int_equal(strided(13, HW_NOTE_LOAD, 1, 3, 1, 4).lone_32, 1);
    assert_int_equal(strided(13, HW_NOTE_LOAD, FULL, 0, 1, 1).lone_32, 0);     // two halves of 16 bytes, in one piece
    assert_int_equal(strided(13, HW_NOTE_LOAD, 0x10001, 0, 1, 4).lone_32, 2);  // 64 bytes apart
    assert_int_equal(strided(13, HW_NOTE_LOAD, 0x10001, 4, 1, 4).lone_32, 2);
    assert_int_equal(strided(13, HW_NOTE_LOAD, 0x10080, 0, 1, 4).lone_32, 2);  // lanes 7 and 16: 32 bytes between
    assert_int_equal(strided(13, HW_NOTE_LOAD, 0x10100, 0, 1, 4).lone_32, 0);  // 8 and 16: beside each other
    for (int number = 10; number <= 11; number++)
        assert_int_equal(strided(number, HW_NOTE_LOAD, FULL, 0, 32, 4).lone_32, 0);
    assert_int_equal(strided(20, HW_NOTE_STORE, FULL, 0, 32, 4).lone_32, 0);
}

// One by one they are what is counted, each aligned to its size.
static void lists_of_transactions(void **state) {
    (void)state;
    for (int number = 10; number <= 13; number++)
        for (int step = -3; step <= 40; step++)
            for (uint32_t width = 1; width <= 16; width *= 2) {
                int64_t delta[32];
                hw_transaction list[HW_TRANSACTIONS];
                for (int lane = 0; lane < 32; lane++) delta[lane] = (int64_t)lane * step * width;
                const hw_transactions t =
                    hw_transactions_count(cc(number), HW_NOTE_LOAD, true, FULL, 1 << 20, delta, width);
                const uint32_t n = hw_transactions_list(cc(number), FULL, 1 << 20, delta, width, list);
                uint64_t bytes = 0;
                assert_int_equal(n, t.of_32 + t.of_64 + t.of_128);
                for (uint32_t i = 0; i < n; i++) {
                    bytes += list[i].bytes;
                    assert_int_equal(list[i].address % list[i].bytes, 0);
                }
                assert_int_equal(bytes, hw_transactions_bytes(&t));
                assert_true(t.lone_32 <= t.of_32);
            }
}

static void lines_and_sectors(void **state) {
    (void)state;
    assert_sizes(strided(20, HW_NOTE_LOAD, FULL, 0, 1, 4), 0, 0, 1);
    assert_sizes(strided(20, HW_NOTE_LOAD, FULL, 1, 1, 4), 0, 0, 2);
    assert_sizes(strided(20, HW_NOTE_STORE, FULL, 0, 1, 4), 4, 0, 0);
    assert_sizes(strided(20, HW_NOTE_LOAD, FULL, 0, 32, 4), 0, 0, 32);
    // Wide words go by halves and quarters of the warp, and those that share a line ask twice.
    hw_transactions t = strided(20, HW_NOTE_LOAD, FULL, 0, 1, 8);
    assert_int_equal(t.requests, 2);
    assert_sizes(t, 0, 0, 2);
    t = strided(35, HW_NOTE_LOAD, FULL, 0, 1, 16);
    assert_int_equal(t.requests, 4);
    assert_sizes(t, 16, 0, 0);
    assert_sizes(strided(35, HW_NOTE_LOAD, FULL, 1, 1, 4), 5, 0, 0);
    assert_sizes(strided(61, HW_NOTE_LOAD, FULL, 0, 2, 4), 8, 0, 0);
    assert_int_equal(strided(61, HW_NOTE_LOAD, FULL, 0, 1, 16).requests, 1);
    int64_t delta[32] = {0};
    t = hw_transactions_count(cc(20), HW_NOTE_LOAD, false, FULL, 96, delta, 4);
    assert_sizes(t, 1, 0, 0);
}

// ---- Banks ----------------------------------------------------------------------------------------------------------

static uint32_t passes(int number, uint32_t mode, uint32_t mask, uint32_t width, int64_t step_bytes) {
    int64_t delta[32];
    for (int lane = 0; lane < 32; lane++) delta[lane] = lane * step_bytes;
    return hw_banks_wavefronts(cc(number), HW_NOTE_LOAD, mode, mask, 0, delta, width);
}

static void sixteen_banks(void **state) {
    (void)state;
    static const uint32_t ways[] = {1, 1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4, 1, 2, 1, 16, 1};
    for (int step = 0; step < 18; step++) {
        assert_int_equal(passes(13, 4, HALF, 4, 4 * step), ways[step]);   // gcd(stride, 16)
        assert_int_equal(passes(10, 4, FULL, 4, 4 * step), 2 * ways[step]);
    }
    assert_int_equal(passes(13, 4, HALF, 1, 1), 4);    // char[tid]: four lanes a word, and one word is broadcast a step
    assert_int_equal(passes(13, 4, HALF, 1, 4), 1);    // char[4 tid]
    assert_int_equal(passes(13, 4, HALF, 2, 2), 2);
    assert_int_equal(passes(13, 4, HALF, 8, 8), 4);    // double: two requests, two-way each
    assert_int_equal(passes(13, 4, HALF, 16, 16), 16);
    // A struct of three floats is read by three loads without conflicts, one of two by two loads of two-way conflicts.
    assert_int_equal(passes(13, 4, HALF, 4, 12), 1);
    assert_int_equal(passes(13, 4, HALF, 4, 8), 2);
    // {float, char} is 8 bytes long.
    assert_int_equal(passes(13, 4, HALF, 1, 8), 2);
}

// Two words broadcast take two steps, in which the other lanes go along.
static void one_word_is_broadcast(void **state) {
    (void)state;
    int64_t delta[32] = {0};
    for (int lane = 8; lane < 16; lane++) delta[lane] = 4;
    assert_int_equal(hw_banks_wavefronts(cc(10), HW_NOTE_LOAD, 4, HALF, 0, delta, 4), 2);
    for (int lane = 0; lane < 16; lane++) delta[lane] = lane < 15 ? 0 : 20;
    assert_int_equal(hw_banks_wavefronts(cc(10), HW_NOTE_LOAD, 4, HALF, 0, delta, 4), 1);
    for (int lane = 0; lane < 16; lane++) delta[lane] = lane < 15 ? 0 : 64;
    assert_int_equal(hw_banks_wavefronts(cc(10), HW_NOTE_LOAD, 4, HALF, 0, delta, 4), 2);
}

// Columns of a tile of 32x32 words, and of the padded tile of blocks of 32x16.
static void columns_of_tiles(void **state) {
    (void)state;
    assert_int_equal(passes(20, 4, FULL, 4, 4 * 32), 32);
    assert_int_equal(passes(20, 4, FULL, 4, 4 * 33), 1);
    assert_int_equal(passes(35, 4, FULL, 4, 4 * 32), 16);
    assert_int_equal(passes(35, 8, FULL, 4, 4 * 32), 16);
    assert_int_equal(passes(52, 4, FULL, 4, 4 * 32), 32);
    static const uint32_t fermi[] = {16, 2, 1}, kepler[] = {8, 2, 1};
    for (int pad = 0; pad < 3; pad++) {
        int64_t delta[32];
        for (int lane = 0; lane < 32; lane++) delta[lane] = 4 * (lane % 16 * (32 + pad) + lane / 16);
        assert_int_equal(hw_banks_wavefronts(cc(20), HW_NOTE_LOAD, 4, FULL, 0, delta, 4), fermi[pad]);
        assert_int_equal(hw_banks_wavefronts(cc(35), HW_NOTE_LOAD, 4, FULL, 0, delta, 4), kepler[pad]);
        assert_int_equal(hw_banks_wavefronts(cc(35), HW_NOTE_LOAD, 8, FULL, 0, delta, 4), kepler[pad]);
    }
}

static void wide_words(void **state) {
    (void)state;
    assert_int_equal(passes(20, 4, FULL, 8, 8), 2);
    assert_int_equal(passes(20, 4, FULL, 16, 16), 4);
    assert_int_equal(passes(20, 4, FULL, 16, 0), 4);
    assert_int_equal(passes(35, 4, FULL, 8, 8), 1);
    assert_int_equal(passes(35, 8, FULL, 8, 8), 1);
    assert_int_equal(passes(35, 4, FULL, 16, 16), 2);
    assert_int_equal(passes(35, 4, FULL, 4, 8), 1);     // words 32 apart meet in a bank, and in its row
    assert_int_equal(passes(35, 4, FULL, 4, 256), 32);
    assert_int_equal(passes(35, 8, FULL, 4, 16), 2);
    assert_int_equal(passes(60, 4, FULL, 8, 8), 2);
    assert_int_equal(passes(60, 4, FULL, 16, 16), 4);
}

// ---- Constant memory and partitions ---------------------------------------------------------------------------------

static void constants(void **state) {
    (void)state;
    int64_t delta[32] = {0};
    assert_int_equal(hw_constant_passes(cc(13), FULL, delta), 2);
    assert_int_equal(hw_constant_passes(cc(90), FULL, delta), 1);
    assert_int_equal(hw_constant_passes(cc(90), 0, delta), 0);
    for (int lane = 0; lane < 32; lane++) delta[lane] = 4 * (lane / 4);
    assert_int_equal(hw_constant_passes(cc(10), FULL, delta), 8);
    assert_int_equal(hw_constant_passes(cc(35), FULL, delta), 8);
    for (int lane = 0; lane < 32; lane++) delta[lane] = -4 * lane;
    assert_int_equal(hw_constant_passes(cc(75), FULL, delta), 32);
}

// A GTX 280 transposes 2048 columns of floats by tiles of 32: blocks 0 to 63 read a row of tiles and write a column.
static void partition_camping(void **state) {
    (void)state;
    const hw_gpu *gpu = hw_gpu_find("gtx280");
    uint32_t n = hw_partition_count(gpu);
    assert_int_equal(n, 8);
    for (int wave = 0; wave < 2; wave++) {
        uint64_t reads[HW_PARTITIONS] = {0}, writes[HW_PARTITIONS] = {0}, turned[HW_PARTITIONS] = {0};
        for (uint64_t block = 0; block < 64; block++)
            for (uint64_t row = 0; row < 32; row++) {
                uint64_t column = 4 * 32 * block, bytes_per_row = 4 * 2048, down = (uint64_t)wave;
                reads[hw_partition_of(n, (32 * down + row) * bytes_per_row + column)] += 128;
                writes[hw_partition_of(n, (32 * block + row) * bytes_per_row + 4 * 32 * down)] += 128;
                // Diagonal order: block b of a row of tiles takes tile (b, b + row).
                turned[hw_partition_of(n, (32 * ((block + down) % 64) + row) * bytes_per_row + 4 * 32 * block)] += 128;
            }
        assert_float_equal(hw_partition_balance(reads, n), 1, 1e-9);
        assert_float_equal(hw_partition_balance(writes, n), 1.0 / 8, 1e-9);
        assert_float_equal(hw_partition_balance(turned, n), 1, 1e-9);
    }
    assert_int_equal(hw_partition_count(hw_gpu_find("8800gtx")), 6);
    assert_int_equal(hw_partition_count(hw_gpu_find("m2090")), 0);
    uint64_t nothing[HW_PARTITIONS] = {0};
    assert_float_equal(hw_partition_balance(nothing, 8), 1, 0);
}

// ---- Anything -------------------------------------------------------------------------------------------------------

static uint64_t random_bits(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    return *seed ^= *seed << 17;
}

// Never less than one transaction a request, never more than two a lane (one where words are aligned); repeatable, and
// blind to lanes that are off.
static void random_accesses_stay_in_bounds(void **state) {
    (void)state;
    static const int archs[] = {10, 11, 12, 13, 20, 21, 30, 35, 37, 50, 61};
    uint64_t seed = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        const hw_arch *arch = cc(archs[random_bits(&seed) % 11]);
        uint32_t mask = (uint32_t)random_bits(&seed), width = 1u << random_bits(&seed) % 5;
        int64_t delta[32], other[32];
        for (int lane = 0; lane < 32; lane++) {
            delta[lane] = (int64_t)(random_bits(&seed) % 64 * width);
            other[lane] = mask >> lane & 1 ? delta[lane] : INT64_MIN;
        }
        hw_transactions t = hw_transactions_count(arch, HW_NOTE_LOAD, true, mask, 4096, delta, width);
        hw_transactions u = hw_transactions_count(arch, HW_NOTE_LOAD, true, mask, 4096, other, width);
        uint32_t n = t.of_32 + t.of_64 + t.of_128, lanes = (uint32_t)__builtin_popcount(mask);
        uint32_t most = arch->cc < 12 && width == 16 ? lanes + 4 : lanes;
        assert_memory_equal(&t, &u, sizeof t);
        assert_in_range(n, t.requests, most > t.requests ? most : t.requests);
        uint32_t ways = hw_banks_wavefronts(arch, HW_NOTE_LOAD, 8, mask, 4096, delta, width);
        assert_int_equal(ways, hw_banks_wavefronts(arch, HW_NOTE_LOAD, 8, mask, 4096, other, width));
        assert_in_range(ways, lanes ? 1 : 0, 32 * 4 + 2);
    }
    int64_t far[32];
    for (int lane = 0; lane < 32; lane++) far[lane] = lane % 2 ? INT64_MIN : INT64_MAX;
    for (int a = 0; a < 11; a++) {
        hw_transactions t = hw_transactions_count(cc(archs[a]), HW_NOTE_LOAD, true, FULL, UINT64_MAX, far, 4);
        assert_in_range(t.of_32 + t.of_64 + t.of_128, 1, 64);
        t = hw_transactions_count(cc(archs[a]), HW_NOTE_STORE, true, FULL, 0, far, 0);
        assert_int_equal(t.requests, 0);
        t = hw_transactions_count(cc(archs[a]), HW_NOTE_STORE, true, 0, 0, far, 4);
        assert_int_equal(t.requests, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strict_coalescing),
        cmocka_unit_test(swapped_lanes),
        cmocka_unit_test(segments_by_offset),
        cmocka_unit_test(segments_by_stride),
        cmocka_unit_test(segments_of_other_words),
        cmocka_unit_test(lone_transactions),
        cmocka_unit_test(lists_of_transactions),
        cmocka_unit_test(lines_and_sectors),
        cmocka_unit_test(sixteen_banks),
        cmocka_unit_test(one_word_is_broadcast),
        cmocka_unit_test(columns_of_tiles),
        cmocka_unit_test(wide_words),
        cmocka_unit_test(constants),
        cmocka_unit_test(partition_camping),
        cmocka_unit_test(random_accesses_stay_in_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
