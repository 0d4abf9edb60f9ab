// Distinct pieces of memory for every processor.
#define LEVEL hw_distinct_base
#define LEVEL_NAME "base"

#include "model/distinct_body.h"
