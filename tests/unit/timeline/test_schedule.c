// Schedules by hand, and random ones against a model that looks at every task at every moment.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "timeline/schedule.h"

enum { MOST = 64, STREAMS = 6 };

typedef struct times { double begin_us, end_us, busy_us; int engine, n; } times;
static times of[MOST];               // by the owner of a task, which is its number

static double both_ways, switch_us;  // of the next schedule

static void note(void *context, const hw_task_done *done) {
    (void)context;
    const size_t number = (size_t)(uintptr_t)done->owner;
    if (number) of[number] = (times){done->begin_us, done->end_us, done->busy_us, done->engine, of[number].n + 1};
}

static hw_schedule *make(uint32_t copy_engines, uint32_t kernels, bool is_one_queue, uint32_t n_streams) {
    const hw_schedule_gpu gpu = {.copy_engines = copy_engines, .most_kernels = kernels, .is_one_queue = is_one_queue,
                                 .both_ways = both_ways, .switch_us = switch_us};
    hw_schedule *s = hw_schedule_create(&gpu, note, NULL);
    assert_non_null(s);
    for (size_t i = 0; i < MOST; i++) of[i] = (times){.n = 0};
    for (uint32_t i = 0; i < n_streams; i++) assert_int_equal(hw_schedule_add_stream(s, 0), i);
    return s;
}

static void *number(size_t n) { return (void *)(uintptr_t)n; }

static hw_task kernel(size_t n, double full_us, double tail_us, double tail_share) {
    return (hw_task){.kind = HW_TASK_KERNEL, .full_us = full_us, .tail_us = tail_us, .tail_share = tail_share,
                     .owner = number(n)};
}

static hw_task copy(size_t n, hw_task_kind kind, double us) {
    return (hw_task){.kind = kind, .start_us = us, .owner = number(n)};
}

static void add(hw_schedule *s, uint32_t stream, hw_task task) { assert_true(hw_schedule_add(s, stream, &task)); }

static void finish(hw_schedule *s) {
    while (hw_schedule_step(s)) continue;
    assert_int_equal(hw_schedule_pending(s), 0);
    hw_schedule_destroy(s);
}

static void expect(size_t n, double begin_us, double end_us) {
    if (fabs(of[n].begin_us - begin_us) > 1e-6 || fabs(of[n].end_us - end_us) > 1e-6 || of[n].n != 1)
        fail_msg("task %zu: %g to %g, %d times, not %g to %g", n, of[n].begin_us, of[n].end_us, of[n].n, begin_us,
                 end_us);
}

// Each stream has a copy in, a kernel that fills the GPU, and a copy out.
static void add_two_pipelines(hw_schedule *s) {
    for (uint32_t i = 0; i < 2; i++) {
        add(s, i, copy(3 * i + 1, HW_TASK_COPY_IN, 10));
        add(s, i, kernel(3 * i + 2, 20, 0, 1));
        add(s, i, copy(3 * i + 3, HW_TASK_COPY_OUT, 10));
    }
}

static void test_one_copy_engine(void **state) {
    (void)state;
    hw_schedule *s = make(1, 128, false, 2);
    add_two_pipelines(s);
    finish(s);
    expect(1, 0, 10), expect(2, 10, 30), expect(3, 30, 40);
    expect(4, 10, 20), expect(5, 20, 50), expect(6, 50, 60);
    // The kernel of the second stream waits for the first one's room: it has begun, and nothing of the GPU is left.
    assert_true(fabs(of[5].busy_us - 20) < 1e-6);
    assert_int_equal(of[1].engine, 0);
    assert_int_equal(of[3].engine, 0);
}

// One engine has one queue before 3.5: the first copy out holds up the second copy in that was asked for after it.
static void test_one_queue_holds_up_copies(void **state) {
    (void)state;
    hw_schedule *s = make(1, 16, true, 2);
    add_two_pipelines(s);
    finish(s);
    expect(3, 30, 40), expect(4, 40, 50), expect(5, 50, 70), expect(6, 70, 80);
}

static void test_two_copy_engines(void **state) {
    (void)state;
    hw_schedule *s = make(2, 128, false, 2);
    add(s, 0, copy(1, HW_TASK_COPY_IN, 10));
    add(s, 1, copy(2, HW_TASK_COPY_OUT, 10));
    add(s, 1, copy(3, HW_TASK_COPY_IN, 5));
    finish(s);
    expect(1, 0, 10), expect(2, 0, 10), expect(3, 10, 15);
    assert_int_equal(of[2].engine, 1);
}

