// What the choices on a processor rest on: the constants of cpu.def, which says what they are and where they were
// measured.
#ifndef HW_OP_TUNE_CPU_H
#define HW_OP_TUNE_CPU_H

enum {
#define HW_TUNE(name, value) name = (value),
#include "op/tune/cpu.def"
};

#endif
