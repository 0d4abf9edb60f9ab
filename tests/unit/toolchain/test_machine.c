// Machine code matched with PTX, and what follows for counts: by code as ptxas makes it, written down here, and by a
// cubin made byte by byte. What real code gives is asserted where ptxas is (cli.accuracy).
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/machine.h"
#include "toolchain/machine/machine.h"

// Opcodes, by their low nine bits.
enum { FADD = 0x21, MUFU = 0x108, ISETP = 0x0c, LDG = 0x181, STG = 0x186, BRA = 0x147, EXIT = 0x14d, CALL = 0x144,
       BSSY = 0x145, BSYNC = 0x141, MOST = 64 };

// An instruction: opcode, line of the PTX, is it guarded, and 1 + where a branch goes.
typedef struct row { uint16_t op, line, guarded, target; } row;

// A loop with a branch in it; line 12 is the loop's head.
static const char loop_ptx[] = ".version 8.0\n.target sm_90\n.visible .entry k(\n)\n{\n"
                               ".reg .pred %p<3>;\n"
                               "mov.u32 %r1, 0;\n"                   // 7
                               "setp.eq.s32 %p1, %r1, %r2;\n"        // 8
                               "@%p1 bra $L_end;\n"                  // 9
                               "$L_pre: mov.u32 %r3, 0;\n"           // 10
                               "$L_loop:\n"                          // 11
                               "ld.global.f32 %f1, [%rd1];\n"        // 12
                               "div.rn.f32 %f2, %f1, %f3;\n"         // 13
                               "setp.lt.s32 %p2, %r3, %r2;\n"        // 14
                               "@%p2 bra $L_loop;\n"                 // 15
                               "$L_end:\n"                           // 16
                               "st.global.f32 [%rd1], %f2;\n"        // 17
                               "ret;\n}\n";                          // 18

static hw_machine_function match(const char *ptx, const row *rows, uint32_t n, hw_arena *arena) {
    hw_machine_inst insts[MOST] = {{0}};
    for (uint32_t i = 0; i < n; i++) {
        const hw_machine_op *op = hw_machine_op_of(rows[i].op);
        assert_int_equal(op->number, rows[i].op);
        insts[i] = (hw_machine_inst){op, rows[i].line, (uint32_t)rows[i].target - 1, rows[i].guarded, false};
    }
    const hw_machine_code code = {"k", true, insts, n};
    hw_machine_module machine;
    assert_int_equal(hw_machine_match(&code, 1, ptx, strlen(ptx), arena, &machine, NULL), HW_OK);
    assert_int_equal(machine.n_functions, 1);
    assert_string_equal(machine.functions[0].name, "k");
    return machine.functions[0];
}

// Instructions executed where lines of the PTX are executed by so many warps, of which divergent part at each branch.
static double count(const hw_machine_function *f, const uint16_t lines[][2], uint32_t n, uint64_t divergent) {
    uint64_t warps[MOST] = {0}, parted[MOST];
    double times[MOST], inst[HW_RATES] = {0};
    assert_true(f->n_ranges <= MOST && f->n_blocks <= MOST);
    for (uint32_t r = 0; r < f->n_ranges; r++) {
        parted[r] = divergent;
        for (uint32_t i = 0; i < n; i++)
            if (lines[i][0] >= f->ranges[r].first && lines[i][0] <= f->ranges[r].last) warps[r] = lines[i][1];
    }
    hw_model_machine(f, warps, parted, times, inst);
    return inst[HW_RATE_ISSUE];
}
#define LENGTH(type, ...) (sizeof((const type[])__VA_ARGS__) / sizeof(type))
typedef uint16_t line_warps[2];
#define COUNT(f, divergent, ...) \
    count(f, (const line_warps[])__VA_ARGS__, LENGTH(line_warps, __VA_ARGS__), divergent)
#define MATCH(...) match(loop_ptx, (const row[])__VA_ARGS__, LENGTH(row, __VA_ARGS__), arena)

// Eight warps, of which six go through the loop, 40 turns in all.
#define TURNS {{7, 8}, {10, 6}, {12, 40}, {17, 8}}

static void code_as_the_ptx_has_it(void **state) {
    hw_arena *arena = *state;
    const hw_machine_function f = MATCH({{ISETP, 8, 0, 0}, {BRA, 9, 1, 7}, {LDG, 12, 0, 0}, {MUFU, 13, 0, 0},
                                         {ISETP, 14, 0, 0}, {BRA, 15, 1, 3}, {STG, 17, 0, 0}, {EXIT, 18, 0, 0}});
    assert_true(COUNT(&f, 0, TURNS) == 2 * 8 + 4 * 40 + 2 * 8);
}

