// The PTX parser: what text becomes in a module, that printing loses nothing, and that nothing breaks it.
#include "base/text.h"
#include "ptx_text.h"

// ---- operands

static void test_registers_and_guards(void **state) {
    (void)state;
    hw_ptx_module *m = parse_body_ok("@!%p1 add.rn.ftz.f32 %f1, %f2, %f1;\nsetp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;\n"
                                     "shfl.sync.up.b32 _|%p1, %r1, 1, 0, -1;");
    const hw_ptx_function *f = hw_ptx_find_function(m, "k");
    const hw_ptx_inst *add = inst_at(m, 0), *setp = inst_at(m, 1), *shfl = inst_at(m, 2);
    assert_int_equal(add->op, HW_OP_ADD);
    assert_int_equal(add->n_types, 1);
    assert_int_equal(add->types[0], HW_T_F32);
    assert_true(hw_has_mod(&add->mods, HW_M_RN) && hw_has_mod(&add->mods, HW_M_FTZ));
    assert_false(hw_has_mod(&add->mods, HW_M_SAT));
    assert_string_equal(add->text, "add.rn.ftz.f32");
    assert_string_equal(f->regs[add->guard].name, "%p1");
    assert_true(add->guard_negated);
    assert_int_equal(add->operands[0].reg, add->operands[2].reg);
    assert_string_equal(f->regs[add->operands[1].reg].name, "%f2");
    assert_int_equal(f->regs[add->operands[1].reg].type, HW_T_F32);
    assert_int_equal(add->line, 10);

    assert_true(setp->operands[0].is_pair);
    assert_string_equal(f->regs[setp->operands[0].reg2].name, "%p2");
    assert_int_equal(setp->n_operands, 4);
    assert_true(setp->operands[3].negated);
    assert_int_equal(setp->guard, -1);
    assert_int_equal(setp->line, 11);

    assert_int_equal(shfl->operands[0].kind, HW_OPERAND_SINK);
    assert_true(shfl->operands[0].is_pair && shfl->operands[0].reg2 >= 0);
    hw_ptx_free(m);
}

static uint64_t number_in(const char *body) {
    hw_ptx_module *m = parse_body_ok(body);
    const hw_ptx_operand *o = &inst_at(m, 0)->operands[1];
    assert_int_equal(o->kind, HW_OPERAND_IMM);
    assert_int_equal(o->offset, 0);
    uint64_t bits = o->imm;
    hw_ptx_free(m);
    return bits;
}

