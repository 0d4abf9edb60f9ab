// The text of a segment while it is written: its parts, and the variables that registers have become. Internal to
// compile; registers.c, instructions.c and source.c share it.
#ifndef HW_COMPILE_DRAFT_H
#define HW_COMPILE_DRAFT_H

#include <stdio.h>

#include "compile/forms.h"
#include "compile/source.h"
#include "compile/symbols.h"
#include "compile/usage.h"

typedef struct hw_draft_variable {
    hw_slot slot;
    uint32_t number;         // vN
    const char *type;
    bool is_raw, is_dirty;   // dirty: the slot has another value
    bool is_everywhere;      // declared before all stages
    bool is_loaded;          // behind the stage before made_in
    uint32_t stage;          // that vN is declared in
    uint32_t made, made_in;  // of dirty ones: the number and the stage of the value
    uint32_t kept;           // xN has it for stages behind that; N + 1, or 0: nothing has
} hw_draft_variable;

enum { HW_DRAFT_VARIABLES = 1024, HW_DRAFT_STAGES = 64, HW_DRAFT_PENDING = 96, HW_DRAFT_LANE_ACCESSES = 24 };

// Parts of the text. Those from HALF on a stage has for itself: a loop over lanes, and behind it the accesses that need
// all lanes' addresses. A segment is one stage.
typedef enum hw_draft_part {
    HW_DRAFT_LAUNCH, HW_DRAFT_WARP, HW_DRAFT_WARP_END, HW_DRAFT_HALF, HW_DRAFT_LANE, HW_DRAFT_HALF_END,
    HW_DRAFT_BEHIND, HW_DRAFT_PARTS
} hw_draft_part;

typedef struct hw_draft_text {
    FILE *to;
    char *text;
    size_t length;
} hw_draft_text;

// The address of an access that the text makes.
typedef struct hw_draft_place {
    bool is_scaled;          // by an index of 32 bits; else by addresses
    bool is_signed;
    uint32_t array;          // xN: the indices, or the addresses without the offset
    unsigned log_scale;
    char sum[512];           // what is added to scaled indices
} hw_draft_place;

// Such an access.
typedef struct hw_draft_made {
    const hw_inst *inst;     // NULL: there is none
    uint32_t address;        // the variable that it is by: its first number and 1; 0: a register that nobody has read
    uint32_t step, places;   // gN, cN by step: the host's address, the record; xN by places
    hw_draft_place place;
} hw_draft_made;

typedef struct hw_draft {
    const hw_program *program;
    const hw_segment *segment;
    FILE *parts[HW_DRAFT_PARTS];      // of the stage that is being written
    hw_draft_text common[HW_DRAFT_HALF], stages[HW_DRAFT_STAGES][HW_DRAFT_PARTS - HW_DRAFT_HALF];
    uint32_t n_stages, stage;
    // Of a region's piece: its accesses are made by its text. Registers that the stage's accesses have to find as they
    // are, or write.
    bool is_piece;
    // Of a loop that lanes go through one after the other: registers are variables sN, by slot. rooms: by access;
    // stored: what its store writes, of all lanes.
    bool is_lanewise;
    char stored[128];
    uint32_t rooms[HW_DRAFT_LANE_ACCESSES];
    uint32_t step;           // of the next access: its number among the region's
    hw_draft_made last;      // the last access, whose places another by the same address has
    hw_slot pending[HW_DRAFT_PENDING];
    uint32_t n_pending;
    hw_symbols *symbols;
    hw_draft_variable variables[HW_DRAFT_VARIABLES];
    uint32_t n_variables, n_numbers, access;
    uint32_t bit_number;     // oN is the number 1, which the compiler does not know; N + 1, or 0: there is none yet
    const char *guard;       // what instructions under a guard depend on, or NULL
    char guard_text[128];
    bool failed;
    // Functions of values that the text names: by body.
    uint8_t *is_named;
    uint8_t *is_live;        // behind the segment
} hw_draft;

// ---- registers.c ----

// The type of a register's bits: "u32" of 4.
const char *hw_draft_bits_type(unsigned bytes);
// A register's value as an expression of a type. takes_raw: any NaN will do.
const char *hw_draft_read(hw_draft *w, char out[128], hw_slot slot, const char *type, bool takes_raw);
// The same of a mask, an operand of `and`: a single bit is hidden from the compiler (registers.c says why).
const char *hw_draft_read_mask(hw_draft *w, char out[128], hw_slot slot, const char *type);
// A predicate as 0 or 1.
const char *hw_draft_read_predicate(hw_draft *w, char out[128], hw_slot slot, bool is_negated);
// The same of an operand as an array of 32 lanes that is there behind the stage's loop; its number.
uint32_t hw_draft_keep(hw_draft *w, hw_slot slot, const char *type);
// The variable that a register has become, or NULL.
const hw_draft_variable *hw_draft_find(const hw_draft *w, hw_slot slot);
// Writes `slot = value` of a type; "int" of a predicate. Under a guard that is off the old value stays.
void hw_draft_assign(hw_draft *w, hw_slot slot, const char *type, const char *value, bool is_raw);

// What has been loaded behind the stage's loop into array dN.
void hw_draft_assign_loaded(hw_draft *w, hw_slot slot, const char *type, uint32_t number);

// ---- accesses.c ----

// Writes a load or store that the text makes itself, of a region's piece.
void hw_draft_access(hw_draft *w, uint32_t index);
// Can it?
bool hw_draft_can_access(const hw_program *program, uint32_t index);

// ---- lanewise.c ----

// Writes a load or store of a lane that goes through a loop by itself.
void hw_draft_lanewise_access(hw_draft *w, uint32_t index);

// ---- instructions.c ----

// A type of memory: "s16" of an instruction that extends signed 2 bytes.
const char *hw_draft_memory_type(const hw_inst *in);

// Writes what instruction `index` of the program does.
void hw_draft_instruction(hw_draft *w, uint32_t index);

// ---- source.c ----

// Makes the parts of a segment's text, registers being live as is_live says. False: memory ran out. To be forgotten
// either way.
bool hw_draft_translate(hw_draft *w, const hw_segment *segment);
// The text goes on behind the accesses of this stage.
void hw_draft_next_stage(hw_draft *w);
void hw_draft_forget(hw_draft *w);
// Texts to write to, all zero before; closing them makes them whole; false: memory ran out. To be forgotten either way.
bool hw_draft_open_texts(hw_draft_text *texts, unsigned n, FILE **parts);
bool hw_draft_close_texts(hw_draft_text *texts, unsigned n);
void hw_draft_forget_texts(hw_draft_text *texts, unsigned n);
// Writes it as a function. name: with its type; form: ALL or SOME, as of the macros that write registers.
void hw_draft_write(FILE *to, const hw_draft *w, const char *name, const char *form);
// Writes a region's piece, a function that returns 0 after a fault.
void hw_draft_write_piece(FILE *to, const hw_draft *w, const char *name);

// ---- region_source.c ----

// Writes that lanes, m, come to the end of a basic block, at its last instruction, and which of them take its branch.
void hw_draft_ended(FILE *to, const hw_program *program, const hw_inst *in, const char *taken);

// Writes the functions of a program's regions. False: memory ran out.
bool hw_draft_regions(FILE *to, hw_draft *w, const hw_compile_part *part, const hw_liveness *live, hw_arena *scratch);

#endif
