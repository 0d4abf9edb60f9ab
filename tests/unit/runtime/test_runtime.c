// The runtime behind the doors: contexts, memory, modules, launches, and what a fault leaves behind.
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "runtime_test.h"
#include "toolchain/binary/fatbin.h"

// Two runtimes are two GPUs: each its own memory and totals, and no handle of one is good in the other.
static void test_two_runtimes(void **state) {
    (void)state;
    hw_runtime *one = make_runtime(), *other = make_runtime();
    uint64_t address, total, unused, whole;
    assert_int_equal(hw_rt_memory_info(other, &whole, &unused), HW_RT_SUCCESS);
    assert_int_equal(whole, unused);
    assert_int_equal(allocate(one, 1 << 20, &address), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_memory_info(one, &total, &unused), HW_RT_SUCCESS);
    assert_int_equal(total - unused, 1 << 20);
    assert_int_equal(hw_rt_memory_info(other, &total, &unused), HW_RT_SUCCESS);
    assert_int_equal(total, unused);
    hw_rt_stream *stream;
    assert_int_equal(hw_rt_stream_create(one, 0, 0, &stream), HW_RT_SUCCESS);
    assert_true(hw_rt_is_stream(one, stream));
    assert_false(hw_rt_is_stream(other, stream));
    hw_rt_destroy(one);   // with its stream and memory
    hw_rt_destroy(other);
    hw_rt_destroy(NULL);
}

static void test_options(void **state) {
    (void)state;
    hw_runtime *runtime = (hw_runtime *)1;
    hw_diag diag = {0};
    const hw_rt_options none = {0};
    assert_int_equal(hw_rt_create(&none, &runtime, &diag), HW_USAGE);
    assert_null(runtime);
    assert_string_equal(diag.text, "no GPU was named");
}

static void test_memory(void **state) {
    (void)state;
    hw_runtime *runtime = make_runtime();
    uint64_t device, managed, nothing, freed;
    hw_allocation found;
    assert_false(hw_rt_find(runtime, 0x1000, 1, &found));   // without a context
    assert_int_equal(allocate(runtime, 1000, &device), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_alloc(runtime, 1000, HW_ALLOC_MANAGED, 7, at_once, "site", &managed), HW_RT_SUCCESS);
    assert_int_equal(allocate(runtime, 0, &nothing), HW_RT_SUCCESS);
    assert_int_equal(nothing, 0);
    assert_int_equal(allocate(runtime, UINT64_MAX / 2, &nothing), HW_RT_NO_MEMORY);
    assert_true(hw_rt_find(runtime, managed + 999, 1, &found));
    assert_int_equal(found.flags, 7);
    assert_string_equal(found.site, "site");
    assert_false(hw_rt_find(runtime, managed + 999, 2, &found));
    assert_true(hw_rt_is_managed(runtime, managed, 1000));
    assert_false(hw_rt_is_managed(runtime, device, 1000));
    // Only what begins there, of that kind, once.
    const uint32_t kind = 1u << HW_ALLOC_DEVICE;
    assert_int_equal(hw_rt_free(runtime, managed, kind, at_once, NULL), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_free(runtime, device + 512, kind, at_once, NULL), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_free(runtime, device, kind, at_once, NULL), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_free(runtime, device, kind, at_once, NULL), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_free(runtime, 0, kind, at_once, NULL), HW_RT_SUCCESS);
    freed = device;
    assert_false(hw_rt_find(runtime, freed, 1, &found));
    hw_rt_destroy(runtime);
}

static void test_registered_memory(void **state) {
    (void)state;
    static char bytes[8192];
    hw_runtime *runtime = make_runtime();
    const uint64_t address = (uint64_t)(uintptr_t)bytes;
    assert_int_equal(hw_rt_unregister(runtime, address, NULL), HW_RT_NOT_REGISTERED);
    assert_int_equal(hw_rt_register(runtime, 0, 1, 0, NULL), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_register(runtime, address, 0, 0, NULL), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_register(runtime, address, sizeof bytes, 0, NULL), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_register(runtime, address + 1, 1, 0, NULL), HW_RT_ALREADY_REGISTERED);
    assert_int_equal(hw_rt_unregister(runtime, address, NULL), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_unregister(runtime, address, NULL), HW_RT_NOT_REGISTERED);
    hw_rt_destroy(runtime);
}

