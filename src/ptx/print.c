// A module as PTX text again. What a module does not keep is not printed: scopes are one, linkage is not told,
// registers are declared one by one, labels are named by their instruction.
#include <inttypes.h>
#include <string.h>

#include "base/integers.h"
#include "base/text.h"
#include "ptx/module.h"

static void put_number(hw_text *t, hw_type type, uint64_t bits) {
    if (type == HW_T_F32) hw_text_put(t, "0f%08" PRIX64, bits & 0xffffffff);
    else if (type == HW_T_F64) hw_text_put(t, "0d%016" PRIX64, bits);
    else hw_text_put(t, "0x%" PRIx64, bits);
}

static void put_offset(hw_text *t, int64_t offset) {
    if (offset) hw_text_put(t, "+%s0x%" PRIx64, offset < 0 ? "-" : "", hw_magnitude(offset));
}

static void put_address(hw_text *t, const hw_ptx_reloc *r) {
    if (r->width_bytes == 1) hw_text_put(t, "0x%" PRIx64 "(", (uint64_t)0xff << r->shift);
    hw_text_put(t, r->generic ? "generic(%s)" : "%s", r->target_name);
    put_offset(t, r->addend);
    if (r->width_bytes == 1) hw_text_put(t, ")");
}

// Initial values, element by element up to the last that is not zero; addresses stand where their relocations are.
static void put_init(hw_text *t, const hw_ptx_symbol *s) {
    unsigned elem_bytes = hw_type_bits(s->type) / 8;
    uint32_t next_reloc = 0;
    bool is_scalar = s->size_bytes == elem_bytes;
    uint64_t end = s->size_bytes;
    uint64_t last_reloc = s->n_relocs ? s->relocs[s->n_relocs - 1].offset : 0;
    while (end > elem_bytes && end > last_reloc + elem_bytes && !s->init[end - 1]) end--;
    hw_text_put(t, is_scalar ? " = " : " = {");
    for (uint64_t at = 0; at < end && !t->ran_out; at += elem_bytes) {
        if (at) hw_text_put(t, at / elem_bytes % 16 ? ", " : ",\n    ");
        while (next_reloc < s->n_relocs && s->relocs[next_reloc].offset < at) next_reloc++;
        if (next_reloc < s->n_relocs && s->relocs[next_reloc].offset == at) {
            put_address(t, &s->relocs[next_reloc]);
            continue;
        }
        uint64_t bits = 0;
        memcpy(&bits, s->init + at, elem_bytes < 8 ? elem_bytes : 8);
        put_number(t, s->type, bits);
    }
    hw_text_put(t, is_scalar ? "" : "}");
}

static void put_variable(hw_text *t, const hw_ptx_symbol *s) {
    unsigned elem_bytes = hw_type_bits(s->type) / 8;
    hw_text_put(t, "%s.%s%s .align %u .%s %s", s->is_extern ? ".extern " : "", hw_space_name(s->space),
        s->is_managed ? " .attribute(.managed)" : "", s->align, hw_type_name(s->type), s->name);
    if (s->size_bytes == 0 && (s->is_extern || s->space == HW_SPACE_PARAM)) hw_text_put(t, "[]");
    else if (s->size_bytes != elem_bytes) hw_text_put(t, "[%" PRIu64 "]", s->size_bytes / elem_bytes);
    if (s->init && s->size_bytes) put_init(t, s);
}

static void put_params(hw_text *t, hw_ptx_symbol *const *params, uint32_t n) {
    hw_text_put(t, "(");
    for (uint32_t i = 0; i < n; i++) {
        hw_text_put(t, i ? ", " : "");
        put_variable(t, params[i]);
    }
    hw_text_put(t, ")");
}

static hw_type operand_type(const hw_ptx_inst *inst, unsigned index) {
    switch (inst->op) {   // the numbers that are of another type than the first
    case HW_OP_SET: case HW_OP_CVT: case HW_OP_TEX: return index ? inst->types[1] : inst->types[0];
    case HW_OP_SLCT: return index == 3 ? inst->types[1] : inst->types[0];
    default: return inst->n_types ? inst->types[0] : HW_T_U64;
    }
}

static const char *reg_name(const hw_ptx_function *f, int32_t reg) { return reg < 0 ? "_" : f->regs[reg].name; }

