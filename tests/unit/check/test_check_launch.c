// Launches told by hand: findings and their counts, what orders accesses, sweeping, and every place where memory may
// run out.
#include "check/checked_case.h"
#include "mem/mem.h"

static const uint64_t WORD = 1 << 20, FLAG = 1 << 21;
static const uint32_t FULL = 0xffffffff;
enum { READER = 10, STRAY = 11, LATE_READER = 12 };    // lines

static void start(uint32_t blocks, uint32_t threads) { assert_int_equal(checked_begin(&c, 2, blocks, threads), HW_OK); }

static void read_word(uint32_t block, uint32_t warp, int lane, uint32_t line) {
    checked_word(&c, block, warp, lane, line, HW_NOTE_LOAD, WORD);
}
static void write_word(uint32_t block, uint32_t warp, int lane, uint32_t line) {
    checked_word(&c, block, warp, lane, line, HW_NOTE_STORE, WORD);
}
static void change_flag(uint32_t block, uint32_t warp, int lane) {
    checked_word(&c, block, warp, lane, 400, HW_NOTE_ATOMIC, FLAG);
}

// ---- strong accesses ------------------------------------------------------------------------------------------------

static void access_strongly(uint32_t block, uint32_t warp, uint32_t line, uint8_t kind) {
    const hw_note note = {.kind = kind, .space = HW_SPACE_GLOBAL, .width_bytes = 4, .order = HW_ORDER_VOLATILE};
    checked_access(&c, checked_where(block, warp), line, &note, 1, WORD, NULL);
}

static void meet_at_barrier(uint32_t block) {
    for (uint32_t warp = 0; warp < 2; warp++) checked_arrive(&c, block, warp, 300, HW_BARRIER_SYNC, 0, FULL, 0);
    checked_complete(&c, block, 0);
}

// A flag that is polled, seen, and taken back by a weak write of its reader, or of another thread behind a barrier.
static void test_seen_writes(void **state) {
    (void)state;
    for (uint32_t warp = 0; warp < 2; warp++) {
        start(2, 64);
        for (int i = 0; i < 3; i++) access_strongly(1, 0, 61, HW_NOTE_LOAD);
        access_strongly(0, 0, 60, HW_NOTE_STORE);
        for (int i = 0; i < 3; i++) access_strongly(1, 0, 61, HW_NOTE_LOAD);
        if (warp) meet_at_barrier(1);
        write_word(1, warp, 0, 62);
        checked_end(&c);
        assert_int_equal(checked_count(&c), 0);
    }
}

// It has not been seen, or by a thread that the writer does not come after.
static void test_unseen_writes(void **state) {
    (void)state;
    start(2, 64);
    access_strongly(1, 0, 61, HW_NOTE_LOAD);
    access_strongly(0, 0, 60, HW_NOTE_STORE);
    write_word(1, 0, 0, 62);
    checked_end(&c);
    assert_non_null(checked_between(&c, 60, 62));
    start(2, 64);
    access_strongly(0, 0, 70, HW_NOTE_STORE);
    access_strongly(1, 0, 71, HW_NOTE_LOAD);
    read_word(1, 1, 0, 72);
    checked_end(&c);
    assert_non_null(checked_between(&c, 70, 72));
}

// It has been seen once, and is done again since.
static void test_writes_again(void **state) {
    (void)state;
    static const uint8_t kinds[] = {HW_NOTE_LOAD, HW_NOTE_STORE};
    for (uint32_t i = 0; i < 2; i++) {
        start(2, 64);
        for (int again = 0; again < 2; again++) {
            access_strongly(0, 0, 60, HW_NOTE_STORE);
            if (!again) access_strongly(1, 0, 61, HW_NOTE_LOAD);
        }
        checked_word(&c, 1, 0, 0, 62 + i, kinds[i], WORD);
        checked_end(&c);
        assert_non_null(checked_between(&c, 60, 62 + i));
    }
}

// ---- lanes of a warp ------------------------------------------------------------------------------------------------

// Each of some lanes reads for itself, before any have met; then a part of them meets, and one of that writes.
static void test_readers_before_a_part_meets(void **state) {
    (void)state;
    start(1, 64);
    for (int lane = 3; lane < 9; lane++) read_word(0, 1, lane, 30 + (uint32_t)lane);
    checked_meet(&c, 0, 1, 0x1e8);
    write_word(0, 1, 8, 50);
    checked_end(&c);
    assert_non_null(checked_between(&c, 34, 50));
    assert_int_equal(checked_count(&c), 1);
}

// What a part of the lanes has read again stands for what it has read before.
static void test_readers_of_a_part_of_lanes(void **state) {
    (void)state;
    const hw_note note = {.kind = HW_NOTE_LOAD, .space = HW_SPACE_GLOBAL, .width_bytes = 4};
    start(1, 64);
    checked_access(&c, checked_where(0, 1), 30, &note, 0xf0, WORD, NULL);
    checked_access(&c, checked_where(0, 1), 31, &note, 0xff, WORD, NULL);
    checked_access(&c, checked_where(0, 1), 32, &note, 0xf0, WORD, NULL);
    checked_meet(&c, 0, 1, 0xf0);
    write_word(0, 1, 7, 50);
    checked_end(&c);
    assert_non_null(checked_between(&c, 31, 50));
    assert_int_equal(checked_count(&c), 1);
}