static void test_numbers(void **state) {
    (void)state;
    static const struct {
        const char *body;
        uint64_t bits;
    } cases[] = {
        {"mov.u32 %r1, 42;", 42}, {"mov.u32 %r1, -1;", 0xffffffff}, {"mov.s64 %rd1, -1;", UINT64_MAX},
        {"mov.u16 %rs1, 65537;", 1}, {"mov.u32 %r1, 0x1F;", 31}, {"mov.u32 %r1, 0b101U;", 5}, {"mov.u32 %r1, 017;", 15},
        {"mov.u32 %r1, 0XFF;", 255}, {"mov.u64 %rd1, 18446744073709551615;", UINT64_MAX},
        {"mov.f32 %f1, 0f3F800000;", 0x3f800000}, {"mov.f32 %f1, 0F7fc00001;", 0x7fc00001},
        {"mov.f32 %f1, 0f7f800001;", 0x7f800001}, {"mov.f32 %f1, -0f3F800000;", 0xbf800000},
        {"mov.f32 %f1, 1.5;", 0x3fc00000}, {"mov.f32 %f1, 0d3FF8000000000000;", 0x3fc00000},
        {"mov.f32 %f1, 1e40;", 0x7f800000}, {"mov.f32 %f1, 2.5E-1;", 0x3e800000},
        {"mov.f64 %fd1, 0d7FF0000000000001;", 0x7ff0000000000001}, {"mov.f64 %fd1, 0f3FC00000;", 0x3ff8000000000000},
        {"mov.f64 %fd1, -0.1;", 0xbfb999999999999a}, {"mov.b32 %r1, 0f3F800000;", 0x3f800000},
        {"mov.b64 %rd1, 0d3FF0000000000000;", 0x3ff0000000000000}, {"mov.pred %p1, -1;", 1}, {"mov.pred %p1, 0;", 0},
        {"mov.u32 %r1, WARP_SZ*2+1;", 65}, {"mov.u32 %r1, (1+2)*3-4/2;", 7}, {"mov.u32 %r1, 1<<4|3&6^1;", 19},
        {"mov.s32 %r1, -7/2;", (uint32_t)-3}, {"mov.s32 %r1, -7 % 3;", (uint32_t)-1}, {"mov.u32 %r1, ~0;", 0xffffffff},
        {"mov.u32 %r1, !5+!0;", 1}, {"mov.u32 %r1, 3>2&&2>=2||0;", 1}, {"mov.u32 %r1, 1<0?5:6;", 6},
        {"mov.u32 %r1, (.s64)-1 < 0;", 1}, {"mov.u32 %r1, (.u64)-1 < 0;", 0}, {"mov.s64 %rd1, -8>>1;", (uint64_t)-4},
        {"mov.u64 %rd1, 0x8000000000000000>>63;", 1}, {"mov.s64 %rd1, (-9223372036854775807-1)/-1;", UINT64_C(1) << 63},
        {"mov.f64 %fd1, 1.5*2.0+1;", 0x4010000000000000}, {"mov.u32 %r1, 1.5<2.0;", 1}, {"mov.u32 %r1, 1<<64;", 0},
        {"mov.u32 %r1, 1+1<<2;", 8}, {"mov.u32 %r1, 5&3==3;", 1}, {"mov.u32 %r1, 10-4-3;", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t bits = number_in(cases[i].body);
        if (bits != cases[i].bits) fail_msg("%s: %llx", cases[i].body, (unsigned long long)bits);
    }
}

// Numbers take the type of their place: the shift amount and the selector are 32-bit whatever the type.
static void test_numbers_take_the_type_of_their_place(void **state) {
    (void)state;
    hw_ptx_module *m = parse_body_ok("shl.b64 %rd1, %rd2, -1; cvt.rn.f32.s32 %f1, -2; slct.f64.f32 %fd1, 1.0, 2.0, 1.0;"
                                     "mad.wide.s32 %rd1, -1, 2, -1; lop3.b32 %r1, %r2, %r3, 1, 0x1F8; "
                                     "cvt.u32.s8 %r1, -1;");
    assert_true(inst_at(m, 0)->operands[2].imm == 0xffffffff);
    assert_true(inst_at(m, 1)->operands[1].imm == 0xfffffffe);
    assert_true(inst_at(m, 2)->operands[1].imm == 0x3ff0000000000000);
    assert_true(inst_at(m, 2)->operands[3].imm == 0x3f800000);
    assert_true(inst_at(m, 3)->operands[1].imm == 0xffffffff);
    assert_true(inst_at(m, 3)->operands[3].imm == UINT64_MAX);
    assert_true(inst_at(m, 4)->operands[4].imm == 0xf8);
    assert_true(inst_at(m, 5)->operands[1].imm == 0xff);
    hw_ptx_free(m);
}

static void test_addresses(void **state) {
    (void)state;
    hw_ptx_module *m = parse_body_ok(
        "ld.global.v4.f32 {%f1, _, %f2, %f3}, [%rd1+-16]; st.shared.u8 [sv+4], 300; ld.u32 %r1, [sv]; "
        "ld.local.u32 %r1, [16+4]; atom.cas.b32 %r1, [gw], 1, %r2; mov.u64 %rd1, gv+4; mov.u64 %rd2, fn; "
        "mov.u32 %r1, %ctaid.y; "
        "ld.global.nc.L1::no_allocate.L2::128B.L2::cache_hint.v2.u64 {%rd1, %rd2}, [%rd3], %rd4;");
    const hw_ptx_inst *ld = inst_at(m, 0), *st = inst_at(m, 1), *generic = inst_at(m, 2);
    assert_int_equal(ld->space, HW_SPACE_GLOBAL);
    assert_int_equal(ld->vector, 4);
    assert_int_equal(ld->operands[0].kind, HW_OPERAND_VECTOR);
    assert_int_equal(ld->operands[0].n_elements, 4);
    assert_int_equal(ld->operands[0].elements[1].kind, HW_OPERAND_SINK);
    assert_int_equal(ld->operands[1].kind, HW_OPERAND_ADDRESS);
    assert_true(ld->operands[1].reg >= 0 && !ld->operands[1].symbol);
    assert_int_equal(ld->operands[1].offset, -16);
    assert_string_equal(st->operands[0].symbol->name, "sv");
    assert_int_equal(st->operands[0].offset, 4);
    assert_int_equal(st->operands[0].reg, -1);
    assert_int_equal(st->operands[1].imm, 300 & 0xff);
    assert_int_equal(generic->space, HW_SPACE_SHARED);   // of the variable that is named
    assert_int_equal(inst_at(m, 3)->operands[1].offset, 20);
    assert_null(inst_at(m, 3)->operands[1].symbol);
    assert_ptr_equal(inst_at(m, 4)->operands[1].symbol, hw_ptx_find_global(m, "gw"));
    assert_int_equal(inst_at(m, 4)->n_operands, 4);
    assert_int_equal(inst_at(m, 5)->operands[1].offset, 4);
    assert_ptr_equal(inst_at(m, 6)->operands[1].function, hw_ptx_find_function(m, "fn"));
    assert_int_equal(inst_at(m, 7)->operands[1].sreg, HW_SREG_CTAID_Y);
    const hw_ptx_inst *hinted = inst_at(m, 8);
    assert_int_equal(hinted->n_operands, 3);
    assert_true(hw_has_mod(&hinted->mods, HW_M_L1_EVICT) && hw_has_mod(&hinted->mods, HW_M_L2_HINT));
    hw_ptx_free(m);
}

// ---- names

static void test_scopes(void **state) {
    (void)state;
    hw_ptx_module *m = parse_body_ok(
        "mov.u32 %r1, 1; { .reg .b64 %r<2>; .reg .pred p; mov.u64 %r1, 2; mov.u32 %r2, 3; bra L; L: bra M;"
        "{ .reg .f32 p; mov.f32 p, 0f00000000; L: bra L; } } mov.u32 %r1, 4; { .reg .pred p; mov.pred p, 1; "
        "} M: bra M;");
    const hw_ptx_function *f = hw_ptx_find_function(m, "k");
    int32_t outer = inst_at(m, 0)->operands[0].reg;
    assert_int_equal(inst_at(m, 7)->operands[0].reg, outer);
    assert_int_not_equal(inst_at(m, 1)->operands[0].reg, outer);
    assert_int_equal(f->regs[inst_at(m, 1)->operands[0].reg].type, HW_T_B64);
    assert_string_equal(f->regs[inst_at(m, 2)->operands[0].reg].name, "%r2");
    assert_int_equal(inst_at(m, 3)->operands[0].label, 4);   // L of the middle scope
    assert_int_equal(inst_at(m, 6)->operands[0].label, 6);   // L of the inner one
    assert_int_equal(inst_at(m, 4)->operands[0].label, 9);
    for (uint32_t i = 0; i < f->n_regs; i++)
        for (uint32_t k = 0; k < i; k++) assert_string_not_equal(f->regs[i].name, f->regs[k].name);
    hw_ptx_free(m);
}

static void test_register_ranges_split_anywhere(void **state) {
    (void)state;
    hw_ptx_module *m = parse_ok(HEAD ".entry k { .reg .b32 %r<4000000000>; .reg .f32 %r1<3>, %_$x, $y; "
                                     "mov.u32 %r3999999999, 1; mov.f32 %r12, %_$x; mov.u32 %r5, 1; "
                                     "mov.f32 $y, %r12; }");
    const hw_ptx_function *f = hw_ptx_find_function(m, "k");
    assert_int_equal(f->n_regs, 5);   // only those that are named come into being, and those declared singly
    hw_diag diag;
    assert_int_equal(parse_status(HEAD ".entry k { .reg .b32 %r<3>; mov.u32 %r3, 1; }", &diag), HW_MALFORMED);
    hw_ptx_free(m);
}

static void test_branches(void **state) {
    (void)state;
    hw_ptx_module *m = parse_body_ok("T: .branchtargets A, B, A;\nbra.uni B; A: brx.idx %r1, T; B: bra END; END:");
    assert_int_equal(inst_at(m, 0)->operands[0].kind, HW_OPERAND_LABEL);
    assert_int_equal(inst_at(m, 0)->operands[0].label, 2);
    const hw_ptx_inst *brx = inst_at(m, 1);
    assert_int_equal(brx->n_operands, 1);
    assert_int_equal(brx->n_targets, 3);
    assert_int_equal(brx->targets[0], 1);
    assert_int_equal(brx->targets[1], 2);
    assert_int_equal(brx->targets[2], 1);
    hw_ptx_free(m);
}

static void test_calls(void **state) {
    (void)state;
    hw_ptx_module *m = parse_ok(
        HEAD ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n.func none;\n"
             ".entry k {\n.reg .b32 %r<3>; .reg .b64 %rd<3>;\n.param .b64 a; .param .b64 b; .param .b32 q;\n"
             "call.uni (q), vprintf, (a, b);\ncall none;\ncall (%r1), late, (5);\n"
             "P: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[16]) .noreturn;\n"
             "{ .param .align 8 .b8 s[16]; call (q), %rd1, (a, s), P; }\n"
             "C: .calltargets none; call %rd2, C;\n}\n"
             ".func (.param .b32 r) late (.param .u32 x) { ret; }");
    const hw_ptx_call *direct = inst_at(m, 0)->call, *none = inst_at(m, 1)->call, *late = inst_at(m, 2)->call;
    assert_ptr_equal(direct->callee, hw_ptx_find_function(m, "vprintf"));
    assert_int_equal(direct->target_reg, -1);
    assert_int_equal(direct->n_args, 2);
    assert_string_equal(direct->args[1].symbol->name, "b");
    assert_int_equal(direct->args[1].symbol->space, HW_SPACE_PARAM);
    assert_int_equal(none->n_args + none->n_rets, 0);
    assert_ptr_equal(late->callee, hw_ptx_find_function(m, "late"));
    assert_int_equal(late->args[0].imm, 5);
    assert_int_equal(late->rets[0].kind, HW_OPERAND_REG);
    const hw_ptx_call *indirect = inst_at(m, 3)->call;
    assert_null(indirect->callee);
    assert_true(indirect->target_reg >= 0);
    assert_int_equal(indirect->prototype->n_params, 2);
    assert_int_equal(indirect->prototype->params[1]->offset, 8);
    assert_int_equal(indirect->prototype->params[1]->size_bytes, 16);
    assert_true(indirect->prototype->noreturn);
    assert_ptr_equal(inst_at(m, 4)->call->prototype, hw_ptx_find_function(m, "none"));
    hw_ptx_free(m);
}

// ---- declarations

static void test_module_header_and_places(void **state) {
    (void)state;
    hw_ptx_module *m = parse_ok(
        ".version 7.8 // comment\n.target sm_75, debug /* and\nmore */ .address_size 64\n"
        ".file 1 \"/a/b.cu\", 170, 12\n.file 3 \"dir\" \"c.h\"\n.section .debug_str { .b8 1 // }\n }\n"
        ".entry k\n.maxntid 128, 2\n.minnctapersm 3 .maxnreg 40 .pragma \"nounroll\";\n{\ntrap;\n"
        ".loc 1 12 3, function_name $L__info+4, inlined_at 3 7 1\ntrap; .pragma \"x\";\n.loc 3 5 0\ntrap; }\n"
        ".entry q .reqntid 8 { trap; }");
    assert_int_equal(m->version_major * 10 + m->version_minor, 78);
    assert_int_equal(m->target, 75);
    assert_string_equal(m->name, "test.ptx");
    assert_int_equal(m->n_files, 4);
    assert_string_equal(m->files[1], "/a/b.cu");
    assert_string_equal(m->files[3], "dir/c.h");
    assert_null(m->files[2]);
    const hw_ptx_function *k = hw_ptx_find_function(m, "k"), *q = hw_ptx_find_function(m, "q");
    assert_true(k->is_entry && k->max_ntid[0] == 128 && k->max_ntid[1] == 2 && k->max_ntid[2] == 1);
    assert_true(k->min_ncta_per_sm == 3 && k->max_nreg == 40 && q->req_ntid[0] == 8 && q->max_ntid[0] == 0);
    assert_int_equal(k->insts[0].loc_line, 12);
    assert_int_equal(k->insts[1].loc_line, 12);
    assert_int_equal(k->insts[1].loc_file, 1);
    assert_int_equal(k->insts[2].loc_line, 5);
    assert_int_equal(k->insts[2].line, 16);
    assert_int_equal(q->insts[0].loc_line, 0);   // of its own function only
    assert_null(hw_ptx_find_function(m, "nothing"));
    assert_null(hw_ptx_find_global(m, "k"));
    hw_ptx_free(m);
}

// Code of the toolkit's headers is put down to the user's line that called it, through several headers too; a user's
// own inlined function stays where it was written.
static void test_places_of_inlined_code(void **state) {
    (void)state;
    hw_ptx_module *m = parse_ok(
        HEAD ".entry k { \n.loc 1 3 3\ntrap;\n.loc 1 10 7, function_name $L_a, inlined_at 1 3 3\ntrap;\n"
             ".loc 2 107 3, function_name $L_b, inlined_at 1 10 7\ntrap;\n"
             ".loc 2 55 1, function_name $L_c+9, inlined_at 2 107 3\ntrap;\n"
             ".loc 2 99 1, function_name $L_c, inlined_at 2 98 1\ntrap;\n.loc 1 4 1\ntrap; }\n"
             ".file 1 \"/home/me/a.cu\"\n"
             ".file 2 \"/opt/cuda/targets/x86_64-linux/include/device_atomic_functions.hpp\"\n");
    static const uint32_t lines[] = {3, 10, 10, 10, 98, 4}, files[] = {1, 1, 1, 1, 2, 1};
    const hw_ptx_function *k = hw_ptx_find_function(m, "k");
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(k->insts[i].loc_line, lines[i]);
        assert_int_equal(k->insts[i].loc_file, files[i]);
    }
    hw_ptx_free(m);
}

