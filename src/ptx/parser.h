// Private to src/ptx: the state of one parse, shared by lexer, parser and checker.
//
// Every function here that returns bool returns false after a failure; status and diag of the parser then say why.
#ifndef HW_PTX_PARSER_H
#define HW_PTX_PARSER_H

#include "ptx/module.h"

// Limits that no program meets and hostile text does.
enum {
    MAX_SCOPES = 64,             // nested { } in a function
    MAX_EXPRESSION_DEPTH = 100,  // nested parentheses and operators
    MAX_DIMENSIONS = 8,
    MAX_VECTOR = 8,
    MAX_FILES = 1 << 16,         // .file numbers
    MAX_RULES = HW_PTX_MAX_OPERANDS,
};

typedef enum token_kind {
    TOKEN_END,
    TOKEN_NAME,    // a name, or a mnemonic with its modifiers: add.rn.f32, %tid.x
    TOKEN_WORD,    // a dotted word that stands alone: .reg
    TOKEN_INT,     // value, is_unsigned
    TOKEN_DOUBLE,  // value: the bits
    TOKEN_SINGLE,  // 0f3F800000; value: the bits
    TOKEN_STRING,
    TOKEN_PUNCT,   // punct: the character, or two with the second shifted left by 8
} token_kind;

#define PUNCT2(first, second) ((first) | (second) << 8)

typedef struct atom atom;
typedef struct token {
    token_kind kind;
    int punct;
    int line;
    bool is_unsigned;
    atom *name;
    const char *text;      // in the source; of a word without '.', of a string without quotes
    uint32_t length;
    uint64_t value;
} token;

// What an operand of an instruction must be; see the head of ops.def.
typedef struct operand_rule {
    char letter;
    bool optional, may_sink, may_pair, may_have_parts, may_negate;
} operand_rule;

// A mnemonic taken apart, once for each spelling.
typedef struct mnemonic {
    const char *text;
    hw_op op;
    hw_type types[4];
    uint8_t n_types, vector, n_rules;
    hw_space space;
    hw_mods mods;
    operand_rule rules[MAX_RULES];
} mnemonic;

typedef enum binding_kind { BIND_REG, BIND_SYMBOL, BIND_FUNCTION } binding_kind;

// What a name means in a scope. Scope 0 is the module, 1 a function's parameters, 2 its body.
typedef struct binding {
    struct binding *outer;          // the same name further out
    struct binding *next_in_scope;
    atom *name;
    uint32_t depth;
    binding_kind kind;
    int32_t reg;
    hw_ptx_symbol *symbol;
    hw_ptx_function *function;
} binding;

// %r<12>: its registers come into being when they are first named, so that a large range costs nothing.
typedef struct reg_range {
    struct reg_range *outer, *next_in_scope;
    atom *prefix;
    uint32_t depth;
    hw_type type;
    uint64_t count;
} reg_range;

typedef enum label_kind { LABEL_PLACE, LABEL_TARGETS, LABEL_PROTOTYPE } label_kind;

typedef struct label {
    struct label *outer, *next_in_scope;
    atom *name;
    uint32_t depth;
    label_kind kind;
    uint32_t place;                 // instruction index
    atom **names;                   // of .branchtargets
    uint32_t *targets;
    uint32_t n_targets;
    const hw_ptx_function *prototype;
} label;

// A name used before its label is known; settled when the scope ends.
typedef struct label_use {
    atom *name;
    label_kind kind;
    int line;
    uint32_t inst;                  // instruction that uses it, or
    uint32_t *slot;                 // a branch target
} label_use;

// A name that may be declared further down: settled when the module ends.
typedef struct late_use {
    atom *name;
    int line;
    hw_ptx_function *function;      // instruction `inst` of this function, operand `operand`; or, with alias,
    uint32_t inst, operand;         // the function that is another name for `name`
    bool is_alias;
} late_use;

// A name of the text. All tokens of one spelling share it, so looking up its meaning is one load.
struct atom {
    atom *next;                     // in its hash chain
    const char *text;
    uint32_t length, hash;
    binding *bound;
    label *labelled;
    reg_range *ranges;
    const mnemonic *decoded;
    uint32_t taken_in_function;     // serial of the last function that has a register or variable of this name
    uint32_t taken_in_module;
    uint32_t string;                // of a label in .debug_str: where its string begins, + 1
};

typedef struct scope {
    binding *bindings;
    label *labels;
    reg_range *ranges;
    size_t first_use;               // in label_uses
} scope;

