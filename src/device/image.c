// Images: made by the kind of device, owned by whoever asked for them.
#include "base/alloc.h"
#include "device/device_internal.h"

hw_status hw_image_create(hw_device *device, const hw_image_request *request, const void *words, hw_image **out,
                          hw_diag *diag) {
    *out = NULL;
    if (!device->table->image_create) return hw_diag_set(diag, HW_USAGE, "%s has no textures", device->name);
    hw_image *image = hw_calloc(1, sizeof *image);
    if (!image) return hw_diag_no_memory(diag);
    image->device = device;
    image->request = *request;
    const bool is_empty = !request->cols || !request->rows;
    hw_status status = is_empty ? HW_OK : device->table->image_create(image, words, diag);
    if (status) hw_image_destroy(image);
    else *out = image;
    return status;
}

void hw_image_destroy(hw_image *image) {
    if (!image) return;
    image->device->table->image_destroy(image);
    hw_device_free(image->device, image->memory);
    hw_free(image);
}

uint64_t hw_image_texture(const hw_image *image) { return image->texture; }
