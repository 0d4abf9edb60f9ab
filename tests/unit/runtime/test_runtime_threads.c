// Eight threads of a host program use one runtime at the same time, and a child that is forked meanwhile has none. Also
// built for the sanitizer of threads (cmake/tests.cmake).
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/array.h"
#include "runtime/graph.h"
#include "runtime_test.h"

enum { THREADS = 8, ROUNDS = 40, WORDS = 64 };

static hw_runtime *runtime;
static hw_rt_module *module;
static atomic_int n_wrong;                 // cmocka's assertions are for its own thread

#define GOOD(call)                                                                       \
    do {                                                                                 \
        if ((call) != HW_RT_SUCCESS) {                                                   \
            print_error("line %d: %s\n", __LINE__, #call);                               \
            atomic_fetch_add(&n_wrong, 1);                                               \
        }                                                                                \
    } while (0)

// What a stream's kernel has written comes back, from memory and by events of the thread's own.
static void use_stream(hw_rt_stream *stream, hw_rt_function *fill, uint32_t value) {
    uint64_t address = 0;
    uint32_t words[WORDS] = {0};
    void *params[] = {&address, &value};
    hw_rt_event *done = NULL;
    hw_diag diag = {0};
    GOOD(hw_rt_alloc(runtime, sizeof words, HW_ALLOC_DEVICE, 0, (hw_rt_order){.stream = stream}, NULL, &address));
    GOOD(hw_rt_event_create(runtime, 0, &done));
    const hw_rt_launch_args args = {.function = fill, .grid = {1, 1, 1}, .block = {WORDS, 1, 1}, .params = params,
                                    .stream = stream};
    GOOD(hw_rt_launch(runtime, &args, &diag));
    GOOD(hw_rt_event_record(runtime, done, stream));
    GOOD(hw_rt_stream_wait(runtime, NULL, done));
    GOOD(copy_row(runtime, at(words), on_device(address), sizeof words, HW_HOST_COPY_ANY, stream));
    for (uint32_t i = 0; i < WORDS; i++)
        if (words[i] != value + i) atomic_fetch_add(&n_wrong, 1);
    GOOD(hw_rt_event_destroy(runtime, done));
    GOOD(hw_rt_free(runtime, address, 1u << HW_ALLOC_DEVICE, (hw_rt_order){.stream = stream}, NULL));
}

static void use_array(void) {
    static const hw_rt_channels floats = {.bits = {32}, .kind = HW_TEXEL_FLOAT};
    const size_t size[3] = {8, 8, 0};
    hw_rt_array *array = NULL;
    uint64_t texture = 0, surface = 0;
    GOOD(hw_rt_array_create(runtime, &floats, size, HW_RT_ARRAY_SURFACE, NULL, &array));
    const hw_rt_texture described = {.source = HW_RT_TEXTURE_ARRAY, .array = array};
    GOOD(hw_rt_texture_create(runtime, &described, &texture));
    GOOD(hw_rt_surface_create(runtime, array, &surface));
    GOOD(hw_rt_texture_destroy(runtime, texture));
    GOOD(hw_rt_surface_destroy(runtime, surface));
    GOOD(hw_rt_array_destroy(runtime, array, NULL));
}

static void *use_runtime(void *number) {
    hw_rt_stream *stream = NULL;
    hw_rt_function *fill = NULL;
    hw_rt_module *own = NULL;
    const hw_rt_text text = {.ptx = KERNELS, .ptx_bytes = strlen(KERNELS), .name = "own.ptx"};
    GOOD(hw_rt_stream_create(runtime, 1, 0, &stream));
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const bool has_own = round % 8 == 0;   // kernels come and go while others are launched
        hw_diag diag = {0};
        if (has_own) GOOD(hw_rt_module_load(runtime, &text, &own, &diag));
        GOOD(hw_rt_module_function(runtime, has_own ? own : module, "fill", &fill));
        use_stream(stream, fill, 1000 * (uint32_t)(uintptr_t)number + round);
        use_array();
        if (has_own) GOOD(hw_rt_module_unload(runtime, own));
    }
    GOOD(hw_rt_stream_synchronize(runtime, stream));
    GOOD(hw_rt_stream_destroy(runtime, stream));
    return NULL;
}

static void run_threads(void) {
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_runtime, (void *)i), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&n_wrong), 0);
}

static void test_threads(void **state) {
    (void)state;
    runtime = make_runtime();
    module = load_kernels(runtime);
    run_threads();
    hw_rt_destroy(runtime);
}

// Each of several threads may be the one whose first call makes the context.
static void *open_runtime(void *unused) {
    (void)unused;
    GOOD(hw_rt_open(runtime));
    return NULL;
}

static void test_first_calls(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    runtime = make_runtime();
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, open_runtime, NULL), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&n_wrong), 0);
    assert_int_equal(hw_rt_epoch(runtime), 1);
    hw_rt_destroy(runtime);
}

static void describe(hw_rt_options *options) {
    options->device.gpu = hw_gpu_find("h200");
    options->device.threads = 1;
}

static hw_rt_status ask_in_child(void) {
    uint64_t address;
    return allocate(hw_rt_process(describe), 64, &address);
}

