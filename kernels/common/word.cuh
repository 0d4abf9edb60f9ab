// Words of 1 to 16 bytes that a lane loads and stores in one instruction, and their parts.
#pragma once

template <int bytes> struct word_type;
template <> struct word_type<1> { typedef unsigned char type; };
template <> struct word_type<2> { typedef unsigned short type; };
template <> struct word_type<4> { typedef unsigned type; };
template <> struct word_type<8> { typedef uint2 type; };
#ifdef __clang__   // which moves the structure uint4 in two halves
template <> struct word_type<16> { typedef unsigned type __attribute__((ext_vector_type(4))); };
#else
template <> struct word_type<16> { typedef uint4 type; };
#endif

template <int bytes> using word_of = typename word_type<bytes>::type;

// n parts that make one word of sizeof(part) * n bytes, to be moved as a whole.
template <typename part, int n> union parts_of {
    word_of<sizeof(part) * n> whole;
    part parts[n];
    __device__ parts_of() {}
};