// ---- findings ------------------------------------------------------------------------------------------------------

static void test_finding(void **state) {
    (void)state;
    start(2, 64);
    write_word(0, 1, 3, 10);
    read_word(1, 0, 5, 11);
    checked_end(&c);
    const hw_check_finding *f = checked_between(&c, 10, 11);
    assert_non_null(f);
    assert_int_equal(f->kind, HW_CHECK_RACE);
    assert_int_equal(f->missing, HW_CHECK_MISSING_GRID);
    assert_int_equal(f->space, HW_SPACE_GLOBAL);
    assert_int_equal(f->address, WORD);
    assert_int_equal(f->count, 1);
    assert_int_equal(f->sides[0].act, HW_CHECK_WRITES);
    assert_int_equal(f->sides[0].block[0], 0);
    assert_int_equal(f->sides[0].thread[0], 35);
    assert_int_equal(f->sides[0].bytes, 4);
    assert_string_equal(f->sides[0].file, "k.cu");
    assert_string_equal(f->sides[0].kernel, "k");
    assert_int_equal(f->sides[1].act, HW_CHECK_READS);
    assert_int_equal(f->sides[1].block[0], 1);
    assert_int_equal(f->sides[1].thread[0], 5);
    assert_int_equal(f->sides[1].launch, 1);
    assert_false(f->sides[1].is_many);
}

// A pair of places once, with a count, in later launches of the kernel too.
static void test_finding_is_counted(void **state) {
    (void)state;
    for (int launch = 0; launch < 3; launch++) {
        start(2, 64);
        for (int lane = 0; lane < 4; lane++) {
            write_word(0, 0, lane, 10);
            checked_meet(&c, 0, 0, FULL);
            read_word(1, 0, lane, 11);
        }
        checked_end(&c);
    }
    assert_int_equal(checked_count(&c), 2);
    // The first write of a launch meets no reader, and the launches are in order.
    assert_int_equal(checked_between(&c, 10, 11)->count, 3 * 4);
    assert_int_equal(checked_count(&c), 2);
}

static void test_no_race(void **state) {
    (void)state;
    start(2, 64);
    read_word(0, 0, 0, 10);
    read_word(1, 1, 3, 11);
    checked_word(&c, 0, 0, 0, 12, HW_NOTE_STORE, WORD + 4);
    checked_word(&c, 1, 0, 0, 13, HW_NOTE_STORE, WORD + 8);
    change_flag(0, 0, 0);
    change_flag(1, 0, 0);
    checked_end(&c);
    assert_int_equal(checked_count(&c), 0);
}

// Memory that is allocated anew has no past.
static void test_new_memory(void **state) {
    (void)state;
    start(1, 32);
    write_word(0, 0, 0, 10);
    checked_end(&c);
    checked_host(&c, (hw_host_event){.action = HW_HOST_ALLOCATE, .memory = {.address = WORD, .bytes = 256,
                                                                           .kind = HW_ALLOC_DEVICE}});
    assert_int_equal(checked_begin(&c, 4, 1, 32), HW_OK);
    write_word(0, 0, 0, 11);
    checked_end(&c);
    assert_int_equal(checked_count(&c), 0);
}

static void test_leaks(void **state) {
    (void)state;
    static const char here, there;
    for (uint64_t i = 1; i <= 4; i++)
        checked_host(&c, (hw_host_event){.action = HW_HOST_ALLOCATE, .site = i < 4 ? &here : &there,
                                         .memory = {.address = i << 20, .bytes = 100 * i, .kind = HW_ALLOC_DEVICE}});
    checked_host(&c, (hw_host_event){.action = HW_HOST_FREE, .memory = {.address = 2 << 20, .bytes = 200}});
    hw_check_end(c.check, true);
    assert_int_equal(checked_count(&c), 2);
    const hw_check_finding *f = hw_check_finding_at(c.check, 0);
    assert_int_equal(f->kind, HW_CHECK_LEAK);
    assert_int_equal(f->bytes, 100 + 300);
    assert_int_equal(f->count, 2);
    assert_ptr_equal(f->sides[0].site, &here);
    assert_int_equal(hw_check_finding_at(c.check, 1)->bytes, 400);
}

static void test_several_workers_are_refused(void **state) {
    (void)state;
    hw_diag diag = {0};
    const hw_launch_info info = {.kernel = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}, .n_workers = 2};
    assert_int_equal(c.sink->launch_begin(c.sink, &info, &diag), HW_USAGE);
}

// ---- order ---------------------------------------------------------------------------------------------------------

