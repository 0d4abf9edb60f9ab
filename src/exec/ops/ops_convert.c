// cvt between integers. Rows in isa/bodies/convert.def; conversions from and to floating point are in
// ops_convert_float.c.
#include "exec/ops/row_bodies.h"

#define AT_LEAST(x, low) ((x) < (low) ? (low) : (x))
#define AT_MOST(x, high) ((x) > (high) ? (high) : (x))
#define CLAMP(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) : (x))

#include "isa/bodies/convert.def"

#include "exec/ops/row_table.h"
const hw_body_forms HW_LEVEL_NAME(hw_ops_convert)[] = {
#include "isa/bodies/convert.def"
};
