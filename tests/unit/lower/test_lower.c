// Lowering: invariance, guards, vectors, calls, layouts, names; hand-checked small functions.
#include "isa/rates.h"
#include "lower_test.h"

// ---- invariance and slots ----

// Of an access whose address is known when it is lowered: it lies in a slot of the launch, which is quick.
static int64_t known_address(const hw_program *p, const hw_inst *in) {
    uint64_t start = 0;
    assert_int_equal(in->a & 3, HW_BASE_LAUNCH);
    memcpy(&start, p->launch_image + (in->a & ~3u), in->flags & HW_INST_ADDRESS_32 ? 4 : 8);
    return (int64_t)start + in->imm;
}

static void test_copy(void **state) {
    (void)state;
    lower(KERNEL("ld.param.u64 %d1, [out]; ld.param.u32 %r1, [n];\n"
                 "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
                 "mad.lo.u32 %r5, %r2, %r3, %r4; shl.b32 %r6, %r4, 2; mul.lo.s32 %r7, %r2, %r3;\n"
                 "setp.ge.s32 %p1, %r5, %r1; @%p1 bra END;\n"
                 "cvta.to.global.u64 %d2, %d1; mul.wide.s32 %d3, %r5, 4; add.s64 %d4, %d2, %d3;\n"
                 "add.s32 %r8, %r6, %r7; st.global.u32 [%d4+8], %r8;\n"
                 "END: ret;"));
    expect_listing("k",
                   "launch:\n"
                   "      ld.param  L0 = [+0] param.8\n"
                   "      ld.param  L256 = [+8] param.4\n"
                   "      sreg  L384 = ntid.x\n"
                   "block:\n"
                   "      sreg  B0 = ctaid.x\n"
                   "      mul.lo.s32  B128 = B0 L384\n"
                   "warp:\n"
                   "      sreg  W0 = tid.x\n"
                   "      shl.b32  W128 = W0 L512(2)\n"
                   "body:\n"
                   "   0  mad.lo.s32  F256 = B0 L384 W0\n"
                   "   1  setp.ge.s32  F384 = F256 L256\n"
                   "   2  bra.p p=F384 -> 8 reconverge 3 #10\n"
                   "   3  mul.wide.s32  F0 = F256 L640(4)\n"
                   "   4  add.s64  F0 = L0 F0\n"
                   "   5  add.s32  F256 = W128 B128\n"
                   "   6  st F0 F256 [+8] global.4\n"
                   "   7  fall #5\n"
                   "   8  ret #1\n");
    const hw_program *p = program("k");
    assert_int_equal(p->n_notes, 16);
    assert_int_equal(p->notes[9].kind, HW_NOTE_BRANCH);
    assert_int_equal(p->notes[14].kind, HW_NOTE_STORE);
    assert_int_equal(p->notes[14].width_bytes, 4);
    assert_int_equal(p->notes[14].issues, 0);
    assert_int_equal(p->notes[0].kind, HW_NOTE_PLAIN);
    assert_int_equal(p->notes[11].pipe, HW_RATE_IMUL);       // mul.wide.s32
    assert_int_equal(p->notes[11].issues, 1);
    assert_int_equal(p->notes[12].pipe, HW_RATE_IADD);       // add.s64
    assert_int_equal(p->notes[12].issues, 2);
    assert_int_equal(p->notes[12].space | p->notes[12].width_bytes, 0);
    assert_int_equal(p->insts[6].note, 14);
    assert_int_equal(((uintptr_t)p->launch_image) % 64, 0);
    assert_int_equal(((const uint32_t *)(p->launch_image + 512))[31], 2);
    done();
}

// What several instructions write, what a guard covers, what reads the carry or memory stays where it is.
static void test_not_lifted(void **state) {
    (void)state;
    lower(HEAD ".const .align 4 .b8 c[16];\n.visible .entry k(.param .u64 out, .param .u32 n) {\n" REGS
               "ld.param.u32 %r1, [n]; setp.eq.s32 %p1, %r1, 3;\n"
               "mov.u32 %r2, 1; @%p1 mov.u32 %r2, 2;\n"           // two definitions, one guarded
               "add.s32 %r3, %r2, 1;\n"                            // depends on them
               "add.cc.u32 %r4, %r1, 1; addc.u32 %r5, %r1, 0;\n"   // carry
               "ld.const.u32 %r6, [c+4];\n"                        // memory
               "mov.u32 %r7, %clock;\n"                            // changes between two reads
               "mov.u32 %r8, %tid.x; mov.u32 %r9, %ctaid.x; add.s32 %r10, %r8, %r9;\n"  // block and thread
               "add.s32 %r11, %r1, %r1;\n"                         // this one is lifted
               "ret;\n}\n");
    const hw_program *p = program("k");
    assert_int_equal(p->n_launch, 4);
    assert_string_equal(hw_body_name(p->launch_bodies[2]), "add.s32");
    assert_string_equal(hw_body_name(p->launch_bodies[3]), "end");
    find(p, "mov.b32", 0), find(p, "mov.b32", 1), find(p, "add.cc.s32", 0), find(p, "addc.s32", 0);
    find(p, "sreg", 0), find(p, "add.s32", 1);
    assert_int_equal(known_address(p, inst_of(p, "ld")), 0x10004);
    assert_int_equal(counted(p), 14);
    done();
}