// Of a user's own inlined function: the chain of places at which it was inlined, with names out of .debug_str.
static void test_inlining_chains(void **state) {
    (void)state;
    static const char text[] = HEAD
        ".entry k { \n.loc 1 20 1\n.loc 1 10 7, function_name $L_mid, inlined_at 1 20 1\ntrap;\n"
        ".loc 1 3 2, function_name $L_in+2, inlined_at 1 10 7\ntrap;\n"
        ".loc 2 50 3, function_name $L_toolkit, inlined_at 1 3 2\ntrap;\n"
        ".loc 1 21 1\ntrap; }\n"
        ".entry q { \n.loc 1 10 7\n.loc 1 3 2, function_name $L_in+2, inlined_at 1 10 7\ntrap; }\n"
        ".file 1 \"/home/me/a.cu\"\n.file 2 \"/usr/local/cuda/include/x.h\"\n"
        ".section .debug_str\n{\n$L_mid:\n.b8 109,105,100,0\n$L_in: // of two\n.b8 97,0,105\n.b8 110,0\n}\n";
    hw_ptx_module *m = parse_ok(text);
    const hw_ptx_inst *k = hw_ptx_find_function(m, "k")->insts, *q = hw_ptx_find_function(m, "q")->insts;
    const hw_inlining *outer = &m->inlinings[k[0].loc_inlined], *inner = &m->inlinings[k[1].loc_inlined];
    assert_int_equal(outer->line, 20);
    assert_string_equal(outer->function, "k");
    assert_int_equal(outer->outer, 0);
    assert_int_equal(inner->line, 10);
    assert_string_equal(inner->function, "mid");
    assert_int_equal(inner->outer, k[0].loc_inlined);
    // The toolkit's stands where it was called, and so in the chain of that place.
    assert_int_equal(k[2].loc_line, 3);
    assert_int_equal(k[2].loc_inlined, k[1].loc_inlined);
    assert_int_equal(k[3].loc_inlined, 0);
    // What another function said of line 10 does not hold for this one.
    assert_int_equal(m->inlinings[q[0].loc_inlined].outer, 0);
    assert_string_equal(m->inlinings[q[0].loc_inlined].function, "q");
    hw_ptx_free(m);
}

