// The tables, and which of them a device gets.
#include "op/tune/tune.h"

#include "isa/gpu.h"

static const hw_tune tables[] = {   // ascending
    {
#include "op/tune/cc_90.def"
    },
};
enum { TABLES = sizeof tables / sizeof *tables };

const hw_tune *hw_tune_for(const hw_device_properties *device) {
    const hw_tune *best = tables;
    for (const hw_tune *table = tables; table < tables + TABLES; table++)
        if (table->cc <= device->cc) best = table;
    return best;
}

const hw_arch *hw_tune_arch(const hw_device_properties *device) {
    const hw_arch *best = hw_arch_at(0), *arch;
    for (size_t i = 0; (arch = hw_arch_at(i)) != NULL; i++)
        if (arch->cc <= device->cc) best = arch;
    return best;
}

static double ratio_of(double here, double there) { return here > 0 && there > 0 ? here / there : 1; }

hw_tune_scale hw_tune_scale_for(const hw_tune *tune, const hw_device_properties *device, bool is_f64) {
    const hw_gpu *gpu = hw_gpu_find(tune->gpu);
    hw_tune_scale scale = {.memory = 1, .multiply = 1, .multiprocessors = 1};
    if (!gpu) return scale;
    scale.multiprocessors = gpu->sms;
    scale.memory = ratio_of(device->memory_gbs, gpu->memory_gbs);
    if (device->cc == tune->cc || !device->multiprocessors) return scale;
    const double there = (is_f64 ? gpu->fp64_gflops : gpu->fp32_gflops) / 1e3 / gpu->sms;
    scale.multiply = ratio_of((is_f64 ? device->fp64_tflops : device->fp32_tflops) / device->multiprocessors, there);
    return scale;
}