// A block that ends, and another that takes its place: nothing of it stays, and none of what it did is in order.
static void test_blocks_one_after_the_other(void **state) {
    (void)state;
    start(1, 64);
    c.info.grid[0] = 3;
    checked_end(&c);
    hw_diag diag = {0};
    assert_int_equal(c.sink->launch_begin(c.sink, &c.info, &diag), HW_OK);
    const hw_note shared = {.kind = HW_NOTE_STORE, .space = HW_SPACE_SHARED, .width_bytes = 4};
    for (uint32_t block = 0; block < 3; block++) {
        checked_block(&c, block, false);
        checked_access(&c, checked_where(block, block % 2), 20, &shared, 1, 64, NULL);
        write_word(block, 0, 0, 21);
        checked_block(&c, block, true);
    }
    checked_end(&c);
    assert_int_equal(checked_count(&c), 1);
    assert_int_equal(checked_between(&c, 21, 21)->count, 2);
}

static void test_narrow_fence_tells_the_block(void **state) {
    (void)state;
    start(2, 64);
    write_word(0, 0, 0, 10);
    checked_fence(&c, 0, 0, 1, HW_SCOPE_CTA);
    change_flag(0, 0, 0);
    for (uint32_t block = 0; block < 2; block++) {
        change_flag(block, 1, 0);
        checked_fence(&c, block, 1, 1, HW_SCOPE_GPU);
    }
    read_word(0, 1, 0, 11);
    read_word(1, 1, 0, 12);
    checked_end(&c);
    assert_null(checked_between(&c, 10, 11));
    assert_non_null(checked_between(&c, 10, 12));
}

// What is done behind the fence is not told.
static void test_write_behind_the_fence(void **state) {
    (void)state;
    start(2, 32);
    checked_fence(&c, 0, 0, 1, HW_SCOPE_GPU);
    write_word(0, 0, 0, 10);
    change_flag(0, 0, 0);
    change_flag(1, 0, 0);
    checked_fence(&c, 1, 0, 1, HW_SCOPE_GPU);
    read_word(1, 0, 0, 11);
    checked_end(&c);
    assert_non_null(checked_between(&c, 10, 11));
}

// Who has not read the flag knows nothing, nor who has read another one.
static void test_other_readers(void **state) {
    (void)state;
    start(3, 32);
    write_word(0, 0, 0, 10);
    checked_fence(&c, 0, 0, 1, HW_SCOPE_GPU);
    change_flag(0, 0, 0);
    checked_word(&c, 1, 0, 0, 401, HW_NOTE_ATOMIC, FLAG + 64);
    checked_fence(&c, 1, 0, 1, HW_SCOPE_GPU);
    read_word(1, 0, 0, 11);
    change_flag(2, 0, 0);
    checked_fence(&c, 2, 0, 1, HW_SCOPE_GPU);
    read_word(2, 0, 1, 12);
    checked_meet(&c, 2, 0, FULL);
    read_word(2, 0, 1, 13);
    checked_end(&c);
    assert_non_null(checked_between(&c, 10, 11));
    assert_non_null(checked_between(&c, 10, 12));
    assert_null(checked_between(&c, 10, 13));
}

// A lane that alone reads what it wrote alone, by a call, has order with itself.
static void test_call_of_one_lane(void **state) {
    (void)state;
    start(1, 32);
    const hw_lane_bytes bytes = {.address = WORD, .bytes = 4, .lane = 5, .space = HW_SPACE_GLOBAL};
    const hw_lane_access access = {.where = checked_where(0, 0), .note = 30, .n = 1, .list = &bytes};
    c.sink->lane_access(c.sink, 0, &access);
    write_word(0, 0, 5, 10);
    c.sink->lane_access(c.sink, 0, &access);
    assert_int_equal(checked_count(&c), 0);
    write_word(0, 0, 6, 11);
    assert_non_null(checked_between(&c, 10, 11));
    checked_end(&c);
}

// An atomic does not hide the weak access before it from another one.
static void test_weak_access_before_atomics(void **state) {
    (void)state;
    start(2, 32);
    write_word(0, 0, 0, 10);
    checked_word(&c, 0, 0, 0, 11, HW_NOTE_ATOMIC, WORD);
    checked_word(&c, 1, 0, 0, 12, HW_NOTE_ATOMIC, WORD);
    assert_int_equal(checked_count(&c), 1);
    assert_non_null(checked_between(&c, 10, 12));
    checked_end(&c);
}

// A lane's own read does not hide that of another lane, whichever came first.
static void test_readers_of_one_warp(void **state) {
    (void)state;
    start(1, 32);
    read_word(0, 0, 4, 10);
    read_word(0, 0, 3, 11);
    write_word(0, 0, 3, 12);
    assert_int_equal(checked_count(&c), 1);
    assert_non_null(checked_between(&c, 10, 12));
    // Nor where the warp has met since an earlier read.
    checked_meet(&c, 0, 0, FULL);
    read_word(0, 0, 9, 20);
    checked_meet(&c, 0, 0, FULL);
    read_word(0, 0, 4, 21);
    read_word(0, 0, 3, 22);
    write_word(0, 0, 3, 23);
    assert_int_equal(checked_count(&c), 2);
    assert_non_null(checked_between(&c, 21, 23));
    checked_end(&c);
}

