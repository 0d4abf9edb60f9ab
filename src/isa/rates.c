#include "isa/rates.h"

#include <assert.h>

#include "isa/matrix.h"

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

// The pipe of an opcode is that for integers; floating-point forms of arithmetic go by their type. 64-bit integers take
// two instructions, products of them four.

static hw_issue_cost float_cost(hw_type type, uint8_t rate, uint8_t count) {
    // Special functions, comparisons and conversions have pipes of their own; of f64 they are made of additions.
    bool is_arithmetic = rate == HW_RATE_IADD || rate == HW_RATE_IMUL || rate == HW_RATE_F32;
    if (type == HW_T_F32X2) return (hw_issue_cost){HW_RATE_F32, (uint8_t)(2 * count)};
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

// A reciprocal, and a product that another pipe makes beside it, where neither rounding nor the largest divisors are
// asked for (__fdividef).
static bool is_quick_division(hw_op op, const hw_mods *mods) {
    return op == HW_OP_DIV && hw_has_mod(mods, HW_M_APPROX);
}

// In products of 16x8x16 halves, which an H200 takes as long for as for 16x8x8 words or 16x8x32 bytes; one of doubles,
// 8x8x4, takes 2.3 times as long (truth/h200_micro.csv, tensor_*). wmma does not name the type of halves.
static hw_issue_cost product_cost(const hw_mods *mods, const hw_type types[2]) {
    const uint32_t wide = types[0] == HW_T_F64 ? 128 : types[1] == HW_T_TF32 ? 1024 : 2048;
    const uint32_t each = types[0] != HW_T_F64 && hw_type_bits(types[1]) == 8 ? 4096 : wide;
    hw_matrix_shape shape;
    if (!hw_matrix_shape_of(mods, &shape)) return (hw_issue_cost){HW_RATE_TENSOR, 1};
    const uint32_t products = (uint32_t)shape.m * shape.n * shape.k;
    const uint32_t count = products > each ? products / each : 1;
    assert(count <= UINT8_MAX);   // 16x16x16 doubles, which there are none of, would be 32
    return (hw_issue_cost){HW_RATE_TENSOR, (uint8_t)count};
}

hw_issue_cost hw_issue_cost_of(hw_op op, const hw_mods *mods, const hw_type types[2]) {
    const hw_traits *row = hw_op_traits(op);
    if (op == HW_OP_MMA || op == HW_OP_WMMA_MMA) return product_cost(mods, types);
    if (row->pipe == HW_RATE_ISSUE || !row->count) return (hw_issue_cost){HW_RATE_ISSUE, 1};
    if (op == HW_OP_CVT) return conversion(types);
    if (is_quick_division(op, mods)) return (hw_issue_cost){HW_RATE_SFU, 1};
    if (row->pipe == HW_RATE_MEMORY || row->pipe == HW_RATE_BARRIER || row->pipe == HW_RATE_SHFL)
        return (hw_issue_cost){row->pipe, row->count};
    if (hw_type_kind_of(types[0]) == HW_KIND_F)
        return float_cost(types[0], row->pipe, row->float_count ? row->float_count : row->count);
    uint8_t words = hw_type_bits(types[0]) != 64 ? 1 : row->pipe == HW_RATE_IMUL ? 4 : 2;
    return (hw_issue_cost){row->pipe, (uint8_t)(row->count * words)};
}

// ---- Operations on floating-point numbers ---------------------------------------------------------------------------

static uint16_t flops_of_op(hw_op op) {
    switch (op) {
    case HW_OP_FMA: case HW_OP_MAD: return 2;
    case HW_OP_ADD: case HW_OP_SUB: case HW_OP_MUL: case HW_OP_DIV: case HW_OP_RCP: case HW_OP_SQRT: case HW_OP_RSQRT:
    case HW_OP_SIN: case HW_OP_COS: case HW_OP_LG2: case HW_OP_EX2: case HW_OP_TANH: return 1;
    default: return 0;
    }
}

static hw_flop_count flops_of_matrices(const hw_mods *mods) {
    hw_matrix_shape shape;
    if (!hw_matrix_shape_of(mods, &shape)) return (hw_flop_count){HW_FLOP_TENSOR, 0};
    return (hw_flop_count){HW_FLOP_TENSOR, (uint16_t)(2u * shape.m * shape.n * shape.k / 32)};
}

hw_flop_count hw_flops_of(hw_op op, const hw_mods *mods, const hw_type types[2]) {
    if (hw_type_kind_of(types[0]) != HW_KIND_F) return (hw_flop_count){HW_FLOP_SINGLE, 0};
    if (op == HW_OP_MMA || op == HW_OP_WMMA_MMA) return flops_of_matrices(mods);
    const hw_type type = types[0];
    const bool is_pair = type == HW_T_F16X2 || type == HW_T_BF16X2 || type == HW_T_F32X2;
    const unsigned bits = hw_type_bits(type) / (is_pair ? 2 : 1);
    const hw_flop flop = bits == 64 ? HW_FLOP_DOUBLE : bits == 32 ? HW_FLOP_SINGLE : HW_FLOP_HALF;
    return (hw_flop_count){(uint8_t)flop, (uint16_t)(flops_of_op(op) * (is_pair ? 2 : 1))};
}

// A multiply-add of each lane in each clock. Of f16 the rates count elements, of which an instruction has two.
double hw_peak_gflops(const hw_gpu *gpu, hw_flop flop) {
    static const hw_rate pipes[HW_FLOPS] = {[HW_FLOP_HALF] = HW_RATE_F16, [HW_FLOP_SINGLE] = HW_RATE_F32,
                                            [HW_FLOP_DOUBLE] = HW_RATE_F64};
    return flop == HW_FLOP_TENSOR ? 0 : 2.0 * hw_rate_of(gpu->arch, pipes[flop]) * gpu->sms * gpu->clock_mhz / 1e3;
}

// ---- Notes ----------------------------------------------------------------------------------------------------------

hw_issue_cost hw_issue_cost_of_note(const hw_note *note) {
    switch ((hw_note_kind)note->kind) {
    case HW_NOTE_PLAIN: return (hw_issue_cost){note->pipe, note->issues};
    case HW_NOTE_BRANCH: return (hw_issue_cost){HW_RATE_ISSUE, 1};
    case HW_NOTE_BARRIER: return (hw_issue_cost){HW_RATE_BARRIER, 1};
    default: return (hw_issue_cost){HW_RATE_MEMORY, note->merged_bytes || note->kind >= HW_NOTE_ATOMIC};
    }
}
