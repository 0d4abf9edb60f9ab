// halfwarp matmul: the matrix product of arrays in .npy files, with NumPy's shapes.
#include <stdlib.h>
#include <string.h>

#include "arrays/array_file.h"
#include "base/status.h"
#include "op/common/family.h"
#include "options.h"
#include "output/unfinished.h"

static const char matmul_help[] =
    "usage: halfwarp matmul A.npy B.npy -o C.npy [OPTIONS]\n"
    "\n"
    "Writes the matrix product of two arrays as numpy.matmul shapes it: the last two\n"
    "axes are matrices, the axes before them batches that are broadcast; an array of\n"
    "one axis is a row (A) or a column (B), and the axis is dropped again. Both are\n"
    "of one dtype, float16, float32, float64 or an integer, in C or Fortran order.\n"
    "Integers wrap, as NumPy's do. A or B, and C, can be - for standard input and\n"
    "output.\n"
    "\n"
    "  -o FILE         where the result goes; it is there whole or not at all\n"
    "  --dtype T       of the result: the arrays' (as it is unless given); i32 for\n"
    "                  int8 and int16, u32 for uint8 and uint16, so that sums do not\n"
    "                  wrap; f32 for float16\n"
    "  --precision P   fp32 or fp64, what the dtype has (as it is unless given); of\n"
    "                  float32 tf32 or bf16, which round the inputs for tensor cores\n"
    "  --device D      cpu, cuda:N or sim:G; unless given, cuda:0 where there is one,\n"
    "                  else cpu\n"
    "  --explain       print what will be done, a line per step; without -o, only\n"
    "                  that\n";

typedef struct matmul_options {
    const char *inputs[2], *output, *device;
    hw_precision precision;
    DLDataType dtype;                // of the result; of 0 bits: the arrays'
    bool explain;
} matmul_options;

// ---- Options --------------------------------------------------------------------------------------------------------

static bool set_output(void *options, const char *value) {
    ((matmul_options *)options)->output = value;
    return hw_cli_is_file_name("-o", value);
}

static bool set_device(void *options, const char *value) {
    ((matmul_options *)options)->device = value;
    return true;
}

static bool set_precision(void *options, const char *value) {
    static const struct {
        const char *name;
        hw_precision precision;
    } all[] = {{"fp32", HW_PRECISION_FP32}, {"tf32", HW_PRECISION_TF32}, {"bf16", HW_PRECISION_BF16},
               {"fp64", HW_PRECISION_FP64}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].name, value) == 0) {
            ((matmul_options *)options)->precision = all[i].precision;
            return true;
        }
    hw_cli_complain("--precision is fp32, tf32, bf16 or fp64, and not '%s'", value);
    return false;
}

static bool set_dtype(void *options, const char *value) {
    if (hw_dtype_find(value, &((matmul_options *)options)->dtype)) return true;
    hw_cli_complain("--dtype is a type of elements, as i32, u32 or f32, and not '%s'", value);
    return false;
}

static bool set_explain(void *options, const char *value) {
    (void)value;
    ((matmul_options *)options)->explain = true;
    return true;
}

static const hw_cli_option matmul_option_rows[] = {
    {"-o", true, set_output},
    {"--dtype", true, set_dtype},
    {"--precision", true, set_precision},
    {"--device", true, set_device},
    {"--explain", false, set_explain},
};
static const hw_cli_syntax matmul_syntax = {"matmul", matmul_option_rows,
                                            sizeof matmul_option_rows / sizeof matmul_option_rows[0], 2};

static int parse_matmul(matmul_options *options, int argc, char **argv) {
    int n_words;
    int status = hw_cli_parse(&matmul_syntax, options, argc, argv, options->inputs, &n_words);
    if (status) return status;
    if (n_words < 2)
        hw_cli_complain("which two arrays? Usage: halfwarp matmul A.npy B.npy -o C.npy [OPTIONS]");
    else if (!options->output && !options->explain)
        hw_cli_complain("where to? -o names the output's file, and - is standard output");
    else if (strcmp(options->inputs[0], "-") == 0 && strcmp(options->inputs[1], "-") == 0)
        hw_cli_complain("standard input is one array, and cannot be both");
    else return hw_cli_check_terminals(options->inputs, 2, &options->output, 1);
    return HW_EXIT_USAGE;
}

// ---- Shapes ---------------------------------------------------------------------------------------------------------

