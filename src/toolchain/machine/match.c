// Which basic blocks of machine code are executed as often as which of the PTX. ptxas' table of lines says from which
// line each instruction was made; that it moves some of them across blocks, unrolls loops and puts predicates where
// branches were is what the rules below look through.
#include <string.h>

#include "toolchain/machine/machine.h"
#include "toolchain/machine/ptx_blocks.h"

// An opcode of a line that a block of machine code has, so many times.
typedef struct copies { uint32_t line, count; uint16_t number; } copies;

typedef struct block {
    uint32_t first, n;           // instructions
    uint32_t home;               // block of the PTX; 0: none
    uint32_t first_copies, n_copies;    // of the home's instructions, in matching.copies
    uint32_t times;              // the home's instructions stand in it so often
    uint32_t depth;              // of loops that it stands in
    uint32_t parted_at;          // block of the PTX behind which lanes part that meet here; 0: none
    bool is_reached, is_exact, has_kept, is_alone, is_entry;
} block;

typedef struct matching {
    const hw_machine_code *code;
    const hw_ptx_blocks *ptx;
    block *blocks;
    copies *copies;
    uint32_t n_blocks, n_copies;
    uint32_t *block_of;          // by instruction
    uint32_t *votes;             // by block of the PTX; zero between uses
    uint32_t *ends_at;           // by line of the PTX: how many branches were made from it
} matching;

static const hw_machine_inst *insts_of(const matching *m, const block *b) { return &m->code->insts[b->first]; }
static const hw_machine_inst *last_of(const matching *m, const block *b) { return insts_of(m, b) + b->n - 1; }

enum { OP_BSYNC = 0x141 };       // where lanes meet

static bool is_flow(const hw_machine_inst *inst) {
    const uint8_t kind = inst->op->kind;
    return kind == HW_MACHINE_BRANCH || kind == HW_MACHINE_JUMP || kind == HW_MACHINE_EXIT;
}
static uint32_t home_of(const matching *m, const hw_machine_inst *inst) {
    return inst->ptx_line && inst->ptx_line <= m->ptx->n_lines ? m->ptx->of[inst->ptx_line] : 0;
}
static bool is_ptx_branch(const matching *m, const hw_machine_inst *inst) {
    return home_of(m, inst) && m->ptx->ends[inst->ptx_line];
}

// ---- Blocks of the machine code -------------------------------------------------------------------------------------

static bool ends_block(const hw_machine_inst *inst) {
    return is_flow(inst) || inst->op->kind == HW_MACHINE_CALL || inst->op->number == OP_BSYNC;
}

// block_of marks the targets of branches first.
static void cut(matching *m) {
    const hw_machine_inst *insts = m->code->insts;
    const uint32_t n = m->code->n_insts;
    for (uint32_t i = 0; i < n; i++)
        if (insts[i].target != HW_MACHINE_NO_TARGET) m->block_of[insts[i].target] = 1;
    for (uint32_t i = 0; i < n; i++) {
        if (!i || m->block_of[i] || ends_block(&insts[i - 1])) m->blocks[m->n_blocks++] = (block){.first = i};
        m->blocks[m->n_blocks - 1].n++;
        m->block_of[i] = m->n_blocks - 1;
    }
}

// A way that is for rare operands alone: out of the middle of an instruction of PTX to a call of one of ptxas' own
// functions.
static bool is_slow_path(const matching *m, const hw_machine_inst *branch, const block *to) {
    const hw_machine_inst *last = last_of(m, to);
    return branch->op->kind == HW_MACHINE_BRANCH && branch->is_guarded && !is_ptx_branch(m, branch) &&
           last->op->kind == HW_MACHINE_CALL;
}

static void reach(matching *m, uint32_t *waiting, uint32_t *n, uint32_t i) {
    if (i >= m->n_blocks || m->blocks[i].is_reached) return;
    m->blocks[i].is_reached = true;
    waiting[(*n)++] = i;
}

