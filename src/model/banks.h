// Shared memory: how many passes through the banks (wavefronts) a warp's access takes.
#ifndef HW_MODEL_BANKS_H
#define HW_MODEL_BANKS_H

#include "isa/gpu.h"
#include "isa/isa.h"

// Wavefronts of one access by the lanes in mask at base + delta[lane], width bytes each (1 to 16; more counts as 16);
// kind is HW_NOTE_LOAD, _STORE, _ATOMIC or _REDUCTION. 0 for mask 0. Pure; depends on base only modulo 128.
// Exact for compute capability 7.0 and newer: all launches of truth/banks.cu, and 490 random ones on an H200
// (tests/data). Not known here: a compare-and-swap takes twice what other atomics take, and what the hardware has no
// instruction for (64-bit and floating-point adds in shared memory) is a loop of them.
uint32_t hw_banks_wavefronts(const hw_arch *arch, hw_note_kind kind, uint32_t mask, uint64_t base,
                             const int64_t delta[32], uint32_t width);

// Wavefronts that the same lanes would take without conflicts, at most the `wavefronts` that they do take.
uint32_t hw_banks_ideal(const hw_arch *arch, hw_note_kind kind, uint32_t mask, uint32_t width, uint32_t wavefronts);

#endif
