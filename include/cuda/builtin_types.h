#include "driver_types.h"
#include "host_defines.h"
#include "vector_types.h"