// A call of ptxas' own function stands behind a branch that the PTX has not, and is for rare operands.
static void slow_paths_are_not_executed(void **state) {
    hw_arena *arena = *state;
    const hw_machine_function f =
        MATCH({{ISETP, 8, 0, 0}, {BRA, 9, 1, 9}, {LDG, 12, 0, 0}, {MUFU, 13, 0, 0}, {BRA, 13, 1, 7}, {FADD, 13, 0, 0},
               {ISETP, 14, 0, 0}, {BRA, 15, 1, 3}, {STG, 17, 0, 0}, {EXIT, 18, 0, 0}});
    assert_true(COUNT(&f, 0, TURNS) == 2 * 8 + 6 * 40 + 2 * 8);     // FADD is no call
    const hw_machine_function g =
        MATCH({{ISETP, 8, 0, 0}, {BRA, 9, 1, 9}, {LDG, 12, 0, 0}, {MUFU, 13, 0, 0}, {BRA, 13, 1, 7}, {CALL, 13, 0, 0},
               {ISETP, 14, 0, 0}, {BRA, 15, 1, 3}, {STG, 17, 0, 0}, {EXIT, 18, 0, 0}});
    assert_true(COUNT(&g, 0, TURNS) == 2 * 8 + 5 * 40 + 2 * 8);
}

// Two turns at a time while there are two, and one if one is left: 6 warps with 7 turns each.
static void unrolled_loops(void **state) {
    hw_arena *arena = *state;
    const hw_machine_function f =
        MATCH({{ISETP, 8, 0, 0}, {BRA, 9, 1, 12}, {ISETP, 14, 0, 0}, {BRA, 14, 1, 9},      // are there two?
               {LDG, 12, 0, 0}, {LDG, 12, 0, 0}, {ISETP, 14, 0, 0}, {BRA, 15, 1, 5},       // two turns
               {LDG, 12, 0, 0}, {ISETP, 14, 0, 0}, {BRA, 15, 1, 9},                        // one
               {STG, 17, 0, 0}, {EXIT, 18, 0, 0}});
    assert_true(COUNT(&f, 0, {{7, 8}, {10, 6}, {12, 42}, {17, 8}}) == 2 * 8 + 2 * 6 + 4 * 6 * 3 + 3 * 6 * 1 + 2 * 8);
}

// What is computed before a loop, from a line in it, is executed as often as the loop is entered.
static void moved_out_of_a_loop(void **state) {
    hw_arena *arena = *state;
    const hw_machine_function f =
        MATCH({{ISETP, 8, 0, 0}, {BRA, 9, 1, 7}, {MUFU, 13, 0, 0}, {LDG, 12, 0, 0}, {ISETP, 14, 0, 0}, {BRA, 15, 1, 4},
               {STG, 17, 0, 0}, {EXIT, 18, 0, 0}});
    assert_true(COUNT(&f, 0, TURNS) == 2 * 8 + 1 * 6 + 3 * 40 + 2 * 8);
}

// Each group of lanes executes the instruction at which they meet.
static void lanes_meet_in_groups(void **state) {
    hw_arena *arena = *state;
    const hw_machine_function f =
        MATCH({{BSSY, 8, 0, 0}, {BRA, 9, 1, 6}, {LDG, 12, 0, 0}, {ISETP, 14, 0, 0}, {BRA, 15, 1, 3}, {BSYNC, 15, 0, 0},
               {STG, 17, 0, 0}, {EXIT, 18, 0, 0}});
    const double together = COUNT(&f, 0, TURNS), apart = COUNT(&f, 5, TURNS);
    assert_true(apart == together + 5);
}

// ---- As text --------------------------------------------------------------------------------------------------------

