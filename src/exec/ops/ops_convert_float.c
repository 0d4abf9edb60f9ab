// cvt between integers and floating-point types. Rows in isa/bodies/convert_float.def.
#include "exec/ops/row_bodies.h"
#include "exec/ops/value_convert.h"

#include "isa/bodies/convert_float.def"

#include "exec/ops/row_table.h"
const hw_body_forms HW_LEVEL_NAME(hw_ops_convert_float)[] = {
#include "isa/bodies/convert_float.def"
};