// An operand as a matrix or batches of them. Points into itself: not to be copied.
typedef struct operand {
    DLTensor tensor;
    int64_t shape[HW_NPY_MAX_RANK + 1], strides[HW_NPY_MAX_RANK + 1];
    bool was_vector;
} operand;

// A vector gets an axis of 1, before its own or after it.
static void make_operand(const hw_npy *npy, bool is_row, operand *o) {
    *o = (operand){.tensor = npy->tensor, .was_vector = npy->tensor.ndim == 1};
    memcpy(o->shape, npy->tensor.shape, (size_t)npy->tensor.ndim * sizeof *o->shape);
    if (npy->tensor.strides)
        memcpy(o->strides, npy->tensor.strides, (size_t)npy->tensor.ndim * sizeof *o->strides);
    if (o->was_vector) {
        int64_t length = o->shape[0];
        o->tensor.ndim = 2;
        o->tensor.strides = NULL;
        o->shape[0] = is_row ? 1 : length;
        o->shape[1] = is_row ? length : 1;
    }
    o->tensor.shape = o->shape;
    if (o->tensor.strides) o->tensor.strides = o->strides;
}

// Extent of batch axis `axis` of the result, counted from the matrices; 1 where the operand has none.
static int64_t batch_extent(const operand *o, int axis) {
    int at = o->tensor.ndim - 3 - axis;
    return at >= 0 ? o->shape[at] : 1;
}

static int wrong_shapes(const operand *a, const operand *b, const char *why) {
    char text[2][256];
    const operand *both[] = {a, b};
    for (int i = 0; i < 2; i++) {
        size_t used = 0;
        text[i][0] = '\0';
        for (int k = 0; k < both[i]->tensor.ndim && used < sizeof text[i]; k++) {
            bool is_added = both[i]->was_vector && k == i;
            if (is_added) continue;
            used += (size_t)snprintf(text[i] + used, sizeof text[i] - used, "%s%lld", used ? ", " : "",
                                     (long long)both[i]->shape[k]);
        }
    }
    hw_cli_complain("shapes (%s) and (%s) do not fit: %s", text[0], text[1], why);
    return HW_EXIT_USAGE;
}

// The result's shape as hw_matmul takes it. 0, or the exit status after a complaint.
static int shape_result(const operand *a, const operand *b, int64_t shape[HW_NPY_MAX_RANK], int *rank) {
    int batches = (a->tensor.ndim > b->tensor.ndim ? a->tensor.ndim : b->tensor.ndim) - 2;
    if (a->shape[a->tensor.ndim - 1] != b->shape[b->tensor.ndim - 2])
        return wrong_shapes(a, b, "the rows of the first are not as long as the columns of the second");
    for (int axis = 0; axis < batches; axis++) {
        int64_t x = batch_extent(a, axis), y = batch_extent(b, axis);
        if (x != y && x != 1 && y != 1) return wrong_shapes(a, b, "their batches cannot be broadcast");
        shape[batches - 1 - axis] = x == 1 ? y : x;
    }
    shape[batches] = a->shape[a->tensor.ndim - 2];
    shape[batches + 1] = b->shape[b->tensor.ndim - 1];
    *rank = batches + 2;
    return 0;
}

// What NumPy keeps of it: without the axes that vectors were given.
static void drop_axes(const operand *a, const operand *b, DLDataType dtype, const int64_t *shape, int rank,
                      hw_npy_header *header) {
    int64_t kept[HW_NPY_MAX_RANK];
    int n = 0;
    for (int k = 0; k < rank; k++)
        if (!(k == rank - 2 && a->was_vector) && !(k == rank - 1 && b->was_vector)) kept[n++] = shape[k];
    hw_cli_npy_header(dtype, n, kept, header);
}

// ---- The work -------------------------------------------------------------------------------------------------------

typedef struct product {
    hw_precision precision;
    DLDataType dtype;
    int64_t shape[HW_NPY_MAX_RANK];
    int rank;
} product;

// In C order: batches in Fortran order have matrices of which neither axis is contiguous. *memory to be freed.
static hw_status arrange_in_c_order(hw_device *device, const DLTensor *in, DLTensor *out, void **memory,
                                    hw_diag *diag) {
    int axes[HW_NPY_MAX_RANK + 1];
    size_t bytes = in->dtype.bits / 8;
    *out = *in;
    if (!in->strides || in->ndim <= 2) return HW_OK;
    for (int k = 0; k < in->ndim; k++) {
        axes[k] = k;
        bytes *= (size_t)in->shape[k];
    }
    hw_status status = hw_device_alloc(device, bytes, memory, diag);
    out->data = *memory;
    out->strides = NULL;
    return status ? status : hw_transpose(hw_device_stream(device), in, axes, out, diag);
}

