// A function lowered for execution: a flat array of decoded instructions, registers turned into slots of lane
// vectors, reconvergence points found, invariant instructions lifted out.
//
// Lanes. A slot of a 32-bit register is 32 uint32_t side by side (128 bytes), of a 64-bit one 256 bytes, of a 16-bit
// one 64 bytes; 8-bit registers live in 16-bit lanes; a predicate is one uint32_t, bit i for lane i. Each slot lies
// at a multiple of 64 bytes (predicates: of 4) from one of four bases.
//
// Invariance. An unguarded instruction without side effect, the only one that writes its destination, whose sources
// are all invariant, is lifted out of the body and run ahead of time: once per launch, once per block, or once per
// warp and launch (when it depends on the thread's place in the block, not on the block). It still counts as executed
// where it stood: `count` of the block's last instruction is the number of PTX instructions, lifted ones included.
// A mov or cvta of an invariant value is no instruction at all: the destination is the source's slot.
//
// Body names. The body of an instruction is found by name, once, when it is lowered; from then on it is a number
// (isa/bodies.h). The name: the opcode, then the modifiers that change the result in the order of mods.def, then the
// types in the order written: add.s32, fma.rz.ftz.f32, mul.wide.u16, cvt.rzi.ftz.s32.f32,
// setp.ftz.lt.f32, shf.l.wrap.b32, dp4a.u32.s32. Left out: rn where it is the default (add sub mul mad fma), spaces,
// cache hints, memory order and scope, uni, sync, aligned, the vector width, setp's and set's combining word (in
// `combination`, with `p` the predicate combined). A body reads and writes lanes of the width its types say
// (8-bit types: 16-bit lanes; pred: one mask). Where PTX lets a register be wider than the type (cvt, ld, st),
// lower puts trunc.<reg>.<type> or ext.<type>.<reg> around it (trunc.b64.b16, ext.s16.b32, ...); for ld and st it sets
// reg_bytes instead. f16, bf16 in .b16 registers and packed pairs in .b32 ones are just lanes of that width.
//
// Where several spellings give the same result, one is used (isa/ops.def, TYPE; names.c):
//   mov selp                                    b16 b32 b64 whatever the type; slct: its first type; mov.pred
//   add sub addc subc; mul mad madc with .lo    s for u, also with .cc and x2: add.s32, mul.lo.s64, add.cc.s32
//   shr                                         u for b: shr.u32
//   setp set                                    lt le gt ge for lo ls hi hs; eq and ne keep the type as written
//   atom red                                    no .noftz
//   cvt from an integer, slct by an integer     no .ftz
// mul, mad with .hi or .wide, mul24, mad24, min, max, div, rem, sad, cvt, ... are named as written.
//
// Which operand is where: the letters of SHAPE (isa/ops.def). Destinations d, then e (p|q); sources a, b, c, then
// fourth; a predicate read p, complemented with HW_INST_NEGATE_P. The sink '_' is a slot nobody reads.
//   lop3: imm the table; lop3.and lop3.or: e the predicate written, p the one combined.
//   isspacep: asked_space, a 64 bits. cvta: add.s64 of a window, or mov. membar: fence.
//   mov.pack.<n>x<bits>: d from slots[list ...]; mov.unpack.<n>x<bits>: a to slots[list ...], HW_NO_SLOT for '_'
//   shfl.<mode>: d, e or none; a, b, c; p the members (32-bit lanes). vote.<mode>: d, p, members c.
//   match.any, match.all: d, e or none, a, members c; lane_bytes 4 or 8. redux.<op>.<type>: d, a,
//   members c. elect: d, e, members c. activemask: d
//   bar.sync bar.arrive: a the barrier, b threads or none. bar.red.<op>: also d, p; combination, NONE: popc.
//   bar.warp.sync: a the members. barrier.* is bar.*;
//   bar.cluster: nothing. nanosleep: a
//   vadd2 and the other video instructions: d, a, b, c; imm as HW_VIDEO_* says. vabsdiff4.u8x4, vabsdiff4.add.u8x4,
//   vabsdiff2.add.u16x2: the same of unsigned parts in order, as nvcc prints them
//   tex.<f32 s32, of the coordinates>: slots[list ...] four of 32-bit lanes; a, b, c coordinates; dimensions; fourth
//   the texture; p the layer, or none. tex.cube.f32: a, b, c point at a face of the cube
//   surface.address: d (64 bits) where the element lies; a (in bytes), b, c, p and fourth as of tex; imm HW_SURFACE_*
//   alloca: d, a bytes, imm alignment; stacksave: d; stackrestore: a; lane_bytes 4 or 8
//
// Bodies besides the arithmetic:
//   ld ld.param st st.param atom.<op>.<type> red.<op>.<type>   (space, width, vector, reg_bytes, imm in the fields;
//       a address slot (64-bit lanes, or 32-bit ones with HW_INST_ADDRESS_32: the sum with imm wraps), or HW_NO_SLOT:
//       imm is the address; d or b the register; of vectors, slots[list ...]; atom: b, c operands;
//       atom.vector.<op>.<type>: slots[list ...] the sources, then the destinations, which may be HW_NO_SLOT)
//       ld.param and st.param: is_own_param: in this call's own parameter memory, at imm; else the kernel's parameters
//   cp.async.read (space GLOBAL, width, a, imm; b how many bytes are read, the others are 0, or none; p ignores all of
//       them) and, of the same PTX instruction, cp.async.write (space SHARED): the copy begins. cp.async.commit.
//       cp.async.wait: imm groups may go on; -1: none, the one that is not committed neither
//   ldmatrix stmatrix, .trans (space, width 16, a, imm; matrices; slots[list ...] registers), movmatrix
//       (d, a), mma.<f32 f16>.<f16 bf16 tf32> mma.f64.f64 mma.s32.x8 (imm, choices: HW_MATRIX_*; slots[list ...] the
//       registers of d, a, b, c). Before each stands a bar.warp.sync of all lanes.
//   wmma.address: d (64 bits) where an element of a lane's fragment lies; a the matrix, b the stride, or none;
//       imm HW_PLACE_*; groups_have_vectors; width bytes of an element
//   cp.async.bulk.from (space, a, imm; b how many bytes) and, of the same PTX instruction, cp.async.bulk.at (space
//       SHARED: the mbarrier by which it is waited for; not of groups), cp.async.bulk.to (space): the copy
//       begins. cp.async.bulk.commit. cp.async.bulk.wait, .wait.read: imm groups may go on
//   mbarrier.<init inval expect_tx complete_tx arrive arrive_drop test_wait> (space, width 8, a, imm; d; b operand or
//       none; choices: HW_MBARRIER_*), mbarrier.pending_count (d, a), cp.async.arrive (as mbarrier.arrive)
//   watch.operands (a, b, c; imm a hw_watched_float for each, 8 bits, a's the lowest), watch.result (a, imm),
//       watch.divisor (a, lane_bytes 2, 4 or 8), watch.shift (a 32 bits, imm the bits of what is shifted),
//       watch.overflow (a, b, c 32 bits, imm HW_WATCHED_*): look at the instruction whose note they have (HW_WATCH_*)
//   sreg (sreg, d)     local.address param.address (d, imm; lane_bytes 4 or 8; param.address: is_own_param)
//   shared.dynamic (d, imm the alignment, lane_bytes 4 or 8; launch list)    fence    nop    end (of a lifted list)
//   bra bra.p brx fall call call.indirect ret exit trap brkpt             (end a basic block; basic_block: its number)
//       brx: a the index, imm how many targets. call.indirect: a the handle.
//   guard (p, flags; target: where to go when no lane is on; count: PTX instructions up to the unguard that ends it,
//       whose notes follow each other from its own on)    unguard
// Guarded ret, exit, trap, call, brx, barriers, nanosleep and what gathers lanes (shfl, vote, ...) become a bra.p
// around them, which is no branch to the profiler; the block before counts the instruction, its own block none.
// Every basic block is ended by one of the block-ending names; `fall` ends one that runs into the next label. A call
// ends its block. `bra.p`: target when p (or its complement) holds, else the next instruction.
//
// Reconvergence. A branch's lanes meet at its immediate post-dominator, found without the edges of conditional
// branches to a bare ret and of guarded exits, and without blocks that trap: as on hardware, lanes that leave keep
// nobody waiting.
#ifndef HW_LOWER_PROGRAM_H
#define HW_LOWER_PROGRAM_H

