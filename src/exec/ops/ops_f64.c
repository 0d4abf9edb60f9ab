// f64 arithmetic that rounds to nearest: the rows are in isa/bodies/f64.def; directed rounding is in ops_rounded.c.
#include "exec/ops/float_lanes.h"
#include "exec/ops/row_bodies.h"
#include "exec/ops/value_f64.h"

#include "isa/bodies/f64.def"

#include "exec/ops/row_table.h"
const hw_body_forms HW_LEVEL_NAME(hw_ops_f64)[] = {
#include "isa/bodies/f64.def"
};
