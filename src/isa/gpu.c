// Compute capabilities and GPUs, filled from their .def files.
#include "isa/gpu.h"

#include <strings.h>

static const hw_arch arch_10 =
#include "isa/arch/10.def"
;
static const hw_arch arch_11 =
#include "isa/arch/11.def"
;
static const hw_arch arch_12 =
#include "isa/arch/12.def"
;
static const hw_arch arch_13 =
#include "isa/arch/13.def"
;
static const hw_arch arch_20 =
#include "isa/arch/20.def"
;
static const hw_arch arch_21 =
#include "isa/arch/21.def"
;
static const hw_arch arch_30 =
#include "isa/arch/30.def"
;
static const hw_arch arch_35 =
#include "isa/arch/35.def"
;
static const hw_arch arch_37 =
#include "isa/arch/37.def"
;
static const hw_arch arch_50 =
#include "isa/arch/50.def"
;
static const hw_arch arch_52 =
#include "isa/arch/52.def"
;
static const hw_arch arch_53 =
#include "isa/arch/53.def"
;
static const hw_arch arch_60 =
#include "isa/arch/60.def"
;
static const hw_arch arch_61 =
#include "isa/arch/61.def"
;
static const hw_arch arch_62 =
#include "isa/arch/62.def"
;
static const hw_arch arch_70 =
#include "isa/arch/70.def"
;
static const hw_arch arch_72 =
#include "isa/arch/72.def"
;
static const hw_arch arch_75 =
#include "isa/arch/75.def"
;
static const hw_arch arch_80 =
#include "isa/arch/80.def"
;
static const hw_arch arch_86 =
#include "isa/arch/86.def"
;
static const hw_arch arch_87 =
#include "isa/arch/87.def"
;
static const hw_arch arch_89 =
#include "isa/arch/89.def"
;
static const hw_arch arch_90 =
#include "isa/arch/90.def"
;
static const hw_arch arch_100 =
#include "isa/arch/100.def"
;
static const hw_arch arch_120 =
#include "isa/arch/120.def"
;

// Ascending. A new file of arch/ is included above and named here.
static const hw_arch *const archs[] = {
    &arch_10, &arch_11, &arch_12, &arch_13, &arch_20, &arch_21, &arch_30, &arch_35, &arch_37, &arch_50,
    &arch_52, &arch_53, &arch_60, &arch_61, &arch_62, &arch_70, &arch_72, &arch_75, &arch_80, &arch_86,
    &arch_87, &arch_89, &arch_90, &arch_100, &arch_120,
};
enum { N_ARCHS = sizeof archs / sizeof archs[0] };

static const hw_gpu gpus[] = {
#define HW_GPU(id_, name_, cc_, sms_, clock_, gbs_, bits_, partitions_, l2_, bytes_, fp32_, fp64_, pcie_, source_)   \
    {.id = id_, .name = name_, .arch = &arch_##cc_, .sms = sms_, .clock_mhz = clock_, .memory_gbs = gbs_,            \
     .memory_bus_bits = bits_, .memory_partitions = partitions_, .l2_kib = l2_, .memory_bytes = bytes_,              \
     .fp32_gflops = fp32_, .fp64_gflops = fp64_, .pcie_gbs = pcie_, .source = source_},
#include "isa/gpus.def"
#undef HW_GPU
};
enum { N_GPUS = sizeof gpus / sizeof gpus[0] };
_Static_assert(N_GPUS == 15, "one row per GPU of gpus.def");

const hw_gpu *hw_gpu_find(const char *id) {
    for (size_t i = 0; i < N_GPUS; i++)
        if (!strcasecmp(gpus[i].id, id)) return &gpus[i];
    return NULL;
}

const hw_gpu *hw_gpu_at(size_t index) { return index < N_GPUS ? &gpus[index] : NULL; }

const hw_arch *hw_arch_find(int cc) {
    for (size_t i = 0; i < N_ARCHS; i++)
        if (archs[i]->cc == cc) return archs[i];
    return NULL;
}

const hw_arch *hw_arch_at(size_t index) { return index < N_ARCHS ? archs[index] : NULL; }