#include "base/arena.h"
#include "base/integers.h"
#include "base/status.h"
#include "isa/bodies.h"
#include "isa/isa.h"
#include "ptx/module.h"

// Where a slot lies: byte offset, with the base in the two lowest bits.
typedef uint32_t hw_slot;
typedef enum hw_base {
    HW_BASE_FRAME = 0,    // this call's registers, per warp
    HW_BASE_LAUNCH = 1,   // immediates, parameters, what is computed from them; the same for every block
    HW_BASE_BLOCK = 2,    // what depends on the block index
    HW_BASE_WARP = 3,     // what depends on the thread index within the block
} hw_base;
#define HW_NO_SLOT 0xfffffffcu

// What a video instruction does, in hw_inst.imm. Places count from the lowest part of the result.
//   bits 0-11    part of {b, a} at each place of the first operand, 3 bits each; of a scalar: part of a
//   bits 12-23   the same of the second; of a scalar: part of b
//   bits 24-27   mask: the places written, the others come from c; of a scalar the bytes
//   HW_VIDEO_*   the rest
// Parts of a scalar: 0-3 byte, 4-5 half, 7 all of it.
#define HW_VIDEO_D_SIGNED 0x10000000
#define HW_VIDEO_A_SIGNED 0x20000000
#define HW_VIDEO_B_SIGNED 0x40000000
#define HW_VIDEO_SAT 0x80000000
#define HW_VIDEO_ADD 0x100000000
#define HW_VIDEO_MIN 0x200000000
#define HW_VIDEO_MAX 0x400000000
#define HW_VIDEO_WRAP 0x800000000          // vshl, vshr
#define HW_VIDEO_PLUS_ONE 0x1000000000     // vmad
#define HW_VIDEO_NEGATE_AB 0x2000000000
#define HW_VIDEO_NEGATE_C 0x4000000000
#define HW_VIDEO_SHR7 0x8000000000
#define HW_VIDEO_SHR15 0x10000000000
#define HW_VIDEO_LT 0x20000000000          // vset: true when less, equal, greater
#define HW_VIDEO_EQ 0x40000000000
#define HW_VIDEO_GT 0x80000000000

