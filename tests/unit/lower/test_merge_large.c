// Merging in functions of a hundred thousand instructions: each piece of them is merged as it is alone, and in time.
#include <stdarg.h>
#include <time.h>

#include "merge_test.h"

// Of lowering one function, which takes less than half of a second. What grows with the square takes minutes.
enum { PIECES = 10000, MOST_SECONDS = 20 };

static char *ptx;
static size_t ptx_length, ptx_room;

static void write_ptx(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void write_ptx(const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t length = (size_t)vsnprintf(NULL, 0, format, args);
    if (ptx_room - ptx_length <= length) ptx = realloc(ptx, ptx_room = 2 * (ptx_room + length + 1));
    assert_non_null(ptx);
    ptx_length += (size_t)vsnprintf(ptx + ptx_length, ptx_room - ptx_length, format, again);
    va_end(again);
    va_end(args);
}

// before, then `pieces` pieces, then after; each number in a piece is the piece's own.
static void lower_pieces(const char *before, void (*piece)(int number), const char *after, int pieces) {
    ptx_length = 0;
    write_ptx(HEAD ".visible .entry k(.param .u64 out, .param .u32 n) {\n"
              ".reg .pred %%p<9>; .reg .b32 %%r<20>; .reg .b64 %%d<9>; .reg .b64 %%q<%d>;\n"
              "ld.param.u64 %%d1, [out]; ld.param.u32 %%r1, [n]; and.b64 %%d2, %%d1, -16; mov.u32 %%r9, 0;\n%s", PIECES,
              before);
    for (int n = 0; n < pieces; n++) piece(n);
    write_ptx("%s\nst.global.u32 [%%d1], %%r9; ret;\n}\n", after);
    lower(ptx);
}

static void count_pieces(const char *before, void (*piece)(int number), int pieces, uint32_t *cells) {
    lower_pieces(before, piece, "", pieces);
    count_notes(program("k"), cells, false);
    done();
}

// What one piece adds is what each of many adds.
static void expect_as_alone(const char *before, void (*piece)(int number)) {
    uint32_t none[CELLS], one[CELLS], all[CELLS];
    bool is_merged = false;
    count_pieces(before, piece, 0, none);
    count_pieces(before, piece, 1, one);
    clock_t begin = clock();
    count_pieces(before, piece, PIECES, all);
    assert_true(clock() - begin < (clock_t)MOST_SECONDS * CLOCKS_PER_SEC);
    for (int cell = 0; cell < CELLS; cell++) {
        assert_int_equal(all[cell] - none[cell], PIECES * (one[cell] - none[cell]));
        is_merged |= one[cell] > none[cell] && cell % WIDTHS > 2;
    }
    assert_true(is_merged);
}

// One basic block, cut where it has more instructions than are counted. Alignment is by a wide access through the same
// register.
static void write_words(int n) {
    write_ptx("ld.global.v4.u32 {%%r2, %%r3, %%r4, %%r5}, [%%d1+%d]; add.u32 %%r9, %%r9, %%r2;\n", 32 * n);
    write_ptx("add.u32 %%r9, %%r9, %%r3; add.u32 %%r9, %%r9, %%r4; add.u32 %%r9, %%r9, %%r5;\n");
    write_ptx("ld.global.u32 %%r6, [%%d1+%d]; ld.global.u32 %%r7, [%%d1+%d];\n", 32 * n + 16, 32 * n + 20);
    write_ptx("add.u32 %%r9, %%r9, %%r6; add.u32 %%r9, %%r9, %%r7;\n");
}

static void test_one_block(void **state) {
    (void)state;
    expect_as_alone("", write_words);
}

// A loop each, whose pointer moves: ten thousand registers that several instructions write.
static void write_loop(int n) {
    write_ptx("mov.u64 %%q%d, %%d2; mov.u32 %%r8, 0;\nL%d: ld.global.u32 %%r2, [%%q%d]; ld.global.u32 %%r3, [%%q%d+4];"
              "add.u32 %%r9, %%r9, %%r2; add.u32 %%r9, %%r9, %%r3;\nadd.u64 %%q%d, %%q%d, 16; add.u32 %%r8, %%r8, 1;"
              "setp.lt.u32 %%p1, %%r8, %%r1; @%%p1 bra L%d;\n", n, n, n, n, n, n, n);
}

static void test_many_pointers(void **state) {
    (void)state;
    expect_as_alone("", write_loop);
}

// Ways beside each other that load the same words, and words at an address that only they ask to be aligned.
static void write_arm(int n) {
    write_ptx("setp.eq.u32 %%p1, %%r1, %d; @!%%p1 bra A%d;\nld.global.u32 %%r2, [%%d2]; ld.global.u32 %%r3, [%%d2+4];"
              "add.u32 %%r9, %%r9, %%r2; add.u32 %%r9, %%r9, %%r3;\nld.global.v2.u32 {%%r4, %%r5}, [%%d1+%d];"
              "add.u32 %%r9, %%r9, %%r4; add.u32 %%r9, %%r9, %%r5;\nA%d:\n", n, n, 8 * n, n);
}

static void test_many_ways(void **state) {
    (void)state;
    expect_as_alone("", write_arm);
}

// Pointers that are all alive in all loops are too many to be followed from block to block: within a block they are.
static void write_loop_of_living(int n) {
    write_ptx("mov.u32 %%r8, 0;\nL%d: ld.global.u32 %%r2, [%%q%d]; ld.global.u32 %%r3, [%%q%d+4];"
              "add.u32 %%r9, %%r9, %%r2; add.u32 %%r9, %%r9, %%r3;\nadd.u64 %%q%d, %%q%d, 16; add.u32 %%r8, %%r8, 1;"
              "setp.lt.u32 %%p1, %%r8, %%r1; @%%p1 bra L%d;\n", n, n, n, n, n, n);
}

static void test_too_many_living_pointers(void **state) {
    (void)state;
    enum { POINTERS = 3000 };
    static char before[POINTERS * 40], after[POINTERS * 80];
    uint32_t cells[CELLS];
    for (int n = 0, at = 0; n < POINTERS; n++) at += sprintf(before + at, "mov.u64 %%q%d, %%d2;", n);
    for (int n = 0, at = 0; n < POINTERS; n++)
        at += sprintf(after + at, "ld.global.u32 %%r2, [%%q%d]; add.u32 %%r9, %%r9, %%r2;\n", n);
    clock_t begin = clock();
    lower_pieces(before, write_loop_of_living, after, POINTERS);
    assert_true(clock() - begin < (clock_t)MOST_SECONDS * CLOCKS_PER_SEC);
    count_notes(program("k"), cells, false);
    assert_int_equal(cells[2 * WIDTHS + 3], POINTERS);    // ldg64: the pairs in loops
    assert_int_equal(cells[2 * WIDTHS + 2], POINTERS);    // ldg32: at the end
    done();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_block), cmocka_unit_test(test_many_pointers), cmocka_unit_test(test_many_ways),
        cmocka_unit_test(test_too_many_living_pointers),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(ptx);
    return failed;
}
