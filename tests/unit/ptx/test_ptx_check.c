// Which instructions the checker takes and which it does not. The verdicts are those of ptxas 13.0 for sm_90, but for
// what Halfwarp does not execute.
#include "ptx_text.h"

static const char *const accepted[] = {
    "add.f32 %f1, %f2, 0f3F800000;", "add.rz.ftz.sat.f32 %f1, %f2, 1.5;", "add.sat.s32 %r1, %r2, -1;",
    "add.cc.u64 %rd1, %rd2, %rd3;", "add .u32 %r1, %r2, %r3;", "add.f32 %f1, %r1, %r2;", "add.bf16x2 %r1, %r2, %r3;",
    "mov.b32 %r1, 0f3F800000;", "mov.b64 %rd1, 1.5;", "mov.b32 %f1, %r1;", "mov.f64 %fd1, 0f3F800000;",
    "mov.pred %p1, -1;", "mov.u16 %rs1, 65536;", "mov.u32 %r1, 1?2:3;", "mov.u32 %r1, (1<<4)|0b11;",
    "mov.u64 %rd1, pp;", "mov.u32 %r1, sv;", "mov.u64 %rd1, gv+4;", "mov.u64 %rd1, fn;", "mov.u64 %rd1, k;",
    "mov.u32 %r1, %tid.x;", "mov.u64 %rd1, %clock64;", "mov.b32 %r1, %envreg31;", "mov.pred %p1, %is_explicit_cluster;",
    "mov.b32 {%rs1, %rs2}, %f1;", "mov.b64 {%r1, _}, %rd1;", "mov.b64 %rd1, {%r1, 5};", "mov.b128 %rq1, {%rd1, %rd2};",
    "mov.b64 {%rs1, %rs2, _, %rs4}, %rd1;", "mov.u32 %r1, WARP_SZ;", "mul.wide.s32 %rd1, %r1, 4;",
    "mad.wide.u32 %rd1, %r1, %r2, %rd3;", "mad.lo.cc.s32 %r1, 3, 4, %r2;", "madc.hi.u32 %r1, %r2, %r3, %r4;",
    "min.relu.s32 %r1, %r2, %r3;", "max.ftz.NaN.xorsign.abs.f32 %f1, %f2, %f3;", "abs.s16 %ss1, %rs1;",
    "div.approx.ftz.f32 %f1, %f2, %f3;", "rcp.approx.ftz.f64 %fd1, %fd2;", "ex2.approx.ftz.bf16 %rs1, %rs2;",
    "fma.rn.relu.bf16 %rs1, %rs2, %rs3, %rs4;", "testp.finite.f32 %p1, %f1;", "copysign.f64 %fd1, %fd2, %fd3;",
    "setp.eq.s32 %p1|%p2, %r1, %r2;", "setp.eq.s32 _|%p2, %r1, %r2;", "setp.eq.s32 %p1|_, %r1, %r2;",
    "setp.eq.and.s32 %p1, %r1, 2, !%p3;", "setp.eq.and.s32 %p1, %r1, 2, 1;", "setp.geu.ftz.f32 %p1, %f1, %f2;",
    "set.eq.u32.f32 %r1, %f1, %f2;", "set.lt.and.f32.s32 %f1, %r1, %r2, %p1;", "slct.u32.f32 %r1, %r2, %r3, %f1;",
    "selp.b32 %r1, %r2, %r3, 1;", "and.pred %p1, %p2, 1;", "and.b32 %f1, %f2, %f3;", "not.pred %p1, %p2;",
    "lop3.b32 %r1, %r2, %r3, %r4, 0x1F8;", "lop3.or.b32 _|%p2, %r1, %r2, %r3, 0x3c, !%p1;",
    "shf.l.wrap.b32 %r1, %r2, %r3, %r4;", "shl.b64 %rd1, %rd2, %r1;", "shl.b32 %f1, %r2, 1;",
    "prmt.b32.f4e %r1, %r2, %r3, %r4;", "popc.b64 %r1, %rd2;", "bfind.shiftamt.s64 %r1, %rd1;",
    "bfi.b64 %rd1, %rd2, %rd3, %r1, 5;", "dp4a.u32.s32 %r1, %r2, %r3, %r4;", "fns.b32 %r1, %r2, 0, 1;",
    "ld.u32 %r1, [sv];", "ld.shared.u32 %r1, [%r2];", "ld.global.u32 %r1, [%rd1+-4];", "ld.u32.global %r1, [%rd1];",
    "ld.global.b16 %f1, [%rd1];", "ld.global.f32 %rd1, [%rd1];", "ld.global.b32 %fd1, [%rd1];",
    "ld.const[3].u32 %r1, [cv+8];", "ld.param.u64 %rd1, [pp+0];", "ld.global.v4.f32 {%f1, _, %f2, %f3}, [%rd1];",
    "ld.global.nc.L1::no_allocate.L2::128B.f32 %f1, [%rd1];",
    "ld.global.L1::evict_last.L2::evict_last.u32 %r1, [%rd1];",
    "ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;", "ld.global.b32 { %r1 }, [%rd1];", "st.global.b32 [%rd1], {%r1};",
    "createpolicy.fractional.L2::evict_first.b64 %rd1, 1.0;",
    "createpolicy.fractional.L2::evict_last.b64 %rd1;", "ld.acquire.sys.shared::cta.b64 %rd1, [sv];",
    "ld.volatile.global.v2.b64 {%rd1, %rd2}, [gv+16];", "ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];",
    "st.global.v4.f32 [%rd1], {0f00000000, %f1, 1.0, %f2};", "st.global.b16 [%rd1], %f1;", "st.param.b32 [q0], 7;",
    "ldu.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];", "prefetch.global.L2::evict_last [%rd1];", "prefetchu.L1 [%rd1];",
    "cvta.shared.u64 %rd1, sv+4;", "cvta.to.global.u64 %rd1, %rd2;", "isspacep.shared %p1, %rd1;",
    "cvt.u32.u8 %r1, %rd2;", "cvt.rn.f32.u32 %rd1, %r1;", "cvt.rn.bf16x2.f32 %r1, %f1, %f2;", "cvt.f32.f16 %f1, %rs1;",
    "cvt.rzi.ftz.sat.s32.f32 %r1, %f1;", "cvt.rn.satfinite.e4m3x2.f32 %rs1, %f1, %f2;", "cvt.rna.tf32.f32 %r1, %f1;",
    "cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4;", "cvt.pack.sat.s16.s32 %r1, %r2, %r3;", "cvt.rzi.f32.f32 %f1, %f2;",
    "atom.global.add.u32 _, [%rd1], 1;", "atom.shared.cas.b64 %rd1, [sv], 0, %rd2;",
    "atom.add.noftz.f16x2 %r1, [%rd1], %r2;",
    "atom.acq_rel.gpu.global.exch.b128 %rq1, [%rd1], %rq2;", "atom.global.v2.f32.add {%f1, %f2}, [%rd1], {%f3, %f4};",
    "red.relaxed.sys.global.max.s64 [%rd1], -1;", "bar.sync 0;", "bar.sync %r1, %r2;", "bar.arrive 1, 32;",
    "bar.red.popc.u32 %r1, 0, !%p1;", "bar.red.and.pred %p1, 0, 64, %p2;", "bar.warp.sync -1;", "bar.cta.sync 3;",
    "barrier.cta.sync.aligned 0, 32;", "barrier.red.or.pred %p1, 0, %p2;", "vote.sync.any.pred %p1, !%p2, -1;",
    "vote.sync.ballot.b32 %r1, %p2, %r3;", "match.all.sync.b64 %r1|%p1, %rd2, -1;", "activemask.b32 %r1;",
    "redux.sync.and.b32 %r1, %r2, -1;", "shfl.sync.idx.b32 %f1|%p1, %f2, 0, 31, -1;", "elect.sync _|%p1, -1;",
    "fence.acq_rel.gpu;", "fence.proxy.alias;", "membar.gl;", "nanosleep.u32 100;", "pmevent 7;", "trap;", "brkpt;",
    "exit;", "tex.1d.v4.u32.s32 {%r1, _, _, _}, [%rd1, {5}];", "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, %f5];",
    "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, 0f3F000000}];",
    "tex.3d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5, %r6, %r7, %r7}];",
    "tex.a1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %f5}];",
    "tex.acube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %f5, %f6, %f7}];",
    "suld.b.a2d.v2.b32.zero {%r1, %r2}, [%rd1, {%r3, %r4, %r5, %r5}];", "sust.b.1d.b8.trap [%rd1, {%r1}], {%rs1};",
    "alloca.u64 %rd1, %rd2, 16;", "stacksave.u64 %rd1;", "discard.global.L2 [%rd1], 128;", "griddepcontrol.wait;",
    "call (q0), fn, (q1);", "call.uni (%r1), fn, (%r2);", "call (_), fn, (5);", "call (%f1), fn, (%r2);",
    "@!%p1 bra $Y; $Y:", "@ %p1 bra.uni $Y; $Y:", "{ .reg .b32 %r<3>; add.u32 %r1, %r2, %r2; }",
};

