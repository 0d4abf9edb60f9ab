// Reads through textures.
#ifndef HW_EXEC_TEXTURE_H
#define HW_EXEC_TEXTURE_H

#include "exec/ops/lanes.h"

extern const hw_body_forms hw_texture_bodies[];

#endif
