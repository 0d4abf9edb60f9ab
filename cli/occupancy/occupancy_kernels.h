// The kernels of a program, without running it.
#ifndef HW_CLI_OCCUPANCY_KERNELS_H
#define HW_CLI_OCCUPANCY_KERNELS_H

#include "run/launch.h"
#include "occupancy/occupancy.h"

// Compiles launch->program[0] if it is a .cu file, and makes a row for each of its kernels, in their order in the PTX:
// name, registers, static shared memory and launch bounds. list->gpu is the GPU; the rows' memory is to be freed with
// hw_occupancy_free_rows either way. 0, or the exit status after a complaint.
int hw_occupancy_find_kernels(const hw_cli_launch *launch, hw_occupancy_list *list);
void hw_occupancy_free_rows(hw_occupancy_list *list);

#endif
