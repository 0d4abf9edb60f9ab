// halfwarp reduce: sums, extremes and the like of an array in a .npy file, with NumPy's shapes.
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/array_file.h"
#include "arrays/axes.h"
#include "base/suggest.h"
#include "op/common/family.h"
#include "op/reduce/reduction.h"
#include "options.h"
#include "output/unfinished.h"

// In two parts, for the lines of --help.
#define OPERATIONS_FIRST "sum, product, min, max, argmin, argmax, mean, norm,"
#define OPERATIONS_LAST "var, std, any, all or count_nonzero"
#define OPERATIONS OPERATIONS_FIRST " " OPERATIONS_LAST

static const char reduce_help[] =
    "usage: halfwarp reduce IN.npy --op OP [-o OUT.npy] [OPTIONS]\n"
    "\n"
    "Combines the elements of an array of integers, floats or bool, all of them or\n"
    "along some axes, as NumPy does. The result has the other axes (0-d when there is\n"
    "none); argmin, argmax and count_nonzero are int64, sums and products of integers\n"
    "int64 or uint64, means, norms, var and std of them float64, any and all bool. IN\n"
    "and OUT can be - for standard input and output.\n"
    "\n"
    "  --op OP         " OPERATIONS_FIRST "\n"
    "                  " OPERATIONS_LAST ";\n"
    "                  norm is the root of the sum of squares\n"
    "  --axis 0,2      combine along these axes; negative ones count from the last;\n"
    "                  unless given, along all\n"
    "  --keepdims      keep the axes that were combined, with extent 1\n"
    "  --ddof N        var and std divide by N less than the number of elements;\n"
    "                  unless given, 0\n"
    "  --exact         sums and means of float32 and float64: the exact sum rounded\n"
    "                  once, the same on every device\n"
    "  -o FILE         where the result goes; it is there whole or not at all.\n"
    "                  Without it a result of one number is printed\n"
    "  --device D      cpu, cuda:N or sim:G; unless given, cuda:0 where there is one,\n"
    "                  else cpu\n"
    "  --explain       print what will be done, a line per step; without -o, only\n"
    "                  that\n";

typedef struct reduce_options {
    const char *input, *output, *axes, *device;
    hw_reduction op;
    uint32_t ddof;
    bool has_op, has_ddof, keepdims, exact, explain;
} reduce_options;

// ---- Options --------------------------------------------------------------------------------------------------------

static bool set_op(void *options, const char *value) {
    reduce_options *o = options;
    o->has_op = true;
    if (hw_reduction_find(value, &o->op)) return true;
    const char *near = hw_suggest(value, hw_reduction_names, HW_REDUCTIONS);
    if (near) hw_cli_complain("there is no operation '%s'; did you mean '%s'?", value, near);
    else hw_cli_complain("--op is " OPERATIONS ", and not '%s'", value);
    return false;
}

static bool set_axes(void *options, const char *value) { return ((reduce_options *)options)->axes = value, true; }
static bool set_device(void *options, const char *value) { return ((reduce_options *)options)->device = value, true; }

static bool set_output(void *options, const char *value) {
    ((reduce_options *)options)->output = value;
    return hw_cli_is_file_name("-o", value);
}

static bool set_keepdims(void *options, const char *value) {
    (void)value;
    return ((reduce_options *)options)->keepdims = true;
}

static bool set_ddof(void *options, const char *value) {
    enum { MOST = (1 << 24) - 1 };
    reduce_options *o = options;
    char *end;
    const unsigned long n = isdigit((unsigned char)*value) ? strtoul(value, &end, 10) : ULONG_MAX;
    o->has_ddof = n <= MOST && !*end;
    o->ddof = (uint32_t)n;
    if (!o->has_ddof) hw_cli_complain("--ddof is a whole number from 0 to %d, and not '%s'", MOST, value);
    return o->has_ddof;
}

static bool set_exact(void *options, const char *value) {
    (void)value;
    return ((reduce_options *)options)->exact = true;
}

static bool set_explain(void *options, const char *value) {
    (void)value;
    return ((reduce_options *)options)->explain = true;
}

static const hw_cli_option reduce_option_rows[] = {
    {"--op", true, set_op},           {"--axis", true, set_axes},     {"--keepdims", false, set_keepdims},
    {"--ddof", true, set_ddof},       {"--exact", false, set_exact},  {"-o", true, set_output},
    {"--device", true, set_device},   {"--explain", false, set_explain},
};
static const hw_cli_syntax reduce_syntax = {"reduce", reduce_option_rows,
                                            sizeof reduce_option_rows / sizeof reduce_option_rows[0], 1};

static int parse_reduce(reduce_options *options, int argc, char **argv) {
    int n_words;
    int status = hw_cli_parse(&reduce_syntax, options, argc, argv, &options->input, &n_words);
    if (status) return status;
    if (n_words == 0) hw_cli_complain("which array? Usage: halfwarp reduce IN.npy --op OP [-o OUT.npy] [OPTIONS]");
    else if (!options->has_op)
        hw_cli_complain("which operation? --op is " OPERATIONS);
    else if (options->has_ddof && !hw_reduction_is_spread(options->op))
        hw_cli_complain("--ddof is for var and std, and not for %s", hw_reduction_names[options->op]);
    else if (options->axes && !*options->axes) hw_cli_complain("--axis names no axis");
    else return hw_cli_check_terminals(&options->input, 1, &options->output, 1);
    return HW_EXIT_USAGE;
}

