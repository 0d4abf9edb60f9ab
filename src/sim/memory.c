// Memory of the public simulator: addresses are the GPU's, and every range is checked before it is touched.
#include <inttypes.h>
#include <string.h>

#include "base/status.h"
#include "sim/internal.h"

hw_status hw_simulator_alloc(hw_simulator *sim, uint64_t bytes, uint64_t *address, hw_diag *diag) {
    enum { ALIGN = 256 };
    hw_diag own;
    *address = 0;
    return hw_diag_tell(diag, &own, hw_mem_alloc(hw_sim_mem(sim->sim), bytes, ALIGN, HW_ALLOC_DEVICE, NULL, NULL,
                                                 address, hw_diag_begin(&own)));
}

hw_status hw_simulator_free(hw_simulator *sim, uint64_t address, hw_diag *diag) {
    hw_diag own;
    if (!address) return HW_OK;
    return hw_diag_tell(diag, &own, hw_mem_free(hw_sim_mem(sim->sim), address, hw_diag_begin(&own)));
}

// Where this process reaches the range, in *host.
static hw_status find_range(hw_simulator *sim, uint64_t address, uint64_t bytes, const char *what, void **host,
                            hw_diag *diag) {
    hw_mem *mem = hw_sim_mem(sim->sim);
    hw_allocation allocation;
    *host = NULL;
    if (!bytes) return HW_OK;
    if (!hw_mem_find(mem, address, bytes, &allocation))
        return hw_diag_set(diag, HW_USAGE, "%s of %" PRIu64 " bytes at 0x%" PRIx64 ": no allocation has all of them",
                           what, bytes, address);
    *host = hw_mem_host(mem, address);
    return HW_OK;
}

hw_status hw_simulator_copy_to(hw_simulator *sim, uint64_t to, const void *from, uint64_t bytes, hw_diag *diag) {
    hw_diag own;
    void *host;
    hw_status status = find_range(sim, to, bytes, "a copy to the GPU", &host, hw_diag_begin(&own));
    if (!status && bytes) {
        memcpy(host, from, bytes);
        hw_mem_set_changed(hw_sim_mem(sim->sim), to);
    }
    return hw_diag_tell(diag, &own, status);
}

hw_status hw_simulator_copy_from(hw_simulator *sim, void *to, uint64_t from, uint64_t bytes, hw_diag *diag) {
    hw_diag own;
    void *host;
    hw_status status = find_range(sim, from, bytes, "a copy from the GPU", &host, hw_diag_begin(&own));
    if (!status && bytes) memcpy(to, host, bytes);
    return hw_diag_tell(diag, &own, status);
}

hw_status hw_simulator_set(hw_simulator *sim, uint64_t to, int byte, uint64_t bytes, hw_diag *diag) {
    hw_diag own;
    void *host;
    hw_status status = find_range(sim, to, bytes, "setting a range", &host, hw_diag_begin(&own));
    if (!status && bytes) {
        memset(host, byte, bytes);
        hw_mem_set_changed(hw_sim_mem(sim->sim), to);
    }
    return hw_diag_tell(diag, &own, status);
}