static void text_and_back(void **state) {
    hw_arena *arena = *state;
    hw_machine_function f =
        MATCH({{ISETP, 8, 0, 0}, {BRA, 9, 1, 7}, {MUFU, 13, 0, 0}, {LDG, 12, 0, 0}, {ISETP, 14, 0, 0}, {BRA, 15, 1, 4},
               {STG, 17, 0, 0}, {EXIT, 18, 0, 0}});
    hw_machine_module back;
    size_t length, again;
    const char *text = hw_machine_print(&(hw_machine_module){&f, 1}, arena, &length);
    assert_int_equal(hw_machine_parse(text, arena, &back, NULL), HW_OK);
    assert_int_equal(back.n_functions, 1);
    assert_true(COUNT(&back.functions[0], 3, TURNS) == COUNT(&f, 3, TURNS));
    assert_string_equal(hw_machine_print(&back, arena, &again), text);
    // Cut anywhere but behind a function it is refused.
    for (size_t cut = 0; cut + 1 < length; cut++) {
        const char *part = hw_arena_string(arena, text, cut);
        const bool has_function = !hw_machine_parse(part, arena, &back, NULL) && back.n_functions;
        assert_false(has_function);
    }
    assert_int_equal(hw_machine_parse("machine code 1\nkernel k 1 1\n5 4\n1 1 1 0 0 18:1\n", arena, &back, NULL),
                     HW_MALFORMED);
    assert_int_equal(hw_machine_parse("machine code 1\nkernel k 1 1\n4 5\n1 1 2 0 0 18:1\n", arena, &back, NULL),
                     HW_MALFORMED);
    // Lines of no kind have no room.
    char many[1024] = "machine code 1\n";
    for (int i = 0; i < 100; i++) strcat(many, "x a 0 0\n");
    assert_int_equal(hw_machine_parse(many, arena, &back, NULL), HW_MALFORMED);
}

// ---- A cubin --------------------------------------------------------------------------------------------------------

enum { NAMES = 1, STRINGS, SYMBOLS, TEXT, LINES, RELOCATIONS, INFO, SHARED, SECTIONS };
static const char section_names[] = "\0.shstrtab\0.strtab\0.symtab\0.text.k\0.nv_debug_line_sass\0.rela.x\0.nv.info"
                                    "\0.nv.shared.k";

typedef struct file { uint8_t bytes[4096]; size_t length; Elf64_Shdr sections[SECTIONS]; } file;

static void put_section(file *f, int index, const char *name, const void *content, size_t bytes, Elf64_Shdr more) {
    const char *at = section_names + 1;
    while (strcmp(at, name)) at += strlen(at) + 1;
    more.sh_name = (Elf64_Word)(at - section_names);
    more.sh_offset = f->length;
    more.sh_size = bytes;
    memcpy(f->bytes + f->length, content, bytes);
    f->length += (bytes + 7) & ~(size_t)7;
    f->sections[index] = more;
}

// A kernel of four instructions: LDG from line 5, a guarded BRA back to it from line 7, EXIT from 9, and a branch to
// itself that fills up.
static void put_kernel(file *f) {
    static const uint64_t code[] = {0x0000000804027981, 0, 0xfffffffc00f80947, 0x0003ffff, 0x000000000000794d, 0,
                                    0xfffffffc00fc7947, 0x0003ffff};
    static const uint8_t lines[] = {42, 0, 0, 0, 2, 0, 16, 0, 0, 0, 1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0,
                                    0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0,   // address 0, by the relocation
                                    3, 4, 1,                           // line 5
                                    0xf1, 0xf1,                        // 16 bytes on and 2 lines each
                                    2, 32, 0, 1, 1};                   // the end, 32 bytes on
    const Elf64_Sym symbols[] = {{0}, {.st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_other = 0x10,
                                       .st_shndx = TEXT, .st_size = sizeof code}};
    uint8_t table[sizeof lines];
    memcpy(table, lines, sizeof lines);
    table[0] = sizeof lines - 4;
    const Elf64_Rela relocation = {.r_offset = 29, .r_info = ELF64_R_INFO(1, 2)};
    put_section(f, NAMES, ".shstrtab", section_names, sizeof section_names, (Elf64_Shdr){.sh_type = SHT_STRTAB});
    put_section(f, STRINGS, ".strtab", "\0k", 3, (Elf64_Shdr){.sh_type = SHT_STRTAB});
    put_section(f, SYMBOLS, ".symtab", symbols, sizeof symbols,
                (Elf64_Shdr){.sh_type = SHT_SYMTAB, .sh_link = STRINGS});
    put_section(f, TEXT, ".text.k", code, sizeof code,
                (Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_flags = SHF_EXECINSTR});
    put_section(f, LINES, ".nv_debug_line_sass", table, sizeof table, (Elf64_Shdr){.sh_type = SHT_PROGBITS});
    put_section(f, RELOCATIONS, ".rela.x", &relocation, sizeof relocation,
                (Elf64_Shdr){.sh_type = SHT_RELA, .sh_link = SYMBOLS, .sh_info = LINES});
}

