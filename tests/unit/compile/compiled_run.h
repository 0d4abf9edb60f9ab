// What the tests of compiled kernels share: a text that is written piece by piece, and launches of its kernels on a
// simulated GPU whose memory and sums are to be the same before and behind the compiler.
#ifndef HW_TESTS_COMPILED_RUN_H
#define HW_TESTS_COMPILED_RUN_H

#include "exec_run.h"

#include "compile/compile.h"
#include "device/sim_internal.h"
#include "exec/region.h"
#include "exec/segment.h"

// Threads, words of each, words to add to, behind which two bytes are no word.
enum { MOST = 512, MOST_ROW_WORDS = 29, BINS = 64, BINS_BYTES = 4 * BINS + 2 };

// ---- the text ----

static uint64_t random_state;
static uint32_t pick(uint32_t n) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % n;
}

static char *text;
static size_t length, capacity;
static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...) {
    va_list args;
    if (capacity - length < 4096) text = realloc(text, capacity = 2 * capacity + 65536);
    va_start(args, format);
    length += (size_t)vsnprintf(text + length, capacity - length, format, args);
    va_end(args);
}

// ---- before and after ----

// The sums, and a number that is the same for the same accesses in any order.
typedef struct signing_sink {
    adding_sink sums;
    uint64_t signature;
} signing_sink;

static void sign_access(hw_sink *sink, uint32_t worker, const hw_access *a) {
    uint64_t hash = a->note * 31 + a->kind * 7 + a->pattern->space * 3 + a->width_bytes;
    add_access(sink, worker, a);
    hash = (hash + a->base % 128 + ((uint64_t)a->pattern->mask << 20)) * 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 32; i++) hash = (hash ^ (uint64_t)a->pattern->delta[i]) * 0x9e3779b97f4a7c15u;
    ((signing_sink *)sink)->signature += hash * a->repeat;
}

typedef struct bench {
    hw_sim *sim;
    hw_sim_module *module;
    signing_sink sink;
    uint64_t out, in, bins;
    hw_diag diag;
} bench;

enum { IN_WORDS = 8192, OUT_BYTES = MOST * MOST_ROW_WORDS * 4 };
typedef struct outcome {
    sums sums;
    uint64_t signature;
    hw_fault fault;
    uint32_t words[MOST * MOST_ROW_WORDS], bins[BINS];
} outcome;

static uint32_t inputs[IN_WORDS];

// Small numbers, large ones, and the bits of floats that are none of the usual.
static void make_inputs(void) {
    static const uint32_t odd[] = {0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 1, 0x3f800000,
                                   0x7fffffff, 0x00400000, 0xffffffff, 0x7f812345};
    for (uint32_t k = 0; k < IN_WORDS; k++)
        inputs[k] = pick(4) == 0 ? odd[pick(sizeof odd / sizeof *odd)] : pick(3) ? pick(1000)
                                                                                  : (uint32_t)(random_state >> 16);
}

static const struct {
    uint32_t grid, block;
} shapes[] = {{4, 96}, {1, 32}, {2, 72}, {2, 256}, {10, 20}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

// *o holds the fault where there is one.
static hw_status try_launch(bench *b, unsigned kernel, unsigned shape, outcome *o) {
    char name[16];
    hw_sim_function *function;
    hw_sim_refusal refusal;
    hw_mem *mem = hw_sim_mem(b->sim);
    snprintf(name, sizeof name, "k%u", kernel);
    assert_int_equal(hw_sim_find_function(b->module, name, &function, &b->diag), HW_OK);
    memset(hw_mem_host(mem, b->out), 0, OUT_BYTES);
    memset(hw_mem_host(mem, b->bins), 0, sizeof o->bins);
    memcpy(hw_mem_host(mem, b->in), inputs, sizeof inputs);
    b->sink.sums.sums = (sums){0};
    b->sink.signature = 0;
    void *params[] = {&b->out, &b->in, &b->bins};
    hw_sim_launch_args args = {function, {shapes[shape].grid, 1, 1}, {shapes[shape].block, 1, 1}, 0, params, false, 0,
                               0, {0}};
    const hw_status status = hw_sim_launch(b->sim, &args, &refusal, &o->fault, &b->diag);
    o->sums = b->sink.sums.sums;
    o->signature = b->sink.signature;
    memcpy(o->words, hw_mem_host(mem, b->out), OUT_BYTES);
    memcpy(o->bins, hw_mem_host(mem, b->bins), sizeof o->bins);
    return status;
}

static void launch(bench *b, unsigned kernel, unsigned shape, outcome *o) {
    if (try_launch(b, kernel, shape, o) != HW_OK) fail_msg("k%u: %s", kernel, b->diag.text);
}

// Where compilers are looked for; NULL: on PATH.
static const char *compilers;

static void begin(bench *b) {
    const char *path = compilers ? compilers : getenv("PATH");
    const hw_compile_options compile = {.search_path = path ? path : "", .cache_dir = compilers ? NULL : HW_TEST_CACHE,
                                        .patience_ns = UINT64_MAX};
    const hw_sim_options options = {.gpu = hw_gpu_find("h200"), .threads = 1};
    *b = (bench){.sink = {.sums = {.sink = an_adding_sink}}};
    b->sink.sums.sink.access = sign_access;
    assert_int_equal(hw_sim_create(&options, &b->sim, &b->diag), HW_OK);
    assert_int_equal(hw_compile_create(&compile, &b->sim->compile, &b->diag), HW_OK);    // the test says when
    assert_int_equal(hw_sim_add_sink(b->sim, &b->sink.sums.sink, &b->diag), HW_OK);
    if (hw_sim_load(b->sim, text, length, "random.ptx", &b->module, &b->diag) != HW_OK)
        fail_msg("line %d: %s", b->diag.line, b->diag.text);
    hw_mem *mem = hw_sim_mem(b->sim);
    assert_int_equal(hw_mem_alloc(mem, OUT_BYTES, 256, HW_ALLOC_DEVICE, NULL, NULL, &b->out, &b->diag), HW_OK);
    assert_int_equal(hw_mem_alloc(mem, sizeof inputs, 256, HW_ALLOC_DEVICE, NULL, NULL, &b->in, &b->diag), HW_OK);
    assert_int_equal(hw_mem_alloc(mem, BINS_BYTES, 256, HW_ALLOC_DEVICE, NULL, NULL, &b->bins, &b->diag), HW_OK);
}

static void check(unsigned kernel, unsigned shape, const outcome *before, const outcome *after) {
    for (uint32_t k = 0; k < MOST * MOST_ROW_WORDS; k++)
        if (before->words[k] != after->words[k])
            fail_msg("kernel k%u, shape %u: word %u of thread %u is 0x%x compiled, 0x%x interpreted", kernel, shape,
                     k % MOST_ROW_WORDS, k / MOST_ROW_WORDS, after->words[k], before->words[k]);
    assert_memory_equal(before->bins, after->bins, sizeof before->bins);
    assert_memory_equal(&before->sums, &after->sums, sizeof before->sums);
    assert_true(before->signature == after->signature);
}

#endif
