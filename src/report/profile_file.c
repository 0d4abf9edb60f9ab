// Reads what json.c has written, by the same columns' names.
#include "report/profile_file.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "base/alloc.h"

// What is being read, for messages and for the arena.
typedef struct reader {
    const char *name;
    hw_arena *arena;
    hw_diag *diag;
    hw_status status;            // of the first failure; nothing is read after it
} reader;

static void refuse(reader *r, const char *key, const char *what) {
    if (!r->status)
        r->status = hw_diag_set(r->diag, HW_MALFORMED, "%s is no profile: \"%s\" is no %s", r->name, key, what);
}

static void run_out(reader *r) {
    if (!r->status) r->status = hw_diag_no_memory(r->diag);
}

// ---- Members; one that is not there leaves 0 ------------------------------------------------------------------------

static double read_real(reader *r, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value)) return 0;
    const double number = json_number_value(value);
    if (json_is_number(value) && number >= 0) return number;
    refuse(r, key, "number from 0 on");
    return 0;
}

static uint64_t read_integer(reader *r, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value)) return 0;
    if (json_is_integer(value) && json_integer_value(value) >= 0) return (uint64_t)json_integer_value(value);
    refuse(r, key, "number from 0 on");
    return 0;
}

static uint32_t read_word(reader *r, const json_t *object, const char *key) {
    const uint64_t number = read_integer(r, object, key);
    if (number > UINT32_MAX) refuse(r, key, "number of 32 bits");
    return (uint32_t)number;
}

static bool read_flag(reader *r, const json_t *object, const char *key, bool unless_there) {
    const json_t *value = json_object_get(object, key);
    if (value && !json_is_boolean(value)) refuse(r, key, "true or false");
    return value ? json_is_true(value) : unless_there;
}

static const char *read_text(reader *r, const json_t *object, const char *key, const char *unless_there) {
    const json_t *value = json_object_get(object, key);
    if (!value) return unless_there;
    if (!json_is_string(value)) {
        refuse(r, key, "text");
        return unless_there;
    }
    const char *text = hw_arena_string(r->arena, json_string_value(value), json_string_length(value));
    if (!text) run_out(r);
    return text;
}

static void read_shape(reader *r, const json_t *object, const char *key, uint32_t shape[3]) {
    const json_t *value = json_object_get(object, key);
    for (size_t axis = 0; axis < 3; axis++) {
        const json_t *extent = json_array_get(value, axis);
        const json_int_t number = json_integer_value(extent);
        shape[axis] = (uint32_t)number;
        if (value && (!json_is_integer(extent) || number < 0 || number > UINT32_MAX)) refuse(r, key, "shape of three");
    }
}

static void read_counts(reader *r, const json_t *object, uint64_t counts[HW_COUNTERS]) {
    for (int i = 0; i < HW_COUNTERS; i++) counts[i] = read_integer(r, object, hw_counter_rows[i].name);
}

// A list's room; *n elements. NULL of an empty one.
static void *read_list(reader *r, const json_t *root, const char *key, size_t elem_bytes, size_t *n) {
    const json_t *list = json_object_get(root, key);
    if (list && !json_is_array(list)) refuse(r, key, "list");
    *n = r->status ? 0 : json_array_size(list);
    void *room = *n ? hw_arena_take(r->arena, *n * elem_bytes) : NULL;
    if (*n && !room) run_out(r);
    if (!room) *n = 0;
    return room;
}

// ---- Launches and kernels -------------------------------------------------------------------------------------------

static hw_estimate read_estimate(reader *r, const json_t *object) {
    static const char *const keys[HW_BOUNDS] = {
        [HW_BOUND_MEMORY] = "est_us_memory", [HW_BOUND_SHARED] = "est_us_shared", [HW_BOUND_ISSUE] = "est_us_issue",
        [HW_BOUND_LATENCY] = "est_us_latency", [HW_BOUND_LAUNCH] = "est_us_launch"};
    hw_estimate e = {.us = read_real(r, object, "est_us"), .gbs = read_real(r, object, "est_gbs")};
    const char *bound = read_text(r, object, "est_bound", "");
    for (int b = 0; b < HW_BOUNDS; b++) {
        e.bound_us[b] = read_real(r, object, keys[b]);
        if (bound && strcmp(bound, hw_bound_name((hw_bound)b)) == 0) e.bound = (hw_bound)b;
    }
    return e;
}

