// What both interfaces say of a device.
#include <stdio.h>
#include <string.h>

#include "shim/shim.h"

bool hw_shim_write_bus_id(int device, char *out, int out_bytes) {
    char id[sizeof "0000:00:00.0"];
    if (!out || out_bytes < (int)sizeof id) return false;
    snprintf(id, sizeof id, "0000:%02x:00.0", hw_rt_place(hw_rt_gpu_at(hw_shim_runtime(), device)) & 0xff);
    memcpy(out, id, sizeof id);
    return true;
}

bool hw_shim_read_bus_id(const char *id, int *device) {
    const hw_runtime *gpu;
    unsigned domain = 1, bus = 0, slot = 1;
    if (sscanf(id, "%x:%x:%x", &domain, &bus, &slot) < 3 || domain || slot) return false;
    for (int i = 0; (gpu = hw_rt_gpu_at(hw_shim_runtime(), i)); i++) {
        if (hw_rt_place(gpu) != bus) continue;
        *device = i;
        return true;
    }
    return false;
}

void hw_shim_make_uuid(int device, char out[HW_UUID_BYTES]) {
    const hw_runtime *gpu = hw_rt_gpu_at(hw_shim_runtime(), device);
    hw_visible_make_uuid(hw_rt_gpu(gpu)->id, hw_rt_place(gpu), out);
}