static void test_copies_both_ways_slow_each_other(void **state) {
    (void)state;
    both_ways = 0.5;
    hw_schedule *s = make(2, 128, false, 2);
    both_ways = 0;
    add(s, 0, copy(1, HW_TASK_COPY_IN, 10));
    add(s, 1, copy(2, HW_TASK_COPY_OUT, 4));
    add(s, 1, copy(3, HW_TASK_COPY_OUT, 10));
    finish(s);
    // Each at half its speed until the first ends.
    expect(1, 0, 20), expect(2, 0, 8), expect(3, 8, 24);
}

static void test_going_on_by_another_engine_takes_time(void **state) {
    (void)state;
    switch_us = 3;
    hw_schedule *s = make(2, 128, false, 2);
    switch_us = 0;
    add(s, 0, copy(1, HW_TASK_COPY_IN, 10));
    add(s, 0, copy(2, HW_TASK_COPY_IN, 10));             // the same engine
    add(s, 0, (hw_task){.kind = HW_TASK_MARK, .owner = number(3)});
    add(s, 0, kernel(4, 10, 0, 1));
    add(s, 0, copy(5, HW_TASK_COPY_OUT, 10));
    add(s, 1, kernel(6, 21, 0, 1));                      // another stream is told nothing
    finish(s);
    expect(1, 0, 10), expect(2, 10, 20), expect(3, 20, 20), expect(4, 23, 33), expect(5, 36, 46), expect(6, 0, 21);
}

static void test_no_copy_engine(void **state) {
    (void)state;
    hw_schedule *s = make(0, 1, true, 2);
    add(s, 0, kernel(1, 0, 10, 0.25));
    add(s, 1, copy(2, HW_TASK_COPY_IN, 10));
    add(s, 0, kernel(3, 0, 10, 0.25));
    finish(s);
    expect(1, 0, 10), expect(2, 10, 20), expect(3, 20, 30);
    assert_int_equal(of[2].engine, -1);
}

static void test_kernels_side_by_side(void **state) {
    (void)state;
    hw_schedule *s = make(2, 128, false, 3);
    add(s, 0, kernel(1, 10, 10, 0.5));     // a wave and a half
    add(s, 1, kernel(2, 0, 10, 0.25));     // waits for the first one's last wave
    add(s, 2, kernel(3, 0, 10, 0.5));      // has a quarter of the GPU, half as much as it wants, then all
    finish(s);
    expect(1, 0, 20), expect(2, 0, 20), expect(3, 0, 25);
    assert_true(fabs(of[3].busy_us - 5) < 1e-6);
    s = make(2, 1, true, 2);               // 1.x has one kernel at a time
    add(s, 0, kernel(1, 0, 10, 0.1));
    add(s, 1, kernel(2, 0, 10, 0.1));
    finish(s);
    expect(1, 0, 10), expect(2, 10, 20);
}

static void test_memory_is_shared(void **state) {
    (void)state;
    hw_schedule *s = make(2, 128, false, 2);
    hw_task first = kernel(1, 0, 10, 0.5), second = kernel(2, 0, 10, 0.5);
    first.memory_share = second.memory_share = 0.75;
    add(s, 0, first);
    add(s, 1, second);
    finish(s);
    expect(1, 0, 15), expect(2, 0, 15);
}

static void test_priorities(void **state) {
    (void)state;
    hw_schedule *s = make(2, 128, false, 1);
    const int64_t urgent = hw_schedule_add_stream(s, -1);
    add(s, 0, kernel(1, 30, 0, 1));
    hw_schedule_advance(s, 10);
    hw_task task = kernel(2, 5, 0, 1);
    task.from_us = 10;
    add(s, (uint32_t)urgent, task);
    finish(s);
    expect(1, 0, 35), expect(2, 10, 15);
}

static void test_start_takes_no_room(void **state) {
    (void)state;
    hw_schedule *s = make(2, 128, false, 2);
    hw_task first = kernel(1, 10, 0, 1), second = kernel(2, 10, 0, 1);
    first.start_us = second.start_us = 4;
    add(s, 0, first);
    add(s, 0, first);
    add(s, 1, second);
    hw_schedule_await(s, (hw_place){0, 1});
    assert_true(fabs(hw_schedule_now(s) - 14) < 1e-6);
    of[1] = (times){.n = 0};
    finish(s);
    expect(1, 14, 34), expect(2, 0, 24);   // the later kernel's room comes first, as it begins to need it first
}

static void test_marks_join_streams(void **state) {
    (void)state;
    hw_schedule *s = make(2, 128, false, 2);
    add(s, 0, kernel(1, 10, 0, 1));
    add(s, 1, (hw_task){.kind = HW_TASK_MARK, .after = hw_schedule_end(s, 0)});
    add(s, 1, copy(2, HW_TASK_COPY_IN, 5));
    hw_schedule_advance(s, 7);
    assert_true(fabs(hw_schedule_expect(s, hw_schedule_end(s, 1)) - 15) < 1e-6);   // and nothing is done by that
    assert_false(hw_schedule_is_done(s, (hw_place){0, 1}));
    assert_true(hw_schedule_is_done(s, (hw_place){0, 0}));
    finish(s);
    expect(2, 10, 15);
}

