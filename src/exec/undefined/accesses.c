// Instructions of memory: undefined bits go with what is loaded, stored and copied; an undefined address is told.
#include <string.h>

#include "base/integers.h"
#include "exec/ops/builtin_math.h"
#include "exec/undefined/undefined.h"

enum { MOST_BYTES = 64, WHOLE_BYTES = 4, ROW_BYTES = 16, ROWS = 8, WORD = 4 };

typedef hw_undefined_place place;

static uint32_t bytes_of(const hw_inst *in) { return (uint32_t)in->width * in->vector; }

static const hw_slot *registers_of(const hw_state *s, const hw_inst *in, const hw_slot *single) {
    return in->vector > 1 ? s->warp.slots + in->list : single;
}

static bool is_any(const uint8_t *shadow, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i++)
        if (shadow[i]) return true;
    return false;
}

// Bytes that were moved may be the padding of a struct, or members that nobody asks for. Words of shared memory none of
// whose bits are defined are hardly that.
static hw_origin weigh(hw_origin origin, const hw_inst *in, place at, const uint8_t *shadow) {
    if (in->vector > 1 || in->width < WHOLE_BYTES || at.space != HW_SPACE_SHARED) return origin;
    for (uint32_t i = 0; i < in->width; i++)
        if (shadow[i] != 0xff) return origin;
    return origin | HW_ORIGIN_COUNTS;
}

static void use_address(hw_state *s, const hw_inst *in) {
    hw_undefined_use_slot(s, in, HW_UNDEFINED_ADDRESS, in->a, in->flags & HW_INST_ADDRESS_32 ? 4 : 8);
}

// ---- loads ----------------------------------------------------------------------------------------------------------

static void clear_registers(hw_state *s, const hw_slot *registers, uint32_t n, uint32_t reg_bytes) {
    for (uint32_t e = 0; e < n; e++)
        if (registers[e] != HW_NO_SLOT) hw_undefined_clear(s, registers[e], reg_bytes, s->warp.mask);
}

// A value of memory as a register: as hw_extend.
static void put_extended(hw_state *s, const hw_inst *in, hw_slot slot, int lane, const uint8_t *shadow) {
    uint8_t *to = s->frame->shadow->bits + slot + (size_t)lane * in->reg_bytes;
    hw_extend(to, in->reg_bytes, shadow, in->width, in->flags & HW_INST_SIGNED);
}

static hw_origin read_lane(hw_state *s, const hw_inst *in, int lane, place at, uint32_t bytes, uint8_t *shadow) {
    hw_origin origin = hw_undefined_read(s, lane, at, bytes, shadow);
    if (!is_any(shadow, bytes)) return 0;
    if (!origin) origin = hw_undefined_origin(s, in, lane, at, bytes);
    return weigh(origin, in, at, shadow);
}

static void load(hw_state *s, const hw_inst *in) {
    const uint32_t bytes = bytes_of(in);
    const hw_slot *registers = registers_of(s, in, &in->d);
    hw_origin origin = 0;
    use_address(s, in);
    if (in->flags & HW_INST_OF_ARRAY || hw_undefined_access_is_clean(s, in, bytes)) {
        clear_registers(s, registers, in->vector, in->reg_bytes);
        return;
    }
    for (uint32_t left = s->warp.mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        uint8_t shadow[MOST_BYTES];
        const hw_origin own = read_lane(s, in, lane, hw_undefined_place_of(s, in, lane), bytes, shadow);
        if (!origin || own & HW_ORIGIN_COUNTS) origin = own ? own : origin;
        for (uint32_t e = 0; e < in->vector; e++)
            if (registers[e] != HW_NO_SLOT) put_extended(s, in, registers[e], lane, shadow + e * in->width);
    }
    for (uint32_t e = 0; e < in->vector; e++)
        if (registers[e] != HW_NO_SLOT) hw_undefined_settle_slot(s, registers[e], in->reg_bytes, origin);
}

// ---- stores ---------------------------------------------------------------------------------------------------------

static bool has_any(const hw_state *s, const hw_slot *registers, uint32_t n, uint32_t reg_bytes) {
    bool has = false;
    for (uint32_t e = 0; e < n; e++) has |= hw_undefined_has(s->frame->shadow, registers[e], reg_bytes);
    return has;
}

