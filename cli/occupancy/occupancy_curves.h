// The curves of NVIDIA's occupancy calculator: warps held against block size, registers and shared memory.
#ifndef HW_CLI_OCCUPANCY_CURVES_H
#define HW_CLI_OCCUPANCY_CURVES_H

#include <jansson.h>

#include "occupancy/occupancy.h"

enum { HW_OCCUPANCY_CURVES = 3 };

typedef struct hw_occupancy_curve {
    const char *axis;
    uint32_t last, step;         // the axis ends at last; warps change at multiples of step at most
    double unit;                 // of the axis, in what last and step count
    uint32_t here;               // where the launch lies
} hw_occupancy_curve;

void hw_occupancy_describe_curves(const hw_occupancy_list *list, const hw_occupancy_row *row,
                                  hw_occupancy_curve curves[HW_OCCUPANCY_CURVES]);

// Warps that a multiprocessor holds where the curve of that index has this value and all else is the launch's.
uint32_t hw_occupancy_warps_at(const hw_occupancy_list *list, const hw_occupancy_row *row, int index, uint32_t value);

// [{"axis", "here", "last", "most_warps", "steps": [[from, warps], ...]}, ...]: warps are those of what lies
// above `from`, up to the next step. NULL: out of memory.
json_t *hw_occupancy_curves_json(const hw_occupancy_list *list, const hw_occupancy_row *row);

#endif