// A chain of a thousand blocks, each of which tells the next.
static void test_long_chain(void **state) {
    (void)state;
    enum { N = 1000 };
    start(N, 32);
    write_word(0, 0, 0, 10);
    for (uint32_t i = 0; i < N; i++) {
        if (i) checked_word(&c, i, 0, 0, 400, HW_NOTE_ATOMIC, FLAG + 8 * i);
        checked_fence(&c, i, 0, 1, HW_SCOPE_GPU);
        if (i != 500) checked_word(&c, i, 0, 0, 401, HW_NOTE_ATOMIC, FLAG + 8 * (i + 1));
        if (i == 500) read_word(i, 0, 0, 11);
    }
    read_word(N - 1, 0, 0, 12);
    checked_end(&c);
    assert_null(checked_between(&c, 10, 11));
    assert_non_null(checked_between(&c, 10, 12));
}

// ---- sweeping ------------------------------------------------------------------------------------------------------

// More entries than are kept: those that memory refers to stay, of shared memory too.
static void test_sweep_keeps_what_is_there(void **state) {
    (void)state;
    enum { ENTRIES = 5 << 20 };
    const hw_note shared = {.kind = HW_NOTE_STORE, .space = HW_SPACE_SHARED, .width_bytes = 4};
    start(2, 64);
    write_word(0, 0, 7, 10);
    checked_access(&c, checked_where(0, 0), 12, &shared, 1 << 9, 256, NULL);
    for (uint32_t i = 0; i < ENTRIES; i++) {
        checked_word(&c, 1, 0, 0, 100, HW_NOTE_STORE, WORD + 4096 + 4 * (i % 64));
        checked_meet(&c, 1, 0, FULL);
    }
    read_word(1, 0, 0, 11);
    checked_access(&c, checked_where(0, 1), 13, &shared, 1, 256, NULL);
    checked_end(&c);
    assert_int_equal(checked_count(&c), 2);
    assert_int_equal(checked_between(&c, 10, 11)->sides[0].thread[0], 7);
    assert_int_equal(checked_between(&c, 12, 13)->sides[0].thread[0], 9);
}

// ---- out of memory -------------------------------------------------------------------------------------------------

// Blocks read a word, one after the other, and each leaves a message with a flag of its own, but for one of them;
// another one reads all messages, and writes.
static void write_after_readers(uint32_t n, uint32_t silent) {
    c.notes[CHECKED_LINES - 1] = (hw_note){.order = HW_ORDER_SC, .scope = HW_SCOPE_GPU};    // of the fences
    start(n + 1, 32);
    for (uint32_t block = 0; block < n; block++) {
        read_word(block, 0, 0, block == silent ? READER : LATE_READER);
        if (block == silent) continue;
        checked_fence(&c, block, 0, 1, HW_SCOPE_GPU);
        checked_word(&c, block, 0, 0, 400, HW_NOTE_ATOMIC, FLAG + 64 + 4 * (uint64_t)block);
    }
    for (uint32_t block = 0; block < n; block++)
        checked_word(&c, n, 0, 0, 400, HW_NOTE_ATOMIC, FLAG + 64 + 4 * (uint64_t)block);
    checked_fence(&c, n, 0, 1, HW_SCOPE_GPU);
    write_word(n, 0, 0, STRAY);
    checked_end(&c);
}

static void test_many_readers(void **state) {
    (void)state;
    enum { N = 100 };
    for (uint32_t silent = 0; silent <= N; silent++) {
        hw_check_destroy(c.check);
        assert_int_equal(checked_create(&c), HW_OK);
        write_after_readers(N, silent);
        assert_int_equal(checked_count(&c), silent < N);
        assert_int_equal(checked_between(&c, READER, STRAY) != NULL, silent < N);
        assert_false(hw_check_has_left_out(c.check));
    }
}

// Where lists have many elements, the newest sixteen readers stay; where they have twice as many, two: which is told,
// and not as want of memory.
static void test_readers_of_many_lists(void **state) {
    (void)state;
    static const uint32_t most[] = {24, 24, 4, 4}, silences[] = {0, 25, 0, 39};
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t silent = silences[k];
        hw_check_destroy(c.check);
        assert_int_equal(checked_create(&c), HW_OK);
        c.check->entries.most_lists = most[k];
        write_after_readers(40, silent);
        assert_int_equal(checked_between(&c, READER, STRAY) != NULL, silent > 0);
        assert_false(hw_check_ran_out(c.check));
        assert_true(hw_check_has_left_out(c.check));
    }
}