// A place that is inlined into itself, names that lead nowhere, and a section that ends with the text.
static void test_inlining_chains_without_an_end(void **state) {
    (void)state;
    hw_text t = hw_text_growing();
    hw_text_put(&t, HEAD ".entry k { \n");
    for (int i = 0; i < 1000; i++) hw_text_put(&t, ".loc 1 3 3, function_name $L+99999, inlined_at 1 3 3\ntrap;\n");
    hw_text_put(&t, "}\n.section .debug_str { $L: .b8 1,999,-3, }");
    char *text = hw_text_finish(&t);
    hw_ptx_module *m = parse_ok(text);
    const hw_ptx_function *k = hw_ptx_find_function(m, "k");
    uint32_t depth = 0;
    for (uint32_t at = k->insts[999].loc_inlined; at; at = m->inlinings[at].outer, depth++)
        assert_true(m->inlinings[at].outer < at);
    assert_in_range(depth, 1, 65);
    hw_ptx_free(m);
    hw_free(text);
}

// Line 0 and no line at all: the line that follows in the block, else the one before.
static void test_places_of_moved_code(void **state) {
    (void)state;
    hw_ptx_module *m = parse_ok(
        HEAD ".entry k { \ntrap;\nL0: trap;\n.loc 1 0 0\ntrap;\n.loc 1 3 3\ntrap;\n.loc 1 0 5\ntrap;\ntrap;\n"
             "L1: trap;\n.loc 1 4 1\ntrap;\n.loc 1 0 1\ntrap; }\n.entry q { trap; }\n"
             ".entry z { .loc 1 0 0\ntrap; }\n.file 1 \"/home/me/a.cu\"\n");
    static const uint32_t lines[] = {3, 3, 3, 3, 3, 3, 4, 4, 4};
    const hw_ptx_function *k = hw_ptx_find_function(m, "k");
    for (uint32_t i = 0; i < 9; i++) {
        assert_int_equal(k->insts[i].loc_line, lines[i]);
        assert_int_equal(k->insts[i].loc_file, 1);
    }
    assert_int_equal(hw_ptx_find_function(m, "q")->insts[0].loc_line, 0);
    assert_int_equal(hw_ptx_find_function(m, "z")->insts[0].loc_line, 0);
    hw_ptx_free(m);
}

