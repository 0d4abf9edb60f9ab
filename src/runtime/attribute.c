// What the simulated GPU says of itself, by attribute.def.
#include "runtime/device.h"
#include "timeline/timeline.h"

// Memory moves twice per clock.
static int64_t memory_clock_khz(const hw_gpu *g) {
    if (g->memory_clock_mhz) return (int64_t)g->memory_clock_mhz * 1000;
    if (!g->memory_bus_bits) return 0;
    return (int64_t)(g->memory_gbs * 1e9 * 8 / g->memory_bus_bits / 2 / 1000 + 0.5);
}

static int64_t single_to_double(const hw_gpu *g) {
    return g->fp64_gflops > 0 ? (int64_t)(g->fp32_gflops / g->fp64_gflops + 0.5) : 0;
}

// Assumed of all GPUs that are sold for more than games; the smallest of them have none.
static bool has_ecc(const hw_gpu *g) {
    return g->arch->cc >= 20 && !hw_gpu_is_for_games(g) && !hw_gpu_is_integrated(g);
}

// Of a texture in three dimensions, along each (programming guides 4.2 and 12.8, technical specifications).
static int largest_cube(const hw_arch *a) { return a->cc < 30 ? 2048 : a->cc < 60 ? 4096 : 16384; }

static int clamp_to_int(int64_t value) { return value > INT32_MAX ? INT32_MAX : (int)value; }

bool hw_rt_attribute(const hw_gpu *g, int attribute, int *value) {
    const hw_arch *a = g->arch;
    switch (attribute) {
#define HW_ATTRIBUTE(number, expression)           \
    case number:                                   \
        *value = clamp_to_int((int64_t)(expression));     \
        return true;
#include "runtime/attribute.def"
#undef HW_ATTRIBUTE
    default: return false;
    }
}
