// Seeds: each is an order of its own, the same again, in which the same threads run, and each runs once.
#include "exec_run.h"

enum { BLOCKS = 37, SEEDS = 24 };

// In which place does each block, or each warp, come? out[number] = how many have come before.
#define IN_TURN \
    KERNEL("", "and.b32 %r5, %r1, 31; setp.ne.u32 %p1, %r5, 0; @%p1 bra END;\n" \
           "shr.u32 %r6, %r4, 5; mul.wide.u32 %rd4, %r6, 4; add.u64 %rd4, %rd1, %rd4;\n" \
           "atom.global.add.u32 %r7, [%rd2], 1; st.global.u32 [%rd4], %r7;\nEND: ret;\n")

// The places are a permutation of 0 .. n-1.
static void assert_each_once(const uint32_t *places, uint32_t n) {
    uint64_t seen = 0;
    for (uint32_t i = 0; i < n; i++) seen |= (uint64_t)1 << places[i];
    assert_true(n < 64 && seen == ((uint64_t)1 << n) - 1);
}

// How many of the seeds' orders are unlike all before.
static uint32_t count_orders(run_args a, uint32_t n) {
    static uint32_t known[SEEDS][64];
    uint32_t different = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        a.seed = seed;
        const run_result *r = run_ok(a);
        assert_each_once(r->out, n);
        memcpy(known[seed], r->out, sizeof known[0]);
        uint64_t k = 0;
        while (memcmp(known[k], known[seed], sizeof known[0]) != 0) k++;
        different += k == seed;
        assert_memory_equal(run_ok(a)->out, known[seed], sizeof known[0]);
    }
    return different;
}

static void test_orders_of_blocks(void **state) {
    (void)state;
    assert_true(count_orders((run_args){.grid = BLOCKS, .block = 32, .ptx = IN_TURN}, BLOCKS) > SEEDS / 2);
    // Without a seed they come by their numbers.
    const run_result *r = run_ok((run_args){.grid = BLOCKS, .block = 32, .ptx = IN_TURN});
    for (uint32_t i = 0; i < BLOCKS; i++) assert_int_equal(r->out[i], i);
}

static void test_orders_of_warps(void **state) {
    (void)state;
    assert_true(count_orders((run_args){.grid = 1, .block = 7 * 32, .ptx = IN_TURN}, 7) > SEEDS / 2);
}

// Not the same in the next launch either: it is the launch's number that is mixed in.
static void test_all_threads_run(void **state) {
    (void)state;
    const char *text = KERNEL("", "atom.global.add.u32 %r5, [%rd3], 1; ret;\n");
    for (uint64_t seed = 1; seed < 9; seed++)
        for (uint32_t threads = 1; threads < 4; threads++) {
            const run_result *r = run_ok((run_args){.grid = 101, .block = 96, .seed = seed, .threads = threads,
                                                    .ptx = text});
            for (uint32_t i = 0; i < 101 * 96; i++) assert_int_equal(r->out[i], 1);
        }
}

// A lock that is tried and not waited for: only who is interrupted with the lock in hand is met by others.
#define TRY_LOCK KERNEL("", "and.b32 %r5, %r1, 31; setp.ne.u32 %p1, %r5, 0; @%p1 bra END;\n" \
    "atom.global.cas.b32 %r6, [%rd2], 0, 1; setp.ne.u32 %p2, %r6, 0; @%p2 bra TAKEN;\n" \
    "atom.global.add.u32 %r7, [%rd1], 1; bra.uni HELD;\nHELD: atom.global.exch.b32 %r8, [%rd2], 0; bra END;\n" \
    "TAKEN: atom.global.add.u32 %r7, [%rd1+4], 1;\nEND: ret;\n")

static uint32_t count_taken(uint32_t grid, uint32_t block, uint64_t seed) {
    const run_result *r = run_ok((run_args){.grid = grid, .block = block, .seed = seed, .ptx = TRY_LOCK});
    assert_int_equal(r->out[0] + r->out[1], grid * block / 32);
    return r->out[1];
}

static void test_turns_are_interrupted(void **state) {
    (void)state;
    uint32_t warps = 0, blocks = 0;
    for (uint64_t seed = 1; seed < SEEDS; seed++) {
        warps += count_taken(1, 256, seed);
        blocks += count_taken(64, 32, seed);
    }
    assert_int_equal(count_taken(1, 256, 0) + count_taken(64, 32, 0), 0);
    assert_true(warps > 0);
    assert_true(blocks > 0);
}

// Diverged lanes: which side of a branch comes first.
static void test_orders_of_lanes(void **state) {
    (void)state;
    const char *text = KERNEL("", "setp.lt.u32 %p1, %r1, 16; @%p1 bra LOW;\n"
        "mov.u32 %r5, 0; UP: add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 9; @%p2 bra UP;"
        "atom.global.add.u32 %r7, [%rd2], 1; st.global.u32 [%rd3], %r7; bra END;\n"
        "LOW: mov.u32 %r5, 0; DOWN: add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 9; @%p2 bra DOWN;"
        "atom.global.add.u32 %r7, [%rd2], 1; st.global.u32 [%rd3], %r7;\nEND: ret;\n");
    uint32_t low_first = 0;
    for (uint64_t seed = 1; seed < SEEDS; seed++) {
        const run_result *r = run_ok((run_args){.grid = 1, .block = 32, .seed = seed, .ptx = text});
        assert_each_once(r->out, 32);
        low_first += r->out[0] < 16;
    }
    assert_true(low_first > 0 && low_first < SEEDS - 1);
}

// A block waits for the one before it; as many are there at a time as this GPU holds, which is few.
static void test_neighbours_get_what_they_wait_for(void **state) {
    (void)state;
    const char *text = KERNEL(".shared .align 4 .b8 most[15000];\n",
        "mov.u32 %r9, most; st.shared.u32 [%r9], %r1; mov.u32 %r5, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra GO;\n"
        "WAIT: ld.volatile.global.u32 %r6, [%rd3+-4]; setp.eq.u32 %p2, %r6, 0; @%p2 bra WAIT; add.u32 %r5, %r6, 1;\n"
        "GO: st.volatile.global.u32 [%rd3], %r5; ret;\n");
    for (uint64_t seed = 1; seed < 6; seed++) {
        const run_result *r = run_ok((run_args){.grid = 150, .block = 1, .seed = seed, .gpu = "8400gs", .ptx = text});
        for (uint32_t i = 0; i < 150; i++) assert_int_equal(r->out[i], i + 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders_of_blocks),      cmocka_unit_test(test_orders_of_warps),
        cmocka_unit_test(test_all_threads_run),       cmocka_unit_test(test_turns_are_interrupted),
        cmocka_unit_test(test_orders_of_lanes),       cmocka_unit_test(test_neighbours_get_what_they_wait_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