static void test_parameters(void **state) {
    (void)state;
    hw_ptx_module *m = parse_ok(HEAD ".visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 4 b,\n"
                                     ".param .align 8 .b8 c[20], .param .f32 d)\n{ .param .b32 x; "
                                     ".local .b8 y[3]; ret; }");
    const hw_ptx_function *f = hw_ptx_find_function(m, "k");
    static const unsigned offsets[] = {0, 8, 16, 36};
    assert_int_equal(f->n_params, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(f->params[i]->offset, offsets[i]);
        assert_int_equal(f->params[i]->index, i);
        assert_int_equal(f->params[i]->space, HW_SPACE_PARAM);
    }
    assert_int_equal(f->params[1]->align, 8);
    assert_int_equal(f->param_bytes, 40);
    assert_int_equal(f->n_variables, 2);
    assert_int_equal(f->variables[1]->space, HW_SPACE_LOCAL);
    hw_ptx_free(m);
}

static void check_bytes(const hw_ptx_module *m, const char *name, const void *bytes, size_t n) {
    const hw_ptx_symbol *s = hw_ptx_find_global(m, name);
    assert_non_null(s);
    assert_int_equal(s->size_bytes, n);
    assert_non_null(s->init);
    assert_memory_equal(s->init, bytes, n);
}

