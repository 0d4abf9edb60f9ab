// halfwarp transpose: the axes of an array in a .npy file, permuted.
#include <string.h>

#include "arrays/array_file.h"
#include "arrays/axes.h"
#include "device/device.h"
#include "options.h"
#include "output/progress.h"
#include "output/unfinished.h"

static const char transpose_help[] =
    "usage: halfwarp transpose IN.npy -o OUT.npy [OPTIONS]\n"
    "\n"
    "Writes the array with its axes permuted, in C order, as numpy.save of\n"
    "numpy.transpose would. Elements are of any plain dtype of 1, 2, 4, 8 or 16\n"
    "bytes, of either byte order. IN and OUT can be - for standard input and output.\n"
    "\n"
    "  -o FILE               where the result goes; it is there whole or not at all\n"
    "  --axes 2,0,1          axis k of the result is this axis of IN; negative ones\n"
    "                        count from the last; unless given, the axes are reversed\n"
    "  --device D            cpu, cuda:N or sim:G; unless given, cuda:0 where there\n"
    "                        is one, else cpu\n"
    "  --memory-limit BYTES  the most that is taken of the device's memory at a time,\n"
    "                        such as 512MiB or 2GiB\n"
    "  --explain             print what will be done, a line per step; without -o,\n"
    "                        only that\n";

typedef struct transpose_options {
    const char *input, *output, *axes, *device;
    unsigned long long memory_limit;
    bool explain;
} transpose_options;

// ---- Options --------------------------------------------------------------------------------------------------------

static bool set_output(void *options, const char *value) {
    ((transpose_options *)options)->output = value;
    return hw_cli_is_file_name("-o", value);
}

static bool set_axes(void *options, const char *value) {
    ((transpose_options *)options)->axes = value;
    return true;
}

static bool set_device(void *options, const char *value) {
    ((transpose_options *)options)->device = value;
    return true;
}

static bool set_memory_limit(void *options, const char *value) {
    if (hw_cli_parse_bytes(value, &((transpose_options *)options)->memory_limit)) return true;
    hw_cli_complain("--memory-limit takes a number of bytes such as 1000000, 512MiB or 2GiB, and got '%s'", value);
    return false;
}

static bool set_explain(void *options, const char *value) {
    (void)value;
    ((transpose_options *)options)->explain = true;
    return true;
}

static const hw_cli_option transpose_option_rows[] = {
    {"-o", true, set_output},
    {"--axes", true, set_axes},
    {"--device", true, set_device},
    {"--memory-limit", true, set_memory_limit},
    {"--explain", false, set_explain},
};
static const hw_cli_syntax transpose_syntax = {"transpose", transpose_option_rows,
                                               sizeof transpose_option_rows / sizeof transpose_option_rows[0], 1};

static int parse_transpose(transpose_options *options, int argc, char **argv) {
    int n_words;
    int status = hw_cli_parse(&transpose_syntax, options, argc, argv, &options->input, &n_words);
    if (status) return status;
    if (n_words == 0)
        hw_cli_complain("which array? Usage: halfwarp transpose IN.npy -o OUT.npy [OPTIONS]");
    else if (!options->output && !options->explain)
        hw_cli_complain("where to? -o names the output's file, and - is standard output");
    else return hw_cli_check_terminals(&options->input, 1, &options->output, 1);
    return HW_EXIT_USAGE;
}

// ---- Axes -----------------------------------------------------------------------------------------------------------

// Fills axes from "2,0,1", or reversed when text is NULL. 0, or HW_EXIT_USAGE.
static int parse_axes(const char *text, int rank, int *axes) {
    int count;
    if (!text) {
        for (int k = 0; k < rank; k++) axes[k] = rank - 1 - k;
        return 0;
    }
    int status = hw_cli_parse_axes("--axes", text, rank, axes, &count);
    if (status || count == rank) return status;
    hw_cli_complain("--axes %s: %d ax%s, and the array has %d", text, count, count == 1 ? "is" : "es", rank);
    return HW_EXIT_USAGE;
}

// ---- The work -------------------------------------------------------------------------------------------------------

// On a terminal the processor does a large array in pieces along one axis, so that there is progress to show. What an
// axis gives: any number of pieces when it varies fastest in neither array, else pieces long enough to be read or
// written in runs. GPUs work in pieces of their own, and say how far they are.
enum { RUN = 512, MOST_PIECES = 100 };
static const double PIECE_BYTES = 32e6;

static int64_t in_stride(const DLTensor *in, int axis) {
    int64_t stride = 1;
    if (in->strides) return in->strides[axis];
    for (int i = axis + 1; i < in->ndim; i++) stride *= in->shape[i];
    return stride;
}

// The axis of out to cut, and into how many pieces.
static int64_t choose_cut(const DLTensor *in, const int *axes, const DLTensor *out, int64_t wanted, int *cut) {
    int64_t best = 1;
    int fastest = out->ndim - 1;
    while (fastest > 0 && out->shape[fastest] == 1) fastest--;
    for (int k = 0; k < out->ndim; k++) {
        bool runs = k == fastest || in_stride(in, axes[k]) == 1;
        int64_t pieces = runs ? out->shape[k] / RUN : out->shape[k];
        if (pieces > wanted) pieces = wanted;
        if (pieces <= best) continue;
        best = pieces;
        *cut = k;
    }
    return best;
}