// mma.*: the shape, in hw_inst.imm.
#define HW_MATRIX_IMM(m, n, k, wmma) ((int64_t)(m) | (int64_t)(n) << 8 | (int64_t)(k) << 16 | (int64_t)(wmma) << 24)
// wmma.address, imm: of an element, which vector of the matrix it is in (a row or column, as they lie in memory) and
// where there, in lane 0; how much further it is in the next lane of four; how long a vector is without a stride.
// groups_have_vectors: the next four lanes have the next vector, or the next place in it and each lane a vector of its
// own.
#define HW_PLACE_IMM(vector, place, step, length) \
    ((int64_t)(vector) | (int64_t)(place) << 8 | (int64_t)(step) << 16 | (int64_t)(length) << 24)
#define HW_PLACE_VECTOR(imm) ((uint32_t)(imm) & 255)
#define HW_PLACE_IN_VECTOR(imm) ((uint32_t)((imm) >> 8) & 255)
#define HW_PLACE_STEP(imm) ((uint32_t)((imm) >> 16) & 255)
#define HW_PLACE_LENGTH(imm) ((uint32_t)((imm) >> 24) & 255)
// surface.address, imm: bytes of the access, what becomes of places outside (ZERO: the address is 0), is it a write.
enum { HW_SURFACE_TRAP, HW_SURFACE_CLAMP, HW_SURFACE_ZERO };
#define HW_SURFACE_IMM(bytes, outside, writes) ((int64_t)(bytes) | (int64_t)(outside) << 8 | (int64_t)(writes) << 16)
#define HW_SURFACE_BYTES(imm) ((uint32_t)(imm) & 255)
#define HW_SURFACE_OUTSIDE(imm) ((uint32_t)((imm) >> 8) & 255)
#define HW_SURFACE_WRITES(imm) (((imm) >> 16 & 1) != 0)
// hw_inst.choices of mbarrier.* and of mma.s32.x8.
enum { HW_MBARRIER_EXPECTS = 1, HW_MBARRIER_PARITY = 2, HW_MBARRIER_NOINC = 4 };
enum { HW_MATRIX_A_UNSIGNED = 1, HW_MATRIX_B_UNSIGNED = 2, HW_MATRIX_SATURATE = 4 };

typedef enum hw_combination { HW_COMBINE_NONE, HW_COMBINE_AND, HW_COMBINE_OR, HW_COMBINE_XOR } hw_combination;

