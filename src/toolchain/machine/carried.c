// Machine code that programs carry beside their PTX.
#include "base/alloc.h"
#include "toolchain/binary/fatbin.h"
#include "toolchain/binary/ptx_link.h"
#include "toolchain/machine/machine.h"

// The code in memory of its own, to be freed with hw_free.
static hw_status find_code(const void *container, size_t readable_bytes, int cc, char **code, size_t *length,
                           hw_fatbin *fatbin, hw_fatbin_entry *entry, hw_diag *diag) {
    *code = NULL;
    hw_status status = hw_fatbin_open(container, readable_bytes, fatbin, diag);
    if (!status) status = hw_fatbin_machine_code(fatbin, cc, code, length, entry, diag);
    if (status == HW_NOT_FOUND) hw_diag_set(diag, HW_NOT_FOUND, "the program carries no machine code for this GPU");
    return status;
}

hw_status hw_toolchain_carried_regs(const void *container, size_t readable_bytes, int cc, hw_ptxas_sink sink,
                                    void *user, hw_diag *diag) {
    hw_fatbin fatbin;
    hw_fatbin_entry entry;
    char *code;
    size_t length;
    hw_status status = find_code(container, readable_bytes, cc, &code, &length, &fatbin, &entry, diag);
    if (!status) status = hw_cubin_usage(code, length, entry.cc, sink, user, diag);
    hw_free(code);
    return status;
}

int hw_carried_spill_bytes(const hw_ptxas_usage *usage, uint32_t own_bytes) {
    const int64_t frame = usage->stack_bytes, own = own_bytes;
    return frame > own ? (int)(usage->spill_bytes * (frame - own) / frame) : 0;
}

hw_status hw_toolchain_carried_counts(const void *container, size_t readable_bytes, int cc, const char *ptx,
                                      size_t length, hw_arena *arena, hw_machine_module *machine, hw_diag *diag) {
    hw_fatbin fatbin;
    hw_fatbin_entry entry;
    hw_machine_code *codes;
    uint32_t n;
    char *code;
    size_t bytes;
    *machine = (hw_machine_module){0};
    hw_status status = find_code(container, readable_bytes, cc, &code, &bytes, &fatbin, &entry, diag);
    // The PTX that this GPU gets may be another, with other lines.
    if (!status && hw_ptx_link_target(ptx, length) != entry.cc)
        status = hw_diag_set(diag, HW_NOT_FOUND, "the program's machine code was not made of its PTX for this GPU");
    if (!status) status = hw_cubin_read(code, bytes, entry.cc, arena, &codes, &n, diag);
    if (!status) status = hw_machine_match(codes, n, ptx, length, arena, machine, diag);
    hw_free(code);
    return status;
}