typedef struct lexer {
    char *text;                     // a copy that ends in NUL
    const char *at, *end;
    int line;
} lexer;

// A place in a source file; what .loc names.
typedef struct place {
    uint32_t file, line, column;
} place;

// A name in a section of strings, as $L__info_string0+4: the label, NULL for none, and bytes behind it.
typedef struct string_name {
    atom *label;
    uint64_t offset;
} string_name;

// What the last .loc about a place has said: its function, and where that was inlined.
typedef struct location {
    place code;
    string_name function;           // no label: the one whose body it stands in
    uint32_t inlined;               // hw_ptx_module.inlinings
    uint32_t serial;                // of the body; 0: nothing
} location;
enum { HW_PTX_LOCATIONS = 4096, HW_PTX_INLINING_CHAINS = 1024 };

// An item of hw_ptx_module.inlinings while it is read.
typedef struct inlining {
    hw_inlining is;
    string_name function;           // of is.function, where there is a label
    uint32_t depth, next;           // next: in its hash chain
} inlining;
enum { FILE_NOT_ASKED, FILE_OF_USER, FILE_OF_TOOLKIT };

typedef struct parser {
    hw_status status;
    hw_diag *diag;
    hw_arena *scratch;              // lives as long as the parse
    hw_ptx_module *module;
    lexer lex;
    token tok;                      // the next token
    atom **atoms;                   // chains, by hash
    size_t n_atoms, atom_chains;
    scope scopes[MAX_SCOPES];
    uint32_t depth;                 // of the innermost scope
    uint32_t deepest_range;         // no live register range is further in than this
    uint32_t function_serial, rename_serial;
    uint32_t expression_depth;
    uint64_t init_bytes;            // of all initialisers so far
    uint32_t loc_file, loc_line;
    uint32_t known_file, known_line;   // the last line of this function that is not 0
    size_t first_unplaced;             // instructions from here on have no line yet
    uint32_t known_inlined, loc_inlined;
    location locations[HW_PTX_LOCATIONS];   // the newest, by a hash of the place
    inlining *inlinings;
    size_t n_inlinings, cap_inlinings;
    uint32_t inlining_chains[HW_PTX_INLINING_CHAINS];
    const char *strings;                    // the text of .section .debug_str; NULL: there was none
    const char *debug_info, *debug_abbrev, *debug_loc;    // likewise
    uint8_t *file_kinds;            // by file
    size_t n_file_kinds, cap_file_kinds;

    hw_ptx_function *function;      // whose body is being parsed
    hw_ptx_reg *regs;
    size_t n_regs, cap_regs;
    hw_ptx_inst *insts;
    size_t n_insts, cap_insts;
    hw_ptx_symbol **variables;
    size_t n_variables, cap_variables;
    label_use *label_uses;
    size_t n_label_uses, cap_label_uses;

    hw_ptx_symbol **globals;
    size_t n_globals, cap_globals;
    hw_ptx_function **functions;
    size_t n_functions, cap_functions;
    const char **files;
    size_t n_files, cap_files;
    late_use *late_uses;
    size_t n_late_uses, cap_late_uses;
} parser;

// A number of a constant expression.
typedef struct constant {
    token_kind kind;                // TOKEN_INT, TOKEN_DOUBLE or TOKEN_SINGLE
    bool is_unsigned;
    uint64_t bits;
} constant;

