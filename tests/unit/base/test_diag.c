// What a public call does to the diag that it is given: one that fails replaces text, file and line, whatever they
// were; one that succeeds leaves all of it. The table has every call of halfwarp.h that takes a diag.
#include "op_test.h"

#include "base/status.h"

typedef struct bench {
    hw_device *device;
    hw_stream *stream;
    hw_event *event, *unset;
    DLTensor in, out, indices;
} bench;

static float numbers[12], results[12];
static int64_t places[3], shape[2] = {3, 4}, transposed[2] = {4, 3}, square[2] = {3, 3}, column[1] = {3};
static char text[4096];

static DLTensor array_of(const bench *b, void *data, DLDataType dtype, int rank, int64_t *extents) {
    return (DLTensor){.data = data, .device = hw_device_get_properties(b->device)->dl, .ndim = rank, .dtype = dtype,
                      .shape = extents};
}

// ---- The calls, `right` or with an argument that is wrong -----------------------------------------------------------

static hw_status open_it(bench *b, bool right, hw_diag *diag) {
    hw_device *device = NULL;
    (void)b;
    hw_status status = hw_device_open(right ? "cpu" : "warp:9", NULL, &device, diag);
    hw_device_close(device);
    return status;
}

static hw_status device_alloc(bench *b, bool right, hw_diag *diag) {
    void *memory = NULL;
    hw_status status = hw_device_alloc(b->device, right ? 16 : (size_t)1 << 60, &memory, diag);
    hw_device_free(b->device, memory);
    return status;
}

static hw_status host_alloc(bench *b, bool right, hw_diag *diag) {
    void *memory = NULL;
    hw_status status = hw_host_alloc(b->device, right ? 16 : (size_t)1 << 60, &memory, diag);
    hw_host_free(b->device, memory);
    return status;
}

static hw_status stream_create(bench *b, bool right, hw_diag *diag) {
    hw_stream *stream = NULL;
    hw_status status = hw_stream_create(right ? b->device : NULL, &stream, diag);
    hw_stream_destroy(stream);
    return status;
}

static hw_status stream_synchronize(bench *b, bool right, hw_diag *diag) {
    return hw_stream_synchronize(right ? b->stream : NULL, diag);
}

static hw_status event_create(bench *b, bool right, hw_diag *diag) {
    hw_event *event = NULL;
    hw_status status = hw_event_create(right ? b->device : NULL, &event, diag);
    hw_event_destroy(event);
    return status;
}

static hw_status event_record(bench *b, bool right, hw_diag *diag) {
    return hw_event_record(right ? b->event : NULL, b->stream, diag);
}

static hw_status stream_wait(bench *b, bool right, hw_diag *diag) {
    return hw_stream_wait(b->stream, right ? b->event : NULL, diag);
}

static hw_status event_synchronize(bench *b, bool right, hw_diag *diag) {
    return hw_event_synchronize(right ? b->event : b->unset, diag);
}

static hw_status event_elapsed(bench *b, bool right, hw_diag *diag) {
    double ns;
    return hw_event_elapsed_ns(b->event, right ? b->event : b->unset, &ns, diag);
}

static hw_status copy(bench *b, bool right, hw_diag *diag) {
    return hw_copy(b->stream, b->out.data, right ? b->in.data : (char *)b->out.data + 4, 8, diag);
}

static hw_status copy_2d(bench *b, bool right, hw_diag *diag) {
    return hw_copy_2d(b->stream, b->out.data, right ? 8 : 2, b->in.data, 8, 4, 3, diag);
}

static hw_status fill(bench *b, bool right, hw_diag *diag) {
    return hw_fill(right ? b->stream : NULL, b->out.data, 0, 8, diag);
}

static hw_status transpose(bench *b, bool right, hw_diag *diag) {
    b->out.shape = right ? transposed : square;
    return hw_transpose(b->stream, &b->in, NULL, &b->out, diag);
}

static hw_status transpose_explain(bench *b, bool right, hw_diag *diag) {
    b->out.shape = right ? transposed : square;
    return hw_transpose_explain(b->device, &b->in, NULL, &b->out, text, sizeof text, diag);
}

