// Opcode tests: rows of a text file become tiny PTX kernels; their outputs are compared with recorded ones.
//
// A row:   add.rn.ftz.f32 : f32 f32 -> f32
//          sin.approx.ftz.f32 : f32 -> f32 ~abs 5e-7
//          addc.u32 : u32 u32 u32 -> u32 | add.cc.u32 %t0, %a, %b; addc.u32 %d, %c, 0;
// Left of ':' a name, which is also the instruction unless '|' gives the text; operands are %a %b %c %e, the result %d.
// Free registers: %t0-%t3 (.b32), %u0-%u3 (.b64), %h0-%h3 (.b16), %p0-%p3 (.pred). '~ulp N', '~abs X', '~rel X',
// '~abs X rel Y': how far a result may be from the recorded one, by either; none: the same bits (any NaN of the same
// width equals any other only where the record says nan). Below a row, a line that begins with '=' holds the recorded
// results, one per thread.
// Types: those of PTX, and "shift" (a .u32 from 0 to a little above 64), "pred" (a predicate).
#ifndef HW_TESTS_OPCODES_CASES_H
#define HW_TESTS_OPCODES_CASES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { CASE_THREADS = 128, CASE_INPUTS = 4 };

typedef struct opcode_case {
    char name[96], text[512];
    char in[CASE_INPUTS][8], out[8];
    int n_in;
    double ulp, absolute, relative;      // tolerances; 0: none
    bool has_expected;
    uint64_t expected[CASE_THREADS];
    int line;
} opcode_case;

// The next row of the file, with its '=' line if there is one. False at the end, or on a malformed row (*error set).
bool opcode_case_read(FILE *file, int *line, opcode_case *out, const char **error);

// Module text with one kernel, `test`, that reads 4 cells of 8 bytes per thread and writes one. Caller frees.
char *opcode_case_ptx(const opcode_case *c);

// What thread t reads as its operand k.
uint64_t opcode_case_input(const opcode_case *c, int t, int k);

// Width of a type in bits; 0 for an unknown one.
int opcode_type_bits(const char *type);

// Does `got` agree with the record for thread t?
bool opcode_case_agrees(const opcode_case *c, int t, uint64_t got);

#endif
