// Relocatable device code (nvcc -rdc=true, -dc): a program brings one text for each of its files, and the driver links
// them. Here they are linked as text, when the first of them is needed.
#include "base/alloc.h"
#include "shim/cudart/registry.h"

hw_rt_status hw_relocatable_unpack(const void *const *pieces, int cc, char **ptx, size_t *ptx_bytes, hw_diag *diag) {
    size_t count = 0, found = 0;
    while (pieces && pieces[count]) count++;
    const char **texts = hw_calloc(count + 1, sizeof *texts);
    hw_rt_status status = texts ? HW_RT_SUCCESS : hw_rt_status_of(hw_diag_no_memory(diag));
    for (size_t i = 0; !status && i < count; i++) {
        hw_rt_code code;
        hw_diag why = {0};
        status = hw_rt_unpack(pieces[i], hw_registry_readable_bytes(pieces[i]), cc, &code, &why);
        if (!status) texts[found++] = code.ptx;
        else if (status == HW_RT_NO_IMAGE) status = HW_RT_SUCCESS;   // of what this is missed, the link says by name
        else hw_diag_set(diag, HW_MALFORMED, "%s", why.text);
    }
    if (!status && !found) {
        status = HW_RT_NO_IMAGE;
        hw_diag_set(diag, HW_NOT_FOUND,
                    "the program's relocatable device code is machine code only; build it with PTX as well: "
                    "nvcc -rdc=true -cudart shared -gencode arch=compute_75,code=compute_75 ...");
    }
    if (!status) status = hw_rt_link(texts, found, ptx, ptx_bytes, diag);
    for (size_t i = 0; texts && i < count; i++) hw_free((char *)texts[i]);
    hw_free(texts);
    return status;
}

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
