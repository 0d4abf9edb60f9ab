// The clock of a GPU, told by hand what a program asks for.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "model/transfer.h"
#include "timeline/timeline.h"

enum { LEGACY = 0, A = 2, B = 4, APART = 6, E = 100, F = 101, SPANS = 8192 };
static const char here;              // where the program calls

typedef struct seen {
    hw_span spans[SPANS];
    size_t n;
    hw_timeline_launch launch;       // that is being made
    bool is_known;
} seen;
static seen is;

static bool launched(void *context, hw_timeline_launch *out) {
    *out = ((seen *)context)->launch;
    return ((seen *)context)->is_known;
}

static void keep_span(void *context, const hw_span *span) {
    seen *s = context;
    assert_true(span->begin_us <= span->end_us && span->asked_us <= span->begin_us);
    if (s->n < SPANS) s->spans[s->n++] = *span;
}

static hw_timeline *make(const char *gpu, uint32_t copy_engines) {
    const hw_timeline_options options = {.gpu = hw_gpu_find(gpu), .copy_engines = copy_engines, .launched = launched,
                                         .done = keep_span, .context = &is};
    hw_timeline *t;
    is = (seen){.n = 0};
    assert_int_equal(hw_timeline_create(&options, &t, NULL), HW_OK);
    return t;
}

static void tell(hw_timeline *t, hw_host_event event) {
    event.site = &here;
    hw_timeline_sink(t)->host(hw_timeline_sink(t), &event);
}

static void order(hw_timeline *t, hw_host_action action, uint64_t stream, uint64_t event) {
    tell(t, (hw_host_event){.action = action, .stream = stream, .event = event});
}

static void make_streams(hw_timeline *t) {
    order(t, HW_HOST_STREAM_CREATE, A, 0);
    order(t, HW_HOST_STREAM_CREATE, B, 0);
    tell(t, (hw_host_event){.action = HW_HOST_STREAM_CREATE, .stream = APART, .is_apart = true});
}

// A kernel that would take so long alone, all of it in blocks that fill a share of the GPU.
static void launch(hw_timeline *t, uint64_t stream, double us, double share) {
    const hw_launch_info info = {.stream = stream};
    is.launch = (hw_timeline_launch){.us = us, .blocks = (uint64_t)(share * 1000), .blocks_at_once = 1000};
    is.is_known = true;
    hw_timeline_sink(t)->launch_end(hw_timeline_sink(t), &info, 0, HW_OK);
}

static void copy(hw_timeline *t, uint64_t stream, hw_host_memory to, hw_host_memory from, uint64_t bytes) {
    hw_host_event event = {.action = HW_HOST_COPY, .stream = stream};
    event.copy.to.memory = to;
    event.copy.from.memory = from;
    event.copy.width = bytes;
    event.copy.height = event.copy.depth = 1;
    tell(t, event);
}

// The last span of work of that stream.
static const hw_span *work_of(uint64_t stream) {
    for (size_t i = is.n; i-- > 0;)
        if (is.spans[i].kind < HW_SPAN_CALL && is.spans[i].stream == stream) return &is.spans[i];
    fail_msg("no work of stream %llu is done", (unsigned long long)stream);
    return NULL;
}

static double us_between(hw_timeline *t, uint64_t from, uint64_t to) {
    double begin, end;
    assert_true(hw_timeline_event_us(t, from, &begin));
    assert_true(hw_timeline_event_us(t, to, &end));
    return end - begin;
}

static void test_event_time_is_the_kernels(void **state) {
    (void)state;
    hw_timeline *t = make("h200", 3);
    double us;
    order(t, HW_HOST_EVENT_RECORD, LEGACY, E);
    launch(t, LEGACY, 1000, 1);
    order(t, HW_HOST_EVENT_RECORD, LEGACY, F);
    assert_true(hw_timeline_event_us(t, E, &us));
    assert_false(hw_timeline_event_us(t, F, &us));
    assert_false(hw_timeline_is_event_done(t, F));
    assert_false(hw_timeline_is_stream_done(t, LEGACY));
    order(t, HW_HOST_EVENT_SYNCHRONIZE, 0, F);
    assert_true(hw_timeline_is_event_done(t, F));
    assert_true(hw_timeline_is_stream_done(t, LEGACY));
    // Recording the first event takes the host 0.85 us, and a microsecond passes before a kernel of the stream begins.
    assert_true(fabs(us_between(t, E, F) - 1001.85) < 1e-6);
    order(t, HW_HOST_EVENT_RECORD, LEGACY, E);
    assert_true(us_between(t, E, F) < 0);
    hw_timeline_destroy(t);
}

static void test_who_polls_comes_to_an_end(void **state) {
    (void)state;
    hw_timeline *t = make("h200", 3);
    int polls = 0;
    launch(t, LEGACY, 1e7, 1);           // ten seconds
    while (!hw_timeline_is_stream_done(t, LEGACY)) polls++;
    assert_in_range(polls, 10000, 100000);
    hw_timeline_destroy(t);
}