// What one lane stores: the shadow of its registers side by side. Returns the origin, 0 where all is defined.
static hw_origin shadow_of_lane(const hw_state *s, const hw_inst *in, const hw_slot *registers, int lane,
                                uint8_t *shadow) {
    const hw_shadow *own = s->frame->shadow;
    hw_origin origin = 0;
    memset(shadow, 0, bytes_of(in));
    for (uint32_t e = 0; e < in->vector; e++) {
        if (!hw_undefined_has(own, registers[e], in->reg_bytes)) continue;
        memcpy(shadow + e * in->width, own->bits + registers[e] + (size_t)lane * in->reg_bytes, in->width);
        if (!origin && is_any(shadow + e * in->width, in->width)) origin = own->origins[registers[e] / WORD];
    }
    return origin;
}

// The host reads pinned and managed memory without a call.
static bool is_read_by_host(const hw_state *s, place at, hw_origin origin) {
    return origin & HW_ORIGIN_COUNTS && at.space == HW_SPACE_GLOBAL &&
           !hw_defined_is_followed(s->undefined->defined, at.offset);
}

static void store(hw_state *s, const hw_inst *in) {
    const uint32_t bytes = bytes_of(in);
    const hw_slot *registers = registers_of(s, in, &in->b);
    uint32_t told = 0;
    hw_origin of_told = 0;
    use_address(s, in);
    if (!has_any(s, registers, in->vector, in->reg_bytes)) {
        hw_undefined_define_access(s, in, bytes);
        return;
    }
    for (uint32_t left = s->warp.mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const place at = hw_undefined_place_of(s, in, lane);
        uint8_t shadow[MOST_BYTES];
        const hw_origin origin = shadow_of_lane(s, in, registers, lane, shadow);
        if (!is_any(shadow, bytes)) hw_undefined_define(s, lane, at, bytes);
        else if (is_read_by_host(s, at, origin)) told |= 1u << lane, of_told = origin;
        else hw_undefined_write(s, lane, at, bytes, shadow, origin);
    }
    if (told)
        hw_undefined_tell(s, in, HW_UNDEFINED_STORED, told, of_told,
                          hw_undefined_place_of(s, in, __builtin_ctz(told)));
}

// ---- atomics --------------------------------------------------------------------------------------------------------

static void use_operands(hw_state *s, const hw_inst *in) {
    if (in->vector == 1) {
        hw_undefined_use_slot(s, in, HW_UNDEFINED_CHANGES, in->b, in->reg_bytes);
        if (in->c != HW_NO_SLOT) hw_undefined_use_slot(s, in, HW_UNDEFINED_CHANGES, in->c, in->reg_bytes);
    }
    for (uint32_t e = 0; in->vector > 1 && e < in->vector; e++)
        hw_undefined_use_slot(s, in, HW_UNDEFINED_CHANGES, s->warp.slots[in->list + e], in->reg_bytes);
}

static void use_memory(hw_state *s, const hw_inst *in, uint32_t bytes) {
    uint32_t lanes = 0;
    place first = {.space = 0};
    hw_origin origin = 0;
    for (uint32_t left = s->warp.mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const place at = hw_undefined_place_of(s, in, lane);
        uint8_t shadow[MOST_BYTES];
        const hw_origin own = read_lane(s, in, lane, at, bytes, shadow);
        if (own && !lanes) first = at, origin = own;
        lanes |= (uint32_t)(own != 0) << lane;
    }
    if (!lanes) return;
    hw_undefined_tell(s, in, HW_UNDEFINED_CHANGES, lanes, origin, first);
    hw_undefined_define_access(s, in, bytes);
}

// An exchange moves values, lane after lane.
static void exchange(hw_state *s, const hw_inst *in, uint32_t bytes) {
    hw_shadow *own = s->frame->shadow;
    hw_origin origin = 0;
    for (uint32_t left = s->warp.mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const place at = hw_undefined_place_of(s, in, lane);
        uint8_t old[MOST_BYTES], new[MOST_BYTES];
        const hw_origin of_old = read_lane(s, in, lane, at, bytes, old);
        const hw_origin of_new = shadow_of_lane(s, in, &in->b, lane, new);
        hw_undefined_write(s, lane, at, bytes, new, of_new);
        if (in->d != HW_NO_SLOT) memcpy(own->bits + in->d + (size_t)lane * in->reg_bytes, old, bytes);
        if (!origin) origin = of_old;
    }
    if (in->d != HW_NO_SLOT) hw_undefined_settle_slot(s, in->d, in->reg_bytes, origin);
}