// A product that needs neither OpenBLAS nor a compiler, as A and B have no common elements.
static hw_status matmul(bench *b, bool right, hw_diag *diag) {
    static int64_t nothing[2] = {0, 4};
    DLTensor a = b->in, c = b->out;
    a.shape = right ? (int64_t[]){0, 3} : shape;
    c.shape = nothing;
    return hw_matmul(b->stream, 1, &a, &b->in, 0, &c, HW_PRECISION_OF_TYPE, diag);
}

static hw_status matmul_explain(bench *b, bool right, hw_diag *diag) {
    b->out.shape = transposed;
    DLTensor c = b->out;
    c.shape = right ? square : shape;
    c.data = NULL;   // is not looked at
    return hw_matmul_explain(b->device, &b->in, &b->out, &c, HW_PRECISION_OF_TYPE, text, sizeof text, diag);
}

static hw_status reduce(bench *b, bool right, hw_diag *diag) {
    DLTensor out = b->out;
    const int axis = right ? 1 : 2;
    out.ndim = 1;
    out.shape = column;
    return hw_reduce(b->stream, HW_REDUCE_SUM, &b->in, &axis, 1, 0, &out, diag);
}

static hw_status reduce_explain(bench *b, bool right, hw_diag *diag) {
    const int axis = right ? 1 : 2;
    return hw_reduce_explain(b->device, HW_REDUCE_SUM, &b->in, &axis, 1, 0, text, sizeof text, diag);
}

static hw_status nearest(bench *b, bool right, hw_diag *diag) {
    const hw_nearest_options options = {.k = right ? 1 : -1};
    return hw_nearest(b->stream, &b->in, NULL, &options, &b->indices, NULL, diag);
}

static hw_status nearest_explain(bench *b, bool right, hw_diag *diag) {
    const hw_nearest_options options = {.k = right ? 1 : -1};
    return hw_nearest_explain(b->device, &b->in, NULL, &options, text, sizeof text, diag);
}

static const struct {
    const char *name;
    hw_status (*call)(bench *b, bool right, hw_diag *diag);
    const char *words;   // of what its failure says
} calls[] = {
    {"hw_device_open", open_it, "warp:9"},
    {"hw_device_alloc", device_alloc, "1152921504606846976 bytes"},
    {"hw_host_alloc", host_alloc, "1152921504606846976 bytes"},
    {"hw_stream_create", stream_create, "hw_stream_create"},
    {"hw_stream_synchronize", stream_synchronize, "hw_stream_synchronize"},
    {"hw_event_create", event_create, "hw_event_create"},
    {"hw_event_record", event_record, "the event or the stream is NULL"},
    {"hw_stream_wait", stream_wait, "the event or the stream is NULL"},
    {"hw_event_synchronize", event_synchronize, "was not recorded"},
    {"hw_event_elapsed_ns", event_elapsed, "the second event was not recorded"},
    {"hw_copy", copy, "overlap"},
    {"hw_copy_2d", copy_2d, "pitch of 2"},
    {"hw_fill", fill, "the stream of a fill is NULL"},
    {"hw_transpose", transpose, "extent"},
    {"hw_transpose_explain", transpose_explain, "extent"},
    {"hw_matmul", matmul, "A has 4 columns"},
    {"hw_matmul_explain", matmul_explain, "C is 3 x 4"},
    {"hw_reduce", reduce, "2 is no axis"},
    {"hw_reduce_explain", reduce_explain, "2 is no axis"},
    {"hw_nearest", nearest, "k"},
    {"hw_nearest_explain", nearest_explain, "k"},
};
enum { N_CALLS = sizeof calls / sizeof calls[0] };

// ---- Tests ----------------------------------------------------------------------------------------------------------

static void open_bench(const char *name, bench *b) {
    const DLDataType f32 = {kDLFloat, 32, 1}, i64 = {kDLInt, 64, 1};
    void *memory[3] = {numbers, results, places};
    memset(b, 0, sizeof *b);
    b->device = open_device_with(name, (uint64_t)1 << 30, 0);
    b->stream = hw_device_stream(b->device);
    for (int i = 0; i < 3 && strcmp(name, "cpu"); i++)
        assert_int_equal(hw_device_alloc(b->device, sizeof numbers, &memory[i], NULL), HW_OK);
    for (int i = 0; i < 12; i++) numbers[i] = (float)(i * i);
    if (memory[0] != numbers)
        assert_int_equal(hw_copy(b->stream, memory[0], numbers, sizeof numbers, NULL), HW_OK);
    b->in = array_of(b, memory[0], f32, 2, shape);
    b->out = array_of(b, memory[1], f32, 2, transposed);
    b->indices = array_of(b, memory[2], i64, 1, column);
    assert_int_equal(hw_event_create(b->device, &b->event, NULL), HW_OK);
    assert_int_equal(hw_event_create(b->device, &b->unset, NULL), HW_OK);
    assert_int_equal(hw_event_record(b->event, b->stream, NULL), HW_OK);
}