static void test_copies(void **state) {
    (void)state;
    hw_runtime *runtime = make_runtime();
    uint64_t device;
    char in[64], out[64] = {0};
    for (int i = 0; i < 64; i++) in[i] = (char)(i + 1);
    assert_int_equal(allocate(runtime, 64, &device), HW_RT_SUCCESS);
    hw_rt_region there = on_device(device), past = on_device(device + 1);
    assert_int_equal(copy_row(runtime, there, at(in), 64, HW_HOST_COPY_HOST_TO_DEVICE, NULL), HW_RT_SUCCESS);
    assert_int_equal(copy_row(runtime, at(out), there, 64, HW_HOST_COPY_ANY, NULL), HW_RT_SUCCESS);
    assert_memory_equal(in, out, 64);
    // The middle four of each row of eight, from the second row on.
    hw_rt_region rows = {.start = (char *)(uintptr_t)(device + 10), .pitch = 8};
    assert_int_equal(hw_rt_set(runtime, rows, 0, (hw_rt_shape){4, 7, 1}, (hw_rt_order){0}), HW_RT_SUCCESS);
    assert_int_equal(copy_row(runtime, at(out), there, 64, HW_HOST_COPY_DEVICE_TO_HOST, NULL), HW_RT_SUCCESS);
    for (int i = 0; i < 64; i++) assert_int_equal(out[i], i >= 8 && i % 8 >= 2 && i % 8 < 6 ? 0 : i + 1);
    assert_int_equal(copy_row(runtime, at(out), past, 64, HW_HOST_COPY_ANY, NULL), HW_RT_INVALID_VALUE);
    assert_int_equal(copy_row(runtime, at(out), at(in), 64, HW_HOST_COPY_DEVICE_TO_HOST, NULL), HW_RT_INVALID_VALUE);
    assert_int_equal(copy_row(runtime, at(NULL), there, 64, HW_HOST_COPY_ANY, NULL), HW_RT_INVALID_VALUE);
    assert_int_equal(copy_row(runtime, at((void *)16), there, 64, HW_HOST_COPY_ANY, NULL), HW_RT_INVALID_VALUE);
    assert_int_equal(copy_row(runtime, at(out), there, 64, 5, NULL), HW_RT_INVALID_DIRECTION);
    assert_int_equal(copy_row(runtime, at(NULL), at(NULL), 0, HW_HOST_COPY_ANY, NULL), HW_RT_SUCCESS);
    const hw_rt_shape row = {64, 1, 1};
    assert_int_equal(hw_rt_set(runtime, past, 0, row, (hw_rt_order){0}), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_set(runtime, at(out), 0, row, (hw_rt_order){0}), HW_RT_INVALID_VALUE);
    hw_rt_stream *stray = (hw_rt_stream *)in;
    assert_int_equal(copy_row(runtime, at(out), there, 64, HW_HOST_COPY_ANY, stray), HW_RT_INVALID_HANDLE);
    assert_int_equal(hw_rt_set(runtime, there, 0, row, (hw_rt_order){.stream = stray}), HW_RT_INVALID_HANDLE);
    hw_rt_destroy(runtime);
}

static void test_launch(void **state) {
    (void)state;
    hw_runtime *runtime = make_runtime();
    hw_rt_module *module = load_kernels(runtime);
    hw_rt_function *fill = find_function(runtime, module, "fill"), *bounded = find_function(runtime, module, "bounded");
    assert_ptr_equal(fill, find_function(runtime, module, "fill"));
    uint64_t device;
    uint32_t value = 40, out[32];
    void *params[] = {&device, &value}, *missing[] = {&device, NULL};
    assert_int_equal(allocate(runtime, sizeof out, &device), HW_RT_SUCCESS);
    assert_int_equal(launch_with(runtime, fill, 32, params), HW_RT_SUCCESS);
    assert_int_equal(copy_row(runtime, at(out), on_device(device), sizeof out, HW_HOST_COPY_ANY, NULL), HW_RT_SUCCESS);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(out[i], 40 + i);
    assert_int_equal(launch_with(runtime, fill, 32, missing), HW_RT_INVALID_VALUE);
    assert_int_equal(launch_with(runtime, fill, 32, NULL), HW_RT_INVALID_VALUE);
    assert_int_equal(launch_with(runtime, fill, 0, params), HW_RT_INVALID_CONFIGURATION);
    assert_int_equal(launch_with(runtime, bounded, 65, NULL), HW_RT_INVALID_VALUE);
    assert_int_equal(launch_with(runtime, (hw_rt_function *)out, 32, params), HW_RT_INVALID_HANDLE);
    hw_rt_launch_args args = {.function = bounded, .grid = {1, 1, 1}, .block = {1025, 1, 1}};
    hw_diag diag = {0};
    assert_int_equal(hw_rt_launch(runtime, &args, &diag), HW_RT_INVALID_CONFIGURATION);
    assert_true(diag.text[0]);   // says why
    args.block[0] = 32;
    args.stream = (hw_rt_stream *)out;
    assert_int_equal(hw_rt_launch(runtime, &args, NULL), HW_RT_INVALID_HANDLE);
    assert_int_equal(hw_rt_sticky(runtime), HW_RT_SUCCESS);   // none of this stays
    hw_rt_destroy(runtime);
}