static void change(hw_state *s, const hw_inst *in) {
    const uint32_t bytes = bytes_of(in);
    use_address(s, in);
    if (s->run->set->notes[in->note].atomic == HW_ATOMIC_EXCH && in->vector == 1) {
        exchange(s, in, bytes);
        return;
    }
    use_operands(s, in);
    if (!hw_undefined_access_is_clean(s, in, bytes)) use_memory(s, in, bytes);
    if (in->vector > 1) clear_registers(s, s->warp.slots + in->list + in->vector, in->vector, in->reg_bytes);
    else if (in->d != HW_NO_SLOT) hw_undefined_clear(s, in->d, in->reg_bytes, s->warp.mask);
}

// ---- asynchronous copies --------------------------------------------------------------------------------------------

static void forget_staged(hw_undefined *u) {
    if (u->staged_origin) memset(u->staged, 0, sizeof u->staged);
    u->staged_origin = 0;
}

// What is not read becomes zeros.
static uint32_t read_bytes(const hw_state *s, const hw_inst *in, int lane) {
    const hw_warp *w = &s->warp;
    uint32_t bytes = in->width;
    if (in->b != HW_NO_SLOT && ((const uint32_t *)hw_at(w, in->b))[lane] < bytes)
        bytes = ((const uint32_t *)hw_at(w, in->b))[lane];
    const bool ignores = in->p != HW_NO_SLOT &&
                         (hw_pred(w, in->p) >> lane & 1) != (in->flags & HW_INST_NEGATE_P ? 1u : 0u);
    return ignores ? 0 : bytes;
}

static void read_copy(hw_state *s, const hw_inst *in) {
    hw_undefined *u = s->undefined;
    use_address(s, in);
    if (in->b != HW_NO_SLOT) hw_undefined_use_slot(s, in, HW_UNDEFINED_DECIDES, in->b, 4);
    if (in->p != HW_NO_SLOT) hw_undefined_use_slot(s, in, HW_UNDEFINED_DECIDES, in->p, 0);
    forget_staged(u);
    if (hw_undefined_access_is_clean(s, in, in->width)) return;
    for (uint32_t left = s->warp.mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const uint32_t bytes = read_bytes(s, in, lane);
        if (!bytes) continue;
        const hw_origin own = read_lane(s, in, lane, hw_undefined_place_of(s, in, lane), bytes, u->staged[lane]);
        if (!u->staged_origin) u->staged_origin = own;
    }
}

// Before the copy lands: who reads there earlier has a race.
static void write_copy(hw_state *s, const hw_inst *in) {
    use_address(s, in);
    if (!s->undefined->staged_origin) {
        hw_undefined_define_access(s, in, in->width);
        return;
    }
    for (uint32_t left = s->warp.mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        hw_undefined_write(s, lane, hw_undefined_place_of(s, in, lane), in->width, s->undefined->staged[lane],
                           s->undefined->staged_origin);
    }
}

static void use_row(hw_state *s, const hw_inst *in) {
    use_address(s, in);
    if (in->b != HW_NO_SLOT) hw_undefined_use_slot(s, in, HW_UNDEFINED_ADDRESS, in->b, WORD);
}

void hw_undefined_copy_row(hw_state *s, const hw_inst *in, int lane, place from, place to, uint32_t bytes) {
    for (uint32_t done = 0; done < bytes; done += MOST_BYTES) {
        const uint32_t n = bytes - done < MOST_BYTES ? bytes - done : MOST_BYTES;
        const place of = {from.space, from.offset + done}, at = {to.space, to.offset + done};
        uint8_t shadow[MOST_BYTES];
        const hw_origin origin = read_lane(s, in, lane, of, n, shadow);
        if (origin) hw_undefined_write(s, lane, at, n, shadow, origin);
        else hw_undefined_define(s, lane, at, n);
    }
}

// ---- matrices -------------------------------------------------------------------------------------------------------

// Row r of matrix m is at the address of lane 8 m + r, word w of it in lane 4 r + w; across: as ops_matrix.c has it.
static uint32_t word_of_row(uint8_t rows[ROWS][ROW_BYTES], int lane, bool is_across) {
    uint32_t word;
    if (is_across) {
        const int row = 2 * (lane % 4), col = lane / 4;
        uint16_t low, high;
        memcpy(&low, rows[row] + 2 * col, sizeof low);
        memcpy(&high, rows[row + 1] + 2 * col, sizeof high);
        return low | (uint32_t)high << 16;
    }
    memcpy(&word, rows[lane / 4] + WORD * (lane % 4), sizeof word);
    return word;
}