static const hw_diag before = {.file = "before.cu", .line = 7, .text = "what went wrong before"};

static void check_call(bench *b, int i) {
    hw_diag diag = before;
    const hw_status wrong = calls[i].call(b, false, &diag);
    if (!wrong) fail_msg("%s took what is wrong", calls[i].name);
    if (!strstr(diag.text, calls[i].words) || strstr(diag.text, "before") || diag.file[0] || diag.line)
        fail_msg("%s, failing: %s:%d: %s", calls[i].name, diag.file, diag.line, diag.text);
    assert_int_equal(calls[i].call(b, false, NULL), wrong);
    diag = before;
    const hw_status status = calls[i].call(b, true, &diag);
    if (status) fail_msg("%s: %s", calls[i].name, diag.text);
    if (strcmp(diag.text, before.text) || strcmp(diag.file, before.file) || diag.line != before.line)
        fail_msg("%s, succeeding, left %s:%d: %s", calls[i].name, diag.file, diag.line, diag.text);
}

static void check_device(const char *name) {
    bench b;
    open_bench(name, &b);
    for (int i = 0; i < N_CALLS; i++) check_call(&b, i);
    hw_device_close(b.device);
}

static void test_processors(void **state) {
    (void)state;
    check_device("cpu");
}

static void test_kernels(void **state) {
    (void)state;
    check_device(usual_device());
}

// A diag that serves one failure after the other tells of the last one.
static void test_two_failures(void **state) {
    bench b;
    hw_diag diag = {0};
    (void)state;
    open_bench("cpu", &b);
    for (int i = 0; i < N_CALLS; i++) {
        assert_int_not_equal(calls[i].call(&b, false, &diag), HW_OK);
        if (!strstr(diag.text, calls[i].words)) fail_msg("%s tells of another: %s", calls[i].name, diag.text);
    }
    hw_device_close(b.device);
}

// Within a call the first failure is the cause.
static void test_first_is_kept(void **state) {
    hw_diag diag = before, own;
    (void)state;
    hw_diag_begin(&own);
    assert_int_equal(hw_diag_set_at(&own, HW_MALFORMED, "a.ptx", 3, "the cause"), HW_MALFORMED);
    assert_int_equal(hw_diag_set(&own, HW_COMPILE, "what came of it"), HW_COMPILE);
    assert_int_equal(hw_diag_tell(&diag, &own, HW_COMPILE), HW_COMPILE);
    assert_string_equal(diag.text, "the cause");
    assert_string_equal(diag.file, "a.ptx");
    assert_int_equal(diag.line, 3);
    assert_int_equal(hw_diag_tell(NULL, &own, HW_COMPILE), HW_COMPILE);
}

// Every function of the header that takes a diag is in the table.
static void test_table_is_whole(void **state) {
    char path[1024], line[512];
    int n = 0;
    (void)state;
    snprintf(path, sizeof path, "%s/include/halfwarp.h", HW_SOURCE_DIR);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        static const char start[] = "HW_API hw_status ";
        if (strncmp(line, start, sizeof start - 1)) continue;
        char *name = line + sizeof start - 1;
        name[strcspn(name, "(")] = 0;
        bool found = false;
        for (int i = 0; i < N_CALLS; i++) found |= !strcmp(name, calls[i].name);
        if (!found) fail_msg("%s is not in the table of this test", name);
        n++;
    }
    fclose(file);
    assert_int_equal(n, N_CALLS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_processors),    cmocka_unit_test(test_kernels),       cmocka_unit_test(test_two_failures),
        cmocka_unit_test(test_first_is_kept), cmocka_unit_test(test_table_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
