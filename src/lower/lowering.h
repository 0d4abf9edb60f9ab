// What the passes of lower/ share. Private to lower.
//
// One function goes through: cfg (basic blocks, reconvergence), defs (who writes what), merge (accesses that hardware
// issues as one), lift (invariant instructions, emitted at once into the launch, block and warp lists), live (live
// ranges), slots (frame), emit (the body). lower.c calls them in this order.
#ifndef HW_LOWER_LOWERING_H
#define HW_LOWER_LOWERING_H

#include "lower/program.h"

enum { HW_NO_BLOCK = 0xffffffffu, HW_NO_REG = -1 };

// The widths of lanes a register can have.
typedef enum hw_lane {
    HW_LANE_PRED, HW_LANE_16, HW_LANE_32, HW_LANE_64, HW_LANE_128, HW_LANE_COUNT,
    HW_LANE_NONE = HW_LANE_COUNT,      // no register can hold it
} hw_lane;

hw_lane hw_lane_of(hw_type type);
uint32_t hw_lane_slot_bytes(hw_lane lane);   // 4, 64, 128, 256, 512
uint32_t hw_lane_bytes(hw_lane lane);        // 2, 4, 8, 16; 0 of predicates

// What a value depends on. BLOCK and THREAD together make it an ordinary, varying one.
enum { HW_LEVEL_LAUNCH = 0, HW_LEVEL_BLOCK = 1, HW_LEVEL_THREAD = 2, HW_LEVEL_VARYING = 3 };

// ---- cfg.c ----

// A range of PTX instructions. A guarded instruction that cannot be executed under a mask (ret, call, barrier, ...) is
// a block of its own, and the block before it ends with a branch around it.
typedef struct hw_cfg_block {
    uint32_t first, end;           // PTX instructions [first, end)
    uint32_t succ, n_succs;        // in hw_cfg.edges; of a conditional branch: taken, then next
    uint32_t pred, n_preds;        // in hw_cfg.pred_edges; of reachable blocks only
    uint32_t order;                // place in rpo; HW_NO_BLOCK: unreachable
    uint32_t reconverge;           // where its branch's lanes meet; HW_NO_BLOCK: only at exit
    bool skips;                    // ends with a branch around the guarded instruction `end`
    bool is_skipped;               // holds only that instruction, counted by the block before
} hw_cfg_block;

typedef struct hw_cfg {
    hw_cfg_block *blocks;
    uint32_t n_blocks;             // the last one is the empty block at the function's end
    uint32_t *edges, *pred_edges;
    uint32_t *rpo, n_reachable;    // reachable blocks in reverse post-order
    uint32_t *block_at;            // by PTX instruction (n_insts included): block that a label there means
} hw_cfg;

// Every block of f, with where its branch reconverges. HW_NO_MEMORY. Linear but for the post-dominators' fixpoint.
hw_status hw_cfg_build(hw_arena *arena, const hw_ptx_function *f, hw_cfg *cfg, hw_diag *diag);

// Does a guard of the instruction become a branch around it? It does when the instruction ends a block or lanes wait in
// it.
bool hw_cfg_is_skippable(const hw_ptx_inst *inst);

// ---- defs.c ----

typedef struct hw_reg_info {
    hw_slot slot;                  // HW_NO_SLOT until it is known
    uint8_t lane;                  // hw_lane
    uint8_t level;                 // HW_LEVEL_*; VARYING until lift has found it invariant
    uint8_t n_defs;                // in reachable code: 0, 1, 2 meaning several
    bool is_read;                  // in reachable code
    bool may_be_unset;             // of a single definition: some way comes to a use without it
    uint32_t def_block;            // of the first definition, in reverse post-order
} hw_reg_info;

typedef void (*hw_reg_visitor)(void *context, int32_t reg, bool is_def);

// Calls visit for every register the instruction names, uses (guard included) before definitions.
void hw_defs_visit(const hw_ptx_inst *inst, hw_reg_visitor visit, void *context);

// Does operand 0 name what the instruction writes?
bool hw_defs_has_destination(const hw_ptx_inst *inst);

// ---- the function at work ----

