// What both interfaces say of a device.
#include <stdio.h>
#include <string.h>

#include "shim/shim.h"

bool hw_shim_write_bus_id(int device, char *out, int out_bytes) {
    char id[sizeof "0000:00:00.0"];
    if (!out || out_bytes < (int)sizeof id) return false;
    snprintf(id, sizeof id, "0000:%02x:00.0", (unsigned)device & 0xff);
    memcpy(out, id, sizeof id);
    return true;
}

bool hw_shim_read_bus_id(const char *id, int *device) {
    unsigned domain = 1, bus = 0, slot = 1;
    if (sscanf(id, "%x:%x:%x", &domain, &bus, &slot) < 3 || domain || slot) return false;
    if (!hw_rt_gpu_at(hw_shim_runtime(), (int)bus)) return false;
    *device = (int)bus;
    return true;
}

void hw_shim_make_uuid(int device, char out[16]) {
    memset(out, 0, 16);
    snprintf(out, 16, "sim-%s", hw_rt_gpu(hw_shim_runtime())->id);
    out[15] = (char)device;
}
