// Checks the arguments of hw_nearest and brings them into the plainest form.
#ifndef HW_OP_NEAREST_CHECK_H
#define HW_OP_NEAREST_CHECK_H

#include "op/nearest/neighbours.h"

// Checks everything but the devices, in the order in which a caller would want to hear of it. pointers false: data are
// not looked at, and indices may be NULL. HW_USAGE, HW_UNSUPPORTED as halfwarp.h says.
hw_status hw_neighbours_make(const DLTensor *points, const DLTensor *queries, const hw_nearest_options *options,
                             const DLTensor *indices, const DLTensor *squared_distances, bool pointers,
                             hw_neighbours *out, hw_diag *diag);

#endif
