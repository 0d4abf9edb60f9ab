// Where newer toolkits keep host_defines.h.
#include "../host_defines.h"