// A value used before the only place that defines it (round a loop) is not known when the loop begins, and stays.
static void test_use_before_definition(void **state) {
    (void)state;
    lower(KERNEL("ld.param.u64 %d1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r4, 0;\n"
                 "L: add.s32 %r3, %r2, 1; st.global.u32 [%d1], %r3; add.s32 %r2, %r1, 5; add.s32 %r4, %r4, 1;\n"
                 "setp.lt.s32 %p1, %r4, 3; @%p1 bra L; ret;"));
    const hw_program *p = program("k");
    assert_int_equal(p->n_launch, 3);
    for (unsigned k = 0; k < 3; k++) find(p, "add.s32", k);
    done();
}

static void test_aliases(void **state) {
    (void)state;
    lower(HEAD ".global .align 4 .u32 g[4];\n.visible .entry k(.param .u64 out) {\n" REGS
               "mov.u32 %r1, 7; mov.b32 %r2, %r1; mov.u64 %d1, g; cvta.global.u64 %d2, %d1;\n"
               "cvta.to.global.u64 %d3, %d2; mov.b32 %f1, %r2; mov.pred %p1, 1;\n"
               "st.global.f32 [%d3+4], %f1; @%p1 st.global.u32 [%d3], %r1; ret;\n}\n");
    expect_listing("k", "body:\n"
                        "   0  st L128(0x10000) L0(7) [+4] global.4\n"
                        "   1  guard p=L384(0xffffffff) -> 4 #1\n"
                        "   2  st L128(0x10000) L0(7) [+0] global.4\n"
                        "   3  unguard\n"
                        "   4  ret #10\n");
    done();
}

// Registers that are never live together share a slot; those that are do not.
static void test_slot_sharing(void **state) {
    (void)state;
    lower(KERNEL("ld.param.u64 %d1, [out];\n"
                 "ld.global.u32 %r1, [%d1]; ld.global.u32 %r2, [%d1+4]; add.s32 %r3, %r1, %r2;\n"
                 "ld.global.u32 %r4, [%d1+8]; add.s32 %r5, %r4, %r3; st.global.u32 [%d1], %r5; ret;"));
    const hw_program *p = program("k");
    const hw_inst *in = p->insts;
    assert_int_not_equal(in[0].d, in[1].d);
    assert_int_not_equal(in[3].d, in[2].d);
    assert_int_equal(p->frame_bytes, 2 * 128);
    done();
}

// What writes several registers, or one while it still reads, gets others than its sources, though they die there.
static void test_results_beside_sources(void **state) {
    (void)state;
    lower(KERNEL("ld.param.u64 %d1, [out]; ld.global.u64 %d2, [%d1]; ld.global.v2.u64 {%d3, %d4}, [%d2];\n"
                 "ld.global.u64 %d5, [%d3]; setp.lt.s64 %p1, %d4, %d5; setp.gt.and.s64 %p2|%p3, %d4, 0, %p1;\n"
                 "@%p2 st.global.u64 [%d1], %d5; @%p3 st.global.u64 [%d1], %d5; ret;"));
    const hw_program *p = program("k");
    const hw_inst *vector = &p->insts[find(p, "ld", 1)], *scalar = &p->insts[find(p, "ld", 2)];
    assert_int_not_equal(p->slots[vector->list], vector->a);
    assert_int_not_equal(p->slots[vector->list + 1], vector->a);
    assert_int_not_equal(scalar->d, scalar->a);
    const hw_inst *setp = inst_of(p, "setp.gt.s64");
    assert_true(setp->d != setp->p && setp->e != setp->p && setp->d != setp->e);
    done();
}

static void test_widths(void **state) {
    (void)state;
    lower(KERNEL("ld.param.u64 %d1, [out]; ld.global.s8 %r1, [%d1]; ld.global.u16 %d2, [%d1+2];\n"
                 "cvt.s8.s32 %r2, %r1; cvt.u32.u16 %r3, %r1; cvt.u16.u64 %h1, %d2; cvt.sat.u8.s32 %h2, %r1;\n"
                 "st.global.u8 [%d1], %r2; st.global.u16 [%d1], %h1; st.global.u8 [%d1], %r3;\n"
                 "st.global.u8 [%d1], %h2; ret;"));
    const hw_program *p = program("k");
    const hw_inst *load = inst_of(p, "ld");
    assert_int_equal(load->width, 1);
    assert_int_equal(load->reg_bytes, 4);
    assert_true(load->flags & HW_INST_SIGNED);
    assert_int_equal(p->insts[find(p, "ld", 1)].reg_bytes, 8);
    uint32_t at = find(p, "cvt.s8.s32", 0);
    assert_string_equal(hw_body_name(p->bodies[at + 1]), "ext.s16.b32");
    assert_int_equal(p->insts[at].d, p->insts[at + 1].a);
    at = find(p, "cvt.u32.u16", 0);
    assert_string_equal(hw_body_name(p->bodies[at - 1]), "trunc.b32.b16");
    find(p, "cvt.u16.u64", 0);
    at = find(p, "cvt.sat.u8.s32", 0);
    assert_string_equal(hw_body_name(p->bodies[at + 1]), "st");
    done();
}

// ---- operands ----

