// Device code as programs carry it: containers, and the texts of several files.
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "runtime/module.h"
#include "toolchain/binary/fatbin.h"
#include "toolchain/binary/ptx_link.h"

static hw_rt_status image_status(hw_status status) {
    return status == HW_NOT_FOUND ? HW_RT_NO_IMAGE : hw_rt_status_of(status);
}

hw_rt_status hw_rt_unpack(const void *container, size_t readable_bytes, int cc, hw_rt_code *out, hw_diag *diag) {
    hw_fatbin fatbin;
    hw_fatbin_entry entry;
    *out = (hw_rt_code){0};
    hw_status status = hw_fatbin_open(container, readable_bytes, &fatbin, diag);
    if (!status) status = hw_fatbin_ptx(&fatbin, cc, &out->ptx, &out->ptx_bytes, &entry, diag);
    if (status) return image_status(status);
    if (entry.name && entry.name_bytes)
        snprintf(out->name, sizeof out->name, "%.*s", (int)entry.name_bytes, entry.name);
    out->is_relocatable = hw_fatbin_is_relocatable(&entry);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_link(const char *const *texts, size_t count, char **ptx, size_t *ptx_bytes, hw_diag *diag) {
    char *linked = NULL;
    hw_arena *arena = hw_arena_create();
    if (!arena) return hw_rt_status_of(hw_diag_no_memory(diag));
    hw_status status = hw_ptx_link(texts, count, arena, &linked, ptx_bytes, diag);
    if (!status) {
        *ptx = hw_malloc(*ptx_bytes + 1);
        if (*ptx) memcpy(*ptx, linked, *ptx_bytes + 1);
        else status = hw_diag_no_memory(diag);
    }
    hw_arena_destroy(arena);
    return hw_rt_status_of(status);
}