static uint32_t word_at(hw_runtime *runtime, uint64_t address) {
    uint32_t word = 0;
    assert_int_equal(copy_row(runtime, at(&word), on_device(address), 4, HW_HOST_COPY_ANY, NULL), HW_RT_SUCCESS);
    return word;
}

static void count_refusal(void *context, const hw_diag *diag, hw_rt_status status) {
    assert_int_not_equal(status, HW_RT_SUCCESS);
    assert_non_null(strstr(diag->text, "nobody"));
    ++*(int *)context;
}

// A kernel that cannot be executed is no failure of its module; whoever launches it or asks about it hears why.
static void test_refused_kernel(void **state) {
    (void)state;
    static const char ptx[] = HEAD ".extern .func nobody();\n.visible .entry right()\n{\n    ret;\n}\n"
                              ".visible .entry wrong()\n{\n    call.uni nobody, ();\n    ret;\n}\n";
    int refusals = 0;
    hw_runtime *runtime = make_runtime_with((hw_rt_options){.context = &refusals, .refused = count_refusal});
    const hw_rt_text text = {.ptx = ptx, .ptx_bytes = sizeof ptx - 1, .name = "wrong.ptx"};
    hw_rt_module *module = NULL;
    assert_int_equal(hw_rt_module_load(runtime, &text, &module, NULL), HW_RT_SUCCESS);
    hw_rt_function_info info;
    assert_int_equal(launch_with(runtime, find_function(runtime, module, "right"), 1, NULL), HW_RT_SUCCESS);
    assert_int_equal(refusals, 0);
    hw_rt_function *wrong = find_function(runtime, module, "wrong");
    assert_int_not_equal(launch_with(runtime, wrong, 1, NULL), HW_RT_SUCCESS);
    assert_int_equal(refusals, 1);
    assert_int_not_equal(hw_rt_function_get_info(runtime, wrong, &info), HW_RT_SUCCESS);
    assert_int_equal(refusals, 2);
    hw_rt_destroy(runtime);
}

// Each module has variables of its own, by the same names.
static void test_two_modules(void **state) {
    (void)state;
    hw_runtime *runtime = make_runtime();
    hw_rt_module *one = load_kernels(runtime), *other = load_kernels(runtime);
    uint64_t counters[2], bytes;
    hw_rt_function *count = find_function(runtime, one, "count");
    assert_int_equal(hw_rt_module_variable(runtime, one, "counter", &counters[0], &bytes), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_module_variable(runtime, other, "counter", &counters[1], &bytes), HW_RT_SUCCESS);
    assert_int_equal(bytes, 4);
    assert_int_not_equal(counters[0], counters[1]);
    assert_int_equal(launch_with(runtime, count, 1, NULL), HW_RT_SUCCESS);
    assert_int_equal(word_at(runtime, counters[0]), 6);
    assert_int_equal(word_at(runtime, counters[1]), 5);
    hw_rt_function *function;
    assert_int_equal(hw_rt_module_function(runtime, one, "nothing", &function), HW_RT_NOT_FOUND);
    assert_int_equal(hw_rt_module_variable(runtime, one, "fill", &counters[0], &bytes), HW_RT_NOT_FOUND);
    // What has been unloaded is no handle any more; the other module stays.
    assert_int_equal(hw_rt_module_unload(runtime, one), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_module_unload(runtime, one), HW_RT_INVALID_HANDLE);
    assert_int_equal(hw_rt_module_function(runtime, one, "fill", &function), HW_RT_INVALID_HANDLE);
    assert_false(hw_rt_is_function(runtime, count));
    assert_int_equal(launch_with(runtime, count, 1, NULL), HW_RT_INVALID_HANDLE);
    assert_int_equal(launch_with(runtime, find_function(runtime, other, "count"), 1, NULL), HW_RT_SUCCESS);
    assert_int_equal(word_at(runtime, counters[1]), 6);
    hw_rt_destroy(runtime);
}

