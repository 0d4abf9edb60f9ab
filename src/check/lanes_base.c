// Loops over lanes for every processor.
#define LEVEL hw_check_base
#define LEVEL_NAME "base"

#include "check/lanes_body.h"
