// The property structs of three versions of the runtime, filled by attributes.
#include <stdio.h>
#include <string.h>

#include "shim/cudart/cudart.h"

static const hw_gpu *simulated_gpu(void) { return hw_rt_gpu(hw_shim_runtime()); }

static int attribute_value(int number) {
    int value = 0;
    hw_rt_attribute(simulated_gpu(), number, &value);
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
#define HW_PROPERTY(type, field, a) out->field = (type)attribute_value(a);
#define HW_PROPERTY2(type, field, a, b) out->field[0] = attribute_value(a), out->field[1] = attribute_value(b);
#define HW_PROPERTY3(type, field, a, b, c) \
    out->field[0] = attribute_value(a), out->field[1] = attribute_value(b), out->field[2] = attribute_value(c);
#define HW_PROPERTY_OLD HW_PROPERTY
#define HW_PROPERTY_SINCE_12 HW_PROPERTY

static void make_uuid(cudaUUID_t *uuid) {
    memset(uuid, 0, sizeof *uuid);
    snprintf(uuid->bytes, sizeof uuid->bytes, "sim-%s", simulated_gpu()->id);
}

static void fill_12(properties_12 *out) {
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", simulated_gpu()->name);
    make_uuid(&out->uuid);
    out->totalGlobalMem = simulated_gpu()->memory_bytes;
#define HW_PROPERTY_GONE HW_PROPERTY
#include "shim/cudart/properties.def"
#undef HW_PROPERTY_GONE
}

void hw_properties_12(void *out) { fill_12(out); }

void hw_properties_11(void *out) {
    properties_12 all;
    fill_12(&all);
    memcpy(out, &all, offsetof(properties_12, hostRegisterSupported));
}

void hw_properties_13(struct cudaDeviceProp *out) {
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", simulated_gpu()->name);
    make_uuid(&out->uuid);
    out->totalGlobalMem = simulated_gpu()->memory_bytes;
#define HW_PROPERTY_GONE(type, field, a)
#include "shim/cudart/properties.def"
    out->deviceNumaConfig = attribute_value(130);
    out->deviceNumaId = attribute_value(131);
    out->mpsEnabled = attribute_value(133);
    out->hostNumaId = attribute_value(134);
}