// Where there is room for no list, readers are told to be left out only if a list is wanted: not of threads that tell
// others nothing.
static void test_readers_without_lists(void **state) {
    (void)state;
    for (int tells = 0; tells < 2; tells++) {
        hw_check_destroy(c.check);
        assert_int_equal(checked_create(&c), HW_OK);
        c.check->entries.most_lists = 1;
        c.check->entries.n_lists = c.check->entries.lists_swept = 100;
        if (tells) c.notes[CHECKED_LINES - 1] = (hw_note){.order = HW_ORDER_SC, .scope = HW_SCOPE_GPU};
        start(4, 32);
        for (uint32_t block = 0; block < 4; block++) read_word(block, 0, 0, READER);
        checked_end(&c);
        assert_int_equal(hw_check_has_left_out(c.check), tells);
    }
}

// Readers of many words in nobody's order: no more elements than a launch may have, of however many readers.
static void test_lists_have_bounds(void **state) {
    (void)state;
    enum { WORDS = 256, READERS = 400, MOST = 1 << 10 };
    c.notes[CHECKED_LINES - 1] = (hw_note){.order = HW_ORDER_SC, .scope = HW_SCOPE_GPU};    // of the fences
    c.check->entries.most_lists = MOST;
    start(READERS, 32);
    for (uint32_t i = 0; i < READERS; i++) {
        checked_fence(&c, i, 0, 1, HW_SCOPE_GPU);
        change_flag(i, 0, 0);
        for (uint32_t word = 0; word < WORDS; word++)
            checked_word(&c, i, 0, (int)(word * (i + 1) % 32), READER, HW_NOTE_LOAD, WORD + 12 * word);
        assert_in_range(c.check->entries.n_lists, 0, 2 * MOST + 40);
    }
    checked_end(&c);
    assert_false(hw_check_ran_out(c.check));
    assert_int_equal(checked_count(&c), 0);
}

// As many readers, each of whom has heard of the one before it: the last one is enough.
static void test_chain_of_readers(void **state) {
    (void)state;
    enum { N = 100 };
    c.notes[CHECKED_LINES - 1] = (hw_note){.order = HW_ORDER_SC, .scope = HW_SCOPE_GPU};
    start(N + 1, 32);
    for (uint32_t block = 0; block <= N; block++) {
        if (block > 0) checked_word(&c, block, 0, 0, 400, HW_NOTE_ATOMIC, FLAG);
        checked_fence(&c, block, 0, 1, HW_SCOPE_GPU);
        if (block == N) write_word(block, 0, 0, STRAY);
        else read_word(block, 0, 0, READER);
        checked_fence(&c, block, 0, 1, HW_SCOPE_GPU);
        checked_word(&c, block, 0, 0, 400, HW_NOTE_ATOMIC, FLAG);
    }
    checked_end(&c);
    assert_int_equal(checked_count(&c), 0);
}

// Some of everything; false where it can not be begun.
static bool do_everything(void) {
    const hw_note shared = {.kind = HW_NOTE_STORE, .space = HW_SPACE_SHARED, .width_bytes = 1};
    checked_host(&c, (hw_host_event){.action = HW_HOST_ALLOCATE, .memory = {.address = WORD, .bytes = 4096,
                                                                           .kind = HW_ALLOC_DEVICE}});
    checked_host(&c, (hw_host_event){.action = HW_HOST_SET, .stream = 4, .set = {.to = {.address = WORD},
                                     .width = 64, .height = 1, .depth = 1}});
    if (checked_begin(&c, 2, 2, 96) != HW_OK) return false;
    for (uint32_t block = 0; block < 2; block++) {
        checked_access(&c, checked_where(block, 0), 20, &shared, 0xffff, 3, NULL);
        checked_meet(&c, block, 0, 0xff);
        write_word(block, 0, 0, 10);
        checked_fence(&c, block, 0, 1, HW_SCOPE_GPU);
        change_flag(block, 0, 0);
        for (uint32_t warp = 0; warp < 2; warp++)
            checked_arrive(&c, block, warp, 30, HW_BARRIER_SYNC, 1, FULL, 64);
        checked_complete(&c, block, 1);
        for (uint32_t warp = 0; warp < 3; warp++)
            checked_arrive(&c, block, warp, 31 + warp, HW_BARRIER_SYNC, 0, FULL, 0);
        checked_complete(&c, block, 0);
        read_word(block, 1, 2, 11);
    }
    checked_end(&c);
    hw_check_end(c.check, true);
    return true;
}

// Whichever allocation is the first that fails: no crash, nothing lost, and no race that there is not.
// An order between streams that was lost for want of memory is no race.
static void test_streams_without_memory(void **state) {
    (void)state;
    uint32_t lost = 0;
    for (long successes = 0; successes < 8; successes++) {
        hw_check_destroy(c.check);
        assert_int_equal(checked_create(&c), HW_OK);
        start(1, 32);
        write_word(0, 0, 0, 10);
        checked_end(&c);
        const hw_host_event recorded = {.action = HW_HOST_EVENT_RECORD, .stream = 2, .event = 9};
        const hw_host_event waits = {.action = HW_HOST_STREAM_WAIT, .stream = 3, .event = 9};
        hw_alloc_fail_after(successes);
        c.sink->host(c.sink, &recorded);
        c.sink->host(c.sink, &waits);
        hw_alloc_fail_after(-1);
        assert_int_equal(checked_begin(&c, 3, 1, 32), HW_OK);
        write_word(0, 0, 0, 11);
        checked_end(&c);
        assert_int_equal(checked_count(&c), 0);
        lost += hw_check_ran_out(c.check);
    }
    assert_in_range(lost, 1, 7);
}