static int status_of_child(void) {
    int status = 0;
    const pid_t child = fork();
    if (!child) _exit((int)ask_in_child());
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A child that is forked before the GPU's first use has a GPU of its own; one that is forked later has none, and the
// parent's goes on.
static void test_fork(void **state) {
    (void)state;
    assert_int_equal(status_of_child(), HW_RT_SUCCESS);
    runtime = hw_rt_process(describe);
    assert_non_null(runtime);
    module = load_kernels(runtime);
    assert_int_equal(status_of_child(), HW_RT_NOT_INITIALIZED);
    run_threads();
    assert_int_equal(status_of_child(), HW_RT_NOT_INITIALIZED);
}

// ---- several GPUs: two threads for each, and one that is opened and reset all the time ----

enum { GPUS = 3, RESET = GPUS - 1 };

static hw_rt_function *fills[GPUS];
static hw_rt_event *_Atomic last_event;    // of the first GPU, which is never destroyed

static void *use_gpu(void *number) {
    const uint32_t gpu = (uint32_t)(uintptr_t)number % RESET;
    hw_runtime *own = hw_rt_gpu_at(runtime, (int)gpu), *other = hw_rt_gpu_at(runtime, (int)!gpu);
    hw_rt_stream *stream = NULL;
    uint64_t here = 0, there = 0;
    uint32_t words[WORDS];
    hw_diag diag = {0};
    GOOD(hw_rt_stream_create(own, 0, 0, &stream));
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t value = 1000 * gpu + round;
        void *params[] = {&here, &value};
        GOOD(allocate(own, sizeof words, &here));
        GOOD(allocate(other, sizeof words, &there));
        const hw_rt_launch_args args = {.function = fills[gpu], .grid = {1, 1, 1}, .block = {WORDS, 1, 1},
                                        .params = params, .stream = stream};
        GOOD(hw_rt_launch(own, &args, &diag));
        hw_rt_event *event = atomic_load(&last_event);
        if (event) GOOD(hw_rt_stream_wait(own, stream, event));
        if (event && !gpu) GOOD(hw_rt_event_record(own, event, stream));
        GOOD(copy_row(own, on_device(there), on_device(here), sizeof words, HW_HOST_COPY_ANY, stream));
        GOOD(copy_row(other, at(words), on_device(there), sizeof words, HW_HOST_COPY_ANY, NULL));
        for (uint32_t i = 0; i < WORDS; i++)
            if (words[i] != value + i) atomic_fetch_add(&n_wrong, 1);
        GOOD(hw_rt_free(own, there, 1u << HW_ALLOC_DEVICE, at_once, NULL));
        GOOD(hw_rt_free(other, here, 1u << HW_ALLOC_DEVICE, at_once, NULL));
    }
    GOOD(hw_rt_stream_destroy(other, stream));
    return NULL;
}

static void *reset_gpu(void *unused) {
    hw_runtime *own = hw_rt_gpu_at(runtime, RESET), *first = hw_rt_gpu_at(runtime, 0);
    uint64_t address = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        GOOD(allocate(own, 100, &address));
        GOOD(hw_rt_enable_peer(first, RESET));
        GOOD(hw_rt_set(own, on_device(address), 1, (hw_rt_shape){100, 1, 1}, at_once));
        hw_rt_reset(own);
    }
    return unused;
}

static void test_several_gpus(void **state) {
    (void)state;
    pthread_t threads[2 * RESET + 1];
    hw_rt_event *event = NULL;
    runtime = make_runtime_with((hw_rt_options){.gpus = GPUS, .has_gpu_time = true});
    for (int i = 0; i < RESET; i++) {
        hw_runtime *gpu = hw_rt_gpu_at(runtime, i);
        fills[i] = find_function(gpu, load_kernels(gpu), "fill");
    }
    assert_int_equal(hw_rt_event_create(runtime, 0, &event), HW_RT_SUCCESS);
    atomic_store(&last_event, event);
    for (uintptr_t i = 0; i < 2 * RESET; i++) pthread_create(&threads[i], NULL, use_gpu, (void *)i);
    pthread_create(&threads[2 * RESET], NULL, reset_gpu, NULL);
    for (int i = 0; i < 2 * RESET + 1; i++) pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&n_wrong), 0);
    assert_false(hw_rt_gpu_at(runtime, GPUS) || hw_rt_gpu_at(runtime, -1));
    hw_rt_destroy(hw_rt_gpu_at(runtime, 1));     // the machine, by any of its GPUs
}

// ---- one graph's executable graphs, each of which is its own thread's ----

enum { EXECS = 200 };

static hw_rt_exec *execs[THREADS][EXECS];
static pthread_barrier_t all_there;

static void *destroy_execs(void *number) {
    pthread_barrier_wait(&all_there);
    for (int i = 0; i < EXECS; i++) GOOD(hw_rt_exec_destroy(runtime, execs[(uintptr_t)number][i]));
    return NULL;
}

static void test_execs(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    hw_rt_graph *graph = NULL;
    hw_rt_node *node = NULL;
    hw_rt_exec *last = NULL;
    const hw_rt_work memory = {.kind = HW_RT_NODE_ALLOC, .memory = {.bytes = 64}};
    runtime = make_runtime();
    GOOD(hw_rt_graph_create(runtime, &graph));
    for (int i = 0; i < THREADS; i++)
        for (int k = 0; k < EXECS; k++) GOOD(hw_rt_exec_create(runtime, graph, 0, &execs[i][k]));
    pthread_barrier_init(&all_there, NULL, THREADS);
    for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, destroy_execs, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&all_there);
    GOOD(hw_rt_graph_add(runtime, graph, NULL, 0, &memory, &node));
    GOOD(hw_rt_exec_create(runtime, graph, 0, &last));   // none of it is left
    assert_int_equal(atomic_load(&n_wrong), 0);
    hw_rt_destroy(runtime);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads), cmocka_unit_test(test_first_calls),
                                       cmocka_unit_test(test_several_gpus), cmocka_unit_test(test_execs),
                                       cmocka_unit_test(test_fork)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
