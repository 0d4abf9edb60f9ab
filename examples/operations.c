// Three operations of the library on small arrays: a matrix product, a sum along an axis, and nearest neighbours.
//
//   cc operations.c -o operations $(pkg-config --cflags --libs halfwarp)
//   ./operations              # on the first GPU where there is one, else on the processors
//   ./operations sim:h200     # device
#include <halfwarp.h>
#include <stdio.h>

enum { ROWS = 2, INNER = 3, COLS = 2, POINTS = 4 };

typedef struct array {
    DLTensor tensor;      // what the library takes: where the numbers are, their type, the shape
    int64_t shape[2];
} array;

// A rows x cols array in new memory of the device, with these numbers; NULL: without.
static hw_status make_array(hw_device *device, DLDataType type, int64_t rows, int64_t cols, const void *numbers,
                            array *a, hw_diag *diag) {
    size_t bytes = (size_t)(rows * cols) * type.bits / 8;
    a->shape[0] = rows;
    a->shape[1] = cols;
    a->tensor = (DLTensor){.device = hw_device_get_properties(device)->dl, .ndim = 2, .dtype = type, .shape = a->shape};
    hw_status status = hw_device_alloc(device, bytes, &a->tensor.data, diag);
    if (status || !numbers) return status;
    return hw_copy(hw_device_stream(device), a->tensor.data, numbers, bytes, diag);
}

// Every function gives 0 for success, and otherwise one sentence in diag.
static hw_status compute(hw_device *device, float product[ROWS][COLS], float sums[COLS], int64_t nearest[POINTS],
                         hw_diag *diag) {
    static const float a[ROWS][INNER] = {{1, 2, 3}, {4, 5, 6}}, b[INNER][COLS] = {{1, 0}, {0, 1}, {1, 1}};
    static const float points[POINTS][2] = {{0, 0}, {5, 5}, {1, 0}, {5, 6}};
    const DLDataType f32 = {kDLFloat, 32, 1}, i64 = {kDLInt, 64, 1};
    const hw_nearest_options one = {.k = 1};
    const int down[] = {0};   // the axis along which is summed
    hw_stream *stream = hw_device_stream(device);
    array in[3] = {{.shape = {0}}}, out[3] = {{.shape = {0}}};   // freeing nothing is allowed
    hw_status status = make_array(device, f32, ROWS, INNER, a, &in[0], diag);
    if (!status) status = make_array(device, f32, INNER, COLS, b, &in[1], diag);
    if (!status) status = make_array(device, f32, POINTS, 2, points, &in[2], diag);
    if (!status) status = make_array(device, f32, ROWS, COLS, NULL, &out[0], diag);
    if (!status) status = make_array(device, f32, 1, COLS, NULL, &out[1], diag);
    if (!status) status = make_array(device, i64, POINTS, 1, NULL, &out[2], diag);
    if (!status)   // out = 1 a b + 0 out
        status = hw_matmul(stream, 1, &in[0].tensor, &in[1].tensor, 0, &out[0].tensor, HW_PRECISION_OF_TYPE, diag);
    if (!status) status = hw_reduce(stream, HW_REDUCE_SUM, &out[0].tensor, down, 1, 0, &out[1].tensor, diag);
    out[2].tensor.ndim = 1;   // a neighbour each
    if (!status) status = hw_nearest(stream, &in[2].tensor, NULL, &one, &out[2].tensor, NULL, diag);
    if (!status) status = hw_copy(stream, product, out[0].tensor.data, sizeof(float) * ROWS * COLS, diag);
    if (!status) status = hw_copy(stream, sums, out[1].tensor.data, sizeof(float) * COLS, diag);
    if (!status) status = hw_copy(stream, nearest, out[2].tensor.data, sizeof(int64_t) * POINTS, diag);
    if (!status) status = hw_stream_synchronize(stream, diag);   // a GPU works on its own until here
    for (int i = 0; i < 3; i++) {
        hw_device_free(device, in[i].tensor.data);
        hw_device_free(device, out[i].tensor.data);
    }
    return status;
}

int main(int argc, char **argv) {
    float product[ROWS][COLS], sums[COLS];
    int64_t nearest[POINTS];
    hw_device *device;
    hw_diag diag = {0};
    if (hw_device_open(argc > 1 ? argv[1] : NULL, NULL, &device, &diag)) {
        fprintf(stderr, "%s\n", diag.text);
        return 1;
    }
    hw_status status = compute(device, product, sums, nearest, &diag);
    if (status) fprintf(stderr, "%s\n", diag.text);
    else {
        for (int row = 0; row < ROWS; row++)
            printf("product: %g %g\n", (double)product[row][0], (double)product[row][1]);
        printf("summed down: %g %g\n", (double)sums[0], (double)sums[1]);
        for (int i = 0; i < POINTS; i++) printf("nearest to point %d: point %lld\n", i, (long long)nearest[i]);
    }
    hw_device_close(device);
    return status != 0;
}
