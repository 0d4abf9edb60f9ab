// hw_matmul: who does the work, and with what.
#include <stdio.h>
#include <string.h>

#include "op/matmul/cpu/matmul_blas.h"
#include "op/matmul/cpu/matmul_integers.h"
#include "op/matmul/matmul.h"
#include "op/matmul/matmul_plan.h"

static hw_status check_matmul_places(const hw_device_properties *device, const DLTensor *const arrays[3],
                                     hw_diag *diag) {
    static const char *const names[] = {"A", "B", "C"};
    hw_status status = HW_OK;
    for (int x = 0; x < 3 && !status; x++)
        status = hw_layout_check_place(device, arrays[x], "hw_matmul", names[x], diag);
    return status;
}

// ---- On a device with kernels ---------------------------------------------------------------------------------------

// What a call launches, remembered with the device. The key is the product, which the plan depends on alone.
typedef struct prepared {
    hw_matmul_plan how;
    hw_kernel *kernels[HW_PLAN_LAUNCHES];
} prepared;

static hw_status prepare_product(hw_device *device, const hw_product *p, prepared *known, hw_diag *diag) {
    if (hw_device_recall(device, p, sizeof *p, known, sizeof *known)) return HW_OK;
    memset(known, 0, sizeof *known);
    hw_status status = hw_matmul_plan_make(p, hw_device_get_properties(device), &known->how, diag);
    if (!status) status = hw_plan_kernels(device, &known->how.plan, known->kernels, diag);
    if (!status) hw_device_remember(device, p, sizeof *p, known, sizeof *known);
    return status;
}

static hw_status launch_product(hw_stream *stream, const prepared *known, const void *a, const void *b, void *c,
                                hw_diag *diag) {
    void *arrays[HW_PRODUCT_ARRAYS] = {[HW_PRODUCT_A] = (void *)a, [HW_PRODUCT_B] = (void *)b, [HW_PRODUCT_C] = c};
    const size_t bytes = known->how.scratch_bytes;
    hw_status status = bytes ? hw_stream_alloc(stream, bytes, &arrays[HW_PRODUCT_SCRATCH], diag) : HW_OK;
    if (status) return status;
    status = hw_plan_launch_all(stream, &known->how.plan, known->kernels, arrays, diag);
    if (bytes) hw_stream_free(stream, arrays[HW_PRODUCT_SCRATCH]);
    return status;
}

// ---- One product after the other ------------------------------------------------------------------------------------

static uint64_t outer_products(const hw_matmul_job *job) {
    uint64_t n = 1;
    for (uint32_t k = 0; k < job->n_outer; k++) n *= job->outer[k];
    return n;
}

typedef struct place {
    const char *a, *b;
    char *c;
} place;

static place place_of_product(const hw_matmul_job *job, uint64_t index) {
    const int64_t in = job->product.input.bits / 8, out = job->product.output.bits / 8;
    place at = {job->a, job->b, job->c};
    for (uint32_t k = job->n_outer; k-- > 0; index /= job->outer[k]) {
        const int64_t i = (int64_t)(index % job->outer[k]);
        at.a += i * job->outer_stride[0][k] * in;
        at.b += i * job->outer_stride[1][k] * in;
        at.c += i * job->outer_stride[2][k] * out;
    }
    return at;
}

// What is queued on the stream may still write the arrays.
static hw_status multiply_on_cpu(hw_stream *stream, const hw_matmul_job *job, hw_diag *diag) {
    uint32_t n_threads;
    hw_status status = hw_stream_synchronize(stream, diag);
    hw_pool *pool = hw_device_pool(hw_stream_device(stream), &n_threads);
    for (uint64_t i = 0; i < outer_products(job) && !status; i++) {
        const place at = place_of_product(job, i);
        status = hw_product_is_integer(&job->product)
                     ? hw_cpu_matmul_integers(&job->product, at.a, at.b, at.c, pool, n_threads, diag)
                     : hw_cpu_matmul(&job->product, at.a, at.b, at.c, n_threads, diag);
    }
    return status;
}

static hw_status run_on_gpu(hw_stream *stream, const hw_matmul_job *job, hw_diag *diag) {
    prepared known;
    hw_status status = prepare_product(hw_stream_device(stream), &job->product, &known, diag);
    for (uint64_t i = 0; i < outer_products(job) && !status; i++) {
        const place at = place_of_product(job, i);
        status = launch_product(stream, &known, at.a, at.b, at.c, diag);
    }
    return status;
}