typedef struct hw_inst_list {
    hw_inst *insts;
    hw_body_id *bodies;
    uint32_t n, capacity;
} hw_inst_list;

// Bodies that instructions have been found to have, by opcode, modifiers and types: a name is spelled and looked up
// once for each combination of them.
enum { HW_SPELLED = 256 };
typedef struct hw_spelled {
    uint64_t mods[3];
    uint8_t types[4], n_types;
    uint8_t op;                    // HW_OP_NONE: nothing is remembered here
    hw_body_id body;
} hw_spelled;
_Static_assert(HW_OP_COUNT <= 256 && HW_T_COUNT <= 256, "hw_spelled holds opcodes and types in a byte each");

typedef struct hw_immediate_table {
    uint32_t *slots;               // index + 1 into program->immediates
    uint32_t capacity, immediates_capacity;
} hw_immediate_table;

enum { HW_SCRATCH_MAX = 8 };

typedef struct hw_lowering {
    hw_program_set *set;
    hw_ptx_module *module;
    hw_arena *arena;               // of the set
    hw_arena *scratch;             // of this function
    hw_diag *diag;
    hw_spelled *spelled;           // HW_SPELLED of them
    const hw_ptx_function *f;
    hw_program *program;
    hw_cfg cfg;
    hw_reg_info *regs;
    const struct hw_dominators *dominators;  // hw_merge
    uint8_t *lifted;               // by PTX instruction
    uint8_t *is_index;             // by register: hw_watch_find; NULL: nobody asks
    bool *is_narrow, *is_operand;  // by register: hw_narrow_find; NULL: addresses have 64 bits
    hw_inst_list body, lists[3];   // lists: by level
    hw_immediate_table immediates;
    uint32_t next_pred[4];         // by base: where the next predicate goes, unless at a multiple of 64
    uint32_t spill_base;           // of arguments that calls take from registers, in param memory
    uint32_t dynamic_shared_align; // of the module
    hw_slot dynamic_shared[HW_LANE_COUNT];   // address of dynamic shared memory, when it has been asked for
    hw_slot scratch_slots[HW_LANE_COUNT][HW_SCRATCH_MAX];
    uint32_t n_scratch[HW_LANE_COUNT];
    // The instruction being emitted
    const hw_ptx_inst *inst;
    uint32_t index;                // of it
    hw_inst_list *list;            // where to
    hw_base base;                  // where temporaries lie
    // Growing arrays of the program
    uint32_t slots_capacity, n_slots, calls_capacity, targets_capacity, n_targets, blocks_capacity;
    struct hw_fixup *fixups;
    uint32_t n_fixups, fixups_capacity;
} hw_lowering;

// Instruction `inst` of the body wants to know where blocks begin.
typedef struct hw_fixup {
    uint32_t inst, target, reconverge;   // blocks; HW_NO_BLOCK: none
} hw_fixup;

// Room for one more element in an array that lives in an arena. false: out of memory.
bool hw_lower_grow(hw_arena *arena, void **items, uint32_t count, uint32_t *capacity, size_t elem_bytes);

// The message for an instruction, with its source line or PTX line.
hw_status hw_lower_refuse(hw_lowering *lo, hw_status status, const char *why);

// ---- names.c ----

// The body of an instruction, by its canonical name (lower/program.h); HW_BODY_NONE: there is none.
hw_body_id hw_names_of(hw_lowering *lo, const hw_ptx_inst *inst);
// The body of a name that is put together by `format`.
hw_body_id hw_names_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Type as it stands in names, for ops whose result does not depend on signedness.
hw_type hw_names_type(const hw_ptx_inst *inst, int position);

// ---- layout.c ----

// Call graph of the module: may_recurse; offsets of .shared variables; shared_bytes of all programs.
hw_status hw_layout_module(hw_program_set *set, hw_ptx_module *module, hw_diag *diag);
// Offsets of .local variables; local_bytes.
hw_status hw_layout_local(const hw_ptx_module *module, hw_program *program, hw_diag *diag);
// Offsets of .param memory of one function.
hw_status hw_layout_function(hw_lowering *lo);
uint32_t hw_layout_dynamic_alignment(const hw_ptx_module *module);

