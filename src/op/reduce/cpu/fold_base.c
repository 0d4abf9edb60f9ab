// The inner loops of reductions for every processor, with vectors of 16 bytes.
#define VEC 16
#define LEVEL hw_fold_base
#define LEVEL_NAME "base"

#include "op/reduce/cpu/fold_body.h"