static void test_vectors(void **state) {
    (void)state;
    lower(KERNEL("ld.param.u64 %d1, [out]; ld.global.v4.u32 {%r1, _, %r3, %r4}, [%d1+16];\n"
                 "st.global.v2.u32 [%d1], {%r1, 5}; mov.b64 %d2, {%r3, %r4}; mov.b64 {%r5, _}, %d2;\n"
                 "mov.b32 {%h1, %h2}, %r5; mov.b32 %r6, {%h2, %h1}; st.global.u32 [%d1], %r6; ret;"));
    expect_listing("k", "launch:\n"
                        "      ld.param  L0 = [+0] param.8\n"
                        "body:\n"
                        "   0  ld L0 {F256 _ F384 F512} [+16] global.4\n"
                        "   1  st L0 {F256 L256(5)} [+0] global.4\n"
                        "   2  mov.pack.2x32  F0 = {F384 F512}\n"
                        "   3  mov.unpack.2x32 F0 {F512 _}\n"
                        "   4  mov.unpack.2x16 F512 {F640 F704}\n"
                        "   5  mov.pack.2x16  F512 = {F704 F640}\n"
                        "   6  st L0 F512 [+0] global.4\n"
                        "   7  ret #9\n");
    assert_int_equal(program("k")->notes[1].width_bytes, 16);
    done();
}

static void test_predicates(void **state) {
    (void)state;
    lower(KERNEL("ld.param.u64 %d1, [out]; ld.global.u32 %r1, [%d1]; setp.lt.s32 %p1, %r1, 0;\n"
                 "setp.gt.or.s32 %p2|%p3, %r1, 9, !%p1; selp.f32 %f1, %f2, %f3, %p2;\n"
                 "lop3.b32 %r2, %r1, %r1, %r1, 0x96;\n"
                 "lop3.or.b32 %r3|%p4, %r1, %r2, %r1, 0x80, %p3; and.pred %p5, %p4, %p3; not.pred %p6, %p5;\n"
                 "@%p6 st.global.u32 [%d1], %r3; st.global.f32 [%d1], %f1; ret;"));
    const hw_program *p = program("k");
    const hw_inst *setp = inst_of(p, "setp.gt.s32");
    assert_int_equal(setp->combination, HW_COMBINE_OR);
    assert_true(setp->flags & HW_INST_NEGATE_P);
    assert_int_equal(setp->p, inst_of(p, "setp.lt.s32")->d);
    assert_int_not_equal(setp->e, HW_NO_SLOT);
    assert_int_not_equal(setp->e, setp->d);
    assert_int_equal(inst_of(p, "selp.b32")->p, setp->d);
    assert_int_equal(inst_of(p, "lop3.b32")->imm, 0x96);
    assert_int_equal(inst_of(p, "lop3.or.b32")->p, setp->e);
    assert_int_equal(inst_of(p, "and.pred")->a, inst_of(p, "lop3.or.b32")->e);
    done();
}

static void test_warp_instructions(void **state) {
    (void)state;
    lower(KERNEL("ld.param.u64 %d1, [out]; ld.global.u32 %r1, [%d1]; setp.lt.s32 %p1, %r1, 0;\n"
                 "shfl.sync.bfly.b32 %r2|%p2, %r1, 16, 31, -1; vote.sync.ballot.b32 %r3, !%p1, 0xffff;\n"
                 "vote.sync.all.pred %p3, %p2, %r3; match.any.sync.b64 %r4, %d1, 255;\n"
                 "match.all.sync.b32 %r5|%p4, %r4, 15;\n"
                 "redux.sync.add.s32 %r6, %r5, 7; activemask.b32 %r7; bar.red.popc.u32 %r8, 1, 64, !%p3;\n"
                 "bar.red.and.pred %p5, 2, %p4; barrier.sync 3, 32; bar.arrive 4, 96; bar.warp.sync 0xff;\n"
                 "@%p5 st.global.v4.u32 [%d1], {%r6, %r7, %r8, %r3}; ret;"));
    const hw_program *p = program("k");
    const hw_inst *shfl = inst_of(p, "shfl.bfly"), *vote = inst_of(p, "vote.ballot");
    assert_int_not_equal(shfl->e, HW_NO_SLOT);
    assert_int_equal(((const uint32_t *)(p->launch_image + (shfl->p & ~3u)))[7], 0xffffffffu);
    assert_int_equal(((const uint32_t *)(p->launch_image + (shfl->b & ~3u)))[7], 16);
    assert_int_equal(((const uint32_t *)(p->launch_image + (shfl->c & ~3u)))[7], 31);
    assert_true(vote->flags & HW_INST_NEGATE_P);
    assert_int_equal(vote->p, inst_of(p, "setp.lt.s32")->d);
    assert_int_equal(((const uint32_t *)(p->launch_image + (vote->c & ~3u)))[0], 0xffff);
    assert_int_equal(inst_of(p, "vote.all")->c, vote->d);
    assert_int_equal(inst_of(p, "match.any")->width, 8);
    assert_int_equal(inst_of(p, "match.all")->width, 4);
    assert_int_equal(inst_of(p, "redux.add.s32")->a, inst_of(p, "match.all")->d);
    const hw_inst *red = inst_of(p, "bar.red.popc");
    assert_true(red->flags & HW_INST_NEGATE_P);
    assert_int_not_equal(red->b, HW_NO_SLOT);
    assert_int_equal(inst_of(p, "bar.red.and")->b, HW_NO_SLOT);
    assert_int_equal(inst_of(p, "bar.red.and")->combination, HW_COMBINE_AND);
    assert_int_not_equal(inst_of(p, "bar.sync")->b, HW_NO_SLOT);
    assert_int_equal(inst_of(p, "bar.arrive")->d, HW_NO_SLOT);
    assert_int_equal(p->notes[inst_of(p, "bar.arrive")->note].kind, HW_NOTE_BARRIER);
    assert_int_equal(p->notes[inst_of(p, "bar.warp.sync")->note].kind, HW_NOTE_PLAIN);
    done();
}

