// The arrays of a problem on a device: filled, guarded, and compared with what they should become.
#ifndef HW_LADDER_SITE_H
#define HW_LADDER_SITE_H

#include "op/common/family.h"

enum { HW_SITE_GUARD = 256 /* bytes before and behind an output; keeps its alignment */ };

typedef struct hw_site {
    hw_device *device;
    const hw_family *family;
    hw_problem problem;
    hw_work work;
    void *host[HW_PROBLEM_ARRAYS];       // inputs and, where outputs are, the reference
    void *memory[HW_PROBLEM_ARRAYS];     // on the device, as allocated
    void *arrays[HW_PROBLEM_ARRAYS];     // on the device, where the problem's arrays begin; of images their textures
    hw_image *images[HW_PROBLEM_ARRAYS];
    hw_plan_streams streams;             // of families with transfers
    unsigned char *got;                  // room for the largest output with its guards
} hw_site;

// Allocates, fills the inputs, computes the reference, and copies the inputs to the device. HW_NO_MEMORY and what
// hw_family.describe says. Close either way.
hw_status hw_site_open(hw_site *site, hw_device *device, const hw_family *family, const hw_problem *problem,
                       hw_diag *diag);
void hw_site_close(hw_site *site);

// Makes the outputs' memory what no rung has written.
hw_status hw_site_clear(hw_site *site, hw_diag *diag);

// Compares all outputs with the reference, and the memory around them with what was there before.
hw_status hw_site_verify(hw_site *site, const hw_rung *rung, hw_verdict *verdict, hw_diag *diag);

#endif
