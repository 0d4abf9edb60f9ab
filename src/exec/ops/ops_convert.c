// cvt between integers. Rows in isa/bodies/convert.def; conversions from and to floating point are in
// ops_convert_float.c.
#include "exec/ops/row_bodies.h"
#include "exec/ops/value_convert.h"

#include "isa/bodies/convert.def"

#include "exec/ops/row_table.h"
const hw_body_forms HW_LEVEL_NAME(hw_ops_convert)[] = {
#include "isa/bodies/convert.def"
};