// Text or a container, as programs hand them to cuModuleLoadData; nothing of either is needed afterwards.
static void test_module_data(void **state) {
    (void)state;
    hw_runtime *runtime = make_runtime();
    hw_rt_module *module;
    hw_diag diag = {0};
    size_t bytes = sizeof KERNELS;
    char *text = malloc(bytes);
    memcpy(text, KERNELS, bytes);
    assert_int_equal(hw_rt_module_load_data(runtime, text, bytes, "a.ptx", &module, &diag), HW_RT_SUCCESS);
    memset(text, 0, bytes);
    assert_int_equal(launch_with(runtime, find_function(runtime, module, "count"), 1, NULL), HW_RT_SUCCESS);
    uint8_t *container;
    assert_int_equal(hw_fatbin_write(KERNELS, strlen(KERNELS), 75, "b", &container, &bytes, NULL), HW_OK);
    assert_int_equal(hw_rt_module_load_data(runtime, container, bytes, "b", &module, &diag), HW_RT_SUCCESS);
    assert_int_equal(launch_with(runtime, find_function(runtime, module, "count"), 1, NULL), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_module_load_data(runtime, container, bytes / 2, "b", &module, &diag), HW_RT_INVALID_PTX);
    hw_free(container);
    strcpy(text, HEAD ".entry broken {");
    diag = (hw_diag){0};
    assert_int_equal(hw_rt_module_load_data(runtime, text, sizeof KERNELS, "c.ptx", &module, &diag), HW_RT_INVALID_PTX);
    assert_string_equal(diag.file, "c.ptx");
    assert_int_equal(hw_rt_module_load_data(runtime, text, 4, "d", &module, &diag), HW_RT_INVALID_IMAGE);   // no NUL
    assert_int_equal(hw_rt_module_load_data(runtime, "\177ELF\2", 6, "e.cubin", &module, &diag), HW_RT_NO_IMAGE);
    free(text);
    hw_rt_destroy(runtime);
}

typedef struct told {
    int opened, closing, faulted;
    char kernel[32];
} told;

static hw_status note_opened(void *context, hw_sim *sim, hw_diag *diag) {
    (void)diag;
    assert_non_null(sim);
    ((told *)context)->opened++;
    return HW_OK;
}

static void note_closing(void *context, hw_sim *sim) {
    assert_non_null(sim);
    ((told *)context)->closing++;
}

static void note_faulted(void *context, const hw_fault *fault) {
    told *t = context;
    t->faulted++;
    snprintf(t->kernel, sizeof t->kernel, "%s", fault->kernel);
}

