// Launches that are not executed, since they would do again what an earlier one did: random programs have the same
// memory and the same report with and without, and what may be reused is, and nothing else.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "prof/prof.h"
#include "runtime/array.h"
#include "runtime/memory.h"
#include "runtime/module.h"

static const hw_rt_order at_once;

// Kernels have the same parameters: out, in, and a number k. %rd1 is in's element of the thread, %rd2 out's, %r1 k.
#define KERNEL(name, body)                                                                                           \
    ".visible .entry " name "(.param .u64 out, .param .u64 in, .param .u32 k)\n{\n"                                   \
    "    .reg .u32 %r<8>;\n    .reg .u64 %rd<8>;\n    .reg .f32 %f<5>;\n    .reg .pred %p;\n"                         \
    "    .shared .align 4 .b8 tile[512];\n"                                                                           \
    "    ld.param.u64 %rd2, [out];\n    ld.param.u64 %rd1, [in];\n    ld.param.u32 %r1, [k];\n"                       \
    "    mov.u64 %rd3, %rd1;\n    mov.u32 %r2, %tid.x;\n    mul.wide.u32 %rd4, %r2, 4;\n"                             \
    "    add.u64 %rd1, %rd1, %rd4;\n    add.u64 %rd2, %rd2, %rd4;\n" body "    ret;\n}\n"
#define LOAD "    ld.global.u32 %r3, [%rd1];\n"
#define STORE "    st.global.u32 [%rd2], %r3;\n"

enum kernel {
    ADD, FILL, IN_PLACE, GATHER, COUNT, CONSTANT, VARIABLE, SET_VARIABLE, POINTER, TEXEL, COPY, PART, ROW, TIME,
    NUMBER, SCATTER, KERNELS,
    FOR_RANDOM = NUMBER                    // those before it have the same results on every machine
};
static const char *const names[KERNELS] = {"add", "fill", "in_place", "gather", "count", "constant", "variable",
                                           "set_variable", "pointer", "texel", "copy", "part", "row", "time",
                                           "number", "scatter"};