// What launches and sums of them have in common.
static hw_report_launch read_common(reader *r, const json_t *object) {
    hw_report_launch l = {
        .kernel = read_text(r, object, "kernel", ""), .regs = read_word(r, object, "regs"),
        .regs_estimated = read_flag(r, object, "regs_estimated", false),
        .spill_bytes = read_word(r, object, "spill_bytes"), .smem_static = read_word(r, object, "smem_static"),
        .smem_dynamic = read_word(r, object, "smem_dynamic"), .host_ms = read_real(r, object, "host_ms"),
        .ptx_by = read_text(r, object, "ptx_by", ""), .estimate = read_estimate(r, object),
        .occupancy.occupancy_pct = read_real(r, object, "occupancy_pct")};
    if (!json_is_object(object)) refuse(r, "launches", "list of objects");
    l.mangled = read_text(r, object, "mangled", l.kernel);
    read_counts(r, object, l.counts);
    l.has_machine_inst = json_is_integer(json_object_get(object, "machine_inst"));
    l.machine_inst = l.has_machine_inst ? read_integer(r, object, "machine_inst") : 0;
    if (json_object_get(object, "tex_sectors")) {   // older files have none
        l.texel_sectors = read_integer(r, object, "tex_sectors");
        l.texel_misses = read_integer(r, object, "tex_misses");
    }
    return l;
}

static void read_launches(reader *r, const json_t *root, hw_report *report) {
    hw_report_launch *launches = read_list(r, root, "launches", sizeof *launches, &report->n_launches);
    report->launches = launches;
    for (size_t i = 0; i < report->n_launches && !r->status; i++) {
        const json_t *object = json_array_get(json_object_get(root, "launches"), i);
        hw_report_launch *l = &launches[i];
        *l = read_common(r, object);
        l->ordinal = read_integer(r, object, "ordinal");
        read_shape(r, object, "grid", l->grid);
        read_shape(r, object, "block", l->block);
        l->occupancy.limit_blocks = read_word(r, object, "limit_blocks");
        l->occupancy.limit_regs = read_word(r, object, "limit_regs");
        l->occupancy.limit_smem = read_word(r, object, "limit_smem");
        l->occupancy.limit_warps = read_word(r, object, "limit_warps");
        l->gld_partition_pct = read_real(r, object, "gld_partition_pct");
        l->gst_partition_pct = read_real(r, object, "gst_partition_pct");
        l->is_reused = read_flag(r, object, "reused", false);
        l->status = read_flag(r, object, "completed", true) ? HW_OK : HW_FAULT;
    }
}

static void read_summary(reader *r, const json_t *root, hw_profile *profile) {
    hw_report_summary *rows = read_list(r, root, "summary", sizeof *rows, &profile->n_kernels);
    profile->kernels = rows;
    for (size_t i = 0; i < profile->n_kernels && !r->status; i++) {
        const json_t *object = json_array_get(json_object_get(root, "summary"), i);
        rows[i] = (hw_report_summary){
            .sum = read_common(r, object), .launches = read_integer(r, object, "launches"),
            .completed = read_integer(r, object, "completed"), .reused = read_integer(r, object, "reused"),
            .share_pct = read_real(r, object, "share_pct"), .mean_us = read_real(r, object, "est_us_mean"),
            .min_us = read_real(r, object, "est_us_min"), .max_us = read_real(r, object, "est_us_max")};
        if (rows[i].completed < rows[i].launches) rows[i].sum.status = HW_FAULT;
    }
}

static void summarise(reader *r, hw_profile *profile) {
    hw_report_summary *rows = NULL;
    if (!r->status) r->status = hw_report_summarise(&profile->report, false, &rows, &profile->n_kernels, r->diag);
    hw_report_summary *kept = r->status ? NULL : hw_arena_take(r->arena, (profile->n_kernels + 1) * sizeof *kept);
    if (!kept) run_out(r);
    else memcpy(kept, rows, profile->n_kernels * sizeof *kept);
    profile->kernels = kept;
    hw_free(rows);
}