static void test_atomics(void **state) {
    (void)state;
    lower(KERNEL("ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x;\n"
                 "atom.global.add.u32 %r2, [%d1+4], %r1; atom.shared.cas.b32 %r3, [%r1+8], %r2, 5;\n"
                 "red.relaxed.gpu.global.max.s32 [%d1], %r3; ld.volatile.global.u32 %r4, [%d1];\n"
                 "atom.global.exch.b32 _, [%d1], %r4; membar.gl; fence.acq_rel.gpu; ret;"));
    const hw_program *p = program("k");
    assert_int_equal(inst_of(p, "atom.add.u32")->imm, 4);
    assert_int_equal(inst_of(p, "atom.add.u32")->space, HW_SPACE_GLOBAL);
    assert_true(inst_of(p, "atom.cas.b32")->flags & HW_INST_ADDRESS_32);
    assert_int_equal(inst_of(p, "atom.cas.b32")->space, HW_SPACE_SHARED);
    assert_int_not_equal(inst_of(p, "atom.cas.b32")->c, HW_NO_SLOT);
    assert_int_equal(inst_of(p, "red.max.s32")->d, HW_NO_SLOT);
    assert_int_equal(p->notes[inst_of(p, "red.max.s32")->note].kind, HW_NOTE_REDUCTION);
    assert_true(inst_of(p, "ld")->flags & HW_INST_VOLATILE);
    assert_int_not_equal(inst_of(p, "atom.exch.b32")->d, HW_NO_SLOT);
    find(p, "fence", 1);
    assert_int_equal(set->n_patterns, 5);
    done();
}

// ---- calls and layouts ----

static void test_calls(void **state) {
    (void)state;
    lower(HEAD ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
               ".func (.param .b32 r) f (.param .b32 a, .param .b64 b);\n"
               ".func (.param .b32 r) f (.param .b32 a, .param .b64 b) {\n" REGS
               "ld.param.b32 %r1, [a]; ld.param.b64 %d1, [b]; cvt.u32.u64 %r2, %d1; add.s32 %r3, %r1, %r2;\n"
               "setp.eq.s32 %p1, %r3, 0; @%p1 ret;\n"
               "{ .param .b32 x; .param .b64 y; .param .b32 z; st.param.b32 [x], %r3; st.param.b64 [y], %d1;\n"
               "call (z), f, (x, y); ld.param.b32 %r4, [z]; }\n"
               "st.param.b32 [r], %r4; ret;\n}\n"
               ".visible .entry k(.param .u64 out, .param .u32 n) {\n" REGS
               "ld.param.u64 %d1, [out];\n"
               "{ .param .b32 x; .param .b64 y; .param .b32 z; st.param.b32 [x+0], 3; st.param.b64 [y+0], %d1;\n"
               "call.uni (z), f, (x, y); ld.param.b32 %r4, [z+0]; }\n"
               "{ .param .b64 x; .param .b64 y; .param .b32 z; st.param.b64 [x], %d1; st.param.b64 [y], 0;\n"
               "call.uni (z), vprintf, (x, y); ld.param.b32 %r5, [z]; }\n"
               "mov.u64 %d2, f; st.global.u64 [%d1], %d2;\n"
               "st.global.v2.u32 [%d1], {%r4, %r5}; ret;\n}\n");
    const hw_program *f = program("f"), *k = program("k");
    assert_true(f->may_recurse);
    assert_false(k->may_recurse);
    // Own parameters: a at 0, b at 8, then the result at 16.
    assert_int_equal(f->formal_param_bytes, 32);
    const hw_inst *result = &f->insts[find(f, "st.param", 2)];
    assert_int_equal(result->imm, 16);
    assert_int_equal(result->is_own_param, 1);
    assert_int_equal(f->insts[find(f, "ld.param", 1)].imm, 8);
    assert_int_equal(f->calls[0].arg_offsets[0], 32);
    assert_int_equal(f->calls[0].arg_offsets[1], 40);
    assert_int_equal(f->calls[0].ret_offsets[0], 48);
    assert_ptr_equal(f->calls[0].callee, f);
    assert_int_equal(k->formal_param_bytes, 0);
    assert_ptr_equal(k->calls[0].callee, f);
    assert_int_equal(k->calls[0].n_args, 2);
    assert_null(k->calls[1].callee);
    assert_string_equal(k->calls[1].builtin, "vprintf");
    // Both calls use the same bytes, one after the other.
    assert_int_equal(k->calls[0].arg_offsets[0], 0);
    assert_int_equal(k->calls[1].arg_offsets[0], 0);
    assert_int_equal(k->param_bytes, 32);
    // The handle of f.
    const hw_inst *store = &k->insts[find(k, "st", 0)];
    uint64_t handle = *(const uint64_t *)(k->launch_image + (store->b & ~3u));
    assert_int_equal(handle, HW_FUNCTION_HANDLE + 16 * (uint64_t)(f->index + 1));
    uint32_t call = find(k, "call", 0);
    assert_string_equal(hw_body_name(k->bodies[call + 1]), "ld.param");
    done();
}