static hw_status multiply_tensors(hw_stream *stream, double alpha, const DLTensor *a, const DLTensor *b, double beta,
                                  DLTensor *c, hw_precision precision, hw_diag *diag) {
    hw_matmul_job job;
    if (!stream) return hw_diag_set(diag, HW_USAGE, "hw_matmul: the stream is NULL");
    hw_status status = hw_matmul_make(alpha, a, b, beta, c, precision, true, &job, diag);
    const hw_device_properties *device = hw_device_get_properties(hw_stream_device(stream));
    if (!status) status = check_matmul_places(device, (const DLTensor *const[]){a, b, c}, diag);
    if (status || hw_matmul_is_empty(&job)) return status;
    return device->kind == HW_DEVICE_CPU ? multiply_on_cpu(stream, &job, diag) : run_on_gpu(stream, &job, diag);
}

hw_status hw_matmul(hw_stream *stream, double alpha, const DLTensor *a, const DLTensor *b, double beta, DLTensor *c,
                    hw_precision precision, hw_diag *diag) {
    hw_diag own;
    return hw_diag_tell(diag, &own, multiply_tensors(stream, alpha, a, b, beta, c, precision, hw_diag_begin(&own)));
}

// ---- In words -------------------------------------------------------------------------------------------------------

static const char *order_name(const hw_matrix *matrix) { return matrix->transposed ? "column-major" : "row-major"; }

static size_t say_product(const hw_matmul_job *job, char *text, size_t text_bytes) {
    const hw_product *p = &job->product;
    uint64_t batches = 1;
    char input[32], output[32];
    for (uint32_t k = 0; k < p->n_batch_axes; k++) batches *= p->batch[k];
    int used = snprintf(text, text_bytes, "product: %llu x %llu x %llu%s, %llu batch%s, %s to %s%s\nA %s, leading "
                        "dimension %lld; B %s, %lld; C %lld\n", (unsigned long long)p->m, (unsigned long long)p->n,
                        (unsigned long long)p->k, job->is_turned ? " (of the transposes, as C is column-major)" : "",
                        (unsigned long long)batches, batches == 1 ? "" : "es",
                        hw_dtype_name(p->input, input, sizeof input), hw_dtype_name(p->output, output, sizeof output),
                        job->n_outer ? ", several times" : "", order_name(&p->a), (long long)p->a.ld, order_name(&p->b),
                        (long long)p->b.ld, (long long)p->c.ld);
    return used > 0 && (size_t)used < text_bytes ? (size_t)used : text_bytes - 1;
}

static hw_status explain_matmul(hw_device *device, const DLTensor *a, const DLTensor *b, const DLTensor *c,
                                hw_precision precision, char *text, size_t text_bytes, hw_diag *diag) {
    hw_matmul_job job;
    if (!device || !text || !text_bytes)
        return hw_diag_set(diag, HW_USAGE, "hw_matmul_explain: the device or the place for the text is NULL");
    text[0] = 0;
    const bool pointers = a && b && c && a->data && b->data && c->data;
    hw_status status = hw_matmul_make(1, a, b, 0, c, precision, pointers, &job, diag);
    const hw_device_properties *properties = hw_device_get_properties(device);
    if (!status) status = check_matmul_places(properties, (const DLTensor *const[]){a, b, c}, diag);
    if (status) return status;
    if (hw_matmul_is_empty(&job)) {
        snprintf(text, text_bytes, "C has no elements\n");
        return HW_OK;
    }
    const size_t used = say_product(&job, text, text_bytes);
    if (properties->kind == HW_DEVICE_CPU && hw_product_is_integer(&job.product))
        hw_cpu_matmul_integers_explain(&job.product, text + used, text_bytes - used);
    else if (properties->kind == HW_DEVICE_CPU) hw_cpu_matmul_explain(&job.product, text + used, text_bytes - used);
    else status = hw_matmul_plan_explain(&job.product, properties, text + used, text_bytes - used, diag);
    return status;
}

hw_status hw_matmul_explain(hw_device *device, const DLTensor *a, const DLTensor *b, const DLTensor *c,
                            hw_precision precision, char *text, size_t text_bytes, hw_diag *diag) {
    hw_diag own;
    return hw_diag_tell(diag, &own, explain_matmul(device, a, b, c, precision, text, text_bytes, hw_diag_begin(&own)));
}
