// The list of families, and what their files build plans with.
#include "op/family.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// families.def is made by the build: a row per src/op/*_family.c.
#define HW_FAMILY(name) extern const hw_family hw_family_##name;
#include "families.def"
#undef HW_FAMILY

static const hw_family *const families[] = {
#define HW_FAMILY(name) &hw_family_##name,
#include "families.def"
#undef HW_FAMILY
};

const hw_family *hw_family_at(size_t index) {
    return index < sizeof families / sizeof families[0] ? families[index] : NULL;
}

const hw_family *hw_family_find(const char *name) {
    const hw_family *family;
    for (size_t i = 0; (family = hw_family_at(i)); i++)
        if (!strcmp(family->name, name)) return family;
    return NULL;
}

uint32_t hw_plan_text(hw_plan *plan, const char *format, ...) {
    uint32_t at = plan->used;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(plan->bytes + at, sizeof plan->bytes - at, format, args);
    va_end(args);
    assert(length >= 0 && (size_t)length < sizeof plan->bytes - at);
    plan->used = at + (uint32_t)length + 1;
    return at;
}

uint32_t hw_plan_value(hw_plan *plan, const void *value, size_t bytes) {
    enum { ALIGNMENT = 16 };   // the most that a kernel's parameter can ask for
    uint32_t at = (plan->used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    assert(at + bytes <= sizeof plan->bytes);
    memcpy(plan->bytes + at, value, bytes);
    plan->used = at + (uint32_t)bytes;
    return at;
}