// ---- merge.c ----
// Fills merged_bytes of the notes: what ptxas issues as one access.
hw_status hw_merge(hw_lowering *lo);

// ---- lift.c ----
hw_status hw_lift(hw_lowering *lo);

// ---- narrow.c ----
// Which registers of 64 bits are addresses, and what computing them costs, where addresses have 32 (hw_program_set).
hw_status hw_narrow_find(hw_lowering *lo);

// ---- live.c ----
// Slots of all registers that have none yet, frame_bytes, regs_estimate.
hw_status hw_live_assign(hw_lowering *lo);

// ---- slots.c ----
// A fresh slot behind a base. HW_UNSUPPORTED when the area would pass 1 GiB.
hw_status hw_slots_take(hw_lowering *lo, hw_base base, hw_lane lane, hw_slot *out);
// A slot for a value that lives within the instruction being emitted.
hw_status hw_slots_temporary(hw_lowering *lo, hw_lane lane, hw_slot *out);
// The slot of a constant.
hw_status hw_slots_immediate(hw_lowering *lo, uint64_t bits, hw_lane lane, hw_slot *out);
hw_status hw_slots_launch_image(hw_lowering *lo);

// ---- operands.c ----

// An instruction that uses no slot.
hw_inst hw_emit_blank(void);
// Appends a copy to the list at work, with the note of the PTX instruction at work, and with what the body's row says
// of gathering lanes. HW_BODY_NONE is for exec to refuse.
hw_status hw_emit_inst(hw_lowering *lo, hw_body_id body, const hw_inst *fields);
// The slot to read an operand from, in lanes of the given width; converts when its register is wider or narrower.
hw_status hw_operand_source(hw_lowering *lo, const hw_ptx_operand *operand, hw_lane lane, hw_slot *out);
hw_status hw_operand_reg(hw_lowering *lo, int32_t reg, hw_lane lane, hw_slot *out);
// A predicate into inst->p, complemented by a flag.
hw_status hw_operand_predicate(hw_lowering *lo, const hw_ptx_operand *operand, hw_inst *inst);
// The register, or HW_NO_REG when it is none.
int32_t hw_operand_reg_of(const hw_ptx_operand *operand);
// Where a body writes lanes of the given width for a register; HW_NO_REG: for nobody. hw_operand_finish then brings it
// into the register, when that has other lanes.
typedef struct hw_destination {
    hw_slot slot;
    int32_t reg;                   // HW_NO_REG: nothing left to do
    hw_lane lane;
    bool is_signed;
} hw_destination;
hw_status hw_operand_destination(hw_lowering *lo, int32_t reg, hw_lane lane, bool is_signed, hw_destination *out);
hw_status hw_operand_finish(hw_lowering *lo, const hw_destination *destination);

// What the address of a symbol or function is: a number, or what an instruction finds when it is needed.
typedef enum hw_address_kind {
    HW_ADDRESS_CONSTANT, HW_ADDRESS_DYNAMIC_SHARED, HW_ADDRESS_LOCAL, HW_ADDRESS_PARAM
} hw_address_kind;
// value: the number; of the others, what is added to the beginning.
hw_address_kind hw_operand_symbol(const hw_lowering *lo, const hw_ptx_operand *operand, uint64_t *value);
// A slot that holds the address, whatever it is.
hw_status hw_operand_symbol_slot(hw_lowering *lo, const hw_ptx_operand *operand, hw_lane lane, hw_slot *out);
// An instruction that puts a LOCAL or PARAM address into d.
hw_status hw_operand_symbol_address(hw_lowering *lo, const hw_ptx_operand *operand, hw_slot d, hw_lane lane);
// Is the symbol in this call's own parameter memory, not a kernel's parameter?
bool hw_operand_param_is_own(const hw_lowering *lo, const hw_ptx_symbol *symbol);

// ---- emit.c, emit_memory.c, emit_async.c, emit_matrix.c, emit_warp.c, emit_video.c, emit_flow.c ----