static const char TEXT[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".const .align 4 .u32 factor = 3;\n.global .align 4 .u32 summand;\n.global .align 8 .u64 where;\n"
    KERNEL("add", LOAD "    add.u32 %r3, %r3, %r1;\n" STORE)
    KERNEL("fill", "    mul.lo.u32 %r3, %r1, %r2;\n" STORE)
    KERNEL("in_place", LOAD "    ld.global.u32 %r4, [%rd2];\n    add.u32 %r3, %r3, %r4;\n" STORE)
    KERNEL("gather", LOAD "    and.b32 %r3, %r3, 127;\n    mul.wide.u32 %rd4, %r3, 4;\n    add.u64 %rd3, %rd3, %rd4;\n"
           "    ld.u32 %r3, [%rd3];\n" STORE)
    KERNEL("count", LOAD "    sub.u64 %rd2, %rd2, %rd4;\n    red.global.add.u32 [%rd2], %r3;\n")
    KERNEL("constant", LOAD "    ld.const.u32 %r4, [factor];\n    mul.lo.u32 %r3, %r3, %r4;\n" STORE)
    KERNEL("variable", LOAD "    ld.global.u32 %r4, [summand];\n    add.u32 %r3, %r3, %r4;\n" STORE)
    KERNEL("set_variable", "    st.global.u32 [summand], %r1;\n")
    KERNEL("pointer", "    ld.global.u64 %rd5, [where];\n    add.u64 %rd5, %rd5, %rd4;\n    ld.u32 %r3, [%rd5];\n"
           STORE)
    KERNEL("texel", "    cvt.u64.u32 %rd5, %r1;\n    tex.1d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [%rd5, {%r2}];\n" STORE)
    KERNEL("copy", "    mov.u32 %r4, tile;\n    mul.lo.u32 %r5, %r2, 4;\n    add.u32 %r4, %r4, %r5;\n"
           "    cp.async.ca.shared.global [%r4], [%rd1], 4;\n    cp.async.wait_all;\n    ld.shared.u32 %r3, [%r4];\n"
           STORE)
    KERNEL("part", "    setp.lt.u32 %p, %r2, %r1;\n    @%p ld.global.u32 %r3, [%rd1];\n"
           "    @%p st.global.u32 [%rd2], %r3;\n")
    KERNEL("row", "    .shared .align 16 .b8 row[512];\n    .shared .align 8 .b64 landed;\n"
           "    setp.ne.u32 %p, %r2, 0;\n    @%p ret;\n    mbarrier.init.shared.b64 [landed], 1;\n"
           "    mbarrier.arrive.expect_tx.shared.b64 %rd5, [landed], 512;\n"
           "    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [row], [%rd1], 512, [landed];\n"
           "ASK:\n    mbarrier.try_wait.parity.shared.b64 %p, [landed], 0;\n    @!%p bra ASK;\n"
           "    cp.async.bulk.global.shared::cta.bulk_group [%rd2], [row], 512;\n"
           "    cp.async.bulk.commit_group;\n    cp.async.bulk.wait_group 0;\n")
    KERNEL("time", LOAD "    mov.u64 %rd5, %globaltimer;\n" STORE)
    KERNEL("number", LOAD "    mov.u64 %rd5, %gridid;\n    cvt.u32.u64 %r3, %rd5;\n" STORE)
    KERNEL("scatter", "    add.u64 %rd1, %rd1, %rd4;\n    ld.global.u64 %rd5, [%rd1];\n"
           "    st.global.u32 [%rd5], %r1;\n");

enum { BUFFERS = 5, THREADS = 128, BUFFER_BYTES = 1 << 20, USED_BYTES = THREADS * 4, MEMORY_BYTES = 24 << 20 };

// A GPU with its profiler. Its memory is small, so that freed addresses soon come again.
typedef struct machine {
    hw_gpu gpu;
    hw_runtime *runtime;
    hw_prof *prof;
    hw_rt_module *module;
    hw_rt_function *functions[KERNELS];
    uint64_t buffers[BUFFERS], texture;
    uint64_t factor, where;
} machine;

static hw_status attach_profiler(void *context, hw_sim *sim, hw_diag *diag) {
    machine *m = context;
    const hw_prof_options options = {.lines = true};
    hw_status status = hw_prof_create(hw_sim_gpu(sim), &options, &m->prof, diag);
    return status ? status : hw_sim_add_sink(sim, hw_prof_sink(m->prof), diag);
}

static uint64_t allocate(const machine *m, hw_alloc_kind kind) {
    uint64_t address;
    assert_int_equal(hw_rt_alloc(m->runtime, BUFFER_BYTES, kind, 0, at_once, NULL, &address), HW_RT_SUCCESS);
    return address;
}

static hw_rt_region region(uint64_t address) { return (hw_rt_region){.start = (char *)(uintptr_t)address}; }

static void copy_bytes(const machine *m, uint64_t to, const void *from, size_t bytes) {
    assert_int_equal(hw_rt_copy(m->runtime, region(to), region((uintptr_t)from), (hw_rt_shape){bytes, 1, 1},
                                HW_HOST_COPY_ANY, at_once), HW_RT_SUCCESS);
}

static void set_bytes(const machine *m, uint64_t to, int value, size_t bytes) {
    assert_int_equal(hw_rt_set(m->runtime, region(to), value, (hw_rt_shape){bytes, 1, 1}, at_once),
                     HW_RT_SUCCESS);
}

static void make_texture(machine *m, int buffer) {
    const hw_rt_texture texture = {.source = HW_RT_TEXTURE_LINEAR, .address = m->buffers[buffer], .bytes = USED_BYTES,
                                   .channels = {.bits = {32}, .kind = HW_TEXEL_UNSIGNED}};
    hw_rt_texture_destroy(m->runtime, m->texture);
    assert_int_equal(hw_rt_texture_create(m->runtime, &texture, &m->texture), HW_RT_SUCCESS);
}

static void load_module(machine *m) {
    const hw_rt_text text = {.ptx = TEXT, .ptx_bytes = sizeof TEXT - 1, .name = "reuse.ptx"};
    hw_diag diag = {0};
    uint64_t bytes;
    if (hw_rt_module_load(m->runtime, &text, &m->module, &diag)) fail_msg("%s", diag.text);
    for (int k = 0; k < KERNELS; k++)
        assert_int_equal(hw_rt_module_function(m->runtime, m->module, names[k], &m->functions[k]), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_module_variable(m->runtime, m->module, "factor", &m->factor, &bytes), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_module_variable(m->runtime, m->module, "where", &m->where, &bytes), HW_RT_SUCCESS);
    copy_bytes(m, m->where, &m->buffers[0], sizeof m->where);
}

static machine *open_machine(bool reuses, uint32_t threads, uint64_t seed) {
    machine *m = calloc(1, sizeof *m);
    hw_diag diag = {0};
    m->gpu = *hw_gpu_find("h200");
    m->gpu.memory_bytes = MEMORY_BYTES;
    const hw_rt_options options = {.device = {.gpu = &m->gpu, .threads = threads, .reuses = reuses, .seed = seed},
                                   .context = m, .opened = attach_profiler};
    assert_int_equal(hw_rt_create(&options, &m->runtime, &diag), HW_OK);
    for (int i = 0; i < BUFFERS; i++) m->buffers[i] = allocate(m, HW_ALLOC_DEVICE);
    load_module(m);
    make_texture(m, 0);
    return m;
}

static void close_machine(machine *m) {
    hw_rt_destroy(m->runtime);
    hw_prof_destroy(m->prof);
    free(m);
}

static void launch(const machine *m, enum kernel kernel, int out, int in, uint32_t k, uint32_t blocks) {
    uint64_t to = m->buffers[out], from = m->buffers[in];
    if (kernel == TEXEL) k = (uint32_t)m->texture;
    void *params[] = {&to, &from, &k};
    const hw_rt_launch_args args = {.function = m->functions[kernel], .grid = {blocks, 1, 1}, .block = {THREADS, 1, 1},
                                    .params = params};
    hw_diag diag = {0};
    if (hw_rt_launch(m->runtime, &args, &diag) || hw_rt_sticky(m->runtime))
        fail_msg("%s: %s", names[kernel], diag.text);
}

static bool last_was_reused(const machine *m) {
    const hw_report *report = hw_prof_report(m->prof);
    return report->launches[report->n_launches - 1].is_reused;
}

// ---- random programs ----

static uint32_t draw(uint64_t *state, uint32_t below) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % below;
}

