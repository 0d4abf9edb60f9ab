// Nearest neighbours in float, in plain C.
#define REAL float
#define REAL_IS_F64 0
#define LANES 4
#define BRUTE_VECS 4
#define FMA_REAL fmaf
#include "op/nearest/cpu/nearest_base.h"

const hw_nearest_level hw_nearest_base_f32 = {"base", GROUP_BLOCKS, search_tree, search_all_blocks};