static void test_accepted(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) hw_ptx_free(parse_body_ok(accepted[i]));
}

// What is wrong with it, somewhere in the message.
static const struct {
    const char *body, *message;
} malformed[] = {
    {"add.f32 %f1, %f2, 1;", "operand 3"}, {"mov.f32 %f1, 1;", "no number"},
    {"mov.u32 %r1, 0f3F800000;", "no number"}, {"mov.u32 %f1, %r1;", "does not fit .u32"},
    {"add.u32 %r1, %f1, %f1;", "operand 2 (%f1, a .f32 register)"},
    {"add.f16x2 %u1, %u2, %u0;", "does not fit .f16x2"}, {"add.f16 %rs1, %rs2, 1.0;", "no number"},
    {"ld.global.u32 %r1, [sv];", "sv is in .shared"}, {"ld.shared.u32 %r1, [gv];", "gv is in .global"},
    {"ld.global.u32 %r1, [%r2];", "cannot hold an address"}, {"ld.global.u32 %r1, [%f2];", "cannot hold an address"},
    {"ld.global.u32 %r1, [fn];", "is a function"}, {"ld.global.u32 %r1, %rd1;", "in brackets"},
    {"ld.global.v2.u32 %r1, [%rd1];", "vector of 2"}, {"ld.global.v2.u32 {%r1}, [%rd1];", "vector of 2"},
    {"ld.global.v2.u32 {%r1, 5}, [%rd1];", "must be a register"}, {"st.global.v2.u32 [%rd1], {%r1, _};", "not there"},
    {"ld.global.u32 %rs1, [%rd1];", "does not fit"}, {"ld.global.u32 %f1, [%rd1];", "does not fit"},
    {"st.global.u8 [%rd1], %f1;", "does not fit"}, {"st.u32 [cv], %r1;", "constant memory"},
    {"ld.global.u32 %r1, [%rd1], %rd2;", "cannot have 3 operands"},
    {"ld.relaxed.global.u32 %r1, [%rd1];", "is needed"},
    {"ld.global.L2::cache_hint.u32 %r1, [%rd1];", "cannot have 2 operands"}, {"ld.global %r1, [%rd1];", "no type"},
    {"mov.u64 %rd1, %tid.x;", "narrower"}, {"add.u32 %r1, %tid.x, 1;", "must be a register"},
    {"mov.f32 %f1, %tid.x;", "no floating-point"}, {"mov.u32 %r1, gv;", "does not fit"}, {"mov.u32 %r1, fn;", "fit"},
    {"mov.u64 %rd1, {%r1, %r2};", "has not the size"}, {"mov.b64 %rd1, {%r1, %rs2};", "does not fit"},
    {"mov.b64 {%r1, %r2}, {%r3, %r4};", "must be a register"}, {"add.rn.rn.f32 %f1, %f2, %f3;", "stands twice"},
    {"add.rn.rz.f32 %f1, %f2, %f3;", "at most one of 'rn|rz|rm|rp'"}, {"mul.s32 %r1, %r2, %r3;", "one of 'hi|lo'"},
    {"cvt.f32.u32 %f1, %r1;", "is needed"}, {"cvt.f32.f16 %f1, %ss1;", "does not fit"},
    {"setp.s32 %p1, %r1, %r2;", "needed"}, {"setp.eq.s32 %r1, %r2, %r3;", "does not fit .pred"},
    {"setp.eq.and.s32 %p1, %r1, %r2;", "cannot have 3"}, {"setp.eq.s32 %p1, %r1, %r2, %p2;", "cannot have 4"},
    {"shl.b32 %r1, %r2, %rs1;", "does not fit .u32"}, {"shl.b32 %r1, %r2, %rd1;", "does not fit .u32"},
    {"lop3.b32 %r1, %r2, %r3, %r4, %r5;", "must be a number"}, {"add.u32 %r1, !%p1, %r2;", "cannot be negated"},
    {"add.u32 %r1|%p1, %r2, %r3;", "cannot be a pair"}, {"add.u32 _, %r2, %r3;", "must be a register"},
    {"shfl.sync.idx.b32 _, %r2, 0, 31, -1;", "must be a register"}, {"add.u32 %r1, %r2;", "cannot have 2 operands"},
    {"add.u32 %r1, %r2, %r3, %r4;", "cannot have 4 operands"}, {"add.u32;", "cannot have 0 operands"},
    {"add.u32 %r1, %r2, %r3, %r4, %r5, %r6, %r7;", "too many operands"},
    {"add.u32 %r1, %r2, %r9;", "%r9 is not declared"}, {"add.u32 %r1, %r2, nothing;", "nothing is not declared"},
    {"add.u32 %r1, %r2, %r01;", "%r01 is not declared"}, {"mov.u64 %rd1, nothing;", "nothing is not declared"},
    {"bra nowhere;", "label nowhere is not declared"}, {"@%r1 bra $Y; $Y:", "%r1 is no predicate"},
    {"$Y: $Y:", "declared twice"}, {"{ $Y: } bra $Y;", "not declared"}, {".reg .b32 %r5;", "declared twice"},
    {".reg .b32 %r<3>;", "declared twice"}, {".reg .b32 a, a;", "declared twice"}, {".reg .b33 a;", "a type"},
    {"call (q0), fn;", "takes 1 arguments"}, {"call fn, (q1);", "returns 1 values"},
    {"call (%rd1), fn, (q1);", "does not fit"}, {"call (q0), fn, (1.5);", "does not fit"},
    {"call (q0), nofn, (q1);", "nofn is not declared"}, {"call k;", "is a kernel"},
    {"call (q0), fn, (gv);", "an argument must be"}, {"call (q0), %rd1, (q1);", "prototype"},
    {"call gv;", "no function"}, {"call (q0), %r1, (q1), P;", "cannot hold"},
    {"call (q0), %rd1, (q1), P;", "label P"}, {"call (5), fn, (q1);", "number"},
    {"P: brx.idx %r1, P;", "not the kind of label"}, {"brx.idx %r1;", "branch table"},
    {"vote.sync.any.pred %p1, %r1, -1;", "fit"}, {"foo.u32 %r1;", "foo.u32 is no PTX instruction"},
    {"add.foo.u32 %r1, %r2, %r3;", ".foo is neither"}, {"add.u32.u32.u32.u32.u32 %r1, %r2, %r3;", "too many types"},
    {"mov.u32 %r1, 07777777777777777777777777;", "number"}, {"mov.u32 %r1, 0x;", "number"},
    {"mov.u32 %r1, 12abc;", "number"}, {"mov.f32 %f1, 0f3F8;", "number"}, {"mov.u32 %r1, 1/0;", "no value"},
    {"mov.u32 %r1, 1+;", "a number is expected"}, {"mov.u32 %r1, 'a';", "expected"},
    {"mov.u32 %r1, 3*1.5;", "no number"}, {"mov.u32 %r1, ~1.5;", "integer"},
    {"add.u32 %r1, %r2, %r3", "';' is expected"}, {".local .align 3 .b8 x[4];", "alignment"},
    {".local .b8 x[-1];", "dimensions"}, {".local .b8 x[];", "not known"},
    {".local .b8 x[4] = {1};", "cannot have initial values"}, {".pred .u32 x;", "expected"}, {"1;", "an instruction"},
    {"add.u32 %r1, %r2, \"x\";", "expected"}, {"add.u32 %r1, %r2, \"x;", "no end"}, {"add.u32 %r1, \x01, 2;", "0x01"},
};