// ---- Lines ----------------------------------------------------------------------------------------------------------

static void read_lines(reader *r, const json_t *object, hw_report_kernel *kernel) {
    hw_report_line *lines = read_list(r, object, "lines", sizeof *lines, &kernel->n_lines);
    kernel->lines = lines;
    for (size_t i = 0; i < kernel->n_lines && !r->status; i++) {
        const json_t *line = json_array_get(json_object_get(object, "lines"), i);
        lines[i].file = read_text(r, line, "file", "");
        lines[i].line = read_word(r, line, "line");
        lines[i].text = read_text(r, line, "text", "");
        read_counts(r, line, lines[i].counts);
    }
}

static void read_kernels(reader *r, const json_t *root, hw_report *report) {
    hw_report_kernel *kernels = read_list(r, root, "kernels", sizeof *kernels, &report->n_kernels);
    report->kernels = kernels;
    report->has_lines = json_object_get(root, "kernels") != NULL;
    for (size_t i = 0; i < report->n_kernels && !r->status; i++) {
        const json_t *object = json_array_get(json_object_get(root, "kernels"), i);
        kernels[i].kernel = read_text(r, object, "kernel", "");
        kernels[i].mangled = read_text(r, object, "mangled", kernels[i].kernel);
        kernels[i].launches = read_integer(r, object, "launches");
        kernels[i].first = read_integer(r, object, "ordinal");
        if (json_object_get(object, "ordinal")) report->lines_of = HW_LINES_OF_GROUP;
        read_lines(r, object, &kernels[i]);
    }
}

// ---- The whole ------------------------------------------------------------------------------------------------------

// A GPU of a user's own file is known by its compute capability and its names alone.
static const hw_gpu *make_gpu(reader *r, const json_t *object) {
    const char *id = read_text(r, object, "id", ""), *name = read_text(r, object, "name", "");
    const char *capability = read_text(r, object, "compute_capability", "");
    const hw_gpu *known = id && *id ? hw_gpu_find(id) : NULL;
    const hw_arch *arch = capability ? hw_arch_named(capability) : NULL;
    if (known && strcmp(known->id, id) == 0) return known;
    if (!arch && !r->status) refuse(r, "gpu", "GPU");
    hw_gpu *gpu = r->status ? NULL : hw_arena_take(r->arena, sizeof *gpu);
    if (!gpu) {
        run_out(r);
        return NULL;
    }
    *gpu = (hw_gpu){.id = id, .name = name, .chip = "", .arch = arch,
                    .sms = read_word(r, object, "multiprocessors"), .source = ""};
    return gpu;
}

static void read_profile(reader *r, const json_t *root, hw_profile *out) {
    const bool has_rows = json_object_get(root, "launches") || json_object_get(root, "summary");
    if (!has_rows || !json_is_object(json_object_get(root, "gpu"))) {
        r->status = hw_diag_set(r->diag, HW_MALFORMED,
                                "%s is no profile; `halfwarp profile --format json -o FILE PROG` writes one", r->name);
        return;
    }
    out->report.gpu = make_gpu(r, json_object_get(root, "gpu"));
    out->report.n_uncounted = read_integer(r, root, "uncounted");
    read_launches(r, root, &out->report);
    read_kernels(r, root, &out->report);
    if (json_object_get(root, "summary")) read_summary(r, root, out);
    else summarise(r, out);
}

hw_status hw_profile_read(FILE *in, const char *name, hw_arena *arena, hw_profile *out, hw_diag *diag) {
    reader r = {.name = name, .arena = arena, .diag = diag};
    json_error_t error;
    json_t *root = json_loadf(in, JSON_REJECT_DUPLICATES, &error);
    *out = (hw_profile){.kernels = NULL};
    if (!root && json_error_code(&error) == json_error_out_of_memory) return hw_diag_no_memory(diag);
    if (!root)
        return hw_diag_set_at(diag, HW_MALFORMED, name, error.line,
                              "is no JSON (%s); `halfwarp profile --format json -o FILE PROG` writes a profile",
                              error.text);
    read_profile(&r, root, out);
    json_decref(root);
    return r.status;
}
