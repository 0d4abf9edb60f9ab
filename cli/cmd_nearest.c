// halfwarp nearest: the nearest neighbours of points in a file.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/array_file.h"
#include "base/alloc.h"
#include "io/points.h"
#include "op/common/family.h"
#include "options.h"
#include "output/unfinished.h"

static const char nearest_help[] =
    "usage: halfwarp nearest POINTS -o INDICES.npy [OPTIONS]\n"
    "\n"
    "Finds for each point the nearest others, or for each query the nearest points,\n"
    "and writes their indices: int64, of shape (n,) for k = 1, else (n, k), the\n"
    "nearest first, ties by index, -1 where there are fewer than k. POINTS is a .npy\n"
    "file of n rows of 1 to 16 coordinates, or a .ply, .xyz or .csv file. Integers\n"
    "are taken as float64.\n"
    "\n"
    "  -o FILE           where the indices go; it is there whole or not at all\n"
    "  --k K             neighbours of each, 1 to 128; 1 unless given\n"
    "  --queries FILE    the points whose neighbours are wanted, of the same kinds of\n"
    "                    file; unless given, POINTS themselves, of which none is its\n"
    "                    own neighbour\n"
    "  --distances FILE  a .npy file of the distances as well (not squared ones), in\n"
    "                    the points' type; infinite where there is no neighbour\n"
    "  --radius R        only neighbours at this distance or nearer\n"
    "  --method M        auto (as it is unless given), brute (every pair) or search\n"
    "                    (a spatial index); the result is the same\n"
    "  --device D        cpu, cuda:N or sim:G; unless given, cuda:0 where there is\n"
    "                    one, else cpu\n"
    "  --explain         print what will be done, a line per step; without -o, only\n"
    "                    that\n";

enum { POINTS, QUERIES };

typedef struct nearest_options {
    const char *inputs[2], *output, *distances, *device;   // points, queries
    hw_nearest_options how;
    bool explain;
} nearest_options;

// ---- Options --------------------------------------------------------------------------------------------------------

static bool set_output(void *options, const char *value) {
    ((nearest_options *)options)->output = value;
    return hw_cli_is_file_name("-o", value);
}

static bool set_queries(void *options, const char *value) {
    ((nearest_options *)options)->inputs[QUERIES] = value;
    return hw_cli_is_file_name("--queries", value);
}

static bool set_distances(void *options, const char *value) {
    ((nearest_options *)options)->distances = value;
    return hw_cli_is_file_name("--distances", value);
}

static bool set_device(void *options, const char *value) {
    ((nearest_options *)options)->device = value;
    return true;
}

static bool set_k(void *options, const char *value) {
    char *end;
    long k = strtol(value, &end, 10);
    ((nearest_options *)options)->how.k = (int)k;
    if (end != value && !*end && k >= 1 && k <= 128) return true;
    hw_cli_complain("--k is a number from 1 to 128, and not '%s'", value);
    return false;
}

static bool set_radius(void *options, const char *value) {
    char *end;
    double radius = strtod(value, &end);
    ((nearest_options *)options)->how.radius = radius;
    if (end != value && !*end && radius > 0) return true;
    hw_cli_complain("--radius is a distance above 0, and not '%s'", value);
    return false;
}

static bool set_method(void *options, const char *value) {
    static const char *const names[] = {"auto", "brute", "search"};   // in the order of hw_nearest_method
    for (int i = 0; i < 3; i++)
        if (strcmp(names[i], value) == 0) {
            ((nearest_options *)options)->how.method = (hw_nearest_method)i;
            return true;
        }
    hw_cli_complain("--method is auto, brute or search, and not '%s'", value);
    return false;
}

static bool set_explain(void *options, const char *value) {
    (void)value;
    return ((nearest_options *)options)->explain = true;
}

static const hw_cli_option nearest_option_rows[] = {
    {"-o", true, set_output},          {"--k", true, set_k},           {"--queries", true, set_queries},
    {"--distances", true, set_distances}, {"--radius", true, set_radius}, {"--method", true, set_method},
    {"--device", true, set_device},    {"--explain", false, set_explain},
};
static const hw_cli_syntax nearest_syntax = {"nearest", nearest_option_rows,
                                             sizeof nearest_option_rows / sizeof nearest_option_rows[0], 1};

