// The list of families.
#include "op/family.h"

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