// Emits one instruction, without its guard; not for what ends a block.
hw_status hw_emit_ptx(hw_lowering *lo, const hw_ptx_inst *inst);
// One instruction each, of the kind that the function is named for.
hw_status hw_emit_load_or_store(hw_lowering *lo, const hw_ptx_inst *inst);
hw_status hw_emit_atomic(hw_lowering *lo, const hw_ptx_inst *inst);
hw_body_id hw_emit_mov_body(hw_lane lane);
hw_status hw_emit_texture(hw_lowering *lo, const hw_ptx_inst *inst);
hw_status hw_emit_surface(hw_lowering *lo, const hw_ptx_inst *inst);
uint8_t hw_emit_surface_bytes(const hw_ptx_inst *inst);   // that a lane moves
hw_status hw_emit_async(hw_lowering *lo, const hw_ptx_inst *inst);
// Does a cp.async move data? The others begin and end groups.
bool hw_emit_copies(const hw_ptx_inst *inst);
// An address in brackets, of a space: a and imm, and flags.
hw_status hw_emit_address(hw_lowering *lo, hw_space space, const hw_ptx_operand *operand, hw_inst *t);
hw_status hw_emit_matrix_access(hw_lowering *lo, const hw_ptx_inst *inst);
hw_status hw_emit_movmatrix(hw_lowering *lo, const hw_ptx_inst *inst);
hw_status hw_emit_mma(hw_lowering *lo, const hw_ptx_inst *inst);
hw_status hw_emit_wmma(hw_lowering *lo, const hw_ptx_inst *inst);
// wmma.load, wmma.store: bytes that one lane moves at a time.
uint32_t hw_emit_wmma_bytes(const hw_ptx_inst *inst);
// order.c: the note's order, scope, proxy and atomic; and the numbers of all notes that are of accesses.
void hw_order_write(const hw_ptx_inst *inst, hw_note *note);
void hw_order_number(hw_program_set *set);
hw_status hw_emit_bulk(hw_lowering *lo, const hw_ptx_inst *inst);
hw_status hw_emit_mbarrier(hw_lowering *lo, const hw_ptx_inst *inst);
hw_status hw_emit_shfl(hw_lowering *lo, const hw_ptx_inst *inst);
hw_status hw_emit_vote(hw_lowering *lo, const hw_ptx_inst *inst);
hw_status hw_emit_match(hw_lowering *lo, const hw_ptx_inst *inst);
hw_status hw_emit_redux(hw_lowering *lo, const hw_ptx_inst *inst);
hw_status hw_emit_elect(hw_lowering *lo, const hw_ptx_inst *inst);
hw_status hw_emit_activemask(hw_lowering *lo, const hw_ptx_inst *inst);
hw_status hw_emit_nanosleep(hw_lowering *lo, const hw_ptx_inst *inst);
hw_status hw_emit_barrier(hw_lowering *lo, const hw_ptx_inst *inst);
hw_status hw_emit_video(hw_lowering *lo, const hw_ptx_inst *inst);
// Room for n registers in program->slots, from *list on.
hw_status hw_emit_vector(hw_lowering *lo, hw_slot **out, unsigned n, uint32_t *list);
// Operand letters of arithmetic (SHAPE in isa/ops.def); NULL: no arithmetic.
const char *hw_emit_shape(const hw_ptx_inst *inst);
// watch.c: signed words that go into addresses are found first, where integers are watched.
hw_status hw_watch_find(hw_lowering *lo);
// What looks at arithmetic, before and behind it (HW_WATCH_*): is this instruction looked at at all?
bool hw_watch_wants(const hw_lowering *lo, const hw_ptx_inst *inst);
hw_status hw_watch_before(hw_lowering *lo, const hw_ptx_inst *inst, const hw_inst *fields);
hw_status hw_watch_behind(hw_lowering *lo, const hw_ptx_inst *inst, const hw_inst *fields);
// A mov or cvta that changes nothing: the operand that the destination is another name of; else NULL.
const hw_ptx_operand *hw_emit_alias(const hw_lowering *lo, const hw_ptx_inst *inst);
// The whole body, block by block.
hw_status hw_emit_body(hw_lowering *lo);

#endif
