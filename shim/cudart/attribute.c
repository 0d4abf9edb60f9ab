// What the simulated GPU says of itself: attributes, and the property structs of three versions of the runtime.
#include <stdio.h>
#include <string.h>

#include "shim/shim.h"

// Memory moves twice per clock.
static int64_t memory_clock_khz(const hw_gpu *g) {
    if (g->memory_clock_mhz) return (int64_t)g->memory_clock_mhz * 1000;
    if (!g->memory_bus_bits) return 0;
    return (int64_t)(g->memory_gbs * 1e9 * 8 / g->memory_bus_bits / 2 / 1000 + 0.5);
}

static int64_t single_to_double(const hw_gpu *g) {
    return g->fp64_gflops > 0 ? (int64_t)(g->fp32_gflops / g->fp64_gflops + 0.5) : 0;
}

// By its product's name: for games, and not for workstations or data centres.
static bool is_for_games(const hw_gpu *g) { return strstr(g->name, "GeForce") || strstr(g->name, "TITAN"); }

// Assumed of all GPUs that are sold for more than games; the smallest of them have none.
static bool has_ecc(const hw_gpu *g) {
    return g->arch->cc >= 20 && !is_for_games(g) && !hw_gpu_is_integrated(g);
}

// Of a texture in three dimensions, along each (programming guides 4.2 and 12.8, technical specifications).
static int largest_cube(const hw_arch *a) { return a->cc < 30 ? 2048 : a->cc < 60 ? 4096 : 16384; }

static int copy_engines(const hw_gpu *g) {
    static const struct {
        int cc, of_games, others;
    } rows[] = {
#define HW_COPY_ENGINES(...) {__VA_ARGS__},
#include "shim/cudart/copy_engines.def"
#undef HW_COPY_ENGINES
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].cc == g->arch->cc) return is_for_games(g) ? rows[i].of_games : rows[i].others;
    return 1;
}

static int clamp(int64_t value) { return value > INT32_MAX ? INT32_MAX : (int)value; }

bool hw_attribute_get(int attribute, int *value) {
    const hw_gpu *g = hw_shim_gpu();
    const hw_arch *a = g->arch;
    switch (attribute) {
#define HW_ATTRIBUTE(number, expression)           \
    case number:                                   \
        *value = clamp((int64_t)(expression));     \
        return true;
#include "shim/cudart/attribute.def"
#undef HW_ATTRIBUTE
    default: return false;
    }
}

static int attribute(int number) {
    int value = 0;
    hw_attribute_get(number, &value);
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
#define HW_PROPERTY(type, field, a) out->field = (type)attribute(a);
#define HW_PROPERTY2(type, field, a, b) out->field[0] = attribute(a), out->field[1] = attribute(b);
#define HW_PROPERTY3(type, field, a, b, c) \
    out->field[0] = attribute(a), out->field[1] = attribute(b), out->field[2] = attribute(c);
#define HW_PROPERTY_OLD HW_PROPERTY
#define HW_PROPERTY_SINCE_12 HW_PROPERTY

static void make_uuid(cudaUUID_t *uuid) {
    memset(uuid, 0, sizeof *uuid);
    snprintf(uuid->bytes, sizeof uuid->bytes, "sim-%s", hw_shim_gpu()->id);
}

static void fill_12(properties_12 *out) {
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", hw_shim_gpu()->name);
    make_uuid(&out->uuid);
    out->totalGlobalMem = hw_shim_gpu()->memory_bytes;
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
    snprintf(out->name, sizeof out->name, "%s", hw_shim_gpu()->name);
    make_uuid(&out->uuid);
    out->totalGlobalMem = hw_shim_gpu()->memory_bytes;
#define HW_PROPERTY_GONE(type, field, a)
#include "shim/cudart/properties.def"
    out->deviceNumaConfig = attribute(130);
    out->deviceNumaId = attribute(131);
    out->mpsEnabled = attribute(133);
    out->hostNumaId = attribute(134);
}
