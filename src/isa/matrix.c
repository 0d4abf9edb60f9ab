#include "isa/matrix.h"

#include <string.h>

bool hw_matrix_shape_of(const hw_mods *mods, hw_matrix_shape *out) {
    static const struct {
        hw_mod mod;
        hw_matrix_shape shape;
    } shapes[] = {
        {HW_M_M8N8K4, {8, 8, 4}},      {HW_M_M8N8K16, {8, 8, 16}},    {HW_M_M16N8K4, {16, 8, 4}},
        {HW_M_M16N8K8, {16, 8, 8}},    {HW_M_M16N8K16, {16, 8, 16}},  {HW_M_M16N8K32, {16, 8, 32}},
        {HW_M_M16N16K16, {16, 16, 16}}, {HW_M_M32N8K16, {32, 8, 16}}, {HW_M_M8N32K16, {8, 32, 16}},
        {HW_M_M16N16K8, {16, 16, 8}},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (!hw_has_mod(mods, shapes[i].mod)) continue;
        *out = shapes[i].shape;
        return true;
    }
    return false;
}

static uint32_t log_2(uint32_t power) { return (uint32_t)__builtin_ctz(power); }

// A fragment whose lanes go along its columns first, `pack` bits of each lane's element number before them. The
// remaining bits of the element's number go along rows from 8 on and columns in turn, or columns first.
static hw_fragment along_columns(uint32_t rows, uint32_t cols, uint32_t pack, bool rows_last) {
    hw_fragment f = {.elements = 1};
    uint32_t bit = 0, row = 8, col = 4u << pack;
    for (uint32_t k = 0; k < pack; k++) f.element_col[bit++] = (uint8_t)(1u << k);
    for (uint32_t k = 0; k < 2; k++) f.lane_col[k] = (uint8_t)(1u << (pack + k));
    for (uint32_t k = 0; k < 3; k++) f.lane_row[2 + k] = (uint8_t)(1u << k);
    bool rows_next = !rows_last;
    while (row < rows || col < cols) {
        if (row < rows && (rows_next || col >= cols)) {
            f.element_row[bit++] = (uint8_t)row;
            row *= 2;
        } else {
            f.element_col[bit++] = (uint8_t)col;
            col *= 2;
        }
        rows_next = !rows_last && !rows_next;
    }
    f.elements = (uint8_t)(1u << bit);
    return f;
}

static hw_fragment transposed(hw_fragment f) {
    hw_fragment t = f;
    memcpy(t.lane_row, f.lane_col, sizeof t.lane_row);
    memcpy(t.lane_col, f.lane_row, sizeof t.lane_col);
    memcpy(t.element_row, f.element_col, sizeof t.element_row);
    memcpy(t.element_col, f.element_row, sizeof t.element_col);
    return t;
}

hw_fragment hw_matrix_fragment(char role, hw_type type, const hw_matrix_shape *shape, bool is_wmma) {
    uint32_t bits = hw_type_bits(type), pack = bits < 32 ? log_2(32 / bits) : 0;
    // The wide shape is the tall one of the transposed product.
    bool is_wide = shape->m < shape->n;
    uint32_t m = is_wide ? shape->n : shape->m, n = is_wide ? shape->m : shape->n;
    char part = is_wide && role == 'a' ? 'b' : is_wide && role == 'b' ? 'a' : role;
    hw_fragment f = part == 'a'   ? along_columns(m, shape->k, pack, false)
                    : part == 'b' ? transposed(along_columns(n, shape->k, pack, true))
                                  : along_columns(m, n, 1, false);
    if (is_wide) f = transposed(f);
    if (is_wmma && type == HW_T_F16 && (role == 'a' || role == 'b')) f.elements = HW_FRAGMENT_MOST;
    f.bits = (uint8_t)bits;
    return f;
}

char hw_matrix_operand(hw_op op, const hw_mods *mods, const hw_type *types, uint32_t n_types, uint32_t operand,
                       hw_type *type) {
    *type = types[0];
    if (op == HW_OP_WMMA_STORE) return 'd';
    bool is_a = hw_has_mod(mods, HW_M_MATRIX_A), is_b = hw_has_mod(mods, HW_M_MATRIX_B);
    if (op == HW_OP_WMMA_LOAD) return is_a ? 'a' : is_b ? 'b' : 'c';
    // wmma of f16 names the types of the result and of c only.
    if (n_types == 2) *type = operand == 0 ? types[0] : operand == 3 ? types[1] : HW_T_F16;
    else *type = types[operand & 3];
    return "dabc"[operand & 3];
}