static void test_initial_values(void **state) {
    (void)state;
    hw_ptx_module *m = parse_ok(
        HEAD ".global .u32 a[2][3] = {{1, 2}, {3}}, b = 1+1;\n.global .u16 c[] = {1, 2, 3,};\n"
             ".global .b8 d[2][2] = {1, 2, 3};\n"
             ".const[2] .align 16 .f32 e[2] = {0f3F800000, -1.5};\n.global .v2 .f64 f = {1, 0d4000000000000000};\n"
             ".global .u32 g[][2] = {{1}, {2, 3}}, i[2][2] = {1, {2, 3}};\n"
             ".visible .global .attribute(.managed) .align 4 .b8 h[4];\n"
             ".extern .shared .align 16 .b8 s[];\n.extern .global .b32 x; .global .b32 x = 7; "
             ".weak .global .b32 w[0];");
    check_bytes(m, "a", (uint32_t[]){1, 2, 0, 3, 0, 0}, 24);
    check_bytes(m, "b", (uint32_t[]){2}, 4);
    check_bytes(m, "c", (uint16_t[]){1, 2, 3}, 6);
    check_bytes(m, "d", (uint8_t[]){1, 2, 3, 0}, 4);
    check_bytes(m, "e", (float[]){1.0f, -1.5f}, 8);
    check_bytes(m, "f", (double[]){1, 2}, 16);
    check_bytes(m, "g", (uint32_t[]){1, 0, 2, 3}, 16);
    check_bytes(m, "i", (uint32_t[]){1, 0, 2, 3}, 16);
    check_bytes(m, "x", (uint32_t[]){7}, 4);
    assert_false(hw_ptx_find_global(m, "x")->is_extern);
    assert_int_equal(hw_ptx_find_global(m, "e")->space, HW_SPACE_CONST);
    assert_int_equal(hw_ptx_find_global(m, "f")->align, 16);
    assert_true(hw_ptx_find_global(m, "h")->is_managed);
    assert_null(hw_ptx_find_global(m, "h")->init);
    const hw_ptx_symbol *s = hw_ptx_find_global(m, "s");
    assert_true(s->is_extern && s->space == HW_SPACE_SHARED && s->size_bytes == 0 && s->align == 16);
    for (uint32_t i = 0; i < m->n_globals; i++) assert_int_equal(m->globals[i]->index, i);
    hw_ptx_free(m);
}