// .param variables whose uses do not follow each other keep bytes of their own.
static void test_interleaved_parameters(void **state) {
    (void)state;
    lower(HEAD ".func f (.param .b32 a) { ret; }\n"
               ".visible .entry k(.param .u64 out, .param .u32 n) {\n" REGS
               ".param .b32 x; .param .b32 y; .param .b32 w;\n"
               "ld.param.u32 %r1, [n]; st.param.b32 [x], %r1; mov.u32 %r2, 0;\n"
               "L: call f, (x); st.param.b32 [y], %r2; call f, (y); add.s32 %r2, %r2, 1;\n"
               "setp.lt.s32 %p1, %r2, 9; @%p1 bra L; st.param.b32 [w], 1; call f, (w); ret;\n}\n");
    const hw_program *p = program("k");
    assert_int_not_equal(p->calls[0].arg_offsets[0], p->calls[1].arg_offsets[0]);
    assert_int_equal(p->calls[1].arg_offsets[0], p->calls[2].arg_offsets[0]);
    done();
}

static void test_indirect_call(void **state) {
    (void)state;
    lower(HEAD ".func (.param .b32 r) f (.param .b32 a) {\n"
               ".reg .b32 %r<3>; ld.param.b32 %r1, [a]; st.param.b32 [r], %r1; ret; }\n"
               ".global .align 8 .u64 table[1] = {f};\n"
               ".visible .entry k(.param .u64 out, .param .u32 n) {\n" REGS
               "ld.param.u64 %d1, [out]; ld.global.u64 %d2, [table];\n"
               "{ .param .b32 x; .param .b32 z; st.param.b32 [x], 3;\n"
               "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
               "call (z), %d2, (x), proto; ld.param.b32 %r4, [z]; }\n"
               "st.global.u32 [%d1], %r4; ret;\n}\n");
    const hw_program *p = program("k");
    const hw_inst *call = inst_of(p, "call.indirect");
    assert_int_equal(p->calls[call->call].target, inst_of(p, "ld")->d);
    assert_null(p->calls[call->call].builtin);
    assert_non_null(p->calls[call->call].signature);
    done();
}

static void test_shared_layout(void **state) {
    (void)state;
    lower(HEAD ".extern .shared .align 16 .b8 dyn[];\n.shared .align 4 .b8 lone[20];\n"
               ".func f () { .reg .b32 %r<3>; .shared .align 8 .b8 common[24];\n"
               "mov.u32 %r1, common; st.shared.u32 [%r1], %r1; ret; }\n"
               ".visible .entry a () { .reg .b32 %r<3>; .shared .align 16 .b8 x[40]; .shared .align 4 .b8 y[4];\n"
               "mov.u32 %r1, x; mov.u32 %r2, y; st.shared.u32 [x+4], %r1; st.shared.u32 [y], %r2; ret; }\n"
               ".visible .entry b () { .reg .b32 %r<3>; .shared .align 16 .b8 z[8];\n"
               "mov.u32 %r1, z; st.shared.u32 [%r1], %r1; call f, (); ret; }\n"
               ".visible .entry c () { .reg .b32 %r<3>; call f, (); mov.u32 %r1, lone; st.shared.u32 [%r1], %r1;\n"
               "st.shared.u32 [dyn+12], %r1; mov.u32 %r2, dyn; st.shared.u32 [%r2], %r1; ret; }\n");
    assert_int_equal(program("a")->shared_bytes, 44);
    assert_int_equal(program("f")->shared_bytes, 24);
    assert_int_equal(program("b")->shared_bytes, 40);
    assert_int_equal(program("c")->shared_bytes, 44);
    assert_int_equal(known_address(program("a"), &program("a")->insts[0]), 4);
    assert_int_equal(known_address(program("a"), &program("a")->insts[1]), 40);
    assert_int_equal(program("a")->dynamic_shared_align, 0);
    assert_int_equal(program("c")->dynamic_shared_align, 16);
    assert_string_equal(hw_body_name(program("c")->launch_bodies[0]), "shared.dynamic");
    assert_int_equal(program("c")->launch_insts[0].imm, 16);
    const hw_program *b = program("b");
    assert_int_equal(*(const uint32_t *)(b->launch_image + (b->insts[0].a & ~3u)), 32);
    done();
}

