// What a kernel asks of a GPU that its compute capability has not: today's compilers make no code for GPUs before 7.5,
// so it is executed all the same, and told once.
#ifndef HW_DEVICE_LACKS_H
#define HW_DEVICE_LACKS_H

#include "isa/gpu.h"
#include "lower/program.h"

// A row of lacks.def.
typedef enum hw_lack {
#define HW_LACK(id, ...) HW_LACK_##id,
#include "device/lacks.def"
#undef HW_LACK
    HW_LACKS
} hw_lack;

// What the program's function uses and the GPU has not, as bits by hw_lack. Pure; a pass over its instructions.
uint32_t hw_lacks_of(const hw_program *program, const hw_arch *arch);

// "compute capability 1.0 has no shuffles: ..." of one of them, without a full stop; cut to bytes.
void hw_lack_write(hw_lack lack, const hw_arch *arch, const char *kernel, char *text, size_t bytes);

#endif
