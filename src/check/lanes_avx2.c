// Loops over lanes for x86 processors with AVX2. Compiled for it here, whatever the build says.
#ifdef __x86_64__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

#define LEVEL hw_check_avx2
#define LEVEL_NAME "avx2"

#include "check/lanes_body.h"

#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int hw_check_avx2_is_for_x86;
#endif
