// What a texture's handle stands for. Its texels are read by texture_lanes.c.
#include "exec/memory/texture.h"

const hw_texture *hw_texture_find(hw_state *s, const hw_inst *in, int lane, uint64_t handle, bool is_surface) {
    hw_mem *mem = s->run->launch->mem;
    hw_textures *textures = hw_mem_textures(mem);
    hw_texture_found *last = &s->worker->texture;
    uint64_t epoch = hw_mem_epoch(mem), version = hw_textures_version(textures);
    hw_allocation found;
    if (handle && last->handle == handle && last->epoch == epoch && last->version == version &&
        last->texture.is_surface == is_surface)
        return &last->texture;
    last->handle = 0;
    const bool is_known = hw_textures_find(textures, handle, &last->texture);
    if (!is_known || last->texture.is_surface != is_surface) {
        hw_fault_object(s, in, lane, handle, is_surface, is_known);
        return NULL;
    }
    if (!hw_mem_find(mem, last->texture.address, last->texture.bytes, &found)) {
        hw_fault_texture(s, in, lane, handle, &last->texture);
        return NULL;
    }
    if (HW_IS_TOLD(s, TOUCHED)) hw_access_tell_touched(s, &found, is_surface ? HW_TOUCHED_SURFACE : HW_TOUCHED_TEXTURE);
    last->texture.address = (uint64_t)(uintptr_t)hw_mem_host(mem, last->texture.address);
    last->handle = handle;
    last->epoch = epoch;
    last->version = version;
    return &last->texture;
}
