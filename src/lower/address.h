// What is known of the addresses that a function accesses, before it is lowered. Private to lower.
#ifndef HW_LOWER_ADDRESS_H
#define HW_LOWER_ADDRESS_H

#include "lower/dominators.h"

// A register that one instruction writes, written as another value plus a constant. Neither reg nor symbol: unknown.
typedef struct hw_address_origin {
    int32_t reg;                     // HW_NO_REG: symbol
    const hw_ptx_symbol *symbol;
    int64_t delta;                   // register = reg or symbol + delta
} hw_address_origin;

enum { HW_ADDRESS_ZERO = 64 };      // low bits of the number 0

typedef struct hw_address_facts {
    uint8_t *zeros;                  // by register: how many of its low bits are certainly zero
    uint8_t *asked;                  // by instruction, of accesses: bit z: the register that it goes through has z low
                                     // bits that are zero, or an access in its block or a dominator of it faults
    hw_address_origin *origins;      // by register
    uint8_t *n_defs;                 // by register: 0, 1, 2 meaning several
    uint8_t *is_read;                // by register
} hw_address_facts;

// Facts of lo->f, in memory of lo->scratch. Fails when out of memory only. Linear but for the fixpoint of the low bits.
hw_status hw_address_find(hw_lowering *lo, const hw_dominators *dominators, hw_address_facts *facts);

// Zero low bits of symbol + offset, as far as ptxas knows them.
uint8_t hw_address_zeros_of_symbol(const hw_ptx_symbol *symbol, int64_t offset);

#endif
