// A hash of bytes in 64 bits, a word at a time: for tables, and to see whether something has changed. It depends on
// this machine's order of bytes; what goes to files has toolchain/hash.h.
#ifndef HW_BASE_MIX_H
#define HW_BASE_MIX_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hw_mix_word(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static inline uint64_t hw_mix_bytes(uint64_t hash, const void *bytes, size_t count) {
    const char *at = bytes;
    uint64_t word = 0;
    for (; count >= sizeof word; at += sizeof word, count -= sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = hw_mix_word(hash, word);
    }
    word = 0;
    if (count) memcpy(&word, at, count);
    return hw_mix_word(hash, word);
}

#endif
