// The library from C: opens a device, transposes a matrix on it, checks the result and says how fast it was.
//
//   cc transpose_array.c -o transpose_array $(pkg-config --cflags --libs halfwarp)
//   ./transpose_array                  # on the first GPU where there is one, else on the processors
//   ./transpose_array cpu 8192 8192    # device, rows, columns
//   ./transpose_array sim:h200 256 256
#include <halfwarp.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct matrix {
    DLTensor tensor;      // what the library takes: where the numbers are, their type, the shape
    int64_t shape[2];
} matrix;

// rows x cols floats in new memory of the device.
static hw_status make_matrix(hw_device *device, int64_t rows, int64_t cols, matrix *m, hw_diag *diag) {
    m->shape[0] = rows;
    m->shape[1] = cols;
    m->tensor = (DLTensor){.device = hw_device_get_properties(device)->dl, .ndim = 2, .dtype = {kDLFloat, 32, 1},
                           .shape = m->shape};
    return hw_device_alloc(device, (size_t)(rows * cols) * sizeof(float), &m->tensor.data, diag);
}

// Element (row, col) of the rows x cols matrix `in` must be element (col, row) of `out`.
static int count_wrong(const float *in, const float *out, int64_t rows, int64_t cols) {
    int wrong = 0;
    for (int64_t row = 0; row < rows; row++)
        for (int64_t col = 0; col < cols; col++) wrong += in[row * cols + col] != out[col * rows + row];
    return wrong;
}

// Transposes `in` (on this machine) on the device into `out` (on this machine). *ns: the time of the transpose alone,
// the second time, as the first compiles a kernel for a GPU.
static hw_status transpose_on(hw_device *device, const float *in, float *out, int64_t rows, int64_t cols, double *ns,
                              hw_diag *diag) {
    hw_stream *stream = hw_device_stream(device);
    size_t bytes = (size_t)(rows * cols) * sizeof(float);
    matrix from = {0}, to = {0};
    hw_event *begin = NULL, *end = NULL;
    // Every function gives 0 for success, and otherwise one sentence in diag.
    hw_status status = make_matrix(device, rows, cols, &from, diag);
    if (!status) status = make_matrix(device, cols, rows, &to, diag);
    if (!status) status = hw_event_create(device, &begin, diag);
    if (!status) status = hw_event_create(device, &end, diag);
    if (!status) status = hw_copy(stream, from.tensor.data, in, bytes, diag);
    if (!status) status = hw_transpose(stream, &from.tensor, NULL, &to.tensor, diag);   // NULL: axes reversed
    if (!status) status = hw_event_record(begin, stream, diag);
    if (!status) status = hw_transpose(stream, &from.tensor, NULL, &to.tensor, diag);
    if (!status) status = hw_event_record(end, stream, diag);
    if (!status) status = hw_copy(stream, out, to.tensor.data, bytes, diag);
    if (!status) status = hw_stream_synchronize(stream, diag);   // a GPU works on its own until here
    if (!status) status = hw_event_elapsed_ns(begin, end, ns, diag);
    hw_event_destroy(begin);
    hw_event_destroy(end);
    hw_device_free(device, from.tensor.data);
    hw_device_free(device, to.tensor.data);
    return status;
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : NULL;
    int64_t rows = argc > 2 ? atoll(argv[2]) : 1000, cols = argc > 3 ? atoll(argv[3]) : 1500;
    if (rows < 1 || cols < 1 || rows > INT32_MAX || cols > INT32_MAX) {
        fprintf(stderr, "usage: %s [DEVICE [ROWS COLUMNS]]\n", argv[0]);
        return 2;
    }
    hw_device *device;
    hw_diag diag = {0};
    if (hw_device_open(name, NULL, &device, &diag)) {
        fprintf(stderr, "%s\n", diag.text);
        return 1;
    }
    float *in = malloc((size_t)(rows * cols) * sizeof *in), *out = malloc((size_t)(rows * cols) * sizeof *out);
    double ns = 0;
    int failed = 1;
    for (int64_t i = 0; in && i < rows * cols; i++) in[i] = (float)(i % 16777216);   // whole numbers that a float holds
    if (!in || !out) fprintf(stderr, "out of memory\n");
    else if (transpose_on(device, in, out, rows, cols, &ns, &diag)) fprintf(stderr, "%s\n", diag.text);
    else if (count_wrong(in, out, rows, cols)) fprintf(stderr, "the result is wrong\n");
    else failed = 0;
    if (!failed)
        printf("%lld x %lld floats transposed on %s, all right; %.3f ms, %.2f GB/s read and written\n", (long long)rows,
               (long long)cols, hw_device_get_properties(device)->name, ns * 1e-6,
               2 * (double)(rows * cols) * sizeof(float) / ns);
    free(in);
    free(out);
    hw_device_close(device);
    return failed;
}