// A fault leaves its launch successful; from then on calls return it until a reset, which brings a new context.
static void test_sticky(void **state) {
    (void)state;
    told t = {0};
    hw_runtime *runtime = make_runtime_with(
        (hw_rt_options){.context = &t, .opened = note_opened, .closing = note_closing, .faulted = note_faulted});
    assert_int_equal(hw_rt_epoch(runtime), 0);
    assert_int_equal(t.opened, 0);   // nothing has needed a context
    hw_rt_module *module = load_kernels(runtime);
    hw_rt_function *fill = find_function(runtime, module, "fill");
    uint64_t device, first = hw_rt_epoch(runtime), total, unused;
    hw_rt_stream *stream, *late;
    assert_int_equal(hw_rt_stream_create(runtime, 0, 0, &stream), HW_RT_SUCCESS);
    assert_int_equal(allocate(runtime, 1 << 20, &device), HW_RT_SUCCESS);
    assert_int_equal(launch_with(runtime, find_function(runtime, module, "stops"), 1, NULL), HW_RT_SUCCESS);
    assert_int_equal(t.faulted, 1);
    assert_string_equal(t.kernel, "stops");
    assert_int_equal(hw_rt_sticky(runtime), HW_RT_LAUNCH_FAILED);
    uint32_t value = 1;
    void *params[] = {&device, &value};
    assert_int_equal(launch_with(runtime, fill, 1, params), HW_RT_LAUNCH_FAILED);
    assert_int_equal(allocate(runtime, 1, &device), HW_RT_LAUNCH_FAILED);
    assert_int_equal(hw_rt_memory_info(runtime, &total, &unused), HW_RT_LAUNCH_FAILED);
    assert_int_equal(hw_rt_stream_create(runtime, 0, 0, &late), HW_RT_LAUNCH_FAILED);
    assert_int_equal(hw_rt_stream_synchronize(runtime, stream), HW_RT_LAUNCH_FAILED);
    assert_int_equal(hw_rt_enter(runtime), HW_RT_LAUNCH_FAILED);
    assert_int_equal(hw_rt_open(runtime), HW_RT_SUCCESS);   // there is a context all the same
    hw_rt_reset(runtime);
    assert_int_equal(t.closing, 1);
    assert_int_equal(hw_rt_epoch(runtime), 0);
    assert_false(hw_rt_is_function(runtime, fill));
    assert_int_equal(hw_rt_memory_info(runtime, &total, &unused), HW_RT_SUCCESS);
    assert_int_equal(total, unused);
    assert_int_equal(t.opened, 2);
    assert_true(hw_rt_epoch(runtime) && hw_rt_epoch(runtime) != first);
    assert_int_equal(hw_rt_stream_synchronize(runtime, stream), HW_RT_SUCCESS);   // streams stay
    assert_int_equal(hw_rt_module_unload(runtime, module), HW_RT_INVALID_HANDLE);
    hw_rt_destroy(runtime);
    assert_int_equal(t.closing, 2);
}

static hw_status refuse_opening(void *context, hw_sim *sim, hw_diag *diag) {
    (void)context, (void)sim;
    return hw_diag_set(diag, HW_NO_MEMORY, "no room");
}

static void note_failed(void *context, const hw_diag *diag) {
    assert_string_equal(diag->text, "no room");
    ++*(int *)context;
}

static void test_no_context(void **state) {
    (void)state;
    int failures = 0;
    hw_runtime *runtime = make_runtime_with(
        (hw_rt_options){.context = &failures, .opened = refuse_opening, .failed = note_failed});
    uint64_t address;
    for (int i = 0; i < 3; i++)
        assert_int_equal(allocate(runtime, 1, &address), HW_RT_NOT_INITIALIZED);
    assert_int_equal(failures, 1);
    hw_rt_destroy(runtime);
}

// ---- what observers hear ----

typedef struct host_sink {
    hw_sink sink;
    hw_host_event list[32];
    int n;
} host_sink;

static void keep_host(hw_sink *sink, const hw_host_event *event) {
    host_sink *h = (host_sink *)sink;
    assert_true(h->n < 32);
    h->list[h->n++] = *event;
}

static hw_status attach(void *context, hw_sim *sim, hw_diag *diag) { return hw_sim_add_sink(sim, context, diag); }

static const void *site_of_test(void *context) { return context; }

