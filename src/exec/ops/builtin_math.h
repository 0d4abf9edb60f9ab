// Device math functions that a PTX module calls without defining them: the names of NVIDIA's libdevice, which clang
// leaves unresolved where there is no CUDA toolkit. Executed natively, a lane at a time.
#ifndef HW_EXEC_BUILTIN_MATH_H
#define HW_EXEC_BUILTIN_MATH_H

#include <stdint.h>

enum { HW_MATH_MAX_ARGS = 4, HW_MATH_MAX_RETS = 3 };

// One function. signature is "result:parameters", a letter each:
//   v nothing (result only)   f float   d double   i int32   u uint32   h uint16   l int64   m uint64
//   p       a pointer that is not followed
//   *f *d *i   pointer to one element that the function writes
//   @f @d   pointer to an array that the function reads; its length is the parameter before it
// Cells hold one lane's values as bits, narrower ones zero-extended (floats: their IEEE bits).
//   args[k]  parameter k. Of '@' the host address (as a uint64_t) where the caller has gathered the elements; of '*'
//            unused.
//   ret[0]   the result (not written when there is none); ret[1], ret[2] what goes to the first and second '*'
//            parameter, for the caller to store.
// call writes nothing else, keeps the floating-point environment, and may run in several threads at once.
typedef struct hw_math_row {
    const char *name;
    const char *signature;
    void (*call)(const uint64_t *args, uint64_t *ret);
} hw_math_row;

// The number of a function by name ("__nv_sinf"), from 1 on; 0: there is none. Logarithmic time.
uint32_t hw_math_find(const char *name);
// A function by its number.
const hw_math_row *hw_math_at(uint32_t number);

#endif