// Marks what can be executed without rare operands. Where a register says which way to go, that is all.
static bool find_reached(matching *m, hw_arena *arena) {
    uint32_t *waiting = hw_arena_take(arena, ((size_t)m->n_blocks + 1) * sizeof *waiting), n = 0;
    if (!waiting) return false;
    reach(m, waiting, &n, 0);
    for (uint32_t i = 0; i < m->n_blocks; i++)
        if (last_of(m, &m->blocks[i])->op->kind == HW_MACHINE_JUMP)
            for (uint32_t k = 0; k < m->n_blocks; k++) reach(m, waiting, &n, k);
    while (n) {
        const uint32_t i = waiting[--n];
        const hw_machine_inst *last = last_of(m, &m->blocks[i]);
        const bool goes_on = !is_flow(last) || last->is_guarded || last->is_rare;
        if (goes_on && i + 1 < m->n_blocks && !is_slow_path(m, last, &m->blocks[i + 1])) reach(m, waiting, &n, i + 1);
        if (last->target == HW_MACHINE_NO_TARGET || last->is_rare) continue;
        const uint32_t to = m->block_of[last->target];
        if (!is_slow_path(m, last, &m->blocks[to])) reach(m, waiting, &n, to);
    }
    return true;
}

static bool goes_to(const matching *m, const hw_machine_inst *branch, uint32_t block) {
    return branch->target != HW_MACHINE_NO_TARGET && m->block_of[branch->target] == block;
}

// Loops are what stands between a branch back and where it goes, since compilers lay them out so. Loops that begin at
// one place are one.
static void find_depths(matching *m) {
    for (uint32_t i = 0; i < m->n_blocks; i++) {
        uint32_t end = i;
        bool is_head = false;
        for (uint32_t k = i; k < m->n_blocks; k++) {
            const hw_machine_inst *last = last_of(m, &m->blocks[k]);
            if (!m->blocks[k].is_reached || !goes_to(m, last, i)) continue;
            is_head = true;
            end = k;
        }
        for (uint32_t k = i; is_head && k <= end; k++) m->blocks[k].depth++;
    }
}

// ---- Their homes ----------------------------------------------------------------------------------------------------

static bool may_vote(const hw_machine_inst *inst, bool guarded_too) {
    return inst->op->kind != HW_MACHINE_GATHER && inst->op->kind != HW_MACHINE_NOTHING &&
           (guarded_too || !inst->is_guarded);
}

// The block of the PTX that most instructions come from; the first of several.
static uint32_t most_voted(matching *m, const block *b, bool guarded_too) {
    const hw_machine_inst *insts = insts_of(m, b);
    uint32_t best = 0;
    for (uint32_t i = 0; i < b->n; i++)
        if (may_vote(&insts[i], guarded_too)) m->votes[home_of(m, &insts[i])]++;
    m->votes[0] = 0;
    for (uint32_t i = 0; i < b->n; i++)
        if (m->votes[home_of(m, &insts[i])] > m->votes[best]) best = home_of(m, &insts[i]);
    for (uint32_t i = 0; i < b->n; i++) m->votes[home_of(m, &insts[i])] = 0;
    return best;
}

// Where it ends with a branch that was made once from one of the PTX it is that branch's. Ends without a condition say
// nothing: the code before a kernel's last return may have become part of that block.
static void find_home(matching *m, block *b) {
    const hw_machine_inst *last = last_of(m, b);
    b->is_exact = is_flow(last) && last->is_guarded && is_ptx_branch(m, last) && m->ends_at[last->ptx_line] == 1;
    b->home = b->is_exact ? home_of(m, last) : most_voted(m, b, false);
    if (!b->home) b->home = most_voted(m, b, true);
}

static void count_copy(matching *m, block *b, const hw_machine_inst *inst) {
    copies *list = &m->copies[b->first_copies];
    for (uint32_t i = 0; i < b->n_copies; i++) {
        if (list[i].line != inst->ptx_line || list[i].number != inst->op->number) continue;
        list[i].count++;
        return;
    }
    list[b->n_copies++] = (copies){inst->ptx_line, 1, inst->op->number};
}

// The number that most of them have; the first of several.
static uint32_t most_frequent(const copies *list, uint32_t n) {
    uint32_t best = 0, times = 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t equal = 0;
        for (uint32_t k = 0; k < n; k++) equal += list[k].count == list[i].count;
        if (equal > best) best = equal, times = list[i].count;
    }
    return times;
}

// One instruction of PTX may have become several of one opcode, but those of all have not.
static uint32_t least_frequent(const copies *list, uint32_t n) {
    uint32_t times = n ? list[0].count : 1;
    for (uint32_t i = 1; i < n; i++) times = list[i].count < times ? list[i].count : times;
    return times;
}