static void test_addresses_in_initial_values(void **state) {
    (void)state;
    hw_ptx_module *m = parse_ok(HEAD ".global .u64 t[4] = {f, a+8, generic(a), generic(a)+-4};\n.global .b8 a[16];\n"
                                     ".global .b8 p[4] = {9, 0xFF(generic(a)), 0xFF00(a+1), 0xFF00000000000000(f)};\n"
                                     ".const .u64 one = t;\n.func f;");
    const hw_ptx_symbol *t = hw_ptx_find_global(m, "t"), *a = hw_ptx_find_global(m, "a");
    const hw_ptx_symbol *p = hw_ptx_find_global(m, "p");
    assert_int_equal(t->n_relocs, 4);
    assert_ptr_equal(t->relocs[0].target_function, hw_ptx_find_function(m, "f"));
    assert_null(t->relocs[0].target);
    assert_ptr_equal(t->relocs[1].target, a);
    assert_true(t->relocs[1].offset == 8 && t->relocs[1].addend == 8 && t->relocs[1].width_bytes == 8);
    assert_true(t->relocs[2].generic && !t->relocs[1].generic);
    assert_int_equal(t->relocs[3].addend, -4);
    assert_int_equal(p->n_relocs, 3);
    assert_true(p->init[0] == 9 && p->relocs[0].offset == 1 && p->relocs[0].shift == 0 && p->relocs[0].generic);
    assert_true(p->relocs[1].shift == 8 && p->relocs[1].width_bytes == 1 && p->relocs[1].addend == 1);
    assert_int_equal(p->relocs[2].shift, 56);
    assert_ptr_equal(hw_ptx_find_global(m, "one")->relocs[0].target, t);
    hw_ptx_free(m);
}

static void test_functions_declared_and_aliased(void **state) {
    (void)state;
    hw_ptx_module *m = parse_ok(
        HEAD ".func (.param .b32 r) f (.param .b32 a);\n.func (.param .b32 r) f (.param .b32 b)\n"
             "{ .reg .b32 %r<2>; ld.param.b32 %r1, [b]; st.param.b32 [r], %r1; ret; }\n"
             ".func (.param .b32 r) f (.param .b32 c);\n.func (.param .b32 r) g (.param .b32 a);\n"
             ".alias g, f;\n.func h .noreturn;");
    const hw_ptx_function *f = hw_ptx_find_function(m, "f"), *g = hw_ptx_find_function(m, "g");
    assert_int_equal(m->n_functions, 3);
    assert_true(f->has_body && g->has_body);
    assert_string_equal(f->params[0]->name, "b");
    assert_ptr_equal(f->insts, g->insts);
    assert_string_equal(g->name, "g");
    assert_int_equal(g->index, 1);
    hw_ptx_free(m);
}

