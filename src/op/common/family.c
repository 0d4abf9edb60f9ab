// The list of families.
#include "op/common/family.h"

#include <string.h>

// families.def is made by the build: a row per src/op/*/*_family.c.
#define HW_FAMILY(name) extern const hw_family hw_family_##name;
#include "families.def"
#undef HW_FAMILY

static const hw_family *const families[] = {
#define HW_FAMILY(name) &hw_family_##name,
#include "families.def"
#undef HW_FAMILY
};

const hw_rung *hw_rung_base(const hw_rung *rungs, size_t n_rungs, const hw_rung *rung) {
    for (size_t i = 0; rung->builds_on && i < n_rungs; i++)
        if (!strcmp(rungs[i].name, rung->builds_on)) return &rungs[i];
    return NULL;
}

const uint64_t *hw_family_default_size(const hw_family *family, const hw_device_properties *device) {
    const bool is_large = device->multiprocessors >= HW_LARGE_GPU && family->large_sim_size[0];
    if (device->kind == HW_DEVICE_SIM) return is_large ? family->large_sim_size : family->default_sim_size;
    return device->kind == HW_DEVICE_CPU && family->default_cpu_size[0] ? family->default_cpu_size
                                                                        : family->default_size;
}

const hw_family *hw_family_at(size_t index) {
    return index < sizeof families / sizeof families[0] ? families[index] : NULL;
}

const hw_family *hw_family_find(const char *name) {
    const hw_family *family;
    for (size_t i = 0; (family = hw_family_at(i)); i++)
        if (!strcmp(family->name, name)) return family;
    return NULL;
}