static void test_out_of_memory(void **state) {
    (void)state;
    hw_check_destroy(c.check);
    assert_int_equal(checked_create(&c), HW_OK);
    assert_true(do_everything());
    const size_t all = checked_count(&c);
    assert_true(all >= 4);
    bool is_done = false;
    for (long successes = 0; !is_done; successes++) {
        assert_true(successes < 1000);
        hw_check_destroy(c.check);
        hw_alloc_fail_after(successes);
        hw_status status = checked_create(&c);
        const bool has_run = !status && do_everything();
        hw_alloc_fail_after(-1);
        if (status) assert_null(c.check);
        else assert_true(checked_count(&c) <= all);
        is_done = has_run && checked_count(&c) == all && successes > 60;
    }
}

// A matrix that is written by columns, each warp beside the one before: each word has its own thread.
static void test_columns(void **state) {
    (void)state;
    const hw_note note = {.kind = HW_NOTE_STORE, .space = HW_SPACE_GLOBAL, .width_bytes = 4};
    const uint64_t bases[] = {WORD, WORD + 4, WORD + 8, WORD + 12};
    int64_t delta[HW_WARP_LANES];
    for (int i = 0; i < HW_WARP_LANES; i++) delta[i] = 128 * i;
    for (uint32_t warp = 0; warp < 4; warp++) {
        start(2, 128);
        checked_accesses(&c, checked_where(0, 0), 10, &note, FULL, 4, bases, delta);
        checked_word(&c, 1, 0, 0, 20 + warp, HW_NOTE_LOAD, WORD + 7 * 128 + 4 * warp);
        checked_end(&c);
        const hw_check_finding *f = checked_between(&c, 10, 20 + warp);
        assert_non_null(f);
        assert_int_equal(f->sides[0].thread[0], 32 * warp + 7);
        assert_int_equal(f->count, 1);
    }
    assert_int_equal(checked_count(&c), 4);
}

// ---- what a launch only reads ---------------------------------------------------------------------------------------

enum { READ_BYTES = 256 };

static void access_in_set(uint32_t block, uint32_t line, uint8_t kind, uint32_t set, uint64_t address) {
    const hw_note note = {.kind = kind, .space = HW_SPACE_GLOBAL, .width_bytes = 4, .access = set};
    checked_access(&c, checked_where(block, 0), line, &note, 1, address, NULL);
}

// strays: a store whose pointer comes from elsewhere hits it nevertheless.
static void read_and_stray(uint64_t address, bool strays) {
    static const uint32_t set_of[] = {0, 1, 2};
    static const hw_home items[] = {{.begin = 1 << 20, .bytes = READ_BYTES, .space = HW_SPACE_GLOBAL},
                                    {.begin = 1 << 22, .bytes = READ_BYTES, .space = HW_SPACE_GLOBAL}};
    static const hw_home_set sets[] = {{.n = 0}, {.n = 1, .least_read_bytes = 4},
                                       {.first = 1, .n = 1, .is_written = true}};
    static const hw_homes homes = {.n_accesses = 3, .set_of = set_of, .n_sets = 3, .sets = sets, .items = items};
    c.homes = &homes;
    if (checked_begin(&c, 2, 3, 32)) return;
    access_in_set(0, READER, HW_NOTE_LOAD, 1, address);
    access_in_set(0, READER, HW_NOTE_LOAD, 1, address);
    if (strays) access_in_set(1, STRAY, HW_NOTE_STORE, 2, address);
    access_in_set(2, LATE_READER, HW_NOTE_LOAD, 1, address);
    checked_end(&c);
    c.homes = NULL;
}

static void test_stray_store_into_what_is_read(void **state) {
    (void)state;
    read_and_stray(WORD + 128, true);
    const hw_check_finding *f = checked_between(&c, READER, STRAY), *late = checked_between(&c, STRAY, LATE_READER);
    assert_non_null(f);
    assert_non_null(late);
    assert_int_equal(f->address, WORD + 128);
    assert_int_equal(f->sides[0].block[0], 0);
    assert_int_equal(late->sides[1].block[0], 2);
    assert_int_equal(checked_count(&c), 3);    // and the store is out of bounds
}

