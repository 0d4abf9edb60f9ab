// The arrays of a problem on a device.
#include "ladder/site.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

static uint64_t guard_of(const hw_problem_array *array) { return array->is_output ? HW_SITE_GUARD : 0; }

static hw_status take_memory(hw_site *site, hw_array_place place, uint64_t bytes, void **out, hw_diag *diag) {
    switch (place) {
    case HW_IN_PAGEABLE:
        *out = hw_malloc(bytes ? bytes : 1);
        return *out ? HW_OK : hw_diag_no_memory(diag);
    case HW_IN_PINNED: return hw_host_alloc(site->device, bytes, out, diag);
    case HW_IN_COMBINED: return hw_host_alloc_combined(site->device, bytes, out, diag);
    default: return hw_device_alloc(site->device, bytes, out, diag);
    }
}

static void give_back(hw_site *site, hw_array_place place, void *memory) {
    switch (place) {
    case HW_IN_PAGEABLE: hw_free(memory); break;
    case HW_IN_PINNED:
    case HW_IN_COMBINED: hw_host_free(site->device, memory); break;
    default: hw_device_free(site->device, memory);
    }
}

static hw_status make_array(hw_site *site, uint32_t index, hw_diag *diag) {
    const hw_problem_array *array = &site->work.arrays[index];
    uint64_t guard = guard_of(array);
    if (!array->is_scratch) {
        site->host[index] = hw_malloc(array->bytes ? array->bytes : 1);
        if (!site->host[index]) return hw_diag_no_memory(diag);
    }
    if (array->image_cols) return HW_OK;
    hw_status status = take_memory(site, array->place, array->bytes + 2 * guard, &site->memory[index], diag);
    if (!status && site->memory[index]) site->arrays[index] = (char *)site->memory[index] + guard;
    return status;
}

static hw_status send_image(hw_site *site, uint32_t index, hw_diag *diag) {
    const hw_problem_array *array = &site->work.arrays[index];
    const hw_image_request request = {array->image_cols, (uint32_t)(array->bytes / 4 / array->image_cols),
                                      array->is_in_blocks};
    hw_status status = hw_image_create(site->device, &request, site->host[index], &site->images[index], diag);
    if (!status) site->arrays[index] = (void *)(uintptr_t)hw_image_texture(site->images[index]);
    return status;
}

static hw_status send_inputs(hw_site *site, hw_diag *diag) {
    hw_stream *stream = hw_device_stream(site->device);
    hw_status status = HW_OK;
    for (uint32_t i = 0; i < site->work.n_arrays && !status; i++) {
        const hw_problem_array *array = &site->work.arrays[i];
        if (array->image_cols) status = send_image(site, i, diag);
        else if (array->place && !array->is_output && array->bytes)
            memcpy(site->arrays[i], site->host[i], array->bytes);
        else if (!array->is_output && !array->is_scratch && array->bytes)
            status = hw_copy(stream, site->arrays[i], site->host[i], array->bytes, diag);
    }
    return status ? status : hw_stream_synchronize(stream, diag);
}

hw_status hw_site_open(hw_site *site, hw_device *device, const hw_family *family, const hw_problem *problem,
                       hw_diag *diag) {
    *site = (hw_site){.device = device, .family = family, .problem = *problem};
    hw_status status = family->describe(problem, &site->work, diag);
    uint64_t most = 0;
    for (uint32_t i = 0; i < site->work.n_arrays && !status; i++) {
        const hw_problem_array *array = &site->work.arrays[i];
        if (array->is_output && array->bytes > most) most = array->bytes;
        status = make_array(site, i, diag);
    }
    if (status) return status;
    site->got = hw_malloc(most + 2 * HW_SITE_GUARD);
    if (!site->got) return hw_diag_no_memory(diag);
    if (family->has_transfers) status = hw_plan_streams_open(hw_device_stream(device), &site->streams, diag);
    if (status) return status;
    family->fill(problem, site->host);
    family->reference(problem, site->host);
    return send_inputs(site, diag);
}

void hw_site_close(hw_site *site) {
    hw_plan_streams_close(&site->streams);
    for (uint32_t i = 0; i < HW_PROBLEM_ARRAYS; i++) {
        hw_image_destroy(site->images[i]);
        if (site->memory[i]) give_back(site, site->work.arrays[i].place, site->memory[i]);
        hw_free(site->host[i]);
    }
    hw_free(site->got);
    *site = (hw_site){0};
}

hw_status hw_site_clear(hw_site *site, hw_diag *diag) {
    hw_status status = HW_OK;
    for (uint32_t i = 0; i < site->work.n_arrays && !status; i++) {
        const hw_problem_array *array = &site->work.arrays[i];
        if (array->is_output && array->place)
            memset(site->memory[i], HW_FAMILY_UNWRITTEN, array->bytes + 2 * HW_SITE_GUARD);
        else if (array->is_output)
            status = hw_fill(hw_device_stream(site->device), site->memory[i], HW_FAMILY_UNWRITTEN,
                             array->bytes + 2 * HW_SITE_GUARD, diag);
        else if (array->is_scratch)
            status = hw_fill(hw_device_stream(site->device), site->memory[i], 0, array->bytes, diag);
    }
    return status;
}

// The first byte of a guard that was written, or HW_SITE_GUARD.
static uint32_t first_written(const unsigned char *guard) {
    uint32_t i = 0;
    while (i < HW_SITE_GUARD && guard[i] == HW_FAMILY_UNWRITTEN) i++;
    return i;
}

static void check_guards(const hw_problem_array *array, const unsigned char *got, hw_verdict *verdict) {
    uint32_t before = first_written(got), behind = first_written(got + HW_SITE_GUARD + array->bytes);
    if (before == HW_SITE_GUARD && behind == HW_SITE_GUARD) return;
    verdict->right = false;
    if (before < HW_SITE_GUARD)
        snprintf(verdict->text, sizeof verdict->text, "wrote outside: %u bytes before %s", HW_SITE_GUARD - before,
                 array->name);
    else snprintf(verdict->text, sizeof verdict->text, "wrote outside: %u bytes behind %s", behind, array->name);
}

hw_status hw_site_verify(hw_site *site, const hw_rung *rung, hw_verdict *verdict, hw_diag *diag) {
    hw_stream *stream = hw_device_stream(site->device);
    *verdict = (hw_verdict){.right = true};
    for (uint32_t i = 0; i < site->work.n_arrays && verdict->right; i++) {
        const hw_problem_array *array = &site->work.arrays[i];
        if (!array->is_output) continue;
        const size_t bytes = array->bytes + 2 * HW_SITE_GUARD;
        hw_status status = HW_OK;
        if (array->place) memcpy(site->got, site->memory[i], bytes);
        else status = hw_copy(stream, site->got, site->memory[i], bytes, diag);
        if (!status) status = hw_stream_synchronize(stream, diag);
        if (status) return status;
        site->family->compare(&site->problem, rung, site->host, i, site->got + HW_SITE_GUARD, verdict);
        if (verdict->right) check_guards(array, site->got, verdict);
    }
    return HW_OK;
}