static void load_matrices(hw_state *s, const hw_inst *in, bool is_across) {
    const hw_slot *registers = s->warp.slots + in->list;
    use_address(s, in);
    if (hw_undefined_access_is_clean(s, in, ROW_BYTES)) {
        clear_registers(s, registers, in->matrices, WORD);
        return;
    }
    for (int m = 0; m < in->matrices; m++) {
        uint8_t rows[ROWS][ROW_BYTES] = {{0}};
        hw_origin origin = 0;
        for (int r = 0; r < ROWS; r++) {
            const int lane = ROWS * m + r;
            if (!(s->warp.mask >> lane & 1)) continue;
            const hw_origin own = read_lane(s, in, lane, hw_undefined_place_of(s, in, lane), ROW_BYTES, rows[r]);
            if (!origin) origin = own;
        }
        for (uint32_t left = s->warp.mask; left; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            hw_undefined_put(s->frame->shadow, registers[m], WORD, lane, word_of_row(rows, lane, is_across));
        }
        hw_undefined_settle_slot(s, registers[m], WORD, origin);
    }
}

static void store_matrices(hw_state *s, const hw_inst *in, bool is_across) {
    const hw_slot *registers = s->warp.slots + in->list;
    use_address(s, in);
    for (int m = 0; m < in->matrices; m++) {
        uint8_t rows[ROWS][ROW_BYTES], stored[ROWS * ROW_BYTES];
        hw_origin origin = 0;
        hw_undefined_lanes_of(s, registers[m], WORD, &origin);
        for (int lane = 0; lane < 32; lane++) {
            const uint32_t word = (uint32_t)hw_undefined_get(s->frame->shadow, registers[m], WORD, lane);
            memcpy(rows[lane / 4] + WORD * (lane % 4), &word, sizeof word);
        }
        for (int lane = 0; lane < 32; lane++) {
            const uint32_t word = word_of_row(rows, lane, is_across);
            memcpy(stored + WORD * lane, &word, sizeof word);
        }
        for (int r = 0; r < ROWS; r++)
            if (s->warp.mask >> (ROWS * m + r) & 1)
                hw_undefined_write(s, ROWS * m + r, hw_undefined_place_of(s, in, ROWS * m + r), ROW_BYTES,
                                   stored + ROW_BYTES * r, origin);
    }
}

// ---- textures and barriers ------------------------------------------------------------------------------------------

// Texels are not looked at: arrays are filled by calls that say no addresses.
static void use_coordinates(hw_state *s, const hw_inst *in) {
    const hw_slot coordinates[] = {in->a, in->b, in->c};
    for (int axis = 0; axis < in->dimensions; axis++)
        hw_undefined_use_slot(s, in, HW_UNDEFINED_ADDRESS, coordinates[axis], WORD);
    if (in->p != HW_NO_SLOT) hw_undefined_use_slot(s, in, HW_UNDEFINED_ADDRESS, in->p, WORD);
    hw_undefined_use_slot(s, in, HW_UNDEFINED_ADDRESS, in->fourth, 8);
}

static void fetch_texels(hw_state *s, const hw_inst *in) {
    use_coordinates(s, in);
    clear_registers(s, s->warp.slots + in->list, 4, WORD);
}

static void find_in_surface(hw_state *s, const hw_inst *in) {
    use_coordinates(s, in);
    hw_undefined_clear(s, in->d, 8, s->warp.mask);
}

static void use_mbarrier(hw_state *s, const hw_inst *in, const hw_undefined_facts *f) {
    if (in->width) {
        use_address(s, in);
        hw_undefined_define_access(s, in, in->width);
    }
    if (in->d != HW_NO_SLOT) hw_undefined_clear(s, in->d, f->d, s->warp.mask);
}

// ---- parameters of calls --------------------------------------------------------------------------------------------

static uint32_t param_at(const hw_frame *frame, int lane, uint32_t offset) {
    return (uint32_t)(frame->params - frame->registers) + (uint32_t)lane * frame->param_stride + offset;
}

