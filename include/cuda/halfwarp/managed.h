// Tells the runtime library where this module's __managed__ variables lie (see host_defines.h). It runs before clang's
// own constructor registers them; a runtime that knows nothing of it treats them as plain device variables.
#ifndef __HALFWARP_MANAGED_H__
#define __HALFWARP_MANAGED_H__

#if !defined(__CUDA_ARCH__)

extern "C" {
extern char __start_halfwarp_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_halfwarp_managed[] __attribute__((weak, visibility("hidden")));
void __halfwarpRegisterManagedRange(void *begin, void *end) __attribute__((weak));
}

static __attribute__((constructor(101), used)) void __halfwarp_register_managed() {
    if (__start_halfwarp_managed && __halfwarpRegisterManagedRange)
        __halfwarpRegisterManagedRange(__start_halfwarp_managed, __stop_halfwarp_managed);
}

#endif

#endif
