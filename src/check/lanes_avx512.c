// Loops over lanes for x86 processors with AVX-512. Compiled for it here, whatever the build says.
#ifdef __x86_64__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#endif

#define LEVEL hw_check_avx512
#define LEVEL_NAME "avx512"

#include "check/lanes_body.h"

#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int hw_check_avx512_is_for_x86;
#endif