// ---- failures (parser.c)
bool hw_ptx_fail(parser *p, hw_status status, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool hw_ptx_out_of_memory(parser *p);
bool hw_ptx_unexpected(parser *p, const char *wanted);
// HW_UNSUPPORTED, placed at the source line that .loc gave if there is one.
bool hw_ptx_refuse(parser *p, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
// Room for one more element of a growing list.
bool hw_ptx_room(parser *p, void *items_pointer, size_t count, size_t *capacity, size_t elem_bytes);
// Memory that lives as long as the module, or as the parse.
void *hw_ptx_take(parser *p, size_t bytes);
void *hw_ptx_take_scratch(parser *p, size_t bytes);
// A list that is the module's own. NULL for none, and after a failure.
void *hw_ptx_keep_items(parser *p, const void *items, size_t count, size_t elem_bytes);

// ---- lexer.c
bool hw_ptx_lexer_open(parser *p, const char *text, size_t length);
bool hw_ptx_next(parser *p);
bool hw_ptx_skip_block(parser *p);  // raw text up to the '}' that closes a section; the next token is behind it
void hw_ptx_skip_space(lexer *lex);   // and comments; an unfinished one ends the text
atom *hw_ptx_intern(parser *p, const char *text, size_t length);
atom *hw_ptx_find_atom(parser *p, const char *text, size_t length);

static inline bool hw_ptx_at(const parser *p, int punct) { return p->tok.kind == TOKEN_PUNCT && p->tok.punct == punct; }
bool hw_ptx_at_word(const parser *p, const char *word);
bool hw_ptx_at_name(const parser *p, const char *name);
bool hw_ptx_expect(parser *p, int punct);           // takes it, or fails
bool hw_ptx_accept(parser *p, int punct, bool *taken);

// ---- scope.c
bool hw_ptx_scope_open(parser *p);
bool hw_ptx_scope_close(parser *p);
bool hw_ptx_bind(parser *p, atom *name, binding_kind kind, int line, binding **out);
bool hw_ptx_declare_reg(parser *p, atom *name, hw_type type, int line);
bool hw_ptx_declare_range(parser *p, atom *prefix, hw_type type, uint64_t count, int line);
bool hw_ptx_look_up(parser *p, atom *name, binding **out);   // *out NULL: not declared
bool hw_ptx_unique_name(parser *p, atom *name, bool in_module, const char **out);
bool hw_ptx_declare_label(parser *p, atom *name, label_kind kind, int line, label **out);
bool hw_ptx_use_label(parser *p, label_use use);

// ---- expression.c
bool hw_ptx_parse_constant(parser *p, constant *out);
bool hw_ptx_parse_int(parser *p, int64_t *out);
// The bits of type that a constant stands for; false, without a message, when it cannot.
bool hw_ptx_constant_bits(const constant *value, hw_type type, uint64_t *bits);

// ---- declare.c
bool hw_ptx_parse_regs(parser *p);
bool hw_ptx_parse_variable(parser *p, hw_space space, bool is_extern);
bool hw_ptx_parse_params(parser *p, hw_ptx_symbol ***out, uint32_t *n_out, uint32_t *bytes, bool bind);
bool hw_ptx_init_variable(parser *p, hw_ptx_symbol *symbol, const uint64_t *dims, uint32_t n_dims, hw_type type,
                          bool open_ended);   // init.c; the next token is the one after '='

// ---- mnemonic.c
bool hw_ptx_decode(parser *p, atom *name, int line, const mnemonic **out);

// ---- statement.c
bool hw_ptx_parse_statement(parser *p);
bool hw_ptx_parse_operand(parser *p, const mnemonic *m, hw_ptx_operand *out);   // operand.c
bool hw_ptx_parse_call(parser *p, hw_ptx_inst *inst);                           // call.c
bool hw_ptx_parse_prototype(parser *p, atom *name, int line);
bool hw_ptx_parse_branch_targets(parser *p, atom *name, int line);
bool hw_ptx_parse_call_targets(parser *p, atom *name, int line);
bool hw_ptx_parse_loc(parser *p);                                               // directive.c
bool hw_ptx_parse_file(parser *p);
bool hw_ptx_parse_pragma(parser *p);
bool hw_ptx_parse_section(parser *p);

// ---- check.c: operands against the mnemonic's rules; numbers become the bits of their type.
bool hw_ptx_check_inst(parser *p, const mnemonic *m, hw_ptx_inst *inst);

// ---- resolve.c: what can only be settled when all is read.
bool hw_ptx_resolve_module(parser *p);
// The source file that .file number `file` names, looked for ahead as well; NULL when there is none.
// The source line of what follows: code's own, or of what it was inlined into when it is the toolkit's. inlined_at:
// NULL when the code stands where it was written; else `function` is the one that was inlined.
bool hw_ptx_set_location(parser *p, const place *code, const string_name *function, const place *inlined_at);
// At the module's end: names of functions, out of .debug_str, and the module's table.
bool hw_ptx_keep_inlinings(parser *p);
// Likewise: types of variables, out of .debug_info (section.c).
bool hw_ptx_keep_layouts(parser *p);
// Is it a file of the toolkit's own headers?
bool hw_ptx_is_toolkit_file(parser *p, uint32_t file);
// Likewise, of a module whose calls are known: functions without lines of the program's get those of their calls.
bool hw_ptx_place_calls(parser *p);                                             // called.c
// Before a label and at a body's end.
void hw_ptx_end_of_block(parser *p);
const char *hw_ptx_source_file(parser *p, uint32_t file);

#endif