// Of the kernel 40 registers and a frame of 48 bytes, of something else others, and attributes of other forms; 2000
// bytes of shared memory beside those of the system.
static void put_info(file *f) {
    static const uint8_t info[] = {3, 0x50, 0, 0,                                      // a value in the head
                                   4, 0x2f, 8, 0, 0, 0, 0, 0, 9, 0, 0, 0,             // registers of no kernel
                                   4, 0x2f, 8, 0, 1, 0, 0, 0, 40, 0, 0, 0,
                                   4, 0x12, 8, 0, 1, 0, 0, 0, 7, 0, 0, 0,             // the least stack
                                   4, 0x11, 8, 0, 0, 0, 0, 0, 5, 0, 0, 0,
                                   4, 0x11, 8, 0, 1, 0, 0, 0, 48, 0, 0, 0};
    put_section(f, INFO, ".nv.info", info, sizeof info, (Elf64_Shdr){.sh_type = SHT_LOPROC});
    put_section(f, SHARED, ".nv.shared.k", "", 0, (Elf64_Shdr){.sh_type = SHT_NOBITS});
    f->sections[SHARED].sh_size = 2000 + 1024;
}

static void make_cubin(file *f) {
    memset(f, 0, sizeof *f);
    f->length = sizeof(Elf64_Ehdr);
    put_kernel(f);
    put_info(f);
    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB}, .e_machine = EM_CUDA,
                         .e_shoff = f->length, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SECTIONS,
                         .e_shstrndx = NAMES};
    memcpy(f->bytes, &header, sizeof header);
    memcpy(f->bytes + f->length, f->sections, sizeof f->sections);
    f->length += sizeof f->sections;
}

static void a_cubin_is_read(void **state) {
    file f;
    hw_machine_code *codes;
    uint32_t n;
    make_cubin(&f);
    assert_int_equal(hw_cubin_read(f.bytes, f.length, 90, *state, &codes, &n, NULL), HW_OK);
    assert_int_equal(n, 1);
    assert_string_equal(codes->name, "k");
    assert_true(codes->is_kernel);
    assert_int_equal(codes->n_insts, 4);
    const hw_machine_inst *insts = codes->insts;
    const uint32_t lines[] = {5, 7, 9, 9};
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(insts[i].ptx_line, lines[i]);
    assert_string_equal(insts[0].op->name, "LDG");
    assert_false(insts[0].is_guarded);
    assert_true(insts[1].is_guarded && !insts[1].is_rare);
    assert_int_equal(insts[1].target, 1 + 1 - 2);
    assert_int_equal(insts[3].target, 3);
}

static void keep_usage(void *user, const hw_ptxas_usage *usage) {
    hw_ptxas_usage *kept = user;
    assert_int_equal(kept->regs, 0);    // one kernel
    *kept = *usage;
}

// Whatever the tables of lines are. What was local memory in real code is asserted where nvcc is (cli.registers).
static void registers_of_a_cubin(void **state) {
    (void)state;
    static const struct { int cc, spill_bytes, smem_bytes; } cases[] = {{90, 0, 2000}, {80, 0, 3024}, {61, 96, 3024}};
    file f;
    make_cubin(&f);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hw_ptxas_usage usage = {0};
        assert_int_equal(hw_cubin_usage(f.bytes, f.length, cases[i].cc, keep_usage, &usage, NULL), HW_OK);
        assert_string_equal(usage.kernel, "k");
        assert_int_equal(usage.regs, 40);
        assert_int_equal(usage.stack_bytes, 48);
        assert_int_equal(usage.spill_bytes, cases[i].spill_bytes);
        assert_int_equal(usage.smem_bytes, cases[i].smem_bytes);
    }
    // Stores and loads of 4 and of 16 bytes where the code was.
    const uint64_t local[] = {0x0000000001007387, 4ull << 9, 0x0000000001007983, 6ull << 9};
    memcpy(f.bytes + f.sections[TEXT].sh_offset, local, sizeof local);
    hw_ptxas_usage usage = {0};
    assert_int_equal(hw_cubin_usage(f.bytes, f.length, 90, keep_usage, &usage, NULL), HW_OK);
    assert_int_equal(usage.spill_bytes, 4 + 16);
    assert_int_equal(hw_carried_spill_bytes(&usage, 0), 20);
    assert_int_equal(hw_carried_spill_bytes(&usage, 24), 10);
    assert_int_equal(hw_carried_spill_bytes(&usage, 48), 0);
    assert_int_equal(hw_cubin_usage("text", 4, 90, keep_usage, &usage, NULL), HW_MALFORMED);
}

