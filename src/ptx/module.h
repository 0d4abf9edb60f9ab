// A PTX module as parsed and checked: declarations, functions, instructions with resolved operands.
//
// hw_ptx_parse does lexing, parsing and checking in one call. Whatever it returns is consistent: every register,
// symbol and label an operand names exists, every instruction's types and modifiers are a combination that ops.def
// allows, operand counts and register sizes fit. lower/ may rely on that without looking again.
#ifndef HW_PTX_MODULE_H
#define HW_PTX_MODULE_H

#include "base/arena.h"
#include "base/status.h"
#include "isa/isa.h"

typedef struct hw_ptx_symbol hw_ptx_symbol;
typedef struct hw_ptx_function hw_ptx_function;

// An address stored in an initialiser: the symbol's address (generic or in its space) plus addend, of which
// width_bytes are stored at offset after shifting right by shift bits (the mask operator 0xFF00(sym) shifts by 8).
typedef struct hw_ptx_reloc {
    uint64_t offset;
    const char *target_name;
    hw_ptx_symbol *target;             // a variable, or
    hw_ptx_function *target_function;  // a function
    int64_t addend;
    bool generic;
    uint8_t width_bytes, shift;
} hw_ptx_reloc;

// A variable: module-scope .global .const .shared, function-scope .shared .local, a .param of a function or call.
struct hw_ptx_symbol {
    const char *name;
    hw_space space;
    hw_type type;
    uint32_t align;          // bytes, a power of two
    uint64_t size_bytes;     // 0 for an extern array of unknown size (dynamic shared memory)
    bool is_extern, is_managed;
    uint8_t *init;           // size_bytes initial bytes, or NULL for zeros
    hw_ptx_reloc *relocs;
    uint32_t n_relocs;
    uint64_t offset;         // of .param: from the start of its list (parameters in order, each aligned);
                             // of .shared and .local: laid out by lower; of .global and .const: set by the loader
    int index;               // its place in the list that holds it
    int line;
};

typedef struct hw_ptx_reg {
    const char *name;        // with '%'; parameterised ranges (%r<12>) are expanded
    hw_type type;
} hw_ptx_reg;

typedef enum hw_operand_kind {
    HW_OPERAND_NONE,
    HW_OPERAND_REG,          // reg
    HW_OPERAND_IMM,          // imm: the bits, already converted to the instruction's operand type
    HW_OPERAND_SREG,         // sreg (of mov)
    HW_OPERAND_SYMBOL,       // address of symbol (plus offset); a function's address when function is set
    HW_OPERAND_ADDRESS,      // [reg + offset], [symbol + offset] or [offset]: reg >= 0, symbol, or neither;
                             // of tex [reg, {elements}]: the texture and its coordinates
    HW_OPERAND_VECTOR,       // {elements}
    HW_OPERAND_LABEL,        // label: index into the function's instructions
    HW_OPERAND_SINK,         // '_'
} hw_operand_kind;

typedef struct hw_ptx_operand {
    uint8_t kind;
    bool negated;            // !%p
    bool is_pair;            // %p|%q: second register in reg2 (-1 for '_')
    uint8_t n_elements;
    uint32_t parts;          // %r1.b3210, of video instructions; see hw_ptx_part
    int32_t reg, reg2;       // index into the function's registers, -1: none
    uint64_t imm;
    int64_t offset;
    hw_sreg sreg;
    hw_ptx_symbol *symbol;
    hw_ptx_function *function;
    uint32_t label;
    struct hw_ptx_operand *elements;  // of a vector: each REG, IMM, or SINK
} hw_ptx_operand;

// Which part of a register stands at place k of an operand, place 0 lowest: its number, bytes or halves as parts says;
// -1: none. parts is 0 where nothing is written; digit d at place k is d + 1 in its nibble k.
#define HW_PTX_PARTS_ARE_HALVES 0x10000u
static inline int hw_ptx_part(uint32_t parts, unsigned k) { return (int)(parts >> 4 * k & 15) - 1; }

enum { HW_PTX_MAX_OPERANDS = 6 };

