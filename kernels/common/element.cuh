// An element, known by its size alone: moving one does not look at what its bits mean. And the type that counts them.
#ifndef HALFWARP_ELEMENT_CUH
#define HALFWARP_ELEMENT_CUH

#include "common/word.cuh"

#ifndef ELEMENT_BYTES
#define ELEMENT_BYTES 4
#endif

#if ELEMENT_BYTES == 1
typedef unsigned char element;
#elif ELEMENT_BYTES == 2
typedef unsigned short element;
#elif ELEMENT_BYTES == 4
typedef unsigned int element;
#elif ELEMENT_BYTES == 8
typedef unsigned long long element;
#elif ELEMENT_BYTES == 16
typedef word_of<16> element;
#else
#error ELEMENT_BYTES is 1, 2, 4, 8 or 16
#endif

// 64-bit multiplications cost several instructions, so they are asked for only where 2^31 elements or more need them.
#ifndef INDEX_BITS
#define INDEX_BITS 32
#endif

#if INDEX_BITS == 32
typedef int index_t;
#elif INDEX_BITS == 64
typedef long long index_t;
#else
#error INDEX_BITS is 32 or 64
#endif

#endif