static int parse_nearest(nearest_options *options, int argc, char **argv) {
    int n_words;
    int status = hw_cli_parse(&nearest_syntax, options, argc, argv, options->inputs, &n_words);
    if (status) return status;
    const char *outputs[] = {options->output, options->distances};
    if (n_words == 0) hw_cli_complain("which points? Usage: halfwarp nearest POINTS -o INDICES.npy [OPTIONS]");
    else if (!options->output && (options->distances || !options->explain))
        hw_cli_complain("where to? -o names the file of the indices, and - is standard output");
    else if (options->inputs[QUERIES] && strcmp(options->inputs[POINTS], "-") == 0 &&
             strcmp(options->inputs[QUERIES], "-") == 0)
        hw_cli_complain("standard input is one array, and cannot be both");
    else return hw_cli_check_terminals(options->inputs, 2, outputs, 2);
    return HW_EXIT_USAGE;
}

// ---- Points ---------------------------------------------------------------------------------------------------------

// Points into itself: not to be copied.
typedef struct cloud {
    hw_npy npy;
    hw_points points;
    void *converted;
    int64_t shape[2];
    DLTensor tensor;   // (n, d) of f32 or f64
} cloud;

static int64_t stride_of(const DLTensor *tensor, int axis) {
    int64_t stride = 1;
    if (tensor->strides) return tensor->strides[axis];
    for (int k = axis + 1; k < tensor->ndim; k++) stride *= tensor->shape[k];
    return stride;
}

// Copies the points as numbers of another type, in C order.
static int convert_points(cloud *c, const char *name, uint8_t bits) {
    const DLTensor from = c->tensor;
    int64_t n = from.shape[0], d = from.shape[1];
    DLTensor to = {.device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLFloat, bits, 1}, .shape = c->shape};
    to.data = hw_malloc((size_t)(n * d) * bits / 8 + 1);
    if (!to.data) {
        hw_cli_complain("%s: out of memory for %lld points", name, (long long)n);
        return HW_EXIT_USAGE;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t axis = 0; axis < d; axis++) {
            uint64_t at = (uint64_t)(i * stride_of(&from, 0) + axis * stride_of(&from, 1));
            hw_dtype_set(to.dtype, to.data, (uint64_t)(i * d + axis), hw_dtype_get(from.dtype, from.data, at));
        }
    hw_free(c->converted);
    c->converted = to.data;
    c->tensor = to;
    return 0;
}

static int open_array(const char *path, const char *name, cloud *c) {
    int status = hw_cli_open_numbers(path, "iuf", &c->npy);
    if (status) return status;
    c->tensor = c->npy.tensor;
    if (c->tensor.ndim == 1) {   // points on a line
        c->tensor.ndim = 2;
        c->tensor.strides = NULL;
        c->shape[0] = c->npy.header.shape[0];
        c->shape[1] = 1;
    } else if (c->tensor.ndim == 2) memcpy(c->shape, c->npy.header.shape, sizeof c->shape);
    else {
        hw_cli_complain("%s: points are rows of coordinates, and its rank is %d", name, c->tensor.ndim);
        return HW_EXIT_USAGE;
    }
    c->tensor.shape = c->shape;
    return 0;
}

static int open_cloud(const char *path, cloud *c) {
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    hw_diag diag = {0};
    int status = 0;
    if (hw_points_is_name(path)) {
        hw_status opened = hw_points_open(path, HW_POINTS_BY_NAME, 0, &c->points, &diag);
        if (opened) return hw_cli_fail(opened, &diag);
        c->tensor = c->points.tensor;
        memcpy(c->shape, c->tensor.shape, sizeof c->shape);
        c->tensor.shape = c->shape;
    } else status = open_array(path, name, c);
    if (status) return status;
    if (c->tensor.dtype.code != kDLFloat) return convert_points(c, name, 64);
    return c->tensor.dtype.bits == 16 ? convert_points(c, name, 32) : 0;
}

static void close_cloud(cloud *c) {
    hw_npy_close(&c->npy);
    hw_points_close(&c->points);
    hw_free(c->converted);
}

