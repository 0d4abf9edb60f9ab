// What the rows of bodies say of the fields that they use (USES, isa/bodies.h): a field that a decoded instruction has
// filled in is one that its body uses. Looked at in programs of one instruction of each kind, and recorded kernels.
#include <dirent.h>

#include "merge_test.h"

static void check_inst(const hw_inst *in, hw_body_id body) {
    const hw_body_info *info = hw_body_info_of(body);
    const uint16_t with_imm = HW_USES_ACCESS | HW_USES_NUMBER;
    const uint16_t with_index = HW_USES_LIST | HW_USES_TARGET | HW_USES_TARGETS | HW_USES_CALLEE;
    bool has_index = info->uses & with_index || info->members != HW_MEMBERS_NONE;
    if (in->imm && !(info->uses & with_imm)) fail_msg("%s has a number or an offset", info->name);
    if (in->space && !(info->uses & HW_USES_ACCESS)) fail_msg("%s has a state space", info->name);
    if (in->target && !has_index) fail_msg("%s has a target, a list or the like", info->name);
    if (in->count && !(info->uses & HW_USES_COUNT)) fail_msg("%s counts instructions", info->name);
    if (in->vector > 1 && !(info->uses & HW_USES_LIST)) fail_msg("%s has several registers", info->name);
    if (info->uses & HW_USES_FOURTH && in->fourth == HW_NO_SLOT) fail_msg("%s has no fourth source", info->name);
}

static void check_set(uint32_t *n) {
    for (uint32_t k = 0; k < set->n_programs; k++) {
        const hw_program *p = set->programs[k];
        if (!p) continue;
        for (uint32_t i = 0; i < p->n_insts; i++) check_inst(&p->insts[i], p->bodies[i]);
        for (uint32_t i = 0; i < p->n_launch; i++) check_inst(&p->launch_insts[i], p->launch_bodies[i]);
        for (uint32_t i = 0; i < p->n_block; i++) check_inst(&p->block_insts[i], p->block_bodies[i]);
        for (uint32_t i = 0; i < p->n_warp; i++) check_inst(&p->warp_insts[i], p->warp_bodies[i]);
        *n += p->n_insts;
    }
}

static void test_recorded_kernels(void **state) {
    (void)state;
    static const char folder[] = HW_SOURCE_DIR "/kernels/recorded/sm_90";
    DIR *dir = opendir(folder);
    uint32_t n = 0;
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[1024];
        if (!strstr(entry->d_name, ".ptx")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        char *text = read_file(path);
        lower(text);
        check_set(&n);
        done();
        free(text);
    }
    closedir(dir);
    assert_true(n > 5000);
}

// One of each kind, and what is in its listing. Registers that nobody writes are zeros of the launch.
static void test_kinds(void **state) {
    (void)state;
    static const struct { const char *ptx, *printed; } rows[] = {
        {"lop3.b32 %r1, %r2, %r3, %r4, 150", "lop3.b32  L0 = L128(0) L128(0) L128(0) imm 150\n"},
        {"bfi.b32 %r1, %r2, %r3, %r4, %r5", "bfi.b32  L0 = L128(0) L128(0) L128(0) L128(0)\n"},
        {"mov.b64 {%r1, %r2}, %d1", "mov.unpack.2x32 L256(0) {L0 L128}\n"},
        {"tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%r1, %r2}]",
         "tex.s32 L256(0) L256(0) L0(0) {F0 F128 F256 F384} choice 2\n"},
        {"cp.async.ca.shared.global [%r1], [%d1], 8", "cp.async.write L256(0) [+0] shared.8 a32\n"},
        {"cp.async.wait_group 3", "cp.async.wait imm 3\n"},
        {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2+16]", "ldmatrix L128(0) [+16] shared.16 a32 choice 1\n"},
        {"mbarrier.init.shared.b64 [%r1+8], 5", "mbarrier.init L0(0) L128(5) [+8] shared.8 a32 volatile\n"},
        {"vadd.s32.s32.s32.sat %r1, %r2, %r3", "vadd  F0 = L0(0) L0(0) L0(0) imm 4278218759\n"},
        {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%g1, %g2}, {%g3}, {%g4}, {%g5, %g6}",
         "mma.f64.f64 imm 264200\n"},
        {"red.global.add.u32 [%d1+4], %r1", "red.add.u32 L0(0) L256(0) [+4] global.4 volatile\n"},
        {"atom.global.add.u32 %r1, [%d1+4], %r2", "red.add.u32 L0(0) L256(0) [+4] global.4 volatile\n"},
        {"atom.global.add.u32 %r1, [%d1], %r2; not.b32 %r3, %r1", "atom.add.u32  F0 = L0(0) L256(0) [+0]"},
        {"atom.global.v2.f32.add {%f1, %f2}, [%d1], {%f3, %f4}", "{L0(0) L0(0)} [+0] global.4 volatile\n"},
        {"alloca.u64 %d1, %d2, 16", "alloca  F0 = L0(0) imm 16\n"}, {"mov.u32 %r1, %clock", "sreg  F0 = clock\n"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[2048];
        uint32_t n = 0;
        snprintf(text, sizeof text, ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k() {\n"
                 ".reg .pred %%p<3>; .reg .b32 %%r<9>; .reg .b64 %%d<9>; .reg .f32 %%f<9>; .reg .f64 %%g<9>;\n"
                 "%s;\nret;\n}\n", rows[k].ptx);
        lower(text);
        check_set(&n);
        char *listing = hw_program_print(program("k"));
        if (!strstr(listing, rows[k].printed)) fail_msg("%s: %s", rows[k].ptx, listing);
        hw_free(listing);
        done();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_recorded_kernels), cmocka_unit_test(test_kinds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