static void test_malformed(void **state) {
    (void)state;
    char text[8192];
    hw_diag diag;
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        wrap_body(text, sizeof text, malformed[i].body);
        hw_status status = parse_status(text, &diag);
        if (status != HW_MALFORMED || !strstr(diag.text, malformed[i].message))
            fail_msg("%s: status %d, '%s' does not hold '%s'", malformed[i].body, status, diag.text,
                     malformed[i].message);
        assert_string_equal(diag.file, "test.ptx");
        if (diag.line != 10 && diag.line != 11)   // 11: what is missing is found missing there
            fail_msg("%s: line %d", malformed[i].body, diag.line);
    }
}

static const char *const refused[] = {
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", "wmma.load.a.sync.aligned.row.m8n8k32.global.s4",
    "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8",
    "tex.base.2d.v4.f32.f32", "tld4.r.2d.v4.f32.f32", "sured.b.add.1d.u32.trap",
    "cp.reduce.async.bulk.global.shared::cta.add.u32",
    "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes",
    "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32", "multimem.ld_reduce.global.add.u32",
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32", "red.async.relaxed.cluster.add.u32",
    "cvt.rs.f16x2.f32", "cvt.rn.satfinite.e2m1x2.f32", "fence.proxy.tensormap::generic.acquire.gpu",
    "add.sat.u32", "shl.s32",
};