static void put_parts(hw_text *t, uint32_t parts) {
    hw_text_put(t, parts & HW_PTX_PARTS_ARE_HALVES ? ".h" : ".b");
    for (unsigned k = 4; k-- > 0;)
        if (hw_ptx_part(parts, k) >= 0) hw_text_put(t, "%d", hw_ptx_part(parts, k));
}

// Where the type does not say that a number is a float, its bits are written as an integer, which is the same.
static void put_operand(hw_text *t, const hw_ptx_function *f, const hw_ptx_operand *o, hw_type type) {
    switch (o->kind) {
    case HW_OPERAND_REG:
        hw_text_put(t, "%s%s", o->negated ? (f->regs[o->reg].type == HW_T_PRED ? "!" : "-") : "", reg_name(f, o->reg));
        if (o->parts) put_parts(t, o->parts);
        break;
    case HW_OPERAND_IMM: put_number(t, type, o->imm); break;
    case HW_OPERAND_SREG: hw_text_put(t, "%%%s", hw_sreg_name(o->sreg)); break;
    case HW_OPERAND_SINK: hw_text_put(t, "_"); break;
    case HW_OPERAND_LABEL: hw_text_put(t, "$L_%u", o->label); break;
    case HW_OPERAND_SYMBOL:
        hw_text_put(t, "%s", o->function ? o->function->name : o->symbol->name);
        put_offset(t, o->offset);
        break;
    case HW_OPERAND_ADDRESS:
        hw_text_put(t, "[");
        if (o->symbol || o->reg >= 0) hw_text_put(t, "%s", o->symbol ? o->symbol->name : reg_name(f, o->reg));
        else hw_text_put(t, "0");
        put_offset(t, o->offset);
        for (unsigned i = 0; i < o->n_elements; i++) {
            hw_text_put(t, i ? ", " : ", {");
            put_operand(t, f, &o->elements[i], type);
        }
        hw_text_put(t, o->n_elements ? "}]" : "]");
        break;
    case HW_OPERAND_VECTOR:
        hw_text_put(t, "{");
        for (unsigned i = 0; i < o->n_elements; i++) {
            hw_text_put(t, i ? ", " : "");
            put_operand(t, f, &o->elements[i], type);
        }
        hw_text_put(t, "}");
        break;
    default: break;
    }
    if (o->is_pair) hw_text_put(t, "|%s", reg_name(f, o->reg2));
}

static void put_arguments(hw_text *t, const hw_ptx_function *f, const hw_ptx_operand *list, uint32_t n,
                          hw_ptx_symbol *const *formals) {
    hw_text_put(t, "(");
    for (uint32_t i = 0; i < n; i++) {
        hw_text_put(t, i ? ", " : "");
        put_operand(t, f, &list[i], formals[i]->type);
    }
    hw_text_put(t, ")");
}

static void put_call(hw_text *t, const hw_ptx_function *f, const hw_ptx_inst *inst, uint32_t index) {
    const hw_ptx_call *call = inst->call;
    const hw_ptx_function *signature = call->callee ? call->callee : call->prototype;
    hw_text_put(t, "%s ", inst->text);
    if (call->n_rets) {
        put_arguments(t, f, call->rets, call->n_rets, signature->rets);
        hw_text_put(t, ", ");
    }
    hw_text_put(t, "%s", call->callee ? call->callee->name : reg_name(f, call->target_reg));
    if (call->n_args) {
        hw_text_put(t, ", ");
        put_arguments(t, f, call->args, call->n_args, signature->params);
    }
    if (!call->callee) hw_text_put(t, ", $P_%u", index);
}

