// The property structs of three versions of the runtime, filled by attributes.
#include <stdio.h>
#include <string.h>

#include "shim/cudart/cudart.h"

static int attribute_value(const hw_runtime *of, int number) {
    int value = 0;
    hw_rt_device_attribute(of, number, &value);
    return value;
}

// The struct of CUDA 12: 1032 bytes; its first part is that of CUDA 11.
typedef struct properties_12 {
#define HW_PROPERTY_PLAIN(type, field) type field;
#define HW_PROPERTY(type, field, a) type field;
#define HW_PROPERTY2(type, field, a, b) type field[2];
#define HW_PROPERTY3(type, field, a, b, c) type field[3];
#define HW_PROPERTY_OLD(type, field, a) type field;
#define HW_PROPERTY_GONE(type, field, a) type field;
#define HW_PROPERTY_SINCE_12(type, field, a) type field;
#include "shim/cudart/properties.def"
    int reserved[63];
} properties_12;

_Static_assert(sizeof(properties_12) == 1032, "cudaDeviceProp of CUDA 12");
_Static_assert(sizeof(struct cudaDeviceProp) == 1008, "cudaDeviceProp of CUDA 13");

#undef HW_PROPERTY_PLAIN
#undef HW_PROPERTY
#undef HW_PROPERTY2
#undef HW_PROPERTY3
#undef HW_PROPERTY_OLD
#undef HW_PROPERTY_GONE
#undef HW_PROPERTY_SINCE_12
#define HW_PROPERTY_PLAIN(type, field)
#define HW_PROPERTY(type, field, a) out->field = (type)attribute_value(of, a);
#define HW_PROPERTY2(type, field, a, b) out->field[0] = attribute_value(of, a), out->field[1] = attribute_value(of, b);
#define HW_PROPERTY3(type, field, a, b, c)                                            \
    out->field[0] = attribute_value(of, a), out->field[1] = attribute_value(of, b), \
    out->field[2] = attribute_value(of, c);
#define HW_PROPERTY_OLD HW_PROPERTY
#define HW_PROPERTY_SINCE_12 HW_PROPERTY

static void fill_12(const hw_runtime *of, properties_12 *out) {
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", hw_rt_gpu(of)->name);
    hw_shim_make_uuid((int)hw_rt_number(of), out->uuid.bytes);
    out->totalGlobalMem = hw_rt_gpu(of)->memory_bytes;
#define HW_PROPERTY_GONE HW_PROPERTY
#include "shim/cudart/properties.def"
#undef HW_PROPERTY_GONE
}

void hw_properties_12(const hw_runtime *of, void *out) { fill_12(of, out); }

void hw_properties_11(const hw_runtime *of, void *out) {
    properties_12 all;
    fill_12(of, &all);
    memcpy(out, &all, offsetof(properties_12, hostRegisterSupported));
}

void hw_properties_13(const hw_runtime *of, struct cudaDeviceProp *out) {
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", hw_rt_gpu(of)->name);
    hw_shim_make_uuid((int)hw_rt_number(of), out->uuid.bytes);
    out->totalGlobalMem = hw_rt_gpu(of)->memory_bytes;
#define HW_PROPERTY_GONE(type, field, a)
#include "shim/cudart/properties.def"
    out->deviceNumaConfig = attribute_value(of, 130);
    out->deviceNumaId = attribute_value(of, 131);
    out->mpsEnabled = attribute_value(of, 133);
    out->hostNumaId = attribute_value(of, 134);
}
