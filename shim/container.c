// The struct around a program's fat binary, and how far its memory goes.
#define _GNU_SOURCE
#include "shim/container.h"

#include <link.h>

#include "base/alloc.h"
#include "shim/shim.h"

// LINKED: the device code of several files, each in a container of its own, which the driver would link.
enum { WRAPPER_LINKED = 2 };
static const unsigned char WRAPPER_MAGIC[4] = {0xb1, 0x43, 0x62, 0x46};

typedef struct wrapper {
    int32_t magic, version;
    const void *data;
    void *more;
} wrapper;

typedef struct segment_search {
    uint64_t address, end;
} segment_search;

static int look_at_object(struct dl_phdr_info *info, size_t size, void *user) {
    (void)size;
    segment_search *search = user;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uint64_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, end = start + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && search->address >= start && search->address < end) {
            search->end = end;
            return 1;
        }
    }
    return 0;
}

size_t hw_shim_readable_bytes(const void *data) {
    segment_search search = {.address = hw_address(data)};
    dl_iterate_phdr(look_at_object, &search);
    return search.end ? (size_t)(search.end - search.address) : (size_t)1 << 30;
}

bool hw_shim_is_wrapper(const void *data) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < sizeof WRAPPER_MAGIC; i++)   // text may be shorter
        if (bytes[i] != WRAPPER_MAGIC[i]) return false;
    return ((const wrapper *)data)->data != NULL;
}

static hw_rt_status unpack_pieces(const void *const *pieces, int cc, char **ptx, size_t *ptx_bytes,
                                  hw_diag *diag) {
    size_t count = 0, found = 0;
    while (pieces && pieces[count]) count++;
    const char **texts = hw_calloc(count + 1, sizeof *texts);
    hw_rt_status status = texts ? HW_RT_SUCCESS : hw_rt_status_of(hw_diag_no_memory(diag));
    for (size_t i = 0; !status && i < count; i++) {
        hw_rt_code code;
        hw_diag why = {0};
        status = hw_rt_unpack(pieces[i], hw_shim_readable_bytes(pieces[i]), cc, &code, &why);
        if (!status) texts[found++] = code.ptx;
        else if (status == HW_RT_NO_IMAGE) status = HW_RT_SUCCESS;   // of what this is missed, the link says by name
        else hw_diag_set(diag, HW_MALFORMED, "%s", why.text);
    }
    if (!status && !found) {
        status = HW_RT_NO_IMAGE;
        hw_diag_set(diag, HW_NOT_FOUND,
                    "the program's relocatable device code is machine code only; build it with PTX as well: "
                    "nvcc -rdc=true -gencode arch=compute_75,code=compute_75 ...");
    }
    if (!status) status = hw_rt_link(texts, found, ptx, ptx_bytes, diag);
    for (size_t i = 0; texts && i < count; i++) hw_free((char *)texts[i]);
    hw_free(texts);
    return status;
}

const void *hw_shim_container(const void *data, size_t *readable_bytes) {
    const wrapper *it = data;
    const bool is_whole = hw_shim_is_wrapper(data) && it->version != WRAPPER_LINKED;
    *readable_bytes = is_whole ? hw_shim_readable_bytes(it->data) : 0;
    return is_whole ? it->data : NULL;
}

hw_rt_status hw_shim_unpack(const void *data, int cc, hw_rt_code *out, hw_diag *diag) {
    const wrapper *it = data;
    *out = (hw_rt_code){0};
    if (!hw_shim_is_wrapper(data)) {
        hw_diag_set(diag, HW_MALFORMED, "the program's device code is not packed as nvcc or clang pack it");
        return HW_RT_INVALID_PTX;
    }
    if (it->version == WRAPPER_LINKED) return unpack_pieces(it->more, cc, &out->ptx, &out->ptx_bytes, diag);
    return hw_rt_unpack(it->data, hw_shim_readable_bytes(it->data), cc, out, diag);
}
