// What a kernel's fault becomes: a diagnosis on stderr, a line for the halfwarp command, an error that stays.
#include <stdio.h>

#include "shim/environment.h"
#include "shim/shim.h"

static cudaError_t error_of(const hw_fault *fault) {
    switch (fault->kind) {
    case HW_FAULT_ADDRESS: return cudaErrorIllegalAddress;
    case HW_FAULT_MISALIGNED: return cudaErrorMisalignedAddress;
    case HW_FAULT_STACK: return cudaErrorIllegalAddress;   // as measured for recursion too deep
    case HW_FAULT_ASSERT: return cudaErrorAssert;
    case HW_FAULT_INVALID_CALL: return cudaErrorInvalidPc;
    case HW_FAULT_DEADLOCK: return cudaErrorLaunchTimeout;
    case HW_FAULT_NO_MEMORY: return cudaErrorMemoryAllocation;
    default: return cudaErrorLaunchFailure;
    }
}

void hw_shim_report_fault(const hw_fault *fault) {
    char place[512];
    fflush(stdout);
    // An assert's sentence is the CUDA driver's own, which programs' tests look for.
    fprintf(stderr, "%s%s\n", fault->has_assertion ? "" : "halfwarp: ", fault->text);
    const hw_allocation *allocation = fault->has_allocation ? &fault->allocation : NULL;
    if (allocation && allocation->site && hw_shim_describe_site(allocation->site, place, sizeof place))
        fprintf(stderr, "halfwarp: that allocation was made at %s\n", place);
    if (allocation && allocation->freed_at && hw_shim_describe_site(allocation->freed_at, place, sizeof place))
        fprintf(stderr, "halfwarp: and freed at %s\n", place);
    hw_shim_note(HW_EXIT_FAULTED, fault->text);
    hw_shim_set_sticky(error_of(fault));
}