typedef struct step {
    uint32_t what, out, in, k, kernel;
} step;

// Few different numbers, so that much is repeated.
static step draw_step(uint64_t *state) {
    step s = {.what = draw(state, 100), .kernel = draw(state, FOR_RANDOM)};
    s.out = draw(state, BUFFERS);
    s.k = draw(state, 3);
    s.in = (s.out + 1 + draw(state, BUFFERS - 1)) % BUFFERS;
    return s;
}

// Another allocation takes the place of a buffer; what pointed to it points to the first one.
static void renew_buffer(machine *m, int i) {
    assert_int_equal(hw_rt_free(m->runtime, m->buffers[i], 1u << HW_ALLOC_DEVICE, at_once, NULL), HW_RT_SUCCESS);
    m->buffers[i] = allocate(m, HW_ALLOC_DEVICE);
    copy_bytes(m, m->where, &m->buffers[0], sizeof m->where);
    make_texture(m, 0);
}

static void take_step(machine *m, const step *s) {
    uint32_t words[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) words[i] = (s->k + 1) * 7919 * i;
    uint64_t out = m->buffers[s->out];
    // Blocks that change the same words would race.
    uint32_t blocks = s->kernel == IN_PLACE ? 1 : 1 + s->k;
    if (s->what < 80) launch(m, (enum kernel)s->kernel, (int)s->out, (int)s->in, s->k, blocks);
    else if (s->what < 84) copy_bytes(m, out + 256 * (s->k % 2), words, USED_BYTES / 2);
    else if (s->what < 87) copy_bytes(m, out, (void *)(uintptr_t)m->buffers[s->in], USED_BYTES);
    else if (s->what < 90) set_bytes(m, out + 4 * s->k, (int)s->k, 100);
    else if (s->what < 92) copy_bytes(m, m->factor, &s->k, sizeof s->k);
    else if (s->what < 94) copy_bytes(m, m->where, &out, sizeof out);
    else if (s->what < 96) make_texture(m, (int)s->out);
    else if (s->what < 99) renew_buffer(m, (int)s->out);
    else {
        assert_int_equal(hw_rt_module_unload(m->runtime, m->module), HW_RT_SUCCESS);
        load_module(m);
    }
}

