// The same bytes in words of 1, 2, 4, 8 or 16 bytes, one for each thread.
//
// Idea       The type of an element decides how many bytes a warp asks for at a time.
// Predicted  H200, 65536 elements of 4 bytes: sectors an access 1, 2, 4, 8 and 16, and 8192 to 512 loads.
//            1.0: words of 1 and 2 bytes are never coalesced, 1024 bytes moved for a warp's 32 and 64; of 4, 8 and 16
//            bytes in two, two and four transactions, nothing wasted. 1.3: 64 bytes moved for 32 (a half-warp wants 16,
//            and the smallest transaction has 32), then 64, 128, 256, 512. 2.x: a line of 128 bytes for words of 1, 2
//            and 4 bytes; a warp's words of 8 and 16 bytes are two and four requests.
// Measured   Not by the seeds.
// Held back  Words of 1 and 2 bytes by the number of instructions and requests; those of 16 bytes by the memory.
#include "access/thread.cuh"
#include "common/word.cuh"

#ifndef WORD_BYTES
#define WORD_BYTES 16
#endif

extern "C" __global__ void access_words(word *__restrict__ out, const word *__restrict__ in, long long n, int step) {
    typedef word_of<WORD_BYTES> unit;
    const long long i = own_element(), units = n * 4 / WORD_BYTES;
    const long long rest = units * WORD_BYTES / 4 + i;   // elements behind the last whole unit
    (void)step;
    if (i < units) ((unit *)out)[i] = ((const unit *)in)[i];
    if (rest < n && i < 4) out[rest] = in[rest];
}