static void test_local_and_windows(void **state) {
    (void)state;
    lower(HEAD ".func f () { .reg .b64 %d<4>; .local .align 8 .b8 pad[12]; .local .align 8 .b8 v[8];\n"
               "mov.u64 %d1, v; cvta.local.u64 %d2, %d1; st.u32 [%d2], 1; st.local.u32 [v+4], 2; ret; }\n"
               ".visible .entry k(.param .u64 out, .param .u32 n) {\n" REGS
               ".local .align 8 .b8 pad[8]; .local .align 8 .b8 v[8]; .shared .align 4 .b8 s[4];\n"
               "mov.u64 %d1, v; cvta.local.u64 %d2, %d1; st.u32 [%d2], 1; st.local.u32 [v+4], 2;\n"
               "cvta.shared.u64 %d3, s; cvta.to.shared.u64 %d4, %d3; cvt.u32.u64 %r1, %d4;\n"
               "st.shared.u32 [%r1], 3; ret;\n}\n");
    const hw_program *f = program("f"), *k = program("k");
    assert_int_equal(f->local_bytes, 24);
    assert_int_equal(inst_of(f, "local.address")->imm, 16);
    assert_int_equal(inst_of(f, "local.address")->width, 8);
    assert_int_equal(f->insts[find(f, "st", 1)].imm, 4);
    assert_int_not_equal(f->insts[find(f, "st", 1)].a, HW_NO_SLOT);
    assert_int_equal(k->local_bytes, 16);
    assert_int_equal(k->insts[find(k, "st", 1)].imm, 12);
    assert_int_equal(k->insts[find(k, "st", 1)].a, HW_NO_SLOT);
    assert_int_equal(k->n_launch, 5);    // two windows added, one taken off, one conversion, end
    done();
}

// ---- names ----

