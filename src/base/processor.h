// What this processor has, where the compiler's own question (__builtin_cpu_supports) does not do.
#ifndef HW_BASE_PROCESSOR_H
#define HW_BASE_PROCESSOR_H

#include <stdbool.h>

// Conversions of 16-bit floats (x86's F16C): clang before 15 refuses "f16c" in __builtin_cpu_supports. false on other
// architectures. That the system keeps the wide registers, which the conversions need, is what "avx2" asks for as well.
bool hw_processor_has_f16c(void);

#endif