static void put_inst(hw_text *t, const hw_ptx_function *f, const hw_ptx_inst *inst, uint32_t index) {
    if (inst->op == HW_OP_BRX) {
        hw_text_put(t, "$T_%u: .branchtargets ", index);
        for (uint32_t i = 0; i < inst->n_targets; i++) hw_text_put(t, "%s$L_%u", i ? ", " : "", inst->targets[i]);
        hw_text_put(t, ";\n");
    }
    if (inst->call && !inst->call->callee) {
        hw_text_put(t, "$P_%u: .callprototype ", index);
        put_params(t, inst->call->prototype->rets, inst->call->prototype->n_rets);
        hw_text_put(t, " _ ");
        put_params(t, inst->call->prototype->params, inst->call->prototype->n_params);
        hw_text_put(t, "%s;\n", inst->call->prototype->noreturn ? " .noreturn" : "");
    }
    hw_text_put(t, "    ");
    if (inst->guard >= 0) hw_text_put(t, "@%s%s ", inst->guard_negated ? "!" : "", reg_name(f, inst->guard));
    if (inst->call) put_call(t, f, inst, index);
    else hw_text_put(t, "%s", inst->text);
    for (unsigned i = 0; i < inst->n_operands; i++) {
        hw_text_put(t, i ? ", " : " ");
        put_operand(t, f, &inst->operands[i], operand_type(inst, i));
    }
    if (inst->op == HW_OP_BRX) hw_text_put(t, ", $T_%u", index);
    hw_text_put(t, ";\n");
}

static void put_body(hw_text *t, const hw_ptx_function *f) {
    hw_text_put(t, "{\n");
    for (uint32_t i = 0; i < f->n_regs; i++)
        hw_text_put(t, "    .reg .%s %s;\n", hw_type_name(f->regs[i].type), f->regs[i].name);
    for (uint32_t i = 0; i < f->n_variables; i++) {
        hw_text_put(t, "    ");
        put_variable(t, f->variables[i]);
        hw_text_put(t, ";\n");
    }
    uint32_t file = 0, line = 0;
    for (uint32_t i = 0; i <= f->n_insts && !t->ran_out; i++) {
        hw_text_put(t, "$L_%u:\n", i);
        if (i == f->n_insts) break;
        const hw_ptx_inst *inst = &f->insts[i];
        if (inst->loc_line != line || inst->loc_file != file) {
            line = inst->loc_line;
            file = inst->loc_file;
            hw_text_put(t, "    .loc %u %u 0\n", file, line);
        }
        put_inst(t, f, inst, i);
    }
    hw_text_put(t, "}\n");
}

static void put_signature(hw_text *t, const hw_ptx_function *f) {
    hw_text_put(t, "%s ", f->is_entry ? ".entry" : ".func");
    if (f->n_rets) put_params(t, f->rets, f->n_rets);
    hw_text_put(t, " %s ", f->name);
    put_params(t, f->params, f->n_params);
    if (f->noreturn) hw_text_put(t, " .noreturn");
}

static void put_tuning(hw_text *t, const hw_ptx_function *f) {
    if (f->max_ntid[0]) hw_text_put(t, " .maxntid %u, %u, %u", f->max_ntid[0], f->max_ntid[1], f->max_ntid[2]);
    if (f->req_cluster[0])
        hw_text_put(t, " .reqnctapercluster %u, %u, %u", f->req_cluster[0], f->req_cluster[1], f->req_cluster[2]);
    if (f->req_ntid[0]) hw_text_put(t, " .reqntid %u, %u, %u", f->req_ntid[0], f->req_ntid[1], f->req_ntid[2]);
    if (f->min_ncta_per_sm) hw_text_put(t, " .minnctapersm %u", f->min_ncta_per_sm);
    if (f->max_nreg) hw_text_put(t, " .maxnreg %u", f->max_nreg);
}

char *hw_ptx_print(const hw_ptx_module *m) {
    hw_text t = hw_text_growing();
    hw_text_put(&t, ".version %d.%d\n.target sm_%d\n.address_size %d\n", m->version_major, m->version_minor, m->target,
        m->address_bits);
    for (uint32_t i = 0; i < m->n_files; i++)
        if (m->files[i]) hw_text_put(&t, ".file %u \"%s\"\n", i, m->files[i]);
    for (uint32_t i = 0; i < m->n_functions; i++) {   // first, because initialisers and bodies name them
        if (m->functions[i]->copy_of) continue;
        put_signature(&t, m->functions[i]);
        hw_text_put(&t, ";\n");
    }
    for (uint32_t i = 0; i < m->n_globals; i++) {
        put_variable(&t, m->globals[i]);
        hw_text_put(&t, ";\n");
    }
    for (uint32_t i = 0; i < m->n_functions; i++)
        if (m->functions[i]->has_body && !m->functions[i]->copy_of) {
            put_signature(&t, m->functions[i]);
            put_tuning(&t, m->functions[i]);
            hw_text_put(&t, "\n");
            put_body(&t, m->functions[i]);
        }
    return hw_text_finish(&t);
}
