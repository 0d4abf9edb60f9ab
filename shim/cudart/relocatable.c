// Relocatable device code (nvcc -rdc=true, -dc): a program brings one text for each of its files, and the driver links
// them. Here they are linked as text, when the first of them is needed.
#include "base/alloc.h"
#include "shim/cudart/registry.h"
#include "toolchain/fatbin.h"
#include "toolchain/ptx_link.h"

#include <string.h>

// texts as one, to be freed with hw_free.
static hw_status join(const char *const *texts, size_t count, char **ptx, size_t *ptx_bytes, hw_diag *diag) {
    char *linked = NULL;
    hw_arena *arena = hw_arena_create();
    if (!arena) return hw_diag_no_memory(diag);
    hw_status status = hw_ptx_link(texts, count, arena, &linked, ptx_bytes, diag);
    if (!status) {
        *ptx = hw_malloc(*ptx_bytes + 1);
        if (*ptx) memcpy(*ptx, linked, *ptx_bytes + 1);
        else status = hw_diag_no_memory(diag);
    }
    hw_arena_destroy(arena);
    return status;
}

hw_status hw_relocatable_unpack(const void *const *pieces, int cc, char **ptx, size_t *ptx_bytes, hw_diag *diag) {
    size_t count = 0, found = 0;
    while (pieces && pieces[count]) count++;
    char **texts = hw_calloc(count + 1, sizeof *texts);
    hw_status status = texts ? HW_OK : hw_diag_no_memory(diag);
    for (size_t i = 0; !status && i < count; i++) {
        hw_fatbin fatbin;
        size_t length;
        hw_diag none = {0};
        status = hw_fatbin_open(pieces[i], hw_registry_readable_bytes(pieces[i]), &fatbin, diag);
        if (!status) status = hw_fatbin_ptx(&fatbin, cc, &texts[found], &length, NULL, &none);
        if (!status) found++;
        else if (status == HW_NOT_FOUND) status = HW_OK;   // of what this is missed, the link below says by name
        else hw_diag_set(diag, status, "%s", none.text);
    }
    if (!status && !found)
        status = hw_diag_set(diag, HW_NOT_FOUND,
                             "the program's relocatable device code is machine code only; build it with PTX as well: "
                             "nvcc -rdc=true -cudart shared -gencode arch=compute_75,code=compute_75 ...");
    if (!status) status = join((const char *const *)texts, found, ptx, ptx_bytes, diag);
    for (size_t i = 0; texts && i < count; i++) hw_free(texts[i]);
    hw_free(texts);
    return status;
}

hw_status hw_relocatable_join(hw_image **parts, size_t count, hw_diag *diag) {
    const char **texts = hw_calloc(count, sizeof *texts);
    char *ptx;
    size_t ptx_bytes;
    if (!texts) return hw_diag_no_memory(diag);
    for (size_t i = 0; i < count; i++) texts[i] = parts[i]->ptx;
    hw_status status = join(texts, count, &ptx, &ptx_bytes, diag);
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
    return HW_OK;
}
