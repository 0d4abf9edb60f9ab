#include <math.h>

#include "output/json_output.h"
#include "plan/plan_report.h"
#include "report/fields.h"
#include "report/text.h"

enum { DECIMALS = 3, DIGITS = 10 };

static int put(json_t *object, const char *key, json_t *value) { return json_object_set_new(object, key, value); }
static int put_real(json_t *object, const char *key, double value) {
    return put(object, key, isfinite(value) ? json_real(hw_report_rounded(value, DECIMALS)) : json_null());
}
static int put_count(json_t *object, const char *key, uint64_t value) {
    return put(object, key, json_integer((json_int_t)value));
}

// Takes the object; NULL where memory ran out.
static json_t *whole(json_t *object, int failed) {
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

static json_t *parts_of(const hw_plan_program *p) {
    json_t *parts = json_array();
    int failed = 0;
    for (int i = 0; i < HW_PLAN_PARTS; i++) {
        json_t *part = json_object();
        failed |= put(part, "part", json_string(hw_plan_part_name((hw_plan_part)i)));
        failed |= put_real(part, "us", p->part_us[i]);
        failed |= put_real(part, "share_pct", p->total_us > 0 ? 100 * p->part_us[i] / p->total_us : 0);
        failed |= put_real(part, "bound", hw_plan_bound(p, (hw_plan_part)i));
        failed |= json_array_append_new(parts, part);
    }
    return whole(parts, failed);
}

static json_t *program_of(const hw_plan *plan, const hw_cli_plan_look *look) {
    const hw_plan_program *p = &plan->program;
    const double own_us = p->part_us[HW_PLAN_OWN];
    json_t *object = json_object();
    int failed = put_real(object, "us", p->total_us) | put(object, "parts", parts_of(p));
    failed |= put(object, "own_work_is_measured", json_boolean(!look->is_own_given));
    failed |= put_count(object, "to_device_bytes", p->to_device_bytes);
    failed |= put_count(object, "from_device_bytes", p->from_device_bytes);
    failed |= put_real(object, "link_us", p->link_us) | put_real(object, "pinned_us", p->pinned_us);
    failed |= put_count(object, "streams", p->streams) | put_real(object, "streamed_us", p->streamed_us);
    failed |= put_real(object, "operations", p->operations);
    failed |= put_real(object, "break_even_us", p->total_us - own_us);
    if (look->cpu_us > 0) {
        failed |= put_real(object, "cpu_us", look->cpu_us);
        failed |= put_real(object, "times_as_fast", (look->cpu_us + own_us) / p->total_us);
        failed |= put_real(object, "times_at_most", own_us > 0 ? (look->cpu_us + own_us) / own_us : INFINITY);
    }
    return whole(object, failed);
}

static json_t *without_of(const hw_plan_kernel *k) {
    json_t *object = json_object();
    int failed = 0;
    for (int i = 0; i < HW_PLAN_CHANGES; i++)
        failed |= put_real(object, hw_plan_change_name((hw_plan_change)i), k->without_us[i]);
    return whole(object, failed);
}

static json_t *rules_of(const hw_plan_kernel *k) {
    json_t *rules = json_array();
    int failed = 0;
    for (int i = 0; i < HW_PLAN_RULES; i++) {
        const hw_plan_verdict *v = &k->verdicts[i];
        if (!v->applies) continue;
        failed |= json_array_append_new(
            rules, json_pack("{s:s, s:b, s:s}", "rule", hw_plan_rule_name((hw_plan_rule)i), "kept", (int)v->is_kept,
                             "finding", v->finding));
    }
    return whole(rules, failed);
}

static json_t *bounds_of(const hw_plan_kernel *k) {
    json_t *object = json_object();
    int failed = 0;
    for (int i = 0; i < HW_BOUNDS; i++) failed |= put_real(object, hw_bound_name((hw_bound)i), k->bound_us[i]);
    return whole(object, failed);
}

static json_t *kernel_of(const hw_plan_kernel *k) {
    static const char *const numbers[HW_FLOPS] = {"half", "single", "double", "tensor"};
    json_t *object = json_object();
    int failed = put(object, "kernel", hw_json_text(k->launch->kernel));
    failed |= put(object, "mangled", hw_json_text(k->launch->mangled));
    failed |= put_count(object, "launches", k->n_launches) | put_count(object, "ordinal", k->launch->ordinal);
    failed |= put_real(object, "est_us", k->us) | put_real(object, "share_pct", k->share_pct);
    failed |= put(object, "bound", json_string(hw_bound_name(k->bound)));
    failed |= put(object, "next", json_string(hw_bound_name(k->next))) | put(object, "bound_us", bounds_of(k));
    failed |= put(object, "numbers", k->operations > 0 ? json_string(numbers[k->flop]) : json_null());
    failed |= put_real(object, "flop", k->operations) | put_real(object, "bytes", k->bytes);
    failed |= put_real(object, "flop_per_byte", hw_plan_intensity(k)) | put_real(object, "gflops", k->gflops);
    failed |= put_real(object, "roof_gflops", hw_plan_roof(k)) | put_real(object, "peak_gflops", k->peak_gflops);
    failed |= put_real(object, "gbs", k->gbs) | put_real(object, "peak_gbs", k->peak_gbs);
    failed |= put_real(object, "inst_per_ns", k->inst_per_ns);
    failed |= put_real(object, "peak_inst_per_ns", k->peak_inst_per_ns);
    failed |= put(object, "without_us", without_of(k)) | put(object, "rules", rules_of(k));
    return whole(object, failed);
}

bool hw_cli_plan_write_json(const hw_plan *plan, const hw_cli_plan_look *look, FILE *out) {
    json_t *root = json_object(), *kernels = json_array();
    int failed = put(root, "gpu", json_string(plan->gpu->id)) | put(root, "program", program_of(plan, look));
    for (size_t i = 0; i < plan->n_kernels; i++) failed |= json_array_append_new(kernels, kernel_of(&plan->kernels[i]));
    failed |= put(root, "kernels", kernels);
    return hw_cli_finish_json(root, !failed, DIGITS, out);
}