static void load_param(hw_state *s, const hw_inst *in) {
    const hw_frame *frame = s->frame;
    const hw_program *program = frame->program;
    const hw_slot *registers = registers_of(s, in, &in->d);
    if (in->a != HW_NO_SLOT) {
        load(s, in);
        return;
    }
    const bool is_local = program->takes_param_address && !program->function->is_entry &&
                          (uint64_t)in->imm < program->formal_param_bytes;
    for (uint32_t e = 0; e < in->vector; e++) {
        hw_origin origin = 0;
        if (registers[e] == HW_NO_SLOT) continue;
        for (uint32_t left = s->warp.mask; left; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            const uint32_t offset = (uint32_t)in->imm + e * in->width;
            const uint32_t at = in->is_own_param ? param_at(frame, lane, offset) : 0;
            uint8_t shadow[16] = {0};
            hw_origin own = 0;
            if (is_local) {
                const place local = {HW_SPACE_LOCAL, hw_call_local_params(frame) + offset};
                own = hw_undefined_read(s, lane, local, in->width, shadow);
            } else if (in->is_own_param) {
                memcpy(shadow, frame->shadow->bits + at, in->width);
                if (is_any(shadow, in->width)) own = frame->shadow->origins[at / WORD];
            }
            if (!origin) origin = own;
            put_extended(s, in, registers[e], lane, shadow);
        }
        hw_undefined_settle_slot(s, registers[e], in->reg_bytes, origin);
    }
}

static void store_param(hw_state *s, const hw_inst *in) {
    hw_shadow *own = s->frame->shadow;
    const hw_slot *registers = registers_of(s, in, &in->b);
    if (in->a != HW_NO_SLOT) {
        store(s, in);
        return;
    }
    if (!s->undefined->n_undefined) return;
    for (uint32_t left = s->warp.mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const uint32_t at = param_at(s->frame, lane, (uint32_t)in->imm), bytes = bytes_of(in);
        uint8_t shadow[MOST_BYTES];
        const hw_origin origin = shadow_of_lane(s, in, registers, lane, shadow);
        memcpy(own->bits + at, shadow, bytes);
        for (uint32_t word = at / WORD; origin && word <= (at + bytes - 1) / WORD; word++) own->origins[word] = origin;
        hw_undefined_settle(s, own, at, bytes);
    }
}

// ---- calls ----------------------------------------------------------------------------------------------------------

static uint32_t argument_bytes(const hw_ptx_function *f, uint32_t k) {
    return f && k < f->n_params ? (uint32_t)f->params[k]->size_bytes : 8;
}

// Lanes for which an argument has an undefined bit; it counts as defined from then on.
static uint32_t take_arguments(hw_state *s, const hw_call_site *site, hw_origin *origin) {
    hw_shadow *own = s->frame->shadow;
    uint32_t lanes = 0;
    for (uint32_t k = 0; own->n_undefined && k < site->n_args; k++) {
        for (uint32_t left = s->warp.mask; left; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            const uint32_t at = param_at(s->frame, lane, site->arg_offsets[k]);
            const uint32_t bytes = argument_bytes(site->signature, k);
            if (!is_any(own->bits + at, bytes)) continue;
            lanes |= 1u << lane;
            *origin = own->origins[at / WORD];
            memset(own->bits + at, 0, bytes);
            hw_undefined_settle(s, own, at, bytes);
        }
    }
    return lanes;
}

static void return_from_builtin(hw_state *s, const hw_call_site *site, uint32_t lanes, hw_origin origin) {
    hw_shadow *own = s->frame->shadow;
    if (!site->n_rets || !(lanes | own->n_undefined)) return;
    const hw_ptx_function *f = site->signature;
    const uint32_t bytes = f && f->n_rets ? (uint32_t)f->rets[0]->size_bytes : 8;
    for (uint32_t left = s->warp.mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const uint32_t at = param_at(s->frame, lane, site->ret_offsets[0]);
        memset(own->bits + at, lanes >> lane & 1 ? 0xff : 0, bytes);
        own->origins[at / WORD] = origin | HW_ORIGIN_COUNTS;
        hw_undefined_settle(s, own, at, bytes);
    }
}

static void call(hw_state *s, const hw_inst *in) {
    const hw_call_site *site = &s->frame->program->calls[in->call];
    hw_origin origin = 0;
    if (site->callee) return;
    if (!site->builtin) {
        hw_undefined_use_slot(s, in, HW_UNDEFINED_DECIDES, site->target, 8);
        return;
    }
    uint32_t lanes = take_arguments(s, site, &origin);
    if (lanes && !hw_math_find(site->builtin)) {
        hw_undefined_tell(s, in, HW_UNDEFINED_PASSED, lanes, origin, (place){.space = 0});
        lanes = 0;
    }
    return_from_builtin(s, site, lanes, origin);
}