// Numbers that nothing can have, of registers, frame and shared memory: such a kernel is left out.
static void no_such_kernel(void **state) {
    (void)state;
    enum { INFO_REGS = 4 + 12 + 8, INFO_FRAME = 4 + 4 * 12 + 8 };
    for (int i = 0; i < 3; i++) {
        file f;
        hw_ptxas_usage usage = {0};
        make_cubin(&f);
        uint8_t *info = f.bytes + f.sections[INFO].sh_offset;
        if (i == 0) memcpy(info + INFO_REGS, (uint8_t[]){0, 1}, 2);
        if (i == 1) memset(info + INFO_FRAME, 0x7f, 4);
        Elf64_Shdr *shared = (Elf64_Shdr *)(f.bytes + f.length - sizeof f.sections) + SHARED;
        if (i == 2) shared->sh_size = 17 << 20;
        assert_int_equal(hw_cubin_usage(f.bytes, f.length, 61, keep_usage, &usage, NULL), HW_OK);
        if (usage.regs) fail_msg("case %d: %d registers, %d bytes", i, usage.regs, usage.stack_bytes);
    }
}

static size_t put_entry(uint8_t *out, unsigned kind, int cc, const void *payload, size_t bytes) {
    enum { HEAD = 64 };
    const uint64_t padded = (bytes + 7) & ~(size_t)7;
    memset(out, 0, HEAD + padded);
    memcpy(out, (uint16_t[]){(uint16_t)kind, 0x101, HEAD}, 6);
    memcpy(out + 8, &padded, sizeof padded);
    memcpy(out + 28, &(int32_t){cc}, 4);
    out[40] = 0x11;
    memcpy(out + HEAD, payload, bytes);
    return HEAD + padded;
}

// nvcc -gencode arch=compute_80,code=[sm_80,compute_80] -gencode arch=compute_86,code=compute_86, on GPUs of 8.0 and of
// 8.6: both run the code for 8.0, and its lines are those of its own PTX alone.
static void counts_of_other_ptx(void **state) {
    static const char of_80[] = ".version 8.0\n.target sm_80\n.visible .entry k(\n)\n{\nret;\n}\n",
                      of_86[] = ".version 8.0\n.target sm_86\n.visible .entry k(\n)\n{\nret;\n}\n";
    static uint8_t bytes[8192];
    hw_machine_module machine;
    hw_diag diag = {0};
    uint64_t length = 16;
    file f;
    make_cubin(&f);
    length += put_entry(bytes + length, 2, 80, f.bytes, f.length);
    length += put_entry(bytes + length, 1, 80, of_80, sizeof of_80);
    length += put_entry(bytes + length, 1, 86, of_86, sizeof of_86);
    memcpy(bytes, (uint16_t[]){0xed50, 0xba55, 1, 16}, 8);
    memcpy(bytes + 8, &(uint64_t){length - 16}, 8);
    assert_int_equal(hw_toolchain_carried_counts(bytes, length, 80, of_80, sizeof of_80 - 1, *state, &machine, &diag),
                     HW_OK);
    assert_int_equal(hw_toolchain_carried_counts(bytes, length, 86, of_86, sizeof of_86 - 1, *state, &machine, &diag),
                     HW_NOT_FOUND);
    assert_non_null(strstr(diag.text, "was not made of its PTX"));
}

static void ignore_usage(void *user, const hw_ptxas_usage *usage) { (void)user, (void)usage; }

// Neither cut anywhere nor with any byte changed may it lead out of the file.
static void damaged_cubins(void **state) {
    (void)state;
    file f, damaged;
    hw_machine_code *codes;
    uint32_t n;
    make_cubin(&f);
    for (size_t i = 0; i < f.length; i++) {
        hw_arena *arena = hw_arena_create();
        hw_cubin_read(f.bytes, i, 90, arena, &codes, &n, NULL);
        hw_cubin_usage(f.bytes, i, 90, ignore_usage, NULL, NULL);
        damaged = f;
        damaged.bytes[i] ^= 0xff;
        hw_cubin_read(damaged.bytes, f.length, 90, arena, &codes, &n, NULL);
        hw_cubin_usage(damaged.bytes, f.length, 90, ignore_usage, NULL, NULL);
        hw_cubin_usage(damaged.bytes, f.length, 61, ignore_usage, NULL, NULL);
        hw_arena_destroy(arena);
    }
}

static int make_arena(void **state) { return !(*state = hw_arena_create()); }

static int drop_arena(void **state) {
    hw_arena_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_as_the_ptx_has_it), cmocka_unit_test(slow_paths_are_not_executed),
        cmocka_unit_test(unrolled_loops), cmocka_unit_test(moved_out_of_a_loop),
        cmocka_unit_test(lanes_meet_in_groups), cmocka_unit_test(text_and_back), cmocka_unit_test(a_cubin_is_read),
        cmocka_unit_test(registers_of_a_cubin), cmocka_unit_test(no_such_kernel),
        cmocka_unit_test(counts_of_other_ptx), cmocka_unit_test(damaged_cubins)};
    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