typedef struct hw_warp hw_warp;
typedef struct hw_inst hw_inst;

// Executes one instruction for the active lanes of a warp; returns the next one.
typedef const hw_inst *(*hw_body)(hw_warp *warp, const hw_inst *inst);

// One decoded instruction, a cache line. A field has one meaning; fields that no body uses together share storage, each
// under its own name. What is not used is zero, of slots HW_NO_SLOT, of reconverge HW_NO_RECONVERGENCE. The numbers of
// a body that has some (imm, choices) are listed above, body by body.
//
//   field        of which bodies                    what
//   body         all                                what executes it; set by exec
//   d            with a result                      the destination
//   a b c        with sources                       in PTX's order; a of accesses: the address, none: imm is it
//   e            with two results (p|q)             the second one, a predicate
//   fourth       bfi, tex                           a fourth source; the texture
//   p            with a predicate or members        a predicate read; of shfl: the members
//   imm          accesses                           offset from a, or the address
//                others with a number known now     the number
//   then         what gathers lanes                 the body that runs when all are there; set by exec
//   steps        of convoys                         the ordinary instruction, and one that ends it; set by exec
//   builtin      call of a function without body    which of those that exec provides; set by exec
//   target       bra, bra.p, guard                  where to go: index into insts
//   call         call, call.indirect                index into calls
//   targets      brx                                index of its first one in targets
//   list         vectors, packing, fragments, tex   index of their first register in slots
//   members      what gathers lanes                 hw_members: which operand is the mask
//   reconverge   bra.p, brx                         where the lanes meet again: index into insts, or
//                                                   HW_NO_RECONVERGENCE: at exit
//   note         all                                index of the PTX instruction in notes
//   count        what ends a block; guard           PTX instructions of the block; under the guard
//   width        accesses                           bytes of an element in memory
//   lane_bytes   match, addresses, stacks, packing  bytes of a lane of the operand, or of a part
//   vector       accesses, packing                  registers per lane: 1, 2, 4, 8
//   reg_bytes    accesses; what gathers lanes       bytes of a lane of the register, 2, 4 or 8; of d, 0: a predicate
//   space        accesses                           hw_space
//   flags        all                                HW_INST_*
//   combination  setp, set, bar.red                 hw_combination: how the result is combined with p, or lanes' are
//   sreg         sreg                               hw_sreg
//   asked_space  isspacep                           hw_space
//   matrices     ldmatrix, stmatrix                 how many
//   groups_have_vectors   wmma.address              see HW_PLACE_IMM
//   dimensions   tex, surface.address               coordinates per lane
//   is_own_param ld.param, st.param, param.address  in the call's own parameter memory, not the kernel's
//   choices      mma, mbarrier                      HW_MATRIX_*, HW_MBARRIER_*
//   pattern      accesses                           number of its hw_pattern, unique across the set
//   basic_block  what ends a block                  number of the block, unique across the set
struct hw_inst {
    hw_body body;
    hw_slot d, a, b, c;
    union {
        hw_slot e;
        hw_slot fourth;
    };
    hw_slot p;
    union {
        int64_t imm;
        hw_body then;
        const hw_inst *steps;
        uint32_t builtin;
    };
    union {
        uint32_t target;
        uint32_t call;
        uint32_t targets;
        uint32_t list;
        uint32_t members;
    };
    uint32_t reconverge;
    uint32_t note;
    uint16_t count;
    union {
        uint8_t width;
        uint8_t lane_bytes;
    };
    uint8_t vector;
    uint8_t reg_bytes;
    uint8_t space;
    uint8_t flags;
    union {
        uint8_t combination;
        uint8_t sreg;
        uint8_t asked_space;
        uint8_t matrices;
        uint8_t groups_have_vectors;
        uint8_t dimensions;
        uint8_t is_own_param;
        uint8_t choices;
    };
    union {
        uint32_t pattern;
        uint32_t basic_block;
    };
};
_Static_assert(sizeof(hw_inst) == 64, "a decoded instruction is a cache line");
enum { HW_NO_RECONVERGENCE = 0xffffffffu };
enum {
    HW_INST_NEGATE_P = 1,      // use the complement of p
    HW_INST_SIGNED = 2,        // sign-extend a narrow load
    HW_INST_VOLATILE = 4,      // volatile, relaxed, acquire, atomic: others may change it meanwhile, and a load may be
                               // a poll, which ends a warp's turn. Loads and stores: by no quick way, not compiled
    HW_INST_NEGATE_B = 8,      // the boolean source in b is complemented
    HW_INST_ADDRESS_32 = 16,   // the address slot has 32-bit lanes
    HW_INST_OF_ARRAY = 32,     // of a surface's array: nobody follows which of its bits are undefined
    HW_INST_WHOLE = 64,        // of vectors only, of all that are volatile and of those by .cg, .cv and .wt: no other
                               // block sees a part of a lane's vector (exec/memory/whole.h)
};