static hw_status run_product(void *context, hw_device *device, const DLTensor *in, DLTensor *out, hw_diag *diag) {
    product *p = context;
    DLTensor a, b, c = *out;
    void *memory[2] = {NULL, NULL};
    c.ndim = p->rank;
    c.shape = p->shape;
    hw_status status = arrange_in_c_order(device, &in[0], &a, &memory[0], diag);
    if (!status) status = arrange_in_c_order(device, &in[1], &b, &memory[1], diag);
    if (!status) status = hw_matmul(hw_device_stream(device), 1, &a, &b, 0, &c, p->precision, diag);
    for (int i = 0; i < 2; i++) hw_device_free(device, memory[i]);
    return status;
}

static int explain_product(hw_device *device, const operand *a, const operand *b, product *p, const char *output) {
    char text[8192];
    hw_diag diag = {0};
    DLTensor first = hw_cli_array_there(device, &a->tensor), second = hw_cli_array_there(device, &b->tensor);
    DLTensor c = {.device = first.device, .ndim = p->rank, .dtype = p->dtype, .shape = p->shape};
    // As run_product will arrange them.
    if (first.ndim > 2) first.strides = NULL;
    if (second.ndim > 2) second.strides = NULL;
    hw_status status = hw_matmul_explain(device, &first, &second, &c, p->precision, text, sizeof text, &diag);
    if (status) return hw_cli_fail(status, &diag);
    hw_cli_print_explanation(text, output);
    return 0;
}

static int check_types(const matmul_options *options, const hw_npy *npy) {
    for (int i = 0; i < 2; i++) {
        const char *name = strcmp(options->inputs[i], "-") == 0 ? "standard input" : options->inputs[i];
        if (npy[i].tensor.ndim == 0) {
            hw_cli_complain("%s: a matrix product takes arrays of one axis or more, and it has none", name);
            return HW_EXIT_USAGE;
        }
    }
    const DLDataType *a = &npy[0].header.dtype, *b = &npy[1].header.dtype;
    if (a->code == b->code && a->bits == b->bits) return 0;
    hw_cli_complain("the arrays are of two dtypes, '%s' and '%s'", npy[0].header.descr, npy[1].header.descr);
    return HW_EXIT_USAGE;
}

static int multiply_arrays(const matmul_options *options, const hw_npy *npy) {
    operand a, b;
    product p = {.precision = options->precision,
                 .dtype = options->dtype.bits ? options->dtype : npy[0].header.dtype};
    hw_cli_work work = {.inputs = {options->inputs[0], options->inputs[1]}, .n_inputs = 2, .n_in = 2,
                        .outputs = {options->output}, .n_out = 1, .run = run_product, .context = &p};
    hw_device *device;
    int status = check_types(options, npy);
    if (status) return status;
    make_operand(&npy[0], true, &a);
    make_operand(&npy[1], false, &b);
    status = shape_result(&a, &b, p.shape, &p.rank);
    if (status) return status;
    drop_axes(&a, &b, p.dtype, p.shape, p.rank, &work.headers[0]);
    work.in[0] = a.tensor;
    work.in[1] = b.tensor;
    hw_cli_hold_signals();
    status = hw_cli_open_device(options->device, 0, &device);
    if (status) return status;
    if (options->explain) status = explain_product(device, &a, &b, &p, options->output);
    if (!status && options->output) status = hw_cli_work_run(device, &work);
    hw_device_close(device);
    return status;
}

static int matmul_main(int argc, char **argv) {
    matmul_options options = {0};
    hw_npy npy[2];
    int status = parse_matmul(&options, argc, argv);
    if (status) return status;
    memset(npy, 0, sizeof npy);
    status = hw_cli_open_numbers(options.inputs[0], "iuf", &npy[0]);
    if (!status) status = hw_cli_open_numbers(options.inputs[1], "iuf", &npy[1]);
    if (!status) status = multiply_arrays(&options, npy);
    hw_npy_close(&npy[0]);
    hw_npy_close(&npy[1]);
    return status;
}

const hw_command hw_cmd_matmul = {"matmul", "multiply the matrices in two .npy files", matmul_help, matmul_main};
