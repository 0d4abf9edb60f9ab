#include "device/lacks.h"

#include <stdio.h>
#include <string.h>

#include "base/demangle.h"

// ---- What an instruction uses ---------------------------------------------------------------------------------------

static bool is_atomic(const hw_ptx_inst *inst) { return inst->op == HW_OP_ATOM || inst->op == HW_OP_RED; }
static bool is_of(const hw_ptx_inst *inst, hw_type type) { return inst->n_types && inst->types[0] == type; }

static bool uses_global_atomic(const hw_ptx_inst *inst) { return is_atomic(inst) && inst->space == HW_SPACE_GLOBAL; }
static bool uses_shared_atomic(const hw_ptx_inst *inst) { return is_atomic(inst) && inst->space == HW_SPACE_SHARED; }
static bool uses_wide_atomic(const hw_ptx_inst *inst) {
    return is_atomic(inst) && inst->n_types && hw_type_bits(inst->types[0]) == 64 && !is_of(inst, HW_T_F64);
}
static bool uses_float_atomic(const hw_ptx_inst *inst) { return is_atomic(inst) && is_of(inst, HW_T_F32); }
static bool uses_double_atomic(const hw_ptx_inst *inst) { return is_atomic(inst) && is_of(inst, HW_T_F64); }
static bool uses_vote(const hw_ptx_inst *inst) { return inst->op == HW_OP_VOTE; }
static bool uses_shuffle(const hw_ptx_inst *inst) { return inst->op == HW_OP_SHFL; }
static bool uses_match(const hw_ptx_inst *inst) { return inst->op == HW_OP_MATCH; }
static bool uses_dp4a(const hw_ptx_inst *inst) { return inst->op == HW_OP_DP4A || inst->op == HW_OP_DP2A; }
static bool uses_matrices(const hw_ptx_inst *inst) { return inst->op == HW_OP_MMA || inst->op == HW_OP_WMMA_MMA; }
static bool uses_system(const hw_ptx_inst *inst) {
    const char *name = inst->call && inst->call->callee_name ? inst->call->callee_name : "";
    return !strcmp(name, "vprintf") || !strcmp(name, "malloc") || !strcmp(name, "free");
}

// Moving a number needs no arithmetic.
static bool uses_double(const hw_ptx_inst *inst) {
    if (inst->op == HW_OP_LD || inst->op == HW_OP_ST || inst->op == HW_OP_MOV) return false;
    for (uint32_t t = 0; t < inst->n_types; t++)
        if (inst->types[t] == HW_T_F64) return true;
    return false;
}

static bool uses_half(const hw_ptx_inst *inst) {
    const hw_op op = inst->op;
    const bool computes = op == HW_OP_ADD || op == HW_OP_SUB || op == HW_OP_MUL || op == HW_OP_FMA;
    return computes && (is_of(inst, HW_T_F16) || is_of(inst, HW_T_F16X2));
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

typedef struct lack {
    int since;
    bool (*uses)(const hw_ptx_inst *inst);
    const char *what, *remark;
} lack;

static const lack rows[HW_LACKS] = {
#define HW_LACK(id, since, uses, what, remark) [HW_LACK_##id] = {since, uses, what, remark},
#include "device/lacks.def"
#undef HW_LACK
};

uint32_t hw_lacks_of(const hw_program *program, const hw_arch *arch) {
    const hw_ptx_function *f = program->function;
    uint32_t found = 0;
    for (int k = 0; k < HW_LACKS; k++) {
        if (arch->cc >= rows[k].since) continue;
        for (uint32_t i = 0; i < f->n_insts && !(found >> k & 1); i++)
            if (rows[k].uses(&f->insts[i])) found |= 1u << k;
    }
    return found;
}

void hw_lack_write(hw_lack lack, const hw_arch *arch, const char *kernel, char *text, size_t bytes) {
    char name[512];
    hw_demangle(kernel, name, sizeof name);
    snprintf(text, bytes, "compute capability %d.%d has no %s (%d.%d has them), which %s uses: %s", arch->cc / 10,
             arch->cc % 10, rows[lack].what, rows[lack].since / 10, rows[lack].since % 10, name,
             *rows[lack].remark ? rows[lack].remark : "here it runs all the same");
}
