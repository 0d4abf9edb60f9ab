// An older name for what cuda_runtime.h has.
#include "cuda_runtime.h"
