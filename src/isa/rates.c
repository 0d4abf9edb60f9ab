#include "isa/rates.h"

// ---- Rates ----------------------------------------------------------------------------------------------------------

typedef struct rate_row {
    int cc;
    uint16_t lanes[HW_RATES];
} rate_row;

static const rate_row rows[] = {
#define HW_RATE_ROW(cc, ...) {cc, {__VA_ARGS__}},
#include "isa/rates.def"
#undef HW_RATE_ROW
};

uint32_t hw_rate_of(const hw_arch *arch, hw_rate rate) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].cc == arch->cc) return rows[i].lanes[rate];
    return 0;
}

// ---- Instructions ---------------------------------------------------------------------------------------------------

// Of an opcode: the pipe for integers; floating-point forms of arithmetic go by their type. 64-bit integers take two
// instructions, products of them four. `count` instructions where PTX has one and hardware several: what nvcc 13 makes
// of them for 9.0, to the nearest that a table needs.
typedef struct op_row {
    uint8_t rate;
    uint8_t count;        // of integers
    uint8_t float_count;  // of f32 and f64; 0: as the integers
} op_row;

#define IS(name) [HW_OP_##name]
static const op_row ops[] = {
    IS(ADD) = {HW_RATE_IADD, 1, 1}, IS(SUB) = {HW_RATE_IADD, 1, 1}, IS(ADDC) = {HW_RATE_IADD, 1, 1},
    IS(SUBC) = {HW_RATE_IADD, 1, 1}, IS(NEG) = {HW_RATE_IADD, 1, 1}, IS(ABS) = {HW_RATE_IADD, 1, 1},
    IS(SAD) = {HW_RATE_IADD, 2, 1}, IS(BMSK) = {HW_RATE_SHIFT, 1, 1}, IS(SZEXT) = {HW_RATE_SHIFT, 1, 1},
    IS(MUL) = {HW_RATE_IMUL, 1, 1}, IS(MAD) = {HW_RATE_IMUL, 1, 1}, IS(MADC) = {HW_RATE_IMUL, 1, 1},
    IS(MUL24) = {HW_RATE_MUL24, 1, 1}, IS(MAD24) = {HW_RATE_MUL24, 1, 1},
    IS(DP4A) = {HW_RATE_IADD, 1, 1}, IS(DP2A) = {HW_RATE_IADD, 1, 1},
    IS(FMA) = {HW_RATE_F32, 1, 1}, IS(COPYSIGN) = {HW_RATE_LOGIC, 1, 1}, IS(TESTP) = {HW_RATE_COMPARE, 1, 1},
    IS(DIV) = {HW_RATE_IADD, 20, 9}, IS(REM) = {HW_RATE_IADD, 22, 1},
    IS(RCP) = {HW_RATE_SFU, 1, 1}, IS(SQRT) = {HW_RATE_SFU2, 1, 1}, IS(RSQRT) = {HW_RATE_SFU, 1, 1},
    IS(SIN) = {HW_RATE_SFU2, 1, 1}, IS(COS) = {HW_RATE_SFU2, 1, 1}, IS(LG2) = {HW_RATE_SFU, 1, 1},
    IS(EX2) = {HW_RATE_SFU2, 1, 1}, IS(TANH) = {HW_RATE_SFU, 1, 1},
    IS(MIN) = {HW_RATE_COMPARE, 1, 1}, IS(MAX) = {HW_RATE_COMPARE, 1, 1}, IS(SETP) = {HW_RATE_COMPARE, 1, 1},
    IS(SET) = {HW_RATE_COMPARE, 1, 1}, IS(SELP) = {HW_RATE_LOGIC, 1, 1}, IS(SLCT) = {HW_RATE_COMPARE, 2, 2},
    IS(POPC) = {HW_RATE_POPC, 1, 1}, IS(CLZ) = {HW_RATE_POPC, 1, 1}, IS(BFIND) = {HW_RATE_POPC, 1, 1},
    IS(BREV) = {HW_RATE_POPC, 1, 1}, IS(FNS) = {HW_RATE_POPC, 8, 1},
    IS(BFE) = {HW_RATE_SHIFT, 2, 1}, IS(BFI) = {HW_RATE_SHIFT, 2, 1}, IS(SHL) = {HW_RATE_SHIFT, 1, 1},
    IS(SHR) = {HW_RATE_SHIFT, 1, 1}, IS(SHF) = {HW_RATE_SHIFT, 1, 1}, IS(PRMT) = {HW_RATE_SHIFT, 1, 1},
    IS(AND) = {HW_RATE_LOGIC, 1, 1}, IS(OR) = {HW_RATE_LOGIC, 1, 1}, IS(XOR) = {HW_RATE_LOGIC, 1, 1},
    IS(NOT) = {HW_RATE_LOGIC, 1, 1}, IS(CNOT) = {HW_RATE_LOGIC, 2, 1}, IS(LOP3) = {HW_RATE_LOGIC, 1, 1},
    IS(CVT) = {HW_RATE_CVT, 1, 1}, IS(CVT_PACK) = {HW_RATE_CVT8, 1, 1},
    IS(LD) = {HW_RATE_MEMORY, 1, 1}, IS(LDU) = {HW_RATE_MEMORY, 1, 1}, IS(ST) = {HW_RATE_MEMORY, 1, 1},
    IS(CP_ASYNC) = {HW_RATE_MEMORY, 1, 1}, IS(ATOM) = {HW_RATE_MEMORY, 1, 1}, IS(RED) = {HW_RATE_MEMORY, 1, 1},
    IS(PREFETCH) = {HW_RATE_MEMORY, 1, 1}, IS(TEX) = {HW_RATE_MEMORY, 4, 1},
    IS(SHFL) = {HW_RATE_SHFL, 1, 1}, IS(MATCH) = {HW_RATE_SHFL, 2, 1}, IS(REDUX) = {HW_RATE_POPC, 1, 1},
    IS(VOTE) = {HW_RATE_SHIFT, 1, 1}, IS(BAR) = {HW_RATE_BARRIER, 1, 1}, IS(BARRIER) = {HW_RATE_BARRIER, 1, 1},
    IS(VADD) = {HW_RATE_IADD, 4, 1}, IS(VSUB) = {HW_RATE_IADD, 4, 1}, IS(VABSDIFF) = {HW_RATE_IADD, 4, 1},
    IS(VMIN) = {HW_RATE_IADD, 4, 1}, IS(VMAX) = {HW_RATE_IADD, 4, 1}, IS(VSHL) = {HW_RATE_SHIFT, 4, 1},
    IS(VSHR) = {HW_RATE_SHIFT, 4, 1}, IS(VMAD) = {HW_RATE_IMUL, 4, 1}, IS(VSET) = {HW_RATE_COMPARE, 4, 1},
    IS(VADD2) = {HW_RATE_IADD, 6, 1}, IS(VSUB2) = {HW_RATE_IADD, 6, 1}, IS(VAVRG2) = {HW_RATE_IADD, 6, 1},
    IS(VABSDIFF2) = {HW_RATE_IADD, 6, 1}, IS(VMIN2) = {HW_RATE_IADD, 6, 1}, IS(VMAX2) = {HW_RATE_IADD, 6, 1},
    IS(VSET2) = {HW_RATE_COMPARE, 6, 1}, IS(VADD4) = {HW_RATE_IADD, 10, 1}, IS(VSUB4) = {HW_RATE_IADD, 10, 1},
    IS(VAVRG4) = {HW_RATE_IADD, 10, 1}, IS(VABSDIFF4) = {HW_RATE_IADD, 10, 1}, IS(VMIN4) = {HW_RATE_IADD, 10, 1},
    IS(VMAX4) = {HW_RATE_IADD, 10, 1}, IS(VSET4) = {HW_RATE_COMPARE, 10, 1},
};
#undef IS

