// Vectors of a lane that are there as a whole. PTX takes a vector for as many accesses as it has elements, but GPUs
// make one of up to 16 bytes: no other block sees a part of it. CUB's scans, whose tiles tell each other a state
// beside a value, need that.
#ifndef HW_EXEC_MEMORY_WHOLE_H
#define HW_EXEC_MEMORY_WHOLE_H

#include <string.h>

#include "exec/warp/warp.h"

enum { HW_WHOLE_ELEMENTS = 8, HW_WHOLE_BYTES = 16 * HW_WHOLE_ELEMENTS };

// A lane's elements, one behind the other, as they lie in memory.
typedef struct hw_whole_vector {
    _Alignas(16) char bytes[HW_WHOLE_BYTES];
} hw_whole_vector;

// Between a lane's registers, of in->vector elements, and its vector. A register that is none gets nothing.
static inline void hw_take_elements(const hw_warp *w, const hw_inst *in, const hw_slot *registers, int lane,
                                    hw_whole_vector *v) {
    for (uint32_t e = 0; e < in->vector; e++)
        if (registers[e] != HW_NO_SLOT)
            memcpy(v->bytes + e * in->width, (char *)hw_at(w, registers[e]) + (size_t)lane * in->reg_bytes, in->width);
}

static inline void hw_give_elements(const hw_warp *w, const hw_inst *in, const hw_slot *registers, int lane,
                                    const hw_whole_vector *v) {
    for (uint32_t e = 0; e < in->vector; e++)
        if (registers[e] != HW_NO_SLOT)
            hw_extend((char *)hw_at(w, registers[e]) + (size_t)lane * in->reg_bytes, in->reg_bytes,
                      v->bytes + e * in->width, in->width, in->flags & HW_INST_SIGNED);
}

// Makes the access: one, where the processor has one of so many bytes; of wider vectors, one for every 16. Addresses of
// a kernel are multiples of the bytes; those of parameters in the host's memory need not be.
static inline void hw_move_whole(void *memory, hw_whole_vector *v, uint32_t bytes, bool is_write) {
    typedef uint64_t two_words __attribute__((vector_size(16), may_alias, aligned(1)));
    typedef uint64_t one_word __attribute__((may_alias, aligned(1)));
    typedef uint32_t half_word __attribute__((may_alias, aligned(1)));
    typedef uint16_t quarter_word __attribute__((may_alias, aligned(1)));
    char *to = is_write ? memory : v->bytes;
    const char *from = is_write ? v->bytes : memory;
    for (uint32_t k = 0; k + 16 <= bytes; k += 16)
        *(volatile two_words *)(to + k) = *(const volatile two_words *)(from + k);
    if (bytes >= 16) return;
    if (bytes == 8) *(volatile one_word *)to = *(const volatile one_word *)from;
    else if (bytes == 4) *(volatile half_word *)to = *(const volatile half_word *)from;
    else if (bytes == 2) *(volatile quarter_word *)to = *(const volatile quarter_word *)from;
    else memcpy(to, from, bytes);
}

#endif