static void compare_memory(const machine *a, const machine *b, uint64_t seed, int i) {
    uint32_t one[THREADS], other[THREADS];
    for (int k = 0; k < BUFFERS; k++) {
        copy_bytes(a, (uintptr_t)one, (void *)(uintptr_t)a->buffers[k], sizeof one);
        copy_bytes(b, (uintptr_t)other, (void *)(uintptr_t)b->buffers[k], sizeof other);
        if (memcmp(one, other, sizeof one)) fail_msg("seed %d, step %d: buffer %d differs", (int)seed, i, k);
    }
}

// Returns how many launches were reused.
static size_t compare_reports(const hw_report *a, const hw_report *b) {
    size_t reused = 0;
    assert_int_equal(a->n_launches, b->n_launches);
    for (size_t i = 0; i < a->n_launches; i++) {
        hw_report_launch one = a->launches[i], other = b->launches[i];
        reused += one.is_reused;
        assert_false(other.is_reused);
        assert_string_equal(one.mangled, other.mangled);
        assert_string_equal(one.ptx_by, other.ptx_by);
        one.kernel = one.mangled = one.ptx_by = other.kernel = other.mangled = other.ptx_by = NULL;
        one.host_ms = other.host_ms = 0;
        one.is_reused = false;
        assert_memory_equal(&one, &other, sizeof one);
    }
    assert_int_equal(a->n_kernels, b->n_kernels);
    for (size_t k = 0; k < a->n_kernels; k++) {
        const hw_report_kernel *one = &a->kernels[k], *other = &b->kernels[k];
        assert_int_equal(one->launches, other->launches);
        assert_int_equal(one->n_lines, other->n_lines);
        for (size_t i = 0; i < one->n_lines; i++)
            assert_memory_equal(one->lines[i].counts, other->lines[i].counts, sizeof one->lines[i].counts);
    }
    return reused;
}

static void test_random_programs(void **state) {
    (void)state;
    enum { SEEDS = 24, STEPS = 250 };
    size_t reused = 0, launches = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        machine *a = open_machine(true, 1 + seed % 2, 0), *b = open_machine(false, 1, 0);
        uint64_t random = seed;
        for (int i = 0; i < STEPS; i++) {
            step s = draw_step(&random);
            uint32_t repeats = 1 + draw(&random, 3);
            for (; repeats; repeats--) {
                take_step(a, &s);
                take_step(b, &s);
            }
            compare_memory(a, b, seed, i);
        }
        reused += compare_reports(hw_prof_report(a->prof), hw_prof_report(b->prof));
        launches += hw_prof_report(a->prof)->n_launches;
        close_machine(a);
        close_machine(b);
    }
    assert_true(reused > launches / 4);
}

// ---- what is reused ----

static void test_what_is_reused(void **state) {
    (void)state;
    static const bool can_be[KERNELS] = {
        [ADD] = true, [FILL] = true, [GATHER] = true, [CONSTANT] = true, [VARIABLE] = true, [SET_VARIABLE] = true,
        [POINTER] = true, [TEXEL] = true, [COPY] = true, [PART] = true, [ROW] = true};
    machine *m = open_machine(true, 2, 0);
    for (int k = 0; k < SCATTER; k++) {
        for (int i = 0; i < 3; i++) {
            launch(m, (enum kernel)k, 1, 2, 1, 2);
            assert_int_equal(last_was_reused(m), i > 0 && can_be[k]);
        }
    }
    close_machine(m);
}

// Is the launch reused? A second one is, whether the first was or not.
static bool is_reused(const machine *m, enum kernel kernel, int out, int in, uint32_t k, uint32_t blocks) {
    launch(m, kernel, out, in, k, blocks);
    bool first = last_was_reused(m);
    launch(m, kernel, out, in, k, blocks);
    assert_true(last_was_reused(m));
    return first;
}