// What of its home the block has: instructions that compilers keep, and where there are none of these, all.
static void count_copies(matching *m, block *b) {
    enum { MOST = 400 };         // that are compared with each other: of longer blocks the first so many
    const hw_machine_inst *insts = insts_of(m, b);
    b->first_copies = m->n_copies;
    for (uint32_t i = 0; i < b->n; i++) {
        if (!b->home || home_of(m, &insts[i]) != b->home) continue;
        b->has_kept |= insts[i].op->kind == HW_MACHINE_KEPT;
    }
    for (uint32_t i = 0; i < b->n && b->n_copies < MOST; i++)
        if (b->home && home_of(m, &insts[i]) == b->home && (!b->has_kept || insts[i].op->kind == HW_MACHINE_KEPT))
            count_copy(m, b, &insts[i]);
    const copies *list = &m->copies[b->first_copies];
    b->times = b->has_kept ? most_frequent(list, b->n_copies) : least_frequent(list, b->n_copies);
    m->n_copies += b->n_copies;
}

// ---- Blocks with one home -------------------------------------------------------------------------------------------

static bool has_line(const matching *m, const block *b, const copies *of) {
    const copies *list = &m->copies[b->first_copies];
    for (uint32_t i = 0; i < b->n_copies; i++)
        if (list[i].line == of->line && list[i].number == of->number) return true;
    return false;
}

// A block of which others have next to nothing is a part of its home; of parts that stand more than once each does some
// of the home's turns.
static void judge(matching *m, block *b) {
    uint32_t shared = 0;
    bool is_outside = false;     // of a loop that its home is inside of
    for (uint32_t i = 0; i < m->n_blocks; i++) {
        const block *other = &m->blocks[i];
        if (!other->is_reached || other->home != b->home || other == b) continue;
        is_outside |= other->depth > b->depth;
    }
    for (uint32_t k = 0; k < b->n_copies; k++) {
        bool found = false;
        for (uint32_t i = 0; i < m->n_blocks && !found; i++) {
            const block *other = &m->blocks[i];
            found = other->is_reached && other->home == b->home && other != b &&
                    has_line(m, other, &m->copies[b->first_copies + k]);
        }
        shared += found;
    }
    b->is_alone = 2 * shared < b->n_copies;
    b->is_entry = is_outside && (b->is_alone || !b->has_kept);
}

static hw_machine_share share_of(const block *b) {
    if (!b->is_reached) return HW_MACHINE_NEVER;
    if (!b->home) return HW_MACHINE_AS_NEXT;
    if (b->is_exact) return HW_MACHINE_ALONE;
    if (b->is_entry) return HW_MACHINE_ENTRY;
    return b->is_alone ? HW_MACHINE_ALONE : HW_MACHINE_AMONG;
}

static uint16_t copies_of(const block *b) {
    const uint32_t least = b->times ? b->times : 1;
    return (uint16_t)(least < UINT16_MAX ? least : UINT16_MAX);
}

static void count_by_pipe(const matching *m, const block *b, hw_machine_block *out) {
    const hw_machine_inst *insts = insts_of(m, b);
    for (uint32_t i = 0; i < b->n; i++) {
        out->inst[HW_RATE_ISSUE]++;
        if (insts[i].op->rate != HW_RATE_ISSUE) out->inst[insts[i].op->rate] += insts[i].op->slots;
    }
}

// Lanes that meet arrive in as many groups as they have parted into: at a branch to here, or at the one before, which
// ends a loop.
static void find_partings(matching *m) {
    for (uint32_t i = 0; i + 1 < m->n_blocks; i++) {
        const hw_machine_inst *last = last_of(m, &m->blocks[i]);
        const bool may_part = last->is_guarded && last->target != HW_MACHINE_NO_TARGET && is_ptx_branch(m, last);
        if (!m->blocks[i].is_reached || !may_part) continue;
        block *ways[] = {&m->blocks[m->block_of[last->target]], &m->blocks[i + 1]};
        for (int k = 0; k < 2; k++)
            if (insts_of(m, ways[k])->op->number == OP_BSYNC) ways[k]->parted_at = home_of(m, last);
    }
}

// ---- Functions ------------------------------------------------------------------------------------------------------