static hw_issue_cost float_cost(hw_type type, uint8_t rate, uint8_t count) {
    // Special functions, comparisons and conversions have pipes of their own; of f64 they are made of additions.
    bool is_arithmetic = rate == HW_RATE_IADD || rate == HW_RATE_IMUL || rate == HW_RATE_F32;
    if (hw_type_bits(type) == 64 && (rate == HW_RATE_SFU || rate == HW_RATE_SFU2))
        return (hw_issue_cost){HW_RATE_F64, (uint8_t)(8 * count)};
    if (hw_type_bits(type) == 64 && rate != HW_RATE_CVT) return (hw_issue_cost){HW_RATE_F64, count};
    if (!is_arithmetic) return (hw_issue_cost){rate, count};
    bool is_half = hw_type_bits(type) == 16 || type == HW_T_F16X2 || type == HW_T_BF16X2;
    return (hw_issue_cost){is_half ? HW_RATE_F16 : HW_RATE_F32, count};
}

static hw_issue_cost conversion(const hw_type types[2]) {
    unsigned to = hw_type_bits(types[0]), from = hw_type_bits(types[1]);
    bool is_integer = hw_type_kind_of(types[0]) != HW_KIND_F && hw_type_kind_of(types[1]) != HW_KIND_F;
    if (is_integer && (to == 64 || from == 64)) return (hw_issue_cost){HW_RATE_IADD, 1};
    if (to == 64 || from == 64) return (hw_issue_cost){HW_RATE_CVT64, 1};
    return (hw_issue_cost){to <= 16 || from <= 16 ? HW_RATE_CVT8 : HW_RATE_CVT, 1};
}

hw_issue_cost hw_issue_cost_of(hw_op op, const hw_type types[2]) {
    op_row row = (size_t)op < sizeof ops / sizeof ops[0] ? ops[op] : (op_row){0};
    if (!row.count) return (hw_issue_cost){HW_RATE_ISSUE, 1};   // moves, branches, fences and the like
    if (op == HW_OP_CVT) return conversion(types);
    if (row.rate == HW_RATE_MEMORY || row.rate == HW_RATE_BARRIER || row.rate == HW_RATE_SHFL)
        return (hw_issue_cost){row.rate, row.count};
    if (hw_type_kind_of(types[0]) == HW_KIND_F)
        return float_cost(types[0], row.rate, row.float_count ? row.float_count : row.count);
    uint8_t words = hw_type_bits(types[0]) != 64 ? 1 : row.rate == HW_RATE_IMUL ? 4 : 2;
    return (hw_issue_cost){row.rate, (uint8_t)(row.count * words)};
}

void hw_note_set_cost(hw_note *note, hw_issue_cost cost) {
    note->space = cost.rate;
    note->width_bytes = cost.count;
}

hw_issue_cost hw_issue_cost_of_note(const hw_note *note) {
    switch ((hw_note_kind)note->kind) {
    case HW_NOTE_PLAIN: return (hw_issue_cost){note->space, note->width_bytes};
    case HW_NOTE_BRANCH: return (hw_issue_cost){HW_RATE_ISSUE, 1};
    case HW_NOTE_BARRIER: return (hw_issue_cost){HW_RATE_BARRIER, 1};
    default: return (hw_issue_cost){HW_RATE_MEMORY, note->merged_bytes || note->kind >= HW_NOTE_ATOMIC};
    }
}