// Work in another stream is in no order with it; work of its own stream comes after.
static void test_later_work_meets_readers(void **state) {
    (void)state;
    static const uint64_t streams[] = {2, 4};
    for (int i = 0; i < 2; i++) {
        read_and_stray(WORD + 64 * (uint64_t)i, false);
        assert_int_equal(checked_begin(&c, streams[i], 1, 32), HW_OK);
        checked_word(&c, 0, 0, 0, 30, HW_NOTE_STORE, WORD + 64 * (uint64_t)i);
        checked_end(&c);
        assert_int_equal(checked_count(&c), i);
    }
    assert_non_null(checked_between(&c, READER, 30));
}

// A row of words by 32 lanes is one reference: the newest launch's, and each lane's word is its own.
static void test_rows_of_readers(void **state) {
    (void)state;
    static const uint32_t set_of[] = {0, 1};
    static const hw_home home = {.begin = 1 << 20, .bytes = READ_BYTES, .space = HW_SPACE_GLOBAL};
    static const hw_home_set sets[] = {{.n = 0}, {.n = 1, .least_read_bytes = 4}};
    static const hw_homes homes = {.n_accesses = 2, .set_of = set_of, .n_sets = 2, .sets = sets, .items = &home};
    const hw_note note = {.kind = HW_NOTE_LOAD, .space = HW_SPACE_GLOBAL, .width_bytes = 4, .access = 1};
    int64_t delta[HW_WARP_LANES];
    for (int i = 0; i < HW_WARP_LANES; i++) delta[i] = 4 * i;
    c.homes = &homes;
    for (uint32_t block = 0; block < 2; block++) {
        start(2, 32);
        checked_access(&c, checked_where(block, 0), READER, &note, FULL, WORD + 128, delta);
        checked_end(&c);
    }
    c.homes = NULL;
    assert_int_equal(checked_begin(&c, 4, 1, 32), HW_OK);
    checked_word(&c, 0, 0, 0, 30, HW_NOTE_STORE, WORD + 128 + 4 * 7);
    checked_word(&c, 0, 0, 0, 31, HW_NOTE_STORE, WORD + 128 + 4 * 9);
    checked_end(&c);
    for (uint32_t line = 30; line < 32; line++) {
        const hw_check_finding *f = checked_between(&c, READER, line);
        assert_non_null(f);
        assert_int_equal(f->count, 1);
        assert_int_equal(f->sides[0].block[0], 1);
        assert_int_equal(f->sides[0].thread[0], 7 + 2 * (line - 30));
    }
}

// ---- lanes that read apart ------------------------------------------------------------------------------------------

enum { APART_ROWS = 32, APART_BYTES = APART_ROWS * HW_WARP_LANES * 4 };

static uint64_t apart(uint32_t row, uint32_t lane) { return WORD + 4 * (uint64_t)(lane * APART_ROWS + row); }

// One launch of the stream, whose block `row` of these reads that word of each lane's rows.
static void read_apart(uint64_t stream, uint32_t from, uint32_t to) {
    static const uint32_t set_of[] = {0, 1};
    static const hw_home home = {.begin = 1 << 20, .bytes = APART_BYTES, .space = HW_SPACE_GLOBAL};
    static const hw_home_set sets[] = {{.n = 0}, {.n = 1, .least_read_bytes = 4}};
    static const hw_homes homes = {.n_accesses = 2, .set_of = set_of, .n_sets = 2, .sets = sets, .items = &home};
    const hw_note note = {.kind = HW_NOTE_LOAD, .space = HW_SPACE_GLOBAL, .width_bytes = 4, .access = 1};
    int64_t delta[HW_WARP_LANES];
    for (int i = 0; i < HW_WARP_LANES; i++) delta[i] = 4 * i * APART_ROWS;
    c.homes = &homes;
    assert_int_equal(checked_begin(&c, stream, APART_ROWS, 32), HW_OK);
    for (uint32_t row = from; row < to; row++)
        checked_access(&c, checked_where(row, 0), READER + row, &note, FULL, apart(row, 0), delta);
    checked_end(&c);
    c.homes = NULL;
}

// A launch of another stream writes one word.
static void write_apart(uint32_t line, uint32_t row, uint32_t lane) {
    assert_int_equal(checked_begin(&c, 4, 1, 32), HW_OK);
    checked_word(&c, 0, 0, 0, line, HW_NOTE_STORE, apart(row, lane));
    checked_end(&c);
}

static void expect_reader(uint32_t line, uint32_t row, uint32_t lane) {
    const hw_check_finding *f = checked_between(&c, READER + row, line);
    assert_non_null(f);
    assert_int_equal(f->sides[0].block[0], row);
    assert_int_equal(f->sides[0].thread[0], lane);
    assert_int_equal(f->address, apart(row, lane));
}