// Elements first up to last of axis k of out, and what belongs to them of in.
static hw_status transpose_piece(hw_stream *stream, const DLTensor *in, const int *axes, const DLTensor *out, int k,
                                 int64_t first, int64_t last, hw_diag *diag) {
    int64_t in_shape[HW_NPY_MAX_RANK], out_shape[HW_NPY_MAX_RANK], in_strides[HW_NPY_MAX_RANK],
        out_strides[HW_NPY_MAX_RANK];
    int64_t elem_bytes = in->dtype.bits / 8;
    for (int i = 0; i < in->ndim; i++) {
        in_shape[i] = in->shape[i];
        in_strides[i] = in_stride(in, i);
        out_shape[i] = out->shape[i];
        out_strides[i] = in_stride(out, i);
    }
    in_shape[axes[k]] = out_shape[k] = last - first;
    DLTensor in_piece = *in, out_piece = *out;
    in_piece.shape = in_shape;
    in_piece.strides = in_strides;
    in_piece.data = (char *)in->data + first * in_strides[axes[k]] * elem_bytes;
    out_piece.shape = out_shape;
    out_piece.strides = out_strides;
    out_piece.data = (char *)out->data + first * out_strides[k] * elem_bytes;
    hw_status status = hw_transpose(stream, &in_piece, axes, &out_piece, diag);
    return status ? status : hw_stream_synchronize(stream, diag);
}

static void show_share(void *progress, double share) {
    hw_cli_progress_update(progress, share * ((hw_cli_progress *)progress)->bytes);
}

static hw_status transpose_in_pieces(hw_device *device, const DLTensor *in, const int *axes, DLTensor *out,
                                     double bytes, hw_diag *diag) {
    hw_stream *stream = hw_device_stream(device);
    hw_cli_progress progress;
    int cut = 0;
    bool is_cpu = hw_device_get_properties(device)->kind == HW_DEVICE_CPU;
    double wanted = bytes / PIECE_BYTES;
    hw_cli_progress_begin(&progress, bytes);
    int64_t pieces = !is_cpu || !progress.on || wanted < 2 ? 1
                     : choose_cut(in, axes, out, wanted < MOST_PIECES ? (int64_t)wanted : MOST_PIECES, &cut);
    if (pieces == 1) {
        hw_stream_watch(stream, show_share, &progress);
        hw_status status = hw_transpose(stream, in, axes, out, diag);
        if (!status) status = hw_stream_synchronize(stream, diag);
        hw_stream_watch(stream, NULL, NULL);
        hw_cli_progress_end(&progress);
        return status;
    }
    hw_status status = HW_OK;
    int64_t extent = out->shape[cut], step = extent / pieces + (extent % pieces != 0);
    for (int64_t first = 0; first < extent && !status; first += step) {
        int64_t last = extent - first < step ? extent : first + step;
        status = transpose_piece(stream, in, axes, out, cut, first, last, diag);
        hw_cli_progress_update(&progress, bytes * (double)last / (double)extent);
    }
    hw_cli_progress_end(&progress);
    return status;
}

static int explain_transpose(hw_device *device, const DLTensor *in, const int *axes, const hw_npy_header *result,
                             const char *output) {
    char text[8192];
    hw_diag diag = {0};
    hw_npy_header shaped = *result;
    DLTensor out = {.device = {kDLCPU, 0}, .ndim = result->rank, .dtype = result->dtype, .shape = shaped.shape};
    hw_status status = hw_transpose_explain(device, in, axes, &out, text, sizeof text, &diag);
    if (status) return hw_cli_fail(status, &diag);
    hw_cli_print_explanation(text, output);
    return 0;
}

// Makes the output, fills it, and gives it its name.
static int write_result(const transpose_options *options, hw_device *device, const hw_npy *input, const int *axes,
                        const hw_npy_header *result) {
    hw_cli_results results;
    hw_diag diag = {0};
    int failed = hw_cli_results_create(&results, &options->output, result, 1, &options->input, 1);
    if (failed) return failed;
    hw_status status = transpose_in_pieces(device, &input->tensor, axes, &results.file[0].tensor,
                                           (double)input->header.data_bytes, &diag);
    return hw_cli_results_finish(&results, status, &diag);
}

static int transpose_file(const transpose_options *options, const hw_npy *input) {
    int axes[HW_NPY_MAX_RANK];
    hw_npy_header result = input->header;
    hw_device *device;
    int status = parse_axes(options->axes, result.rank, axes);
    if (status) return status;
    for (int k = 0; k < result.rank; k++) result.shape[k] = input->header.shape[axes[k]];
    hw_cli_hold_signals();
    status = hw_cli_open_device(options->device, options->memory_limit, &device);
    if (status) return status;
    if (options->explain) status = explain_transpose(device, &input->tensor, axes, &result, options->output);
    if (!status && options->output) status = write_result(options, device, input, axes, &result);
    hw_device_close(device);
    return status;
}

static int transpose_main(int argc, char **argv) {
    transpose_options options = {0};
    hw_npy input;
    hw_diag diag = {0};
    int status = parse_transpose(&options, argc, argv);
    if (status) return status;
    hw_status opened = hw_npy_open(options.input, &input, &diag);
    if (opened) return hw_cli_fail(opened, &diag);
    status = transpose_file(&options, &input);
    hw_npy_close(&input);
    return status;
}

const hw_command hw_cmd_transpose = {"transpose", "permute the axes of an array in a .npy file", transpose_help,
                                     transpose_main};