static void test_default_stream_joins_others(void **state) {
    (void)state;
    hw_timeline *t = make("h200", 3);
    make_streams(t);
    launch(t, A, 100, 0.25);
    launch(t, APART, 500, 0.25);
    launch(t, LEGACY, 10, 0.25);
    launch(t, B, 10, 0.25);
    hw_timeline_finish(t);
    assert_true(work_of(LEGACY)->begin_us == work_of(A)->end_us);
    assert_true(work_of(B)->begin_us == work_of(LEGACY)->end_us);
    assert_true(work_of(APART)->begin_us < work_of(A)->end_us);
    // A thread's own default stream waits for the legacy one, and not for another thread's.
    launch(t, 3, 100, 0.25);
    launch(t, 5, 100, 0.25);
    launch(t, LEGACY, 10, 0.25);
    hw_timeline_finish(t);
    assert_true(work_of(5)->begin_us < work_of(3)->end_us);
    assert_true(work_of(LEGACY)->begin_us == work_of(5)->end_us);
    hw_timeline_destroy(t);
}

static void test_events_across_streams(void **state) {
    (void)state;
    hw_timeline *t = make("h200", 3);
    make_streams(t);
    launch(t, A, 100, 0.25);
    order(t, HW_HOST_EVENT_RECORD, A, E);
    launch(t, A, 300, 0.25);
    order(t, HW_HOST_STREAM_WAIT, B, E);
    launch(t, B, 10, 0.25);
    order(t, HW_HOST_STREAM_SYNCHRONIZE, B, 0);
    const double waited_until = hw_timeline_now(t);
    hw_timeline_finish(t);
    double us;
    assert_true(hw_timeline_event_us(t, E, &us));
    assert_true(work_of(B)->begin_us == us);
    assert_true(work_of(B)->end_us <= waited_until && waited_until < work_of(A)->end_us);
    order(t, HW_HOST_STREAM_WAIT, B, F);         // one that was never recorded orders nothing
    assert_true(hw_timeline_is_stream_done(t, B));
    hw_timeline_destroy(t);
}

static void test_copies(void **state) {
    (void)state;
    enum { BYTES = 1 << 20 };
    const hw_gpu *gpu = hw_gpu_find("h200");
    hw_timeline *t = make("h200", 3);
    make_streams(t);
    copy(t, A, HW_HOST_MEMORY_DEVICE, HW_HOST_MEMORY_PINNED, BYTES);
    copy(t, B, HW_HOST_MEMORY_REGISTERED, HW_HOST_MEMORY_DEVICE, BYTES);
    assert_true(hw_timeline_now(t) < 30);        // neither is waited for
    hw_timeline_finish(t);
    const double pinned_us = hw_model_transfer_us(gpu, HW_HOST_PINNED, BYTES);
    // Both ways at once they slow each other, as on an H200.
    const double alone_us = work_of(B)->begin_us - work_of(A)->begin_us;
    const double both_us = (pinned_us - alone_us) * 82 / 77.7;
    assert_true(fabs(work_of(A)->end_us - work_of(A)->begin_us - alone_us - both_us) < 1e-6);
    assert_true(work_of(B)->begin_us < work_of(A)->end_us);
    assert_int_equal(work_of(A)->engine, 0);
    assert_int_equal(work_of(B)->engine, 1);
    assert_int_equal(work_of(B)->bytes, BYTES);
    copy(t, A, HW_HOST_MEMORY_DEVICE, HW_HOST_MEMORY_OWN, BYTES);
    const hw_span pageable = *work_of(A);        // the call has waited
    assert_true(fabs(pageable.end_us - pageable.begin_us - hw_model_transfer_us(gpu, HW_HOST_PAGEABLE, BYTES)) < 1e-6);
    assert_true(pageable.call_us >= pageable.end_us - pageable.begin_us);
    copy(t, A, HW_HOST_MEMORY_DEVICE, HW_HOST_MEMORY_MANAGED, BYTES);
    hw_timeline_finish(t);
    assert_int_equal(work_of(A)->engine, HW_SPAN_COMPUTES);
    hw_timeline_destroy(t);
    t = make("8800gtx", 0);
    make_streams(t);
    launch(t, A, 1000, 0.25);
    copy(t, B, HW_HOST_MEMORY_DEVICE, HW_HOST_MEMORY_PINNED, BYTES);
    hw_timeline_finish(t);
    assert_true(work_of(B)->begin_us == work_of(A)->end_us);
    hw_timeline_destroy(t);
}

// The host waits for room where a queue is full, so that it is never far ahead.
static void test_full_queue(void **state) {
    (void)state;
    hw_timeline *t = make("h200", 3);
    for (int i = 0; i < 3000; i++) launch(t, LEGACY, 100, 1);
    assert_true(hw_timeline_now(t) > 190000);
    assert_false(hw_timeline_is_stream_done(t, LEGACY));
    hw_timeline_finish(t);
    assert_true(fabs(work_of(LEGACY)->end_us - 303000) < 1e-3);
    hw_timeline_destroy(t);
}

