// Relocatable device code (nvcc -rdc=true, -dc): a program brings one text for each of its files, and the driver links
// them. Here they are linked as text, when the first of them is needed.
#include "base/alloc.h"
#include "shim/cudart/registry.h"

hw_rt_status hw_relocatable_join(hw_image **parts, size_t count, hw_diag *diag) {
    const char **texts = hw_calloc(count, sizeof *texts);
    char *ptx;
    size_t ptx_bytes;
    if (!texts) return hw_rt_status_of(hw_diag_no_memory(diag));
    for (size_t i = 0; i < count; i++) texts[i] = parts[i]->ptx;
    hw_rt_status status = hw_rt_link(texts, count, &ptx, &ptx_bytes, diag);
    hw_free(texts);
    if (status) return status;
    for (size_t i = 0; i < count; i++) {
        hw_free(parts[i]->ptx);
        parts[i]->ptx = NULL;
        parts[i]->whole = parts[0];
        parts[i]->part = i;
    }
    parts[0]->ptx = ptx;
    parts[0]->ptx_bytes = ptx_bytes;
    return HW_RT_SUCCESS;
}
