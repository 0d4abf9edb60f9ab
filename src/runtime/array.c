// Arrays: places to copy to and from, and to read through textures. Rows are stored as they are, one after the other.
#include "runtime/array.h"

#include "base/alloc.h"
#include "runtime/internal.h"
#include "runtime/tell.h"

struct hw_rt_array {
    hw_rt_array_info info;
    uint64_t address, epoch;           // in the memory of this context
};

bool hw_rt_is_array(hw_runtime *runtime, const hw_rt_array *array) {
    if (hw_rt_handles_have(&runtime->handles, HW_RT_ARRAY, array)) return true;
    hw_rt_tell_no_object(runtime, HW_HOST_NO_OBJECT, HW_HOST_ARRAY, array);
    return false;
}

// Six square faces, or of several cubes six each.
static bool is_of_cubes(const size_t size[3], unsigned flags) {
    enum { FACES = 6 };
    return size[0] == size[1] && size[2] && size[2] % FACES == 0 && (flags & HW_RT_ARRAY_LAYERED || size[2] == FACES);
}

hw_rt_status hw_rt_array_create(hw_runtime *runtime, const hw_rt_channels *channels, const size_t size[3],
                                unsigned flags, const void *site, hw_rt_array **out) {
    HW_RT_ENTER(runtime);
    if (!size[0] || (flags & HW_RT_ARRAY_CUBE && !is_of_cubes(size, flags))) return HW_RT_INVALID_VALUE;
    int bits = 0;
    for (int i = 0; i < 4; i++) bits += channels->bits[i];
    if (bits <= 0 || bits % 8 || bits > 128) return HW_RT_INVALID_CHANNELS;
    hw_rt_array *made = hw_calloc(1, sizeof *made);
    if (!made) return HW_RT_NO_MEMORY;
    hw_rt_array_info *info = &made->info;
    *info = (hw_rt_array_info){.channels = *channels, .size = {size[0], size[1], size[2]}, .flags = flags,
                               .element_bytes = (size_t)bits / 8, .rows = size[1] ? size[1] : 1,
                               .slices = size[2] ? size[2] : 1};
    size_t bytes;
    bool good = !__builtin_mul_overflow(size[0], info->element_bytes, &info->row_bytes) &&
                !__builtin_mul_overflow(info->row_bytes, info->rows, &bytes) &&
                !__builtin_mul_overflow(bytes, info->slices, &bytes) &&
                !hw_rt_alloc(runtime, bytes, HW_ALLOC_DEVICE, 0, (hw_rt_order){0}, site, &made->address);
    if (good && hw_rt_handles_add(&runtime->handles, HW_RT_ARRAY, made)) {
        made->epoch = hw_rt_epoch(runtime);
        *out = made;
        hw_rt_tell_object(runtime, HW_HOST_OBJECT_CREATE, &(hw_host_object){HW_HOST_ARRAY, hw_rt_address(made),
                                                                            made->address});
        return HW_RT_SUCCESS;
    }
    if (good) hw_rt_free(runtime, made->address, 1u << HW_ALLOC_DEVICE, (hw_rt_order){0}, site);
    hw_free(made);
    return HW_RT_NO_MEMORY;
}

hw_rt_status hw_rt_array_destroy(hw_runtime *runtime, hw_rt_array *array, const void *site) {
    HW_RT_ENTER(runtime);
    if (!hw_rt_handles_remove(&runtime->handles, HW_RT_ARRAY, array)) {
        hw_rt_tell_no_object(runtime, HW_HOST_NO_OBJECT_TO_DESTROY, HW_HOST_ARRAY, array);
        return HW_RT_INVALID_HANDLE;
    }
    hw_rt_tell_object(runtime, HW_HOST_OBJECT_DESTROY, &(hw_host_object){HW_HOST_ARRAY, hw_rt_address(array), 0});
    // Behind a reset the memory has gone already.
    if (array->epoch == hw_rt_epoch(runtime))
        hw_rt_free(runtime, array->address, 1u << HW_ALLOC_DEVICE, (hw_rt_order){0}, site);
    hw_rt_handles_bury(&runtime->handles, array);
    return HW_RT_SUCCESS;
}

hw_rt_status hw_rt_array_get_info(hw_runtime *runtime, const hw_rt_array *array, hw_rt_array_info *out) {
    HW_RT_ENTER(runtime);
    if (!hw_rt_is_array(runtime, array)) return HW_RT_INVALID_HANDLE;
    *out = array->info;
    return HW_RT_SUCCESS;
}

static char *byte_at(const hw_rt_array *array, size_t offset) {
    return (char *)(uintptr_t)(array->address + offset);
}

bool hw_rt_array_region(hw_runtime *runtime, const hw_rt_array *array, size_t x_bytes, size_t y, size_t z,
                        size_t width_bytes, size_t height, size_t depth, hw_rt_region *out) {
    if (!hw_rt_is_array(runtime, array)) return false;
    const hw_rt_array_info *info = &array->info;
    if (x_bytes > info->row_bytes || width_bytes > info->row_bytes - x_bytes || y > info->rows ||
        height > info->rows - y || z > info->slices || depth > info->slices - z) {
        hw_rt_tell_bad_bytes(runtime, HW_HOST_COPY, HW_HOST_BEYOND_END, array->address, 0);
        return false;
    }
    *out = (hw_rt_region){.start = byte_at(array, (z * info->rows + y) * info->row_bytes + x_bytes),
                          .pitch = info->row_bytes, .slice = info->row_bytes * info->rows};
    return true;
}

bool hw_rt_array_run(hw_runtime *runtime, const hw_rt_array *array, size_t x_bytes, size_t y, size_t bytes,
                     hw_rt_region *out) {
    if (!hw_rt_is_array(runtime, array)) return false;
    const hw_rt_array_info *info = &array->info;
    size_t total = info->row_bytes * info->rows, start = y * info->row_bytes + x_bytes;
    if (x_bytes > info->row_bytes || y >= info->rows || bytes > total - start) {
        hw_rt_tell_bad_bytes(runtime, HW_HOST_COPY, HW_HOST_BEYOND_END, array->address, 0);
        return false;
    }
    *out = (hw_rt_region){.start = byte_at(array, start), .pitch = bytes};
    return true;
}
