// The steps of building a tree, in double.
#define REAL double
#include "op/nearest/cpu/nearest_tree_body.h"

const hw_tree_steps hw_tree_steps_f64 = {record_bytes, cut_tree_top,  classify_chunk, scatter_chunk,
                                         grow_bucket,  join_tree_top, gather_blocks};
