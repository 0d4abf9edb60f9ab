// Shared memory: how many passes through the banks (wavefronts) a warp's access takes.
#ifndef HW_MODEL_BANKS_H
#define HW_MODEL_BANKS_H

#include "isa/gpu.h"
#include "isa/isa.h"
#include "model/lanes.h"

// Wavefronts of one access by the lanes in mask at base + delta[lane], width bytes each (1 to 16; more counts as 16);
// kind is HW_NOTE_LOAD, _STORE, _ATOMIC or _REDUCTION. mode_bytes: 8 for the mode of 3.x in which neighbouring banks
// hold neighbouring 8-byte words (cudaSharedMemBankSizeEightByte), else 4; other GPUs have one mode. 0 for mask 0.
// Pure; depends on base only modulo 256.
//
//   1.x         half-warps, 16 banks: a step serves all lanes of one word and one lane of each other bank; words of
//               more than 4 bytes go 4 bytes at a time. Which word is broadcast is not documented: the lowest lane's
//               here
//   2.x         16-byte words: a half-warp takes one pass more than the busiest bank of its quarters
//   3.x         banks are 8 bytes wide: words of the same 256 bytes that meet in a bank do not conflict
//   7.0 on      exact: all launches of truth/banks.cu, and 490 random ones on an H200 (tests/data). Of atomics one
//               instruction, as which ones they become is not known here (hw_meeting)
//
// Source: programming guide 4.2, F.3.3, F.4.3 and F.5.3; gpumembench's K80 (16-byte words: two passes).
uint32_t hw_banks_wavefronts(const hw_arch *arch, hw_note_kind kind, uint32_t mode_bytes, uint32_t mask, uint64_t base,
                             const int64_t delta[32], uint32_t width);

// The same of lanes that are told by places, at most 16 bytes wide.
uint32_t hw_banks_wavefronts_of_places(const hw_arch *arch, hw_note_kind kind, uint32_t mode_bytes, const hw_lanes *l);
// Wavefronts that so many lanes would take without conflicts.
static inline uint32_t hw_banks_packed(const hw_arch *arch, uint32_t lanes, uint32_t width) {
    const uint32_t row_bytes = arch->smem_banks * arch->smem_bank_bytes;    // a power of two
    return (lanes * width + row_bytes - 1) >> __builtin_ctz(row_bytes);
}
// The same of the lanes in mask, at most the `wavefronts` that they do take.
uint32_t hw_banks_ideal(const hw_arch *arch, uint32_t mask, uint32_t width, uint32_t wavefronts);

#endif