static void test_what_ends_it(void **state) {
    (void)state;
    machine *m = open_machine(true, 1, 0);
    const uint32_t word = 5;
    assert_false(is_reused(m, ADD, 1, 2, 1, 1));
    copy_bytes(m, m->buffers[2] + 8, &word, sizeof word);
    assert_false(is_reused(m, ADD, 1, 2, 1, 1));
    copy_bytes(m, m->buffers[2] + 8, &word, sizeof word);    // what is there already
    set_bytes(m, m->buffers[2], 0, 8);
    assert_true(is_reused(m, ADD, 1, 2, 1, 1));
    set_bytes(m, m->buffers[1] + USED_BYTES - 1, 1, 1);      // the result
    assert_false(is_reused(m, ADD, 1, 2, 1, 1));
    launch(m, FILL, 1, 2, 1, 1);
    assert_false(is_reused(m, ADD, 1, 2, 1, 1));
    launch(m, FILL, 2, 1, 0, 1);
    assert_false(is_reused(m, ADD, 1, 2, 1, 1));
    // Another grid, number, or buffer; what is elsewhere changes nothing.
    assert_false(is_reused(m, ADD, 1, 2, 1, 2));
    assert_false(is_reused(m, ADD, 1, 2, 2, 1));
    assert_false(is_reused(m, ADD, 1, 3, 2, 1));
    launch(m, FILL, 4, 2, 0, 1);
    assert_true(is_reused(m, ADD, 1, 3, 2, 1));
    close_machine(m);
}

// What a kernel reads by other ways than its arguments.
static void test_what_is_read_aside(void **state) {
    (void)state;
    machine *m = open_machine(true, 1, 0);
    const uint32_t word = 5;
    assert_false(is_reused(m, CONSTANT, 1, 2, 1, 1));
    copy_bytes(m, m->factor, &word, sizeof word);
    assert_false(is_reused(m, CONSTANT, 1, 2, 1, 1));
    assert_false(is_reused(m, VARIABLE, 1, 2, 1, 1));
    launch(m, SET_VARIABLE, 1, 2, 3, 1);
    assert_false(is_reused(m, VARIABLE, 1, 2, 1, 1));
    assert_false(is_reused(m, POINTER, 1, 2, 1, 1));
    copy_bytes(m, m->where, &m->buffers[3], sizeof m->where);
    assert_false(is_reused(m, POINTER, 1, 2, 1, 1));
    set_bytes(m, m->buffers[3], 1, 1);
    assert_false(is_reused(m, POINTER, 1, 2, 1, 1));
    const uint64_t handle = m->texture;
    assert_false(is_reused(m, TEXEL, 1, 2, 1, 1));
    set_bytes(m, m->buffers[0], 1, 1);
    assert_false(is_reused(m, TEXEL, 1, 2, 1, 1));
    // Another texture by the same handle, which is given again when many others have been.
    for (int i = 0; i < 5000 && (!i || m->texture != handle); i++) make_texture(m, 4);
    assert_int_equal(m->texture, handle);
    assert_false(is_reused(m, TEXEL, 1, 2, 1, 1));
    close_machine(m);
}

// An allocation at the address of another one is not that one.
static void test_same_address(void **state) {
    (void)state;
    machine *m = open_machine(true, 1, 0);
    const uint64_t address = m->buffers[2];
    set_bytes(m, address, 1, USED_BYTES);
    assert_false(is_reused(m, ADD, 1, 2, 0, 1));
    do renew_buffer(m, 2);
    while (m->buffers[2] != address);
    assert_false(is_reused(m, ADD, 1, 2, 0, 1));
    close_machine(m);
}

// A chain of kernels, each of which reads what the one before has written.
static void test_chain(void **state) {
    (void)state;
    machine *m = open_machine(true, 1, 0);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            launch(m, ADD, k + 1, k, 1, 1);
            assert_int_equal(last_was_reused(m), i > 0);
        }
    }
    close_machine(m);
}

