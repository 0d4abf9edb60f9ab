// Asks the processor itself.
#include "base/processor.h"

#ifdef __x86_64__
#include <cpuid.h>

bool hw_processor_has_f16c(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#else
bool hw_processor_has_f16c(void) {
    return false;
}
#endif