static void test_names(void **state) {
    (void)state;
    static const struct { const char *ptx, *name; } rows[] = {
        {"add.u32 %r1, %r2, %r3", "add.s32"}, {"sub.u64 %d1, %d2, %d3", "sub.s64"},
        {"add.sat.s32 %r1, %r2, %r3", "add.sat.s32"},
        {"mul.lo.u16 %h1, %h2, %h3", "mul.lo.s16"}, {"mul.hi.u32 %r1, %r2, %r3", "mul.hi.u32"},
        {"mul.wide.u16 %r1, %h2, %h3", "mul.wide.u16"}, {"mad.lo.u64 %d1, %d2, %d3, %d4", "mad.lo.s64"},
        {"mad.lo.cc.u32 %r1, %r2, %r3, %r4", "mad.cc.lo.s32"}, {"madc.hi.cc.u32 %r1, %r2, %r3, %r4", "madc.cc.hi.u32"},
        {"mad.wide.s32 %d1, %r2, %r3, %d4", "mad.wide.s32"}, {"mul24.lo.u32 %r1, %r2, %r3", "mul24.lo.u32"},
        {"subc.cc.u32 %r1, %r2, %r3", "subc.cc.s32"}, {"min.u32 %r1, %r2, %r3", "min.u32"},
        {"div.u32 %r1, %r2, %r3", "div.u32"},
        {"fma.rn.ftz.f32 %f1, %f2, %f3, %f4", "fma.ftz.f32"}, {"fma.rz.ftz.f32 %f1, %f2, %f3, %f4", "fma.rz.ftz.f32"},
        {"add.rn.f32 %f1, %f2, %f3", "add.f32"}, {"mul.f32 %f1, %f2, %f3", "mul.f32"},
        {"div.rn.f32 %f1, %f2, %f3", "div.rn.f32"},
        {"div.full.ftz.f32 %f1, %f2, %f3", "div.ftz.full.f32"}, {"sqrt.approx.ftz.f32 %f1, %f2", "sqrt.ftz.approx.f32"},
        {"ex2.approx.ftz.f32 %f1, %f2", "ex2.ftz.approx.f32"}, {"cvt.rzi.ftz.s32.f32 %r1, %f1", "cvt.rzi.ftz.s32.f32"},
        {"cvt.rn.f32.u32 %f1, %r1", "cvt.rn.f32.u32"}, {"cvt.rn.ftz.f32.u32 %f1, %r1", "cvt.rn.f32.u32"},
        {"cvt.rn.bf16x2.f32 %r1, %f1, %f2", "cvt.rn.bf16x2.f32"},
        {"setp.lo.u32 %p1, %r1, %r2", "setp.lt.u32"}, {"setp.hs.and.u32 %p1, %r1, %r2, %p2", "setp.ge.u32"},
        {"setp.neu.ftz.f32 %p1, %f1, %f2", "setp.ftz.neu.f32"}, {"setp.eq.b32 %p1, %r1, %r2", "setp.eq.b32"},
        {"set.gt.u32.f32 %r1, %f1, %f2", "set.gt.u32.f32"}, {"selp.u32 %r1, %r2, %r3, %p1", "selp.b32"},
        {"selp.f64 %d1, %d2, %d3, %p1", "selp.b64"}, {"slct.u32.s32 %r1, %r2, %r3, %r4", "slct.b32.s32"},
        {"slct.ftz.f32.f32 %f1, %f2, %f3, %f4", "slct.ftz.b32.f32"}, {"shr.b32 %r1, %r2, %r3", "shr.u32"},
        {"shr.s64 %d1, %d2, %r3", "shr.s64"}, {"shf.r.wrap.b32 %r1, %r2, %r3, %r4", "shf.r.wrap.b32"},
        {"shf.l.clamp.b32 %r1, %r2, %r3, %r4", "shf.l.clamp.b32"}, {"prmt.b32.f4e %r1, %r2, %r3, %r4", "prmt.f4e.b32"},
        {"bfe.s64 %d1, %d2, %r3, %r4", "bfe.s64"}, {"bfi.b32 %r1, %r2, %r3, %r4, %r5", "bfi.b32"},
        {"bfind.shiftamt.u64 %r1, %d2", "bfind.shiftamt.u64"}, {"popc.b64 %r1, %d2", "popc.b64"},
        {"dp4a.u32.s32 %r1, %r2, %r3, %r4", "dp4a.u32.s32"}, {"dp2a.hi.s32.u32 %r1, %r2, %r3, %r4", "dp2a.hi.s32.u32"},
        {"testp.subnormal.f32 %p1, %f1", "testp.subnormal.f32"}, {"isspacep.shared %p1, %d2", "isspacep"},
        {"mov.f32 %f1, %f2", "mov.b32"}, {"mov.pred %p1, %p2", "mov.pred"}, {"neg.s32 %r1, %r2", "neg.s32"},
        {"min.NaN.xorsign.abs.f32 %f1, %f2, %f3", "min.NaN.xorsign.abs.f32"}, {"add.f16x2 %r1, %r2, %r3", "add.f16x2"},
        {"fma.rn.relu.f16 %h1, %h2, %h3, %h4", "fma.relu.f16"}, {"copysign.f32 %f1, %f2, %f3", "copysign.f32"},
        {"szext.wrap.s32 %r1, %r2, %r3", "szext.wrap.s32"}, {"sad.u32 %r1, %r2, %r3, %r4", "sad.u32"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[2048];
        // Guarded, so that it stays in the body; every register has two definitions.
        snprintf(text, sizeof text, HEAD ".visible .entry k(.param .u64 out) {\n.reg .pred %%p<9>; .reg .b16 %%h<9>;"
                 " .reg .b32 %%r<9>; .reg .b64 %%d<9>; .reg .f32 %%f<9>;\n"
                 "setp.eq.s32 %%p8, %%r8, %%r7;\n@%%p8 %s;\nret;\n}\n",
                 rows[k].ptx);
        lower(text);
        const hw_program *p = program("k");
        if (strcmp(hw_body_name(p->bodies[1]), rows[k].name))
            fail_msg("%s: %s, not %s", rows[k].ptx, hw_body_name(p->bodies[1]), rows[k].name);
        done();
    }
}

// ---- failures ----

// Constants whose address is the same in the whole launch are operands to the hardware, others are loaded. Global
// memory is neither.
static void test_indexed_constants(void **state) {
    (void)state;
    lower(HEAD ".const .align 4 .b8 table[256];\n.visible .entry k(.param .u64 out, .param .u32 n) {\n" REGS
          "ld.const.u32 %r1, [table+4];\n"
          "ld.param.u32 %r2, [n]; mul.wide.u32 %d5, %r2, 4; mov.u64 %d2, table; add.s64 %d1, %d5, %d2;\n"
          "ld.const.u32 %r3, [%d1+8];\n"
          "mov.u32 %r4, %tid.x; mul.wide.u32 %d3, %r4, 4; add.s64 %d3, %d3, %d2;\n"
          "ld.const.u32 %r5, [%d3];\n"
          "ld.param.u64 %d4, [out]; add.s64 %d4, %d4, %d3; ld.global.u32 %r6, [%d4];\n"
          "add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r5; add.u32 %r1, %r1, %r6; st.global.u32 [%d4], %r1;\nret;\n}\n");
    const hw_program *p = program("k");
    uint32_t n_loads = 0, indexed = 0;
    for (uint32_t i = 0; i < p->n_notes; i++) {
        if (p->notes[i].space == HW_SPACE_CONST) indexed |= (uint32_t)p->notes[i].is_indexed << n_loads++;
        else assert_false(p->notes[i].is_indexed);
    }
    assert_int_equal(n_loads, 3);
    assert_int_equal(indexed, 1 << 2);
    done();
}

// Which atomics of a warp ptxas makes one access of, and whose result is read (ptxas 13.0.88 for 9.0, as its machine
// code has them): %d1 is the same in the launch, %d2 in the block, %d3 a thread's own; so are %r1 and %r2.
static void test_combined_atomics(void **state) {
    (void)state;
    static const struct { const char *ptx; bool is_combined, is_read; } rows[] = {
        {"red.global.add.u32 [%d1], 1", true, false},           {"red.global.add.u32 [%d2+4], %r1", true, false},
        {"red.global.add.u32 [%d1], %r2", true, false},         {"red.global.min.s32 [%d1], %r2", true, false},
        {"red.global.xor.b32 [%d1], %r2", true, false},         {"atom.global.or.b32 %r9, [%d1], %r2", true, false},
        {"red.shared.add.u32 [word], %r2", true, false},        {"red.global.add.u32 [%d3], 1", false, false},
        {"red.global.inc.u32 [%d1], 7", false, false},          {"red.global.add.f32 [%d1], 0f3F800000", false, false},
        {"red.global.add.u64 [%d1], 1", true, false},           {"red.global.add.u64 [%d1], %d3", false, false},
        {"red.global.max.u64 [%d1], 1", false, false},          {"atom.global.exch.b32 %r9, [%d1], %r1", false, false},
        {"atom.global.cas.b32 %r9, [%d1], 1, 2", false, false}, {"atom.global.add.u32 %r3, [%d1], 1", true, true},
        {"atom.global.add.u32 %r3, [%d1], %r2", true, true},    {"atom.global.min.u32 %r3, [%d1], %r2", false, true},
        {"atom.global.add.u64 %d4, [%d1], %d3", false, true},   {"atom.global.cas.b32 %r3, [%d1], 1, 2", false, true},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[2048];
        snprintf(text, sizeof text, HEAD ".visible .entry k(.param .u64 out, .param .u32 n) {\n"
                 ".reg .b32 %%r<10>; .reg .b64 %%d<5>;\n.shared .align 4 .b8 word[4];\n"
                 "ld.param.u64 %%d1, [out]; ld.param.u32 %%r1, [n]; mov.u32 %%r2, %%tid.x; mov.u32 %%r4, %%ctaid.x;\n"
                 "mul.wide.u32 %%d0, %%r4, 4; add.s64 %%d2, %%d1, %%d0; mul.wide.u32 %%d3, %%r2, 8;\n"
                 "add.s64 %%d3, %%d1, %%d3; mov.u32 %%r3, 0; mov.u64 %%d4, 0;\n%s;\n"
                 "st.global.u32 [%%d3], %%r3; st.global.u64 [%%d3], %%d4;\nret;\n}\n", rows[k].ptx);
        lower(text);
        const hw_program *p = program("k");
        uint32_t n = 0;
        for (uint32_t i = 0; i < p->n_notes; i++) {
            const bool is_read = p->notes[i].kind == HW_NOTE_ATOMIC;
            if (!is_read && p->notes[i].kind != HW_NOTE_REDUCTION) continue;
            n++;
            if (p->notes[i].is_combined != rows[k].is_combined || is_read != rows[k].is_read)
                fail_msg("%s: combined %d, read %d", rows[k].ptx, p->notes[i].is_combined, is_read);
        }
        assert_int_equal(n, 1);
        done();
    }
}

static void test_refusals(void **state) {
    (void)state;
    hw_diag diag = {0};
    hw_ptx_module *m = parse(KERNEL(".reg .b128 %q<3>;\nmov.u32 %r1, %tid.x;\n@%p1 ld.param.b128 %q1, [out];\nret;"));
    hw_program_set *s = (void *)1;
    assert_int_equal(hw_lower_module(m, &s, &diag), HW_UNSUPPORTED);
    assert_null(s);
    assert_int_equal(diag.line, 8);
    assert_non_null(strstr(diag.text, "ld.param.b128"));
    hw_ptx_free(m);
}

static const char everything[] = HEAD
    ".extern .shared .align 16 .b8 dyn[];\n.global .align 8 .u64 table[1] = {f};\n"
    ".func (.param .b32 r) f (.param .b32 a) { .reg .b32 %r<3>; .reg .pred %p<2>; .local .align 4 .b8 v[8];\n"
    "ld.param.b32 %r1, [a];\n"
    "setp.eq.s32 %p1, %r1, 0; @%p1 ret; st.local.u32 [v], %r1; st.param.b32 [r], %r1; ret; }\n"
    ".visible .entry k(.param .u64 out, .param .u32 n) {\n" REGS
    ".shared .align 4 .b8 s[16]; mov.u32 %r1, %tid.x; ld.param.u64 %d1, [out]; ts: .branchtargets A, B;\n"
    "brx.idx %r1, ts; A: add.s32 %r2, %r1, 7; B: ld.global.v2.u32 {%r3, %r4}, [%d1]; mov.b64 %d2, {%r3, %r4};\n"
    "{ .param .b32 x; .param .b32 z; st.param.b32 [x], %r3; call (z), f, (x); ld.param.b32 %r5, [z]; }\n"
    "setp.gt.s32 %p1, %r5, 3; @%p1 bra A; @%p1 st.global.u64 [%d1], %d2;\n"
    "st.shared.u32 [dyn+4], %r5; st.shared.u32 [s], %r5; ret;\n}\n";

static void test_out_of_memory(void **state) {
    (void)state;
    hw_ptx_module *m = parse(everything);
    long n = 0;
    for (;; n++) {
        hw_program_set *s = NULL;
        hw_diag diag = {0};
        hw_alloc_fail_after(n);
        hw_status status = hw_lower_module(m, &s, &diag);
        hw_alloc_fail_after(-1);
        if (status == HW_OK) {
            hw_program_set_free(s);
            break;
        }
        assert_int_equal(status, HW_NO_MEMORY);
        assert_null(s);
        assert_true(diag.text[0] != 0);
    }
    assert_true(n > 5);
    // The listing gives up, too.
    hw_program_set *s = NULL;
    assert_int_equal(hw_lower_module(m, &s, NULL), HW_OK);
    hw_alloc_fail_after(0);
    assert_null(hw_program_print(s->programs[s->n_programs - 1]));
    hw_alloc_fail_after(-1);
    hw_program_set_free(s);
    hw_ptx_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_not_lifted),
        cmocka_unit_test(test_use_before_definition),
        cmocka_unit_test(test_aliases),
        cmocka_unit_test(test_slot_sharing),
        cmocka_unit_test(test_results_beside_sources),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_predicates),
        cmocka_unit_test(test_warp_instructions),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_interleaved_parameters),
        cmocka_unit_test(test_indirect_call),
        cmocka_unit_test(test_shared_layout),
        cmocka_unit_test(test_local_and_windows),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_combined_atomics), cmocka_unit_test(test_indexed_constants),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
