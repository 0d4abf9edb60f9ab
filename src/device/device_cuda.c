// A GPU, by the driver.
#include <stdlib.h>
#include <string.h>

#include "device/device_internal.h"

static hw_status cuda_open(hw_device *device, const char *place, hw_diag *diag) {
    size_t digits = strspn(place, "0123456789");
    if (!digits || digits > 9 || place[digits])
        return hw_diag_set(diag, HW_USAGE, "no device is called \"%s\": N of cuda:N is the number of a GPU", device->name);
    return hw_diag_set(diag, HW_NOT_FOUND, "there is no %s: this version reaches no GPU", device->name);
}

static void cuda_close(hw_device *device) { (void)device; }

const hw_device_table hw_cuda_table = {.open = cuda_open, .close = cuda_close};
