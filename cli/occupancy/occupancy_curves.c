#include "occupancy/occupancy_curves.h"

void hw_occupancy_describe_curves(const hw_occupancy_list *list, const hw_occupancy_row *row,
                                  hw_occupancy_curve curves[HW_OCCUPANCY_CURVES]) {
    const hw_arch *arch = list->gpu->arch;
    curves[0] = (hw_occupancy_curve){"threads per block", arch->max_threads_per_block, 32, 1, row->block};
    curves[1] = (hw_occupancy_curve){"registers per thread", arch->max_regs_per_thread, 1, 1, row->regs};
    curves[2] = (hw_occupancy_curve){"shared memory per block, KiB",
                                     arch->smem_optin_bytes ? arch->smem_optin_bytes : arch->smem_per_block_bytes,
                                     arch->smem_unit_bytes, 1024, row->smem_static + row->smem_dynamic};
}

uint32_t hw_occupancy_warps_at(const hw_occupancy_list *list, const hw_occupancy_row *row, int index, uint32_t value) {
    hw_occupancy_row other = *row;
    if (index == 1) other.regs = value;
    if (index == 2) {
        other.smem_static = 0;
        other.smem_dynamic = value;
    }
    return hw_occupancy_ask(list, &other, index == 0 ? value : row->block).warps;
}

static json_t *steps_of(const hw_occupancy_list *list, const hw_occupancy_row *row, int index,
                        const hw_occupancy_curve *c) {
    json_t *steps = json_array();
    uint32_t before = UINT32_MAX;
    for (uint64_t at = 0; steps && at < c->last; at += c->step) {
        const uint64_t next = at + c->step < c->last ? at + c->step : c->last;
        const uint32_t warps = hw_occupancy_warps_at(list, row, index, (uint32_t)next);
        if (warps != before) json_array_append_new(steps, json_pack("[f, i]", (double)at / c->unit, (int)warps));
        before = warps;
    }
    return steps;
}

json_t *hw_occupancy_curves_json(const hw_occupancy_list *list, const hw_occupancy_row *row) {
    hw_occupancy_curve curves[HW_OCCUPANCY_CURVES];
    json_t *all = json_array();
    hw_occupancy_describe_curves(list, row, curves);
    for (int i = 0; all && i < HW_OCCUPANCY_CURVES; i++)
        json_array_append_new(all, json_pack("{s:s, s:f, s:f, s:i, s:o}", "axis", curves[i].axis, "here",
                                             curves[i].here / curves[i].unit, "last", curves[i].last / curves[i].unit,
                                             "most_warps", (int)list->gpu->arch->warps_per_sm, "steps",
                                             steps_of(list, row, i, &curves[i])));
    return all;
}