// More than a list has room for: the first and the last of a launch are there, also when a later one of the stream has
// read something else. What the host has waited for meets nobody.
static void test_lanes_apart(void **state) {
    (void)state;
    read_apart(2, 0, APART_ROWS);
    read_apart(2, 5, 7);
    write_apart(100, 0, 7);
    write_apart(101, APART_ROWS - 1, 9);
    write_apart(102, 5, 31);
    write_apart(103, 5, 31);    // it has been told
    expect_reader(100, 0, 7);
    expect_reader(101, APART_ROWS - 1, 9);
    expect_reader(102, 5, 31);
    assert_int_equal(checked_count(&c), 3);
    checked_host(&c, (hw_host_event){.action = HW_HOST_DEVICE_SYNCHRONIZE});
    read_apart(2, 1, 2);
    write_apart(104, 1, 3);
    write_apart(105, 2, 3);
    expect_reader(104, 1, 3);
    assert_int_equal(checked_count(&c), 4);
}

// Entries are numbered anew while some of them are listed.
static void test_sweep_keeps_lanes_apart(void **state) {
    (void)state;
    enum { N = 1 << 18 };
    assert_int_equal(checked_begin(&c, 2, 1, 32), HW_OK);
    for (uint32_t i = 0; i < N / 2; i++) {    // which nothing refers to, before and behind
        checked_word(&c, 0, 0, 0, 400, HW_NOTE_ATOMIC, FLAG);
        checked_fence(&c, 0, 0, 1, HW_SCOPE_GPU);
    }
    checked_end(&c);
    read_apart(2, 3, 5);
    assert_int_equal(checked_begin(&c, 2, 1, 32), HW_OK);
    for (uint32_t i = 0; i < N; i++) {
        checked_word(&c, 0, 0, 0, 400, HW_NOTE_ATOMIC, FLAG);
        checked_fence(&c, 0, 0, 1, HW_SCOPE_GPU);
    }
    checked_end(&c);
    write_apart(100, 3, 7);
    write_apart(101, 4, 30);
    expect_reader(100, 3, 7);
    expect_reader(101, 4, 30);
    assert_int_equal(checked_count(&c), 2);
}

static void test_readers_without_memory(void **state) {
    (void)state;
    for (long successes = 0; successes < 60; successes++) {
        hw_check_destroy(c.check);
        assert_int_equal(checked_create(&c), HW_OK);
        hw_alloc_fail_after(successes);
        read_and_stray(WORD, true);
        hw_alloc_fail_after(-1);
        assert_true(checked_count(&c) <= 3);
    }
    assert_int_equal(checked_count(&c), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_seen_writes, begin, end),
        cmocka_unit_test_setup_teardown(test_unseen_writes, begin, end),
        cmocka_unit_test_setup_teardown(test_writes_again, begin, end),
        cmocka_unit_test_setup_teardown(test_readers_before_a_part_meets, begin, end),
        cmocka_unit_test_setup_teardown(test_readers_of_a_part_of_lanes, begin, end),
        cmocka_unit_test_setup_teardown(test_finding, begin, end),
        cmocka_unit_test_setup_teardown(test_finding_is_counted, begin, end),
        cmocka_unit_test_setup_teardown(test_no_race, begin, end),
        cmocka_unit_test_setup_teardown(test_new_memory, begin, end),
        cmocka_unit_test_setup_teardown(test_leaks, begin, end),
        cmocka_unit_test_setup_teardown(test_several_workers_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(test_blocks_one_after_the_other, begin, end),
        cmocka_unit_test_setup_teardown(test_narrow_fence_tells_the_block, begin, end),
        cmocka_unit_test_setup_teardown(test_write_behind_the_fence, begin, end),
        cmocka_unit_test_setup_teardown(test_other_readers, begin, end),
        cmocka_unit_test_setup_teardown(test_call_of_one_lane, begin, end),
        cmocka_unit_test_setup_teardown(test_weak_access_before_atomics, begin, end),
        cmocka_unit_test_setup_teardown(test_readers_of_one_warp, begin, end),
        cmocka_unit_test_setup_teardown(test_long_chain, begin, end),
        cmocka_unit_test_setup_teardown(test_sweep_keeps_what_is_there, begin, end),
        cmocka_unit_test_setup_teardown(test_out_of_memory, begin, end),
        cmocka_unit_test_setup_teardown(test_many_readers, begin, end),
        cmocka_unit_test_setup_teardown(test_readers_of_many_lists, begin, end),
        cmocka_unit_test_setup_teardown(test_readers_without_lists, begin, end),
        cmocka_unit_test_setup_teardown(test_streams_without_memory, begin, end),
        cmocka_unit_test_setup_teardown(test_lists_have_bounds, begin, end),
        cmocka_unit_test_setup_teardown(test_chain_of_readers, begin, end),
        cmocka_unit_test_setup_teardown(test_columns, begin, end),
        cmocka_unit_test_setup_teardown(test_stray_store_into_what_is_read, begin, end),
        cmocka_unit_test_setup_teardown(test_later_work_meets_readers, begin, end),
        cmocka_unit_test_setup_teardown(test_rows_of_readers, begin, end),
        cmocka_unit_test_setup_teardown(test_lanes_apart, begin, end),
        cmocka_unit_test_setup_teardown(test_sweep_keeps_lanes_apart, begin, end),
        cmocka_unit_test_setup_teardown(test_readers_without_memory, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