typedef struct hw_ptx_call {
    hw_ptx_function *callee;       // NULL: indirect, through target_reg
    const char *callee_name;
    int32_t target_reg;            // -1: direct
    const hw_ptx_function *prototype;  // of an indirect call: parameter lists only
    hw_ptx_operand *rets, *args;   // each REG, IMM, or SYMBOL (a .param variable of the caller's)
    uint32_t n_rets, n_args;
} hw_ptx_call;

typedef struct hw_ptx_inst {
    hw_op op;
    hw_type types[4];              // in the order written: cvt.dtype.atype, set.dtype.stype, dp4a.atype.btype
    uint8_t n_types;
    uint8_t vector;                // 1, 2, 4 or 8
    hw_space space;                // of ld, st, atom, red, cvta, isspacep, ...; GENERIC when none is written
    hw_mods mods;
    int32_t guard;                 // predicate register, -1: none
    bool guard_negated;
    uint8_t n_operands;
    hw_ptx_operand operands[HW_PTX_MAX_OPERANDS];  // destination first, in the order written, brackets removed
    hw_ptx_call *call;
    uint32_t *targets;             // of brx.idx: instruction indices
    uint32_t n_targets;
    const char *text;              // full mnemonic as written, e.g. "add.rn.ftz.f32", for messages
    int line;                      // in the PTX text
    uint32_t loc_file;             // index into module files; loc_line 0: unknown
    uint32_t loc_line;
    uint32_t loc_inlined;          // hw_ptx_module.inlinings; 0: the line stands in the function itself
} hw_ptx_inst;

struct hw_ptx_function {
    const char *name;
    bool is_entry, has_body, noreturn;
    hw_ptx_symbol **params, **rets;
    uint32_t n_params, n_rets;
    hw_ptx_symbol **variables;     // .local, .shared and .param declared inside, all scopes
    uint32_t n_variables;
    hw_ptx_reg *regs;
    uint32_t n_regs;
    hw_ptx_inst *insts;
    uint32_t n_insts;              // labels may point to n_insts (the end)
    uint32_t max_ntid[3], req_ntid[3], min_ncta_per_sm, max_nreg;   // 0: not stated
    uint32_t req_cluster[3];      // blocks of a cluster; 0: not stated
    uint32_t param_bytes;          // of the entry's parameter list
    int index, line;
    const hw_ptx_function *copy_of;    // with the place of a call in its instructions, and no address; NULL: as written
};

// Can an indirect call lead there?
static inline bool hw_ptx_has_address(const hw_ptx_function *f) { return !f->is_entry && !f->copy_of; }

typedef struct hw_ptx_module {
    hw_arena *arena;
    const char *name;              // for messages: the PTX file's name or the source's
    int version_major, version_minor;
    int target;                    // 75 for sm_75
    int address_bits;
    hw_ptx_symbol **globals;       // .global .const and module-scope .shared
    uint32_t n_globals;
    hw_ptx_function **functions;   // entries, functions, and declarations without body; last of all copies
    uint32_t n_functions;
    const char **files;            // .file table, index as in .file (holes are NULL)
    uint32_t n_files;
    hw_inlining *inlinings;
    uint32_t n_inlinings;          // with item 0; 0: there are none
    const struct hw_layouts *layouts;    // of variables; NULL: the compiler has not written them
} hw_ptx_module;

// Parses length bytes (no NUL needed) of PTX text. On success *out owns everything and is freed with hw_ptx_free.
// HW_MALFORMED with line for syntax and type errors; HW_UNSUPPORTED with the full mnemonic and line for opcodes,
// types, modifiers and directives that Halfwarp does not execute. name is copied. Linear in length.
hw_status hw_ptx_parse(const char *text, size_t length, const char *name, hw_ptx_module **out, hw_diag *diag);
void hw_ptx_free(hw_ptx_module *module);

// By name, or NULL.
hw_ptx_function *hw_ptx_find_function(const hw_ptx_module *module, const char *name);
hw_ptx_symbol *hw_ptx_find_global(const hw_ptx_module *module, const char *name);

// The module as text again, for tests: parse(print(m)) is m. Caller frees with hw_free.
char *hw_ptx_print(const hw_ptx_module *module);

#endif