// The ranges that blocks name, in the order of lines, and the blocks by them.
static bool write_out(matching *m, hw_arena *arena, hw_machine_function *out) {
    hw_machine_range *ranges = hw_arena_take(arena, (3 * (size_t)m->n_blocks + 1) * sizeof *ranges);
    hw_machine_block *blocks = hw_arena_take(arena, ((size_t)m->n_blocks + 1) * sizeof *blocks);
    uint32_t *number = m->votes, n = 0;   // of PTX blocks: 1 + index into ranges
    if (!ranges || !blocks) return false;
    for (uint32_t i = 0; i < m->n_blocks; i++)
        if (m->blocks[i].is_reached)
            number[m->blocks[i].home] = number[m->blocks[i].home ? m->blocks[i].home - 1 : 0] =
                number[m->blocks[i].parted_at] = 1;
    number[0] = 0;
    for (uint32_t i = 1; i < m->ptx->n_blocks; i++)
        if (number[i] && m->ptx->ranges[i].first) ranges[n++] = m->ptx->ranges[i], number[i] = n;
        else number[i] = 0;
    for (uint32_t i = 0; i < m->n_blocks; i++) {
        const block *b = &m->blocks[i];
        const uint32_t home = b->home ? number[b->home] : 0, entry = b->home ? number[b->home - 1] : 0;
        blocks[i] = (hw_machine_block){.share = (uint8_t)share_of(b), .copies = b->is_exact ? 1 : copies_of(b),
                                       .range = home - 1, .entry = entry - 1,
                                       .parted = b->parted_at ? number[b->parted_at] - 1 : HW_MACHINE_NO_RANGE};
        count_by_pipe(m, b, &blocks[i]);
    }
    memset(m->votes, 0, m->ptx->n_blocks * sizeof *m->votes);
    *out = (hw_machine_function){.ranges = ranges, .n_ranges = n, .blocks = blocks, .n_blocks = m->n_blocks};
    return true;
}

static bool match_function(matching *m, hw_arena *scratch, hw_arena *arena, hw_machine_function *out) {
    const size_t n = (size_t)m->code->n_insts + 1;
    m->n_blocks = m->n_copies = 0;
    m->blocks = hw_arena_take(scratch, n * sizeof *m->blocks);
    m->copies = hw_arena_take(scratch, n * sizeof *m->copies);
    m->block_of = hw_arena_take(scratch, n * sizeof *m->block_of);
    if (!m->blocks || !m->copies || !m->block_of) return false;
    cut(m);
    if (!find_reached(m, scratch)) return false;
    find_depths(m);
    memset(m->ends_at, 0, ((size_t)m->ptx->n_lines + 1) * sizeof *m->ends_at);
    for (uint32_t i = 0; i < m->n_blocks; i++) {
        const hw_machine_inst *last = last_of(m, &m->blocks[i]);
        if (m->blocks[i].is_reached && is_flow(last) && is_ptx_branch(m, last)) m->ends_at[last->ptx_line]++;
    }
    for (uint32_t i = 0; i < m->n_blocks; i++) {
        if (!m->blocks[i].is_reached) continue;
        find_home(m, &m->blocks[i]);
        count_copies(m, &m->blocks[i]);
    }
    for (uint32_t i = 0; i < m->n_blocks; i++)
        if (m->blocks[i].is_reached) judge(m, &m->blocks[i]);
    find_partings(m);
    return write_out(m, arena, out);
}

hw_status hw_machine_match(const hw_machine_code *codes, uint32_t n_codes, const char *ptx, size_t length,
                           hw_arena *arena, hw_machine_module *machine, hw_diag *diag) {
    hw_ptx_blocks blocks = {0};
    hw_arena *scratch = hw_arena_create();
    hw_machine_function *functions = hw_arena_take(arena, ((size_t)n_codes + 1) * sizeof *functions);
    matching m = {.ptx = &blocks};
    bool has_room = scratch && functions && hw_ptx_find_blocks(ptx, length, scratch, &blocks);
    if (has_room) m.votes = hw_arena_take(scratch, ((size_t)blocks.n_blocks + 1) * sizeof *m.votes);
    if (has_room) m.ends_at = hw_arena_take(scratch, ((size_t)blocks.n_lines + 1) * sizeof *m.ends_at);
    has_room = has_room && m.votes && m.ends_at;
    for (uint32_t i = 0; has_room && i < n_codes; i++) {
        m.code = &codes[i];
        has_room = match_function(&m, scratch, arena, &functions[i]);
        functions[i].name = hw_arena_string(arena, codes[i].name, strlen(codes[i].name));
        functions[i].is_kernel = codes[i].is_kernel;
        has_room = has_room && functions[i].name;
    }
    hw_arena_destroy(scratch);
    *machine = (hw_machine_module){functions, n_codes};
    return has_room ? HW_OK : hw_diag_no_memory(diag);
}
