// An operation between files: arrays go to the device whole, and results come back.
#include <stdlib.h>

#include "arrays/array_file.h"
#include "base/status.h"
#include "device/device.h"
#include "output/progress.h"
#include "output/unfinished.h"

// Copies go in pieces, so that there is progress to show.
enum { PIECE_BYTES = 64 << 20 };

typedef struct job {
    const hw_cli_work *work;
    hw_device *device;
    bool is_cpu;
    DLTensor in[HW_CLI_INPUTS], out[HW_CLI_RESULTS], result[HW_CLI_RESULTS];   // result: out on this machine
    hw_cli_progress progress;
    double moved;
} job;

static size_t bytes_of(const DLTensor *tensor) {
    size_t bytes = tensor->dtype.bits / 8;
    for (int k = 0; k < tensor->ndim; k++) bytes *= (size_t)tensor->shape[k];
    return bytes;
}

DLTensor hw_cli_array_there(hw_device *device, const DLTensor *here) {
    DLTensor there = *here;
    there.device = hw_device_get_properties(device)->dl;
    there.data = NULL;
    return there;
}

static hw_status move_bytes(job *j, void *to, const void *from, size_t bytes, hw_diag *diag) {
    hw_stream *stream = hw_device_stream(j->device);
    hw_status status = HW_OK;
    for (size_t at = 0; at < bytes && !status; at += PIECE_BYTES) {
        size_t piece = bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES;
        status = hw_copy(stream, (char *)to + at, (const char *)from + at, piece, diag);
        if (!status) status = hw_stream_synchronize(stream, diag);
        hw_cli_progress_update(&j->progress, j->moved += (double)piece);
    }
    return status;
}

// Room on the device for an array of this machine, which keeps its order.
static hw_status make_room(job *j, const DLTensor *here, DLTensor *there, hw_diag *diag) {
    *there = j->is_cpu ? *here : hw_cli_array_there(j->device, here);
    if (j->is_cpu) return HW_OK;
    return hw_device_alloc(j->device, bytes_of(here), &there->data, diag);
}

static hw_status make_all_room(job *j, hw_diag *diag) {
    const hw_cli_work *work = j->work;
    double bytes = 0;
    for (int i = 0; i < work->n_in; i++) bytes += (double)bytes_of(&work->in[i]);
    for (int i = 0; i < work->n_out; i++) bytes += (double)bytes_of(&j->result[i]);
    hw_cli_progress_begin(&j->progress, bytes);
    hw_status status = HW_OK;
    for (int i = 0; i < work->n_in && !status; i++) status = make_room(j, &work->in[i], &j->in[i], diag);
    for (int i = 0; i < work->n_out && !status; i++) status = make_room(j, &j->result[i], &j->out[i], diag);
    if (status != HW_NO_MEMORY) return status;
    *diag = (hw_diag){0};   // the first message would stay
    return hw_diag_set(diag, HW_NO_MEMORY, "the arrays' %.0f bytes do not fit the memory of %s all at once; "
                       "--device cpu works on them where they lie", bytes, hw_device_get_properties(j->device)->name);
}

static hw_status carry_out(job *j, hw_diag *diag) {
    const hw_cli_work *work = j->work;
    hw_status status = make_all_room(j, diag);
    for (int i = 0; i < work->n_in && !status && !j->is_cpu; i++)
        status = move_bytes(j, j->in[i].data, work->in[i].data, bytes_of(&work->in[i]), diag);
    if (!status) status = work->run(work->context, j->device, j->in, j->out, diag);
    if (!status) status = hw_stream_synchronize(hw_device_stream(j->device), diag);
    for (int i = 0; i < work->n_out && !status && !j->is_cpu; i++)
        status = move_bytes(j, j->result[i].data, j->out[i].data, bytes_of(&j->result[i]), diag);
    if (!status && work->finish) work->finish(work->context, j->result);
    hw_cli_progress_end(&j->progress);
    for (int i = 0; i < HW_CLI_INPUTS && !j->is_cpu; i++) hw_device_free(j->device, j->in[i].data);
    for (int i = 0; i < HW_CLI_RESULTS && !j->is_cpu; i++) hw_device_free(j->device, j->out[i].data);
    return status;
}

int hw_cli_work_run(hw_device *device, const hw_cli_work *work) {
    job j = {.work = work, .device = device, .is_cpu = hw_device_get_properties(device)->kind == HW_DEVICE_CPU};
    hw_cli_results results = {.n = 0};
    hw_diag diag = {0};
    bool is_file = work->n_out > 0 && work->outputs[0];
    int failed = is_file ? hw_cli_results_create(&results, work->outputs, work->headers, work->n_out, work->inputs,
                                                 work->n_inputs) : 0;
    if (failed) return failed;
    if (!is_file) hw_cli_release_signals(NULL, NULL);
    for (int i = 0; i < work->n_out; i++) {
        const hw_npy_header *header = &work->headers[i];
        if (is_file) j.result[i] = results.file[i].tensor;
        else j.result[i] = (DLTensor){.data = work->memory[i], .device = {kDLCPU, 0}, .ndim = header->rank,
                                      .dtype = header->dtype, .shape = (int64_t *)header->shape};
    }
    hw_status status = carry_out(&j, &diag);
    return hw_cli_results_finish(&results, status, &diag);
}