typedef struct hw_program hw_program;

typedef struct hw_call_site {
    hw_program *callee;         // of the same set; NULL: indirect, or a built-in
    const char *builtin;        // name of a function with no body that exec provides: vprintf, malloc, __nv_sinf, ...
    hw_slot target;             // indirect: slot of the 64-bit function handle
    // Where the caller's parameter bytes lie in its own frame's parameter memory, by argument.
    uint32_t *arg_offsets, *ret_offsets;
    uint32_t n_args, n_rets;
    const hw_ptx_function *signature;   // parameter lists of callee or prototype
} hw_call_site;

// Straight-line part of a program, for accounting: PTX instructions [first_note, first_note + count).
typedef struct hw_basic_block {
    uint32_t first_note, count;
} hw_basic_block;

// A function's address, as stored in memory and registers, is HW_FUNCTION_HANDLE + 16 * (index of the function + 1).
#define HW_FUNCTION_HANDLE 0x00ff000000000000ull

// Generic addresses: device memory at its own addresses, shared and local memory in windows no allocation can be in.
#define HW_SHARED_WINDOW 0x0001000000000000ull
#define HW_LOCAL_WINDOW 0x0002000000000000ull
#define HW_WINDOW_BYTES 0x0000000100000000ull

// A constant in the launch area.
typedef struct hw_immediate {
    uint64_t bits;
    hw_slot slot;
    uint8_t lane;      // width: 0 predicate, 1 16 bits, 2 32 bits, 3 64 bits
} hw_immediate;

typedef struct hw_unset_register {
    hw_slot slot;      // in the frame
    uint8_t bytes;     // of a lane; 0: a predicate
} hw_unset_register;

struct hw_program {
    const char *name;
    const hw_ptx_function *function;
    int index;                              // within its set
    hw_inst *insts;                         // body; index 0 is the entry
    hw_body_id *bodies;                     // of each instruction
    uint32_t n_insts;
    hw_inst *convoy_insts;                  // of entries: the body as several warps execute it together; made by exec
    struct hw_watched *watched;             // the instructions as they run where undefined values are told; by exec
    struct hw_segment **segments;           // by their first instruction (exec/segment.h), else NULL; made by exec
    struct hw_region **regions;             // likewise (exec/region.h)
    hw_inst *launch_insts, *block_insts, *warp_insts;   // lifted, in an order that satisfies dependences,
    hw_body_id *launch_bodies, *block_bodies, *warp_bodies;  // each list ended by HW_BODY_END
    uint32_t n_launch, n_block, n_warp;
    hw_note *notes;                         // one per PTX instruction; inst.note and blocks count from the set's first
    uint32_t n_notes, first_note;           // note, so notes[inst.note - first_note]
    hw_basic_block *blocks;                 // index: number in the set minus first_block
    uint32_t n_blocks, first_block;
    hw_slot *slots;                         // registers of vector instructions
    uint32_t frame_bytes, launch_bytes, block_bytes, warp_bytes;   // sizes behind the four bases
    uint8_t *launch_image;                  // launch_bytes: immediates broadcast to their lanes, the rest zero
    uint32_t param_bytes;                   // per lane: own formal parameters, then those of calls it makes
    uint32_t formal_param_bytes;
    uint32_t local_bytes;                   // per thread, this function's own .local variables
    uint32_t shared_bytes;                  // static shared memory this function names (entries: everything reachable)
    const hw_ptx_symbol **shared;           // of entries: the variables in it
    uint32_t n_shared;
    uint32_t regs_estimate;                 // liveness estimate of 32-bit registers per thread
    hw_call_site *calls;
    uint32_t n_calls;
    uint32_t *targets;                      // of brx.idx
    struct hw_unset_register *unset;        // registers that may be read before they are written
    uint32_t n_unset;
    bool may_recurse;
    bool is_lowered, is_bound;              // else only what hw_lower_open says is known; bound: by exec
    hw_immediate *immediates;               // what launch_image is made of
    uint32_t n_immediates;
    bool uses_alloca;
    bool reads_clock;                       // %clock, %globaltimer or one of their kind
    bool may_wait;                          // for other blocks: polls or changes memory atomically
    uint8_t keeps_sums;                     // of entries: hw_sums_possible (exec/sums.h); made by exec
    struct hw_roots *roots;                 // of entries: where addresses come from, once somebody has asked (root.h)
    bool takes_param_address;               // of its own parameters: param.address, ld.param at a computed address
    uint32_t dynamic_shared_align;          // of entries: of the extern .shared arrays it reaches; 0: none
};