void hw_undefined_builtin_reads(hw_state *s, const hw_inst *in, int lane, uint64_t address, uint32_t bytes) {
    const place at = hw_undefined_place_at(address);
    uint8_t shadow[MOST_BYTES];
    if (bytes > sizeof shadow || hw_undefined_is_clean(s, lane, at, bytes)) return;
    const hw_origin origin = read_lane(s, in, lane, at, bytes, shadow);
    if (origin) hw_undefined_tell(s, in, HW_UNDEFINED_PASSED, 1u << lane, origin, at);
}

void hw_undefined_builtin_writes(hw_state *s, int lane, uint64_t address, uint32_t bytes) {
    hw_undefined_define(s, lane, hw_undefined_place_at(address), bytes);
}

// As special_alloca will do.
static void grow_stack(hw_state *s, const hw_inst *in) {
    const hw_warp *w = &s->warp;
    const uint64_t alignment = in->imm > 0 ? (uint64_t)in->imm : 8;
    uint64_t most = 0;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const uint64_t bytes = in->lane_bytes == 4 ? ((const uint32_t *)hw_at(w, in->a))[lane]
                                              : ((const uint64_t *)hw_at(w, in->a))[lane];
        if (bytes > most) most = bytes;
    }
    if (most <= s->run->local_bytes)
        hw_undefined_forget_local(s, hw_align_up(s->frame->local_top, alignment), most);
    hw_undefined_clear(s, in->d, in->lane_bytes, w->mask);
}

// ---- all ------------------------------------------------------------------------------------------------------------

static void decide(hw_state *s, const hw_inst *in) {
    if (in->p != HW_NO_SLOT) hw_undefined_use_slot(s, in, HW_UNDEFINED_DECIDES, in->p, 0);
    if (in->a != HW_NO_SLOT) hw_undefined_use_slot(s, in, HW_UNDEFINED_DECIDES, in->a, 4);
}

void hw_undefined_access(hw_state *s, const hw_inst *in, const hw_undefined_facts *f) {
    switch ((hw_undefined_rule)f->rule) {
    case HW_RULE_LOAD: load(s, in); break;
    case HW_RULE_STORE: store(s, in); break;
    case HW_RULE_ATOMIC: change(s, in); break;
    case HW_RULE_COPY_READ: read_copy(s, in); break;
    case HW_RULE_COPY_WRITE: write_copy(s, in); break;
    case HW_RULE_LOAD_MATRIX: load_matrices(s, in, f->is_across); break;
    case HW_RULE_STORE_MATRIX: store_matrices(s, in, f->is_across); break;
    case HW_RULE_TEXTURE: fetch_texels(s, in); break;
    case HW_RULE_SURFACE: find_in_surface(s, in); break;
    case HW_RULE_MBARRIER: use_mbarrier(s, in, f); break;
    case HW_RULE_BULK: use_row(s, in); break;
    case HW_RULE_LOAD_PARAM: load_param(s, in); break;
    case HW_RULE_STORE_PARAM: store_param(s, in); break;
    case HW_RULE_BRANCH: decide(s, in); break;
    case HW_RULE_CALL: call(s, in); break;
    case HW_RULE_ALLOCA: grow_stack(s, in); break;
    default: break;
    }
}

static uint32_t access_bytes(const hw_inst *in, const hw_undefined_facts *f) {
    return f->rule == HW_RULE_LOAD_MATRIX || f->rule == HW_RULE_STORE_MATRIX ? ROW_BYTES : bytes_of(in);
}

bool hw_undefined_may_go_on(const hw_state *s, const hw_inst *in, const hw_undefined_facts *f) {
    const bool reads = f->rule == HW_RULE_LOAD || f->rule == HW_RULE_ATOMIC || f->rule == HW_RULE_COPY_READ ||
                       f->rule == HW_RULE_LOAD_MATRIX;
    return !reads || hw_undefined_access_is_clean(s, in, access_bytes(in, f));
}

void hw_undefined_go_on(hw_state *s, const hw_inst *in, const hw_undefined_facts *f) {
    if (f->rule == HW_RULE_COPY_READ) forget_staged(s->undefined);
    if (f->rule == HW_RULE_COPY_WRITE) write_copy(s, in);
    if (f->rule == HW_RULE_STORE || f->rule == HW_RULE_MBARRIER) hw_undefined_define_access(s, in, bytes_of(in));
    if (f->rule == HW_RULE_STORE_MATRIX) store_matrices(s, in, f->is_across);
}