// What the toolkit's headers and the compiler's own functions do has the line that calls them, each line a copy.
static void test_places_of_calls(void **state) {
    (void)state;
    hw_ptx_module *m = parse_ok(
        HEAD ".file 1 \"/tmp/a.cu\"\n.file 2 \"/usr/local/cuda/include/h.hpp\"\n"
             ".func bare (.param .b32 a);\n"
             ".func held (.param .b32 a) { .loc 2 7 0\ncall.uni bare, (a); ret; }\n"
             ".func own (.param .b32 a) { .loc 1 3 0\ncall.uni held, (a); ret; }\n"
             ".entry k() { .param .b32 v;\n.loc 1 10 0\ncall.uni held, (v);\ncall.uni held, (v);\n"
             ".loc 1 12 0\ncall.uni bare, (v);\n.loc 1 13 0\ncall.uni own, (v);\nret; }\n"
             ".func bare (.param .b32 a) { .reg .b64 %rd<2>; st.global.b32 [%rd1], 1; ret; }");
    const hw_ptx_function *held = hw_ptx_find_function(m, "held"), *bare = hw_ptx_find_function(m, "bare");
    const hw_ptx_inst *k = hw_ptx_find_function(m, "k")->insts;
    const hw_ptx_function *at_10 = k[0].call->callee, *at_12 = k[2].call->callee, *own = k[3].call->callee;
    assert_true(held->index < 4 && bare->index < 4 && bare->insts[0].loc_line == 0);
    assert_ptr_equal(at_10->copy_of, held);
    assert_ptr_equal(k[1].call->callee, at_10);
    assert_ptr_equal(at_12->copy_of, bare);
    assert_null(own->copy_of);
    assert_true(at_10->insts[1].loc_line == 10 && at_10->insts[1].loc_file == 1);
    assert_int_equal(at_10->insts[0].call->callee->insts[0].loc_line, 10);
    assert_int_equal(at_12->insts[0].loc_line, 12);
    assert_int_equal(own->insts[0].call->callee->insts[0].call->callee->insts[0].loc_line, 3);
    // Whoever calls the header's function by its address gets its own lines.
    assert_true(held->insts[0].loc_line == 7 && held->insts[0].call->callee->insts[0].loc_line == 7);
    assert_true(hw_ptx_has_address(held) && !hw_ptx_has_address(at_10));
    char *text = hw_ptx_print(m);
    hw_ptx_module *again = parse_ok(text);
    assert_int_equal(again->n_functions, m->n_functions);
    hw_free(text);
    hw_ptx_free(again);
    hw_ptx_free(m);
}

// A function that has no room for one more copy has its own lines in all calls, those before too; others are copied.
static void test_places_of_calls_without_room(void **state) {
    (void)state;
    enum { INSTS = 1500, CALLS = 4, ROOM = 1 << 15 };
    static char text[ROOM];
    int n = snprintf(text, sizeof text, "%s",
                     HEAD ".file 1 \"/tmp/a.cu\"\n.file 2 \"/usr/local/cuda/include/h.hpp\"\n"
                     ".func few () { .loc 2 7 0\ntrap; ret; }\n.func many () { .loc 2 9 0\n");
    for (int i = 0; i < INSTS; i++) n += snprintf(text + n, sizeof text - (size_t)n, "trap;\n");
    n += snprintf(text + n, sizeof text - (size_t)n, "ret; }\n.entry k() {\n");
    for (int i = 0; i < CALLS; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, ".loc 1 %d 0\ncall.uni many;\ncall.uni few;\n", 20 + i);
    assert_true(n + 10 < ROOM);
    strcpy(text + n, "ret; }\n");
    hw_ptx_module *m = parse_ok(text);
    const hw_ptx_function *few = hw_ptx_find_function(m, "few"), *many = hw_ptx_find_function(m, "many");
    const hw_ptx_inst *k = hw_ptx_find_function(m, "k")->insts;
    for (int i = 0; i < CALLS; i++) {
        assert_ptr_equal(k[2 * i].call->callee, many);
        assert_ptr_equal(k[2 * i + 1].call->callee->copy_of, few);
        assert_int_equal(k[2 * i + 1].call->callee->insts[0].loc_line, 20 + i);
    }
    hw_ptx_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registers_and_guards),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_numbers_take_the_type_of_their_place),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_register_ranges_split_anywhere),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_module_header_and_places),
        cmocka_unit_test(test_places_of_inlined_code),
        cmocka_unit_test(test_inlining_chains),
        cmocka_unit_test(test_inlining_chains_without_an_end),
        cmocka_unit_test(test_places_of_moved_code),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_initial_values),
        cmocka_unit_test(test_addresses_in_initial_values),
        cmocka_unit_test(test_functions_declared_and_aliased),
        cmocka_unit_test(test_places_of_calls),
        cmocka_unit_test(test_places_of_calls_without_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