// Floats of two sizes meet in float64.
static int match_types(const nearest_options *options, cloud clouds[2]) {
    if (clouds[POINTS].tensor.dtype.bits == clouds[QUERIES].tensor.dtype.bits) return 0;
    for (int i = 0; i < 2; i++) {
        if (clouds[i].tensor.dtype.bits == 64) continue;
        int status = convert_points(&clouds[i], options->inputs[i], 64);
        if (status) return status;
    }
    return 0;
}

// ---- The work -------------------------------------------------------------------------------------------------------

typedef struct search {
    const hw_nearest_options *how;
    bool has_queries, has_distances;
} search;

static hw_status run_search(void *context, hw_device *device, const DLTensor *in, DLTensor *out, hw_diag *diag) {
    const search *s = context;
    return hw_nearest(hw_device_stream(device), &in[POINTS], s->has_queries ? &in[QUERIES] : NULL, s->how, &out[0],
                      s->has_distances ? &out[1] : NULL, diag);
}

// The library's distances are squared ones, the tool's are not.
static void take_roots(void *context, DLTensor *out) {
    const search *s = context;
    int64_t count = 1;
    if (!s->has_distances) return;
    for (int k = 0; k < out[1].ndim; k++) count *= out[1].shape[k];
    float *narrow = out[1].data;
    double *wide = out[1].data;
    if (out[1].dtype.bits == 32)
        for (int64_t i = 0; i < count; i++) narrow[i] = sqrtf(narrow[i]);
    else
        for (int64_t i = 0; i < count; i++) wide[i] = sqrt(wide[i]);
}

static int explain_search(hw_device *device, const cloud clouds[2], const search *s, const char *output) {
    char text[8192];
    hw_diag diag = {0};
    DLTensor points = hw_cli_array_there(device, &clouds[POINTS].tensor);
    DLTensor queries = hw_cli_array_there(device, &clouds[QUERIES].tensor);
    hw_status status = hw_nearest_explain(device, &points, s->has_queries ? &queries : NULL, s->how, text, sizeof text,
                                          &diag);
    if (status) return hw_cli_fail(status, &diag);
    hw_cli_print_explanation(text, output);
    return 0;
}

static int find_neighbours(const nearest_options *options, const cloud clouds[2]) {
    search s = {&options->how, options->inputs[QUERIES] != NULL, options->distances != NULL};
    hw_cli_work work = {.inputs = {options->inputs[POINTS], options->inputs[QUERIES]}, .n_inputs = 2,
                        .in = {clouds[POINTS].tensor, clouds[QUERIES].tensor}, .n_in = s.has_queries ? 2 : 1,
                        .outputs = {options->output, options->distances}, .n_out = s.has_distances ? 2 : 1,
                        .run = run_search, .finish = take_roots, .context = &s};
    int64_t shape[2] = {clouds[s.has_queries ? QUERIES : POINTS].shape[0], options->how.k};
    int rank = options->how.k == 1 ? 1 : 2;
    hw_device *device;
    hw_cli_npy_header((DLDataType){kDLInt, 64, 1}, rank, shape, &work.headers[0]);
    hw_cli_npy_header(clouds[POINTS].tensor.dtype, rank, shape, &work.headers[1]);
    hw_cli_hold_signals();
    int status = hw_cli_open_device(options->device, 0, &device);
    if (status) return status;
    if (options->explain) status = explain_search(device, clouds, &s, options->output);
    if (!status && options->output) status = hw_cli_work_run(device, &work);
    hw_device_close(device);
    return status;
}

static int nearest_main(int argc, char **argv) {
    nearest_options options = {.how = {.k = 1}};
    cloud clouds[2];
    int status = parse_nearest(&options, argc, argv);
    if (status) return status;
    memset(clouds, 0, sizeof clouds);
    status = open_cloud(options.inputs[POINTS], &clouds[POINTS]);
    if (!status && options.inputs[QUERIES]) {
        status = open_cloud(options.inputs[QUERIES], &clouds[QUERIES]);
        if (!status) status = match_types(&options, clouds);
    }
    if (!status) status = find_neighbours(&options, clouds);
    close_cloud(&clouds[POINTS]);
    close_cloud(&clouds[QUERIES]);
    return status;
}

const hw_command hw_cmd_nearest = {"nearest", "nearest neighbours of the points in a file", nearest_help, nearest_main};