// ---- The work -------------------------------------------------------------------------------------------------------

typedef struct reduction {
    const reduce_options *options;
    int axes[HW_NPY_MAX_RANK], n_axes;
    hw_npy_header result;
    uint32_t flags;
} reduction;

static void shape_result(const hw_npy *input, reduction *r) {
    bool is_reduced[HW_NPY_MAX_RANK] = {false};
    int64_t shape[HW_NPY_MAX_RANK];
    int rank = 0;
    for (int i = 0; i < r->n_axes; i++) is_reduced[r->axes[i]] = true;
    for (int k = 0; k < input->header.rank; k++) {
        if (!is_reduced[k] && r->options->axes) shape[rank++] = input->header.shape[k];
        else if (r->options->keepdims) shape[rank++] = 1;
    }
    hw_cli_npy_header(hw_reduce_dtype(r->options->op, input->header.dtype), rank, shape, &r->result);
}

static int64_t count_of(const hw_npy_header *header) {
    int64_t count = 1;
    for (int k = 0; k < header->rank; k++) count *= header->shape[k];
    return count;
}

static hw_status run_reduction(void *context, hw_device *device, const DLTensor *in, DLTensor *out, hw_diag *diag) {
    const reduction *r = context;
    return hw_reduce(hw_device_stream(device), r->options->op, in, r->n_axes ? r->axes : NULL, r->n_axes, r->flags, out,
                     diag);
}

// As many digits as tell two floats of the type apart.
static void print_number(DLDataType dtype, const void *value) {
    int64_t whole = 0;
    memcpy(&whole, value, dtype.bits / 8u);
    if (dtype.code == kDLFloat) {
        int digits = dtype.bits == 64 ? 17 : dtype.bits == 32 ? 9 : 5;
        printf("%.*g\n", digits, hw_dtype_get(dtype, value, 0));
    } else if (dtype.code == HW_BOOL) printf("%s\n", whole ? "True" : "False");
    else if (dtype.bits < 64) printf("%.0f\n", hw_dtype_get(dtype, value, 0));
    else if (dtype.code == kDLInt) printf("%" PRId64 "\n", whole);
    else printf("%" PRIu64 "\n", (uint64_t)whole);
}

static int explain_reduction(hw_device *device, const hw_npy *input, const reduction *r) {
    char text[8192];
    hw_diag diag = {0};
    DLTensor in = hw_cli_array_there(device, &input->tensor);
    hw_status status = hw_reduce_explain(device, r->options->op, &in, r->n_axes ? r->axes : NULL, r->n_axes,
                                         r->flags, text, sizeof text, &diag);
    if (status) return hw_cli_fail(status, &diag);
    hw_cli_print_explanation(text, r->options->output);
    return 0;
}

static int reduce_on(hw_device *device, const hw_npy *input, reduction *r) {
    _Alignas(16) unsigned char number[16] = {0};
    const reduce_options *options = r->options;
    hw_cli_work work = {.inputs = {options->input}, .n_inputs = 1, .in = {input->tensor}, .n_in = 1,
                        .outputs = {options->output}, .headers = {r->result}, .memory = {number}, .n_out = 1,
                        .run = run_reduction, .context = r};
    int status = options->explain ? explain_reduction(device, input, r) : 0;
    if (status || (options->explain && !options->output)) return status;
    status = hw_cli_work_run(device, &work);
    if (!status && !options->output) print_number(r->result.dtype, number);
    return status;
}

static int reduce_file(const reduce_options *options, const hw_npy *input) {
    reduction r = {.options = options, .flags = HW_REDUCE_DDOF(options->ddof) | (options->exact ? HW_REDUCE_EXACT : 0)};
    hw_device *device;
    int status = options->axes ? hw_cli_parse_axes("--axis", options->axes, input->header.rank, r.axes, &r.n_axes) : 0;
    if (status) return status;
    shape_result(input, &r);
    if (!options->output && !options->explain && count_of(&r.result) != 1) {
        hw_cli_complain("where to? The result has %" PRId64 " numbers; -o names its file", count_of(&r.result));
        return HW_EXIT_USAGE;
    }
    hw_cli_hold_signals();
    status = hw_cli_open_device(options->device, 0, &device);
    if (status) return status;
    status = reduce_on(device, input, &r);
    hw_device_close(device);
    return status;
}

static int reduce_main(int argc, char **argv) {
    reduce_options options = {0};
    hw_npy input;
    int status = parse_reduce(&options, argc, argv);
    if (!status) status = hw_cli_open_numbers(options.input, "iufb", &input);
    if (status) return status;
    status = reduce_file(&options, &input);
    hw_npy_close(&input);
    return status;
}

const hw_command hw_cmd_reduce = {"reduce", "sum and the like of an array in a .npy file", reduce_help, reduce_main};