static void test_refused(void **state) {
    (void)state;
    char text[8192], body[256];
    hw_diag diag;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        snprintf(body, sizeof body, ".loc 7 5 0\n%s %%r1, %%r2;", refused[i]);
        wrap_body(text, sizeof text, body);
        if (parse_status(text, &diag) != HW_UNSUPPORTED) fail_msg("%s: %s", refused[i], diag.text);
        assert_non_null(strstr(diag.text, refused[i]));
        assert_non_null(strstr(diag.text, "is not supported"));
        assert_int_equal(diag.line, 11);
    }
}

// As PTX for 1.x has it; of later PTX a rounding is asked for.
static void test_mad_without_rounding(void **state) {
    (void)state;
    static const char body[] =
        ".address_size 64\n.entry k () {\n.reg .f32 %f<5>;\nmad.f32 %f1, %f2, %f3, %f4;\nret;\n}";
    char text[256];
    hw_diag diag;
    snprintf(text, sizeof text, ".version 1.4\n.target sm_10\n%s", body);
    hw_ptx_module *module = parse_ok(text);
    assert_true(hw_has_mod(&inst_at(module, 0)->mods, HW_M_RN) && hw_has_mod(&inst_at(module, 0)->mods, HW_M_FTZ));
    hw_ptx_free(module);
    snprintf(text, sizeof text, ".version 9.0\n.target sm_90\n%s", body);
    assert_int_equal(parse_status(text, &diag), HW_MALFORMED);
}

// nvcc writes .file behind everything else.
static void test_refused_at_the_source_line(void **state) {
    (void)state;
    hw_diag diag;
    static const char text[] =
        HEAD ".entry k { .loc 2 77 3\ntrap;\nmma.sync.f16;\n}\n.file 1 \"a.h\"\n.file 2 \"b.cu\"";
    assert_int_equal(parse_status(text, &diag), HW_UNSUPPORTED);
    assert_string_equal(diag.file, "b.cu");
    assert_int_equal(diag.line, 77);
    assert_string_equal(diag.text, "instruction mma.sync.f16 is not supported (line 6 of the PTX)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_mad_without_rounding),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_refused_at_the_source_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
