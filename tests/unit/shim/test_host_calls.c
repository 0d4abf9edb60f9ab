// What an observer hears of a program's calls of the runtime: memory, copies, sets, streams, events, launch order.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shim/cudart/cudart.h"

typedef struct host_sink {
    hw_sink sink;
    hw_host_event list[64];
    uint32_t n;
} host_sink;

static host_sink heard;

static hw_sim *simulation(void) {
    assert_int_equal(hw_rt_open(hw_shim_runtime()), HW_RT_SUCCESS);
    return hw_rt_simulation(hw_shim_runtime());
}

static void keep(hw_sink *sink, const hw_host_event *event) {
    (void)sink;
    assert_true(heard.n < 64);
    heard.list[heard.n++] = *event;
}

// The next thing that was heard, which is this.
static const hw_host_event *next(uint32_t *at, hw_host_action action) {
    assert_true(*at < heard.n);
    const hw_host_event *event = &heard.list[(*at)++];
    assert_int_equal(event->action, action);
    assert_non_null(event->site);
    return event;
}

#define OK(call) assert_int_equal(call, cudaSuccess)

static void calls_are_told(void **state) {
    (void)state;
    static char host[4096], rows[4096];
    char *device, *other;
    cudaStream_t stream;
    cudaEvent_t event;
    heard.sink = (hw_sink){.events = HW_WANTS(HOST), .host = keep};
    assert_int_equal(hw_sim_add_sink(simulation(), &heard.sink, NULL), HW_OK);
    OK(cudaMalloc((void **)&device, 4096));
    OK(cudaMalloc((void **)&other, 4096));
    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&event));
    OK(cudaMemset(device, 7, 100));
    OK(cudaMemcpyAsync(device, host, 4096, cudaMemcpyHostToDevice, stream));
    OK(cudaEventRecord(event, stream));
    OK(cudaStreamWaitEvent(NULL, event, 0));
    OK(cudaMemcpy(other, device, 4096, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy2D(rows, 64, device, 128, 32, 8, cudaMemcpyDeviceToHost));
    OK(cudaStreamSynchronize(stream));
    OK(cudaEventSynchronize(event));
    OK(cudaDeviceSynchronize());
    assert_int_equal(cudaMemcpy(device, host, 8192, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidValue);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
    OK(cudaGetLastError());
    OK(cudaEventDestroy(event));
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(device));
    OK(cudaFree(other));
    hw_sim_remove_sink(simulation(), &heard.sink);
    OK(cudaDeviceSynchronize());

    uint32_t at = 0;
    const hw_host_event *e = next(&at, HW_HOST_ALLOCATE);
    assert_int_equal(e->memory.address, hw_address(device));
    assert_int_equal(e->memory.bytes, 4096);
    next(&at, HW_HOST_ALLOCATE);
    assert_int_equal(next(&at, HW_HOST_STREAM_CREATE)->stream, hw_address(stream));
    assert_int_equal(next(&at, HW_HOST_EVENT_CREATE)->event, hw_address(event));
    e = next(&at, HW_HOST_SET);    // a set is not waited for
    assert_int_equal(e->set.to.address, hw_address(device));
    assert_int_equal(e->set.value, 7);
    assert_int_equal(e->set.width * e->set.height * e->set.depth, 100);
    e = next(&at, HW_HOST_COPY);
    assert_int_equal(e->stream, hw_address(stream));
    assert_int_equal(e->copy.to.address, hw_address(device));
    assert_int_equal(e->copy.from.address, hw_address(host));
    assert_int_equal(e->copy.width, 4096);
    assert_int_equal(e->copy.kind, HW_HOST_COPY_HOST_TO_DEVICE);
    e = next(&at, HW_HOST_EVENT_RECORD);
    assert_true(e->event == hw_address(event) && e->stream == hw_address(stream));
    e = next(&at, HW_HOST_STREAM_WAIT);
    assert_true(e->event == hw_address(event) && e->stream == 0);
    assert_int_equal(next(&at, HW_HOST_COPY)->copy.kind, HW_HOST_COPY_DEVICE_TO_DEVICE);    // nor such a copy
    e = next(&at, HW_HOST_COPY);
    assert_true(e->copy.width == 32 && e->copy.height == 8 && e->copy.depth == 1);
    assert_true(e->copy.to.pitch == 64 && e->copy.from.pitch == 128);
    assert_int_equal(next(&at, HW_HOST_STREAM_SYNCHRONIZE)->stream, 0);
    assert_int_equal(next(&at, HW_HOST_STREAM_SYNCHRONIZE)->stream, hw_address(stream));
    next(&at, HW_HOST_EVENT_SYNCHRONIZE);
    next(&at, HW_HOST_DEVICE_SYNCHRONIZE);
    e = next(&at, HW_HOST_REFUSE);
    assert_int_equal(e->refused.reason, HW_HOST_BEYOND_END);
    assert_int_equal(e->refused.bytes, 8192);
    assert_int_equal(e->refused.allocation.bytes, 4096);
    e = next(&at, HW_HOST_ERROR);
    assert_string_equal(e->error.name, "cudaErrorInvalidValue");
    assert_false(e->error.is_launch);
    assert_string_equal(next(&at, HW_HOST_ASK)->error.name, "cudaErrorInvalidValue");
    assert_string_equal(next(&at, HW_HOST_ASK)->error.name, "cudaErrorInvalidValue");    // and then there is none
    next(&at, HW_HOST_EVENT_DESTROY);
    next(&at, HW_HOST_STREAM_DESTROY);
    assert_int_equal(next(&at, HW_HOST_FREE)->memory.address, hw_address(device));
    next(&at, HW_HOST_FREE);
    assert_int_equal(at, heard.n);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
