// Calls that are there so that programs which hold them start, and that say by name that they do nothing. Their
// arguments are not looked at, so one signature serves all.
#include "shim/cudart/unsupported.h"

#define HW_UNSUPPORTED(name) \
    __attribute__((visibility("default"))) cudaError_t name(void) { return hw_cudart_unsupported(#name); }
#define HW_UNSUPPORTED_ALSO(second, name) \
    extern __typeof__(name) second __attribute__((alias(#name), visibility("default")));
#include "shim/cudart/unsupported.def"
