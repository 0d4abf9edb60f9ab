// Nearest neighbours in double, in plain C.
#define REAL double
#define REAL_IS_F64 1
#define LANES 2
#define BRUTE_VECS 8
#define FMA_REAL fma
#include "op/nearest/cpu/nearest_base.h"

const hw_nearest_level hw_nearest_base_f64 = {"base", GROUP_BLOCKS, search_tree, search_all_blocks};