// ---- random schedules -----------------------------------------------------------------------------------------------

// What the plain model knows of a task.
typedef struct plain {
    hw_task task;
    uint32_t stream;
    size_t before;                   // the task before it in its stream; 0: none
    size_t after;                    // another that it waits for; 0: none
    int priority;
    bool is_ready, is_running, is_done;
    double left[3];                  // start, full, tail
    double ready_us, begin_us, end_us;
    size_t began;
} plain;

typedef struct model {
    hw_schedule_gpu gpu;
    plain tasks[MOST];
    size_t n, begun;
    double now;
} model;

static uint64_t seed;
static uint32_t random_below(uint32_t n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static bool copies(const plain *p) { return p->task.kind == HW_TASK_COPY_IN || p->task.kind == HW_TASK_COPY_OUT; }
static int engine(const model *m, const plain *p) {
    if (!copies(p) || !m->gpu.copy_engines) return -1;
    return m->gpu.copy_engines > 1 && p->task.kind == HW_TASK_COPY_OUT;
}

static bool could_begin(const model *m, const plain *p) {
    uint32_t kernels = 0;
    if (!p->is_ready || p->is_running || p->is_done) return false;
    if (p->task.kind == HW_TASK_MARK) return true;
    for (size_t i = 1; i < m->n; i++) {
        const plain *q = &m->tasks[i];
        const bool is_earlier = q < p && !q->is_running && !q->is_done && q->task.kind != HW_TASK_MARK;
        if (m->gpu.is_one_queue && is_earlier && copies(q) == copies(p) && engine(m, q) == engine(m, p)) return false;
        if (!q->is_running || q->task.kind == HW_TASK_MARK) continue;
        if (copies(q) && engine(m, q) == engine(m, p)) return false;
        if (copies(p) && engine(m, p) == -1 && !copies(q)) return false;
        kernels += !copies(q);
    }
    return copies(p) || kernels < m->gpu.most_kernels;
}

static bool is_sooner(const plain *a, const plain *b) {
    if (a->priority != b->priority) return a->priority < b->priority;
    return a->ready_us != b->ready_us ? a->ready_us < b->ready_us : a < b;
}

static bool begin_and_end(model *m) {
    plain *best = NULL;
    for (size_t i = 1; i < m->n; i++) {
        plain *p = &m->tasks[i];
        if (!p->is_running || p->left[0] + p->left[1] + p->left[2] > 1e-9) continue;
        p->is_running = false;
        p->is_done = true;
        p->end_us = m->now;
        return true;
    }
    for (size_t i = 1; i < m->n; i++) {
        plain *p = &m->tasks[i];
        if (!p->is_ready && (!p->before || m->tasks[p->before].is_done) && (!p->after || m->tasks[p->after].is_done) &&
            p->task.from_us <= m->now)
            p->is_ready = true, p->ready_us = m->now;
        if (could_begin(m, p) && (!best || is_sooner(p, best))) best = p;
    }
    if (!best) return false;
    best->is_running = true;
    best->begin_us = m->now;
    best->began = ++m->begun;
    return true;
}

static int phase_of(const plain *p) { return p->left[0] > 1e-9 ? 0 : p->left[1] > 1e-9 ? 1 : 2; }
static double wants(const plain *p) { return phase_of(p) == 1 ? 1 : p->task.tail_share; }

static double rate_of(const model *m, const plain *p) {
    double room = 1, wanted = wants(p);
    if (phase_of(p) == 0) return 1;
    for (size_t i = 1; i < m->n; i++) {
        const plain *q = &m->tasks[i];
        const bool is_before = q->priority < p->priority || (q->priority == p->priority && q->began < p->began);
        if (q->is_running && !copies(q) && phase_of(q) && is_before) room -= wants(q);
    }
    room = room < 1e-9 ? 0 : room;
    return (room < wanted ? room : wanted) / wanted;
}

static double memory_of(const model *m) {
    double memory = 0;
    for (size_t i = 1; i < m->n; i++) {
        const plain *p = &m->tasks[i];
        if (p->is_running && phase_of(p)) memory += rate_of(m, p) * p->task.memory_share;
    }
    return memory > 1 ? memory : 1;
}

static bool go_on(model *m) {
    double step = INFINITY, rates[MOST], memory = memory_of(m);
    for (size_t i = 1; i < m->n; i++) {
        plain *p = &m->tasks[i];
        rates[i] = !p->is_running ? 0 : phase_of(p) ? rate_of(m, p) / memory : 1;
        if (rates[i] > 0) step = fmin(step, p->left[phase_of(p)] / rates[i]);
        else if (p->task.from_us > m->now) step = fmin(step, p->task.from_us - m->now);
    }
    if (isinf(step)) return false;
    for (size_t i = 1; i < m->n; i++)
        if (rates[i] > 0) m->tasks[i].left[phase_of(&m->tasks[i])] -= step * rates[i];
    m->now += step;
    return true;
}

static hw_task random_task(size_t n, double from_us) {
    const hw_task_kind kind = (hw_task_kind)random_below(4);
    hw_task task = {.kind = kind, .from_us = from_us, .owner = number(n), .tail_share = 1};
    if (kind == HW_TASK_MARK) return task;
    task.start_us = 1 + random_below(9);
    if (kind != HW_TASK_KERNEL) return task;
    task.full_us = random_below(3) * 7;
    task.tail_us = random_below(4) * 5;
    task.tail_share = (1 + random_below(8)) / 8.0;
    task.memory_share = random_below(5) / 4.0;
    return task;
}

static void run_random(hw_schedule_gpu gpu) {
    model m = {.gpu = gpu, .n = 1};
    hw_schedule *s = make(gpu.copy_engines, gpu.most_kernels, gpu.is_one_queue, 0);
    size_t last[STREAMS] = {0}, in_stream[MOST] = {0};
    double from_us = 0;
    int priorities[STREAMS];
    for (uint32_t i = 0; i < STREAMS; i++) {
        priorities[i] = -(int)random_below(2);
        assert_int_equal(hw_schedule_add_stream(s, priorities[i]), i);
    }
    for (; m.n < MOST; m.n++) {
        const uint32_t stream = random_below(STREAMS);
        from_us += random_below(6) + 0.001 * (double)m.n;   // nothing else happens when a task comes
        hw_task task = random_task(m.n, from_us);
        plain p = {.stream = stream, .before = last[stream], .priority = priorities[stream]};
        if (m.n > 1 && !random_below(3)) {
            p.after = 1 + random_below((uint32_t)m.n - 1);
            task.after = (hw_place){m.tasks[p.after].stream, in_stream[p.after]};
        }
        p.task = task;
        for (int i = 0; i < 3; i++) p.left[i] = i == 0 ? task.start_us : i == 1 ? task.full_us : task.tail_us;
        m.tasks[m.n] = p;
        in_stream[m.n] = hw_schedule_end(s, stream).n + 1;
        last[stream] = m.n;
        hw_schedule_advance(s, from_us);   // what comes later is not known yet
        add(s, stream, task);
    }
    do while (begin_and_end(&m)) continue;
    while (go_on(&m));
    finish(s);
    for (size_t i = 1; i < m.n; i++) expect(i, m.tasks[i].begin_us, m.tasks[i].end_us);
}

static void test_random_schedules(void **state) {
    (void)state;
    for (seed = 1; seed < 400;) {
        const uint64_t begin = seed;
        const hw_schedule_gpu gpu = {.copy_engines = random_below(4), .most_kernels = 1 + random_below(3),
                                     .is_one_queue = random_below(2)};
        run_random(gpu);
        seed = begin + 1;
    }
}

static void test_no_memory(void **state) {
    (void)state;
    const hw_schedule_gpu gpu = {.copy_engines = 1, .most_kernels = 1};
    hw_alloc_fail_after(0);
    assert_null(hw_schedule_create(&gpu, note, NULL));
    hw_alloc_fail_after(1);
    hw_schedule *s = hw_schedule_create(&gpu, note, NULL);
    assert_int_equal(hw_schedule_add_stream(s, 0), -1);
    hw_alloc_fail_after(1);
    assert_int_equal(hw_schedule_add_stream(s, 0), 0);
    const hw_task task = kernel(1, 1, 0, 1);
    assert_false(hw_schedule_add(s, 0, &task));
    hw_alloc_fail_after(-1);
    add(s, 0, task);
    for (long n = 0; n < 2; n++) {
        hw_alloc_fail_after(n);
        assert_true(hw_schedule_expect(s, hw_schedule_end(s, 0)) == 0);
    }
    hw_alloc_fail_after(-1);
    assert_true(fabs(hw_schedule_expect(s, hw_schedule_end(s, 0)) - 1) < 1e-6);
    hw_schedule_destroy(s);            // with work that is not done
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_copy_engine), cmocka_unit_test(test_one_queue_holds_up_copies),
        cmocka_unit_test(test_two_copy_engines), cmocka_unit_test(test_copies_both_ways_slow_each_other),
        cmocka_unit_test(test_going_on_by_another_engine_takes_time), cmocka_unit_test(test_no_copy_engine),
        cmocka_unit_test(test_kernels_side_by_side), cmocka_unit_test(test_memory_is_shared),
        cmocka_unit_test(test_priorities), cmocka_unit_test(test_start_takes_no_room),
        cmocka_unit_test(test_marks_join_streams), cmocka_unit_test(test_random_schedules),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