// Memory that the host writes without a call.
static void test_hosts_memory(void **state) {
    (void)state;
    static const hw_alloc_kind kinds[] = {HW_ALLOC_PINNED, HW_ALLOC_MANAGED};
    machine *m = open_machine(true, 1, 0);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        m->buffers[0] = allocate(m, kinds[i]);
        for (int k = 0; k < 3; k++) {
            launch(m, ADD, 1, 0, 1, 1);
            assert_false(last_was_reused(m));
            launch(m, FILL, 0, 1, 1, 1);
            assert_false(last_was_reused(m));
        }
    }
    close_machine(m);
}

// ---- who observes ----

static void see(hw_sink *sink, uint32_t worker, const hw_block_step *step) { (void)sink, (void)worker, (void)step; }

static void test_observers(void **state) {
    (void)state;
    machine *m = open_machine(true, 1, 0);
    hw_sim *sim = hw_rt_simulation(m->runtime);
    hw_sink sink = {.events = HW_WANTS(BLOCK), .block = see};
    hw_diag diag = {0};
    launch(m, ADD, 1, 2, 1, 1);
    assert_int_equal(hw_sim_add_sink(sim, &sink, &diag), HW_OK);
    launch(m, ADD, 1, 2, 1, 1);
    assert_false(last_was_reused(m));
    hw_sim_remove_sink(sim, &sink);
    launch(m, ADD, 1, 2, 1, 1);
    assert_true(last_was_reused(m));
    // The profiler was not there when it was executed.
    hw_sim_remove_sink(sim, hw_prof_sink(m->prof));
    launch(m, ADD, 1, 3, 1, 1);
    assert_int_equal(hw_sim_add_sink(sim, hw_prof_sink(m->prof), &diag), HW_OK);
    launch(m, ADD, 1, 3, 1, 1);
    assert_false(last_was_reused(m));
    launch(m, ADD, 1, 3, 1, 1);
    assert_true(last_was_reused(m));
    close_machine(m);
}

// More launches than there are records, more line counts than are kept: the newest are reused all the same.
static void test_many(void **state) {
    (void)state;
    enum { MANY = 20000 };
    machine *m = open_machine(true, 1, 0);
    for (uint32_t k = 0; k < MANY; k++) launch(m, PART, 1, 2, k, 1);
    launch(m, ADD, 1, 2, 1, 1);
    launch(m, ADD, 1, 2, 1, 1);
    assert_true(last_was_reused(m));
    launch(m, PART, 1, 2, 0, 1);
    assert_false(last_was_reused(m));
    close_machine(m);
}

// A kernel that writes to more allocations than a record has room for may have written anywhere.
static void test_many_allocations(void **state) {
    (void)state;
    machine *m = open_machine(true, 2, 0);
    uint64_t places[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(hw_rt_alloc(m->runtime, 4, HW_ALLOC_DEVICE, 0, at_once, NULL, &places[i]), HW_RT_SUCCESS);
    places[THREADS - 1] = m->buffers[2];
    copy_bytes(m, m->buffers[0], places, sizeof places);
    for (uint32_t k = 1; k < 4; k++) {
        uint32_t word;
        launch(m, ADD, 1, 2, 0, 1);
        assert_false(last_was_reused(m));
        launch(m, SCATTER, 1, 0, k, 1);
        assert_false(last_was_reused(m));
        launch(m, ADD, 1, 2, 0, 1);
        copy_bytes(m, (uintptr_t)&word, (void *)(uintptr_t)m->buffers[1], sizeof word);
        assert_int_equal(word, k);
        launch(m, SCATTER, 1, 0, k, 1);
        assert_false(last_was_reused(m));
    }
    close_machine(m);
}

static void test_seed(void **state) {
    (void)state;
    machine *m = open_machine(true, 1, 7);
    for (int i = 0; i < 3; i++) launch(m, ADD, 1, 2, 1, 1);
    assert_false(last_was_reused(m));
    close_machine(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_programs), cmocka_unit_test(test_what_is_reused),
        cmocka_unit_test(test_what_ends_it),    cmocka_unit_test(test_what_is_read_aside),
        cmocka_unit_test(test_same_address),    cmocka_unit_test(test_chain),
        cmocka_unit_test(test_hosts_memory),    cmocka_unit_test(test_observers),
        cmocka_unit_test(test_many),            cmocka_unit_test(test_many_allocations),
        cmocka_unit_test(test_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