static void test_ranges(void **state) {
    (void)state;
    hw_timeline *t = make("h200", 3);
    assert_int_equal(hw_timeline_end_range(t, NULL), 0);
    assert_int_equal(hw_timeline_begin_range(t, NULL, "outer"), 1);
    assert_int_equal(hw_timeline_begin_range(t, NULL, "inner"), 2);
    launch(t, LEGACY, 100, 1);
    order(t, HW_HOST_DEVICE_SYNCHRONIZE, 0, 0);
    is.n = 0;
    assert_int_equal(hw_timeline_end_range(t, NULL), 1);
    assert_int_equal(is.spans[0].kind, HW_SPAN_RANGE);
    assert_int_equal(is.spans[0].depth, 1);
    assert_true(is.spans[0].begin_us == 0 && is.spans[0].end_us >= 100);
    hw_timeline_end_range(t, NULL);
    assert_int_equal(is.spans[1].depth, 0);
    hw_timeline_destroy(t);
}

// Those with a number overlap what they will, and another thread could end them; domains have stacks of their own.
static void test_ranges_that_overlap(void **state) {
    (void)state;
    hw_timeline *t = make("h200", 3);
    const uint64_t first = hw_timeline_start_range(t, NULL, "first"), second = hw_timeline_start_range(t, "io", "next");
    assert_true(first && second && first != second);
    assert_int_equal(hw_timeline_begin_range(t, NULL, "nested"), 1);
    assert_int_equal(hw_timeline_begin_range(t, "io", "other"), 1);
    is.n = 0;
    hw_timeline_stop_range(t, first);
    hw_timeline_stop_range(t, first);                // once
    assert_int_equal(hw_timeline_end_range(t, NULL), 0);
    hw_timeline_stop_range(t, second);
    hw_timeline_stop_range(t, 0);
    assert_int_equal(hw_timeline_end_range(t, "io"), 0);
    hw_timeline_mark(t, NULL, "here");
    assert_int_equal(is.n, 5);
    assert_true(is.spans[0].overlaps && !is.spans[1].overlaps && is.spans[2].overlaps && is.spans[3].overlaps);
    assert_true(is.spans[4].overlaps && is.spans[4].begin_us == is.spans[4].end_us);
    hw_timeline_destroy(t);
}

static void test_streams_come_and_go(void **state) {
    (void)state;
    hw_timeline *t = make("h200", 3);
    for (uint64_t i = 0; i < 100; i++) {
        order(t, HW_HOST_STREAM_CREATE, A, 0);
        launch(t, A, 10, 1);
        order(t, HW_HOST_STREAM_DESTROY, A, 0);  // what it holds is done all the same
    }
    hw_timeline_finish(t);
    assert_int_equal(work_of(A)->stream_number, 100);
    hw_timeline_destroy(t);
}

static void test_no_memory(void **state) {
    (void)state;
    hw_timeline *t = NULL;
    hw_status status = HW_NO_MEMORY;
    const hw_timeline_options options = {.gpu = hw_gpu_find("h200"), .copy_engines = 3};
    for (long n = 0; n < 20 && status; n++) {
        hw_alloc_fail_after(n);
        status = hw_timeline_create(&options, &t, NULL);
        assert_true(!status == (t != NULL));
    }
    hw_alloc_fail_after(0);              // what cannot be noted is not timed, and nothing else happens
    make_streams(t);
    launch(t, A, 10, 1);
    order(t, HW_HOST_EVENT_RECORD, A, E);
    copy(t, LEGACY, HW_HOST_MEMORY_DEVICE, HW_HOST_MEMORY_OWN, 10);
    hw_timeline_begin_range(t, NULL, "none");
    hw_timeline_end_range(t, NULL);
    hw_timeline_finish(t);
    hw_alloc_fail_after(-1);
    hw_timeline_destroy(t);
}

// What comes between a graph's begin and its end is no call of the host.
static void test_graph(void **state) {
    (void)state;
    hw_timeline *t = make("h200", 3);
    make_streams(t);
    const double before = hw_timeline_now(t);
    order(t, HW_HOST_GRAPH_BEGIN, A, 0);
    const double begun = hw_timeline_now(t);
    for (int i = 0; i < 100; i++) {
        order(t, HW_HOST_EVENT_RECORD, A, E);
        order(t, HW_HOST_STREAM_WAIT, B, E);
        launch(t, B, 10, 1);
    }
    assert_true(hw_timeline_now(t) == begun && begun > before);
    order(t, HW_HOST_GRAPH_END, A, 0);
    order(t, HW_HOST_EVENT_RECORD, A, F);
    assert_true(hw_timeline_now(t) > begun);
    order(t, HW_HOST_STREAM_SYNCHRONIZE, B, 0);
    assert_true(hw_timeline_now(t) > begun + 100 * 10);
    hw_timeline_destroy(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph),
        cmocka_unit_test(test_event_time_is_the_kernels), cmocka_unit_test(test_who_polls_comes_to_an_end),
        cmocka_unit_test(test_default_stream_joins_others), cmocka_unit_test(test_events_across_streams),
        cmocka_unit_test(test_copies), cmocka_unit_test(test_full_queue), cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_ranges_that_overlap),
        cmocka_unit_test(test_streams_come_and_go), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