// Calls that have done their part are told in their order, those that failed are not.
static void test_host_events(void **state) {
    (void)state;
    host_sink h = {.sink = {.events = HW_WANTS(HOST), .host = keep_host}};
    hw_runtime *runtime = make_runtime_with((hw_rt_options){.context = &h, .opened = attach, .site = site_of_test});
    hw_rt_stream *stream;
    hw_rt_event *event;
    uint64_t device;
    char bytes[64];
    const hw_rt_shape row = {64, 1, 1};
    assert_int_equal(allocate(runtime, 64, &device), HW_RT_SUCCESS);
    hw_rt_region there = on_device(device);
    assert_int_equal(hw_rt_stream_create(runtime, 0, 0, &stream), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_event_create(runtime, 0, &event), HW_RT_SUCCESS);
    const hw_rt_order later = {.stream = stream, .is_asynchronous = true};
    assert_int_equal(hw_rt_set(runtime, there, 7, row, later), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_set(runtime, on_device(device + 1), 7, row, later), HW_RT_INVALID_VALUE);
    assert_int_equal(hw_rt_copy(runtime, at(bytes), there, row, HW_HOST_COPY_DEVICE_TO_HOST, later), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_event_record(runtime, event, stream), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_stream_wait(runtime, NULL, event), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_stream_wait(runtime, NULL, (hw_rt_event *)stream), HW_RT_INVALID_HANDLE);
    assert_int_equal(hw_rt_event_synchronize(runtime, event), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_event_query(runtime, event), HW_RT_SUCCESS);   // orders as waiting does
    assert_int_equal(hw_rt_copy(runtime, there, at(bytes), row, HW_HOST_COPY_ANY, (hw_rt_order){0}), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_stream_synchronize(runtime, stream), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_stream_destroy(runtime, stream), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_event_destroy(runtime, event), HW_RT_SUCCESS);
    assert_int_equal(hw_rt_synchronize(runtime), HW_RT_SUCCESS);
    static const hw_host_action actions[] = {
        HW_HOST_ALLOCATE, HW_HOST_STREAM_CREATE, HW_HOST_EVENT_CREATE, HW_HOST_SET, HW_HOST_REFUSE, HW_HOST_COPY,
        HW_HOST_EVENT_RECORD, HW_HOST_STREAM_WAIT, HW_HOST_REFUSE, HW_HOST_EVENT_SYNCHRONIZE,
        HW_HOST_EVENT_SYNCHRONIZE, HW_HOST_COPY, HW_HOST_STREAM_SYNCHRONIZE, HW_HOST_STREAM_SYNCHRONIZE,
        HW_HOST_STREAM_DESTROY, HW_HOST_EVENT_DESTROY, HW_HOST_DEVICE_SYNCHRONIZE};
    assert_int_equal(h.n, sizeof actions / sizeof *actions);
    for (int i = 0; i < h.n; i++) assert_int_equal(h.list[i].action, actions[i]);
    assert_int_equal(h.list[3].set.to.address, device);
    assert_int_equal(h.list[3].set.value, 7);
    assert_int_equal(h.list[4].refused.reason, HW_HOST_BEYOND_END);
    assert_int_equal(h.list[4].refused.address, device + 1);
    assert_int_equal(h.list[4].refused.bytes, 64);
    assert_int_equal(h.list[4].refused.allocation.address, device);
    assert_int_equal(h.list[5].copy.kind, HW_HOST_COPY_DEVICE_TO_HOST);
    assert_int_equal(h.list[5].copy.to.memory, HW_HOST_MEMORY_OWN);
    assert_int_equal(h.list[5].copy.from.memory, HW_HOST_MEMORY_DEVICE);
    assert_ptr_equal(h.list[5].stream, stream);
    assert_ptr_equal(h.list[5].site, &h);
    assert_int_equal(h.list[8].refused.reason, HW_HOST_NO_OBJECT);
    assert_int_equal(h.list[8].refused.object.kind, HW_HOST_EVENT);
    assert_ptr_equal(h.list[8].refused.object.handle, stream);
    assert_int_equal(h.list[11].copy.width, 64);
    assert_int_equal(h.list[12].stream, 0);   // the second copy's call has waited, the first one's has not
    assert_ptr_equal(h.list[13].stream, stream);
    hw_rt_destroy(runtime);
}

static int described;

static void describe(hw_rt_options *options) {
    described++;
    options->device.gpu = hw_gpu_find("h200");
    options->context = &described;
}

static void describe_again(hw_rt_options *options) {
    (void)options;
    fail();   // the process has one
}

static void test_process(void **state) {
    (void)state;
    hw_runtime *first = hw_rt_process(describe);
    assert_non_null(first);
    assert_ptr_equal(hw_rt_process(describe_again), first);
    assert_int_equal(described, 1);
    assert_ptr_equal(hw_rt_context(first), &described);
    assert_string_equal(hw_rt_gpu(first)->id, "h200");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_runtimes), cmocka_unit_test(test_options),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_registered_memory), cmocka_unit_test(test_copies),
        cmocka_unit_test(test_launch), cmocka_unit_test(test_two_modules), cmocka_unit_test(test_refused_kernel),
        cmocka_unit_test(test_module_data),
        cmocka_unit_test(test_sticky), cmocka_unit_test(test_no_context), cmocka_unit_test(test_host_events),
        cmocka_unit_test(test_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