// Where an entry's dynamic shared memory begins, in bytes: behind its static part, at a multiple of its declaration's
// alignment, of 16 without one.
static inline uint32_t hw_program_dynamic_shared(const hw_program *entry) {
    return (uint32_t)hw_align_up(entry->shared_bytes, entry->dynamic_shared_align ? entry->dynamic_shared_align : 16);
}

// Arithmetic that is looked at while it is executed (hw_arithmetic, event/event.h), by instructions before and behind
// it; it is not lifted then. Nothing is paid for what is not.
enum { HW_WATCH_FLOATS = 1, HW_WATCH_INTEGERS = 2 };

// How the floats lie in lanes that are looked at: pairs have two in each.
typedef enum hw_watched_float {
    HW_WATCHED_NONE, HW_WATCHED_F32, HW_WATCHED_F64, HW_WATCHED_F16, HW_WATCHED_F16X2, HW_WATCHED_BF16,
    HW_WATCHED_BF16X2, HW_WATCHED_F32X2
} hw_watched_float;
// What may leave the range of signed words.
enum { HW_WATCHED_ADD, HW_WATCHED_SUB, HW_WATCHED_MUL, HW_WATCHED_MAD, HW_WATCHED_SHL };

// All functions of a module, lowered; they are freed together.
typedef struct hw_program_set {
    hw_arena *arena;
    hw_ptx_module *module;
    hw_program **programs;                  // same order and index as module->functions; NULL where there is no body
    uint32_t n_programs;
    hw_note *notes;                         // of all programs
    uint32_t n_notes;                       // these three are numbered across the set,
    _Atomic uint32_t n_patterns, n_blocks;  // and these grow while launches of what is lowered already run
    uint32_t n_accesses;                    // hw_note.access is below this
    _Atomic(uint8_t *) seen;                // by pattern: hw_seen_shape (exec/segment.h); made by exec
    _Atomic(uint8_t *) parted;              // by basic block: have lanes parted at its end? made by exec
    uint32_t seen_capacity, parted_capacity;
    struct hw_spelled *spelled;             // lower's own
    uint8_t watched_arithmetic;             // HW_WATCH_*; 0 at first, set before anything is lowered
    bool has_narrow_addresses;              // likewise: estimates are for GPUs whose addresses have 32 bits
} hw_program_set;

// A set of programs none of which is lowered: of each are known its name, function, notes (without merged_bytes), local
// and shared memory and whether it may recurse. Symbols' addresses must be known: .global and .const offsets set to
// their addresses by the loader before this call; .shared offsets are assigned here. The module must outlive the set,
// and nobody else may change it. HW_UNSUPPORTED: more memory than any GPU has.
hw_status hw_lower_open(hw_ptx_module *module, hw_program_set **out, hw_diag *diag);

// Lowers all that the entry can call, itself included: with one indirect call, every function. They are put into
// reached, which has room for n_programs. HW_UNSUPPORTED naming instruction and line. Costs what is new, and a look at
// the calls of what is not. One call of a set at a time; what is lowered already may run meanwhile.
hw_status hw_lower_reach(hw_program_set *set, hw_program *entry, hw_program **reached, uint32_t *n, hw_diag *diag);

// Both, of every function.
hw_status hw_lower_module(hw_ptx_module *module, hw_program_set **out, hw_diag *diag);
void hw_program_set_free(hw_program_set *set);

// Human-readable listing: slots, bodies, targets, reconvergence. Caller frees with hw_free.
char *hw_program_print(const hw_program *program);

#endif
