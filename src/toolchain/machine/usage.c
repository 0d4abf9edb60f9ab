// What machine code says of the kernels in it, whoever compiled it: registers, stack and shared memory. Every offset is
// checked.
#include <string.h>

#include "toolchain/binary/elf_file.h"
#include "toolchain/machine/machine.h"

enum { FILES_MACHINE = 190 /* EM_CUDA */, INST_BYTES = 16, FIRST_CC_OF_LONG_INSTS = 70 };

// More than any thread or block can have: it is no code that runs, and its kernels are left out.
enum { MOST_REGS = 255, MOST_BYTES = 16 << 20 };

// Attributes of the section .nv.info, each {u8 format, u8 attribute, u16 bytes or value}, with so many bytes behind it
// where the format says so: here {u32 symbol, u32 number}. As ptxas of CUDA 11 to 13 writes them, beside what -v says.
enum { HAS_BYTES = 4, FRAME_SIZE = 0x11, REGISTERS = 0x2f };

typedef struct attribute { uint32_t symbol, number; } attribute;

// The next of that kind from *at on. False: there is none.
static bool next_attribute(hw_span info, size_t *at, unsigned kind, attribute *out) {
    enum { HEAD = 4 };
    while (*at + HEAD <= info.length) {
        const uint8_t *head = info.bytes + *at;
        const size_t bytes = head[0] == HAS_BYTES ? head[2] | (size_t)head[3] << 8 : 0;
        *at += HEAD + bytes;
        if (*at > info.length) return false;
        if (head[0] != HAS_BYTES || head[1] != kind || bytes < sizeof *out) continue;
        memcpy(out, head + HEAD, sizeof *out);
        return true;
    }
    return false;
}

static uint32_t frame_bytes(hw_span info, uint32_t symbol) {
    attribute found;
    for (size_t at = 0; next_attribute(info, &at, FRAME_SIZE, &found);)
        if (found.symbol == symbol) return found.number;
    return 0;
}

// Bytes that the instructions of a kernel store to local memory and load from it, each counted once, as ptxas counts
// spills. Bits 73 to 75 say how wide they are.
static uint32_t local_access_bytes(hw_span text) {
    enum { LDL = 0x183, STL = 0x187 };
    static const uint8_t widths[8] = {1, 1, 2, 2, 4, 8, 16, 0};
    uint32_t bytes = 0;
    for (size_t at = 0; at + INST_BYTES <= text.length; at += INST_BYTES) {
        uint64_t low, high;
        memcpy(&low, text.bytes + at, sizeof low);
        memcpy(&high, text.bytes + at + sizeof low, sizeof high);
        const uint16_t number = hw_machine_op_of(low)->number;
        if (number == LDL || number == STL) bytes += widths[high >> 9 & 7];
    }
    return bytes;
}

typedef struct kernels {
    hw_elf elf;
    hw_span symbols, strings, info;
    int cc;
} kernels;

// A string with its NUL, or "".
static const char *name_of(hw_span strings, uint32_t offset) {
    if (offset >= strings.length || !memchr(strings.bytes + offset, '\0', strings.length - offset)) return "";
    return (const char *)strings.bytes + offset;
}

static bool find_kernel(const kernels *k, uint32_t index, const char **name, Elf64_Shdr *section) {
    enum { IS_ENTRY = 0x10 };    // of st_other
    Elf64_Sym symbol;
    if (((uint64_t)index + 1) * sizeof symbol > k->symbols.length) return false;
    memcpy(&symbol, k->symbols.bytes + (size_t)index * sizeof symbol, sizeof symbol);
    *name = name_of(k->strings, symbol.st_name);
    return **name && symbol.st_other & IS_ENTRY && hw_elf_section(&k->elf, symbol.st_shndx, section);
}

// .nv.shared.KERNEL; from 9.0 on with what the system keeps for itself.
static uint64_t shared_bytes(const kernels *k, const char *kernel) {
    enum { RESERVED = 1024, FIRST_WITH_RESERVED = 90 };
    static const char prefix[] = ".nv.shared.";
    Elf64_Shdr section;
    for (size_t i = 0; hw_elf_section(&k->elf, i, &section); i++) {
        const char *name = name_of(k->elf.names, section.sh_name);
        if (strncmp(name, prefix, sizeof prefix - 1) != 0 || strcmp(name + sizeof prefix - 1, kernel) != 0) continue;
        const uint64_t kept = k->cc >= FIRST_WITH_RESERVED && section.sh_size >= RESERVED ? RESERVED : 0;
        return section.sh_size - kept;
    }
    return 0;
}

hw_status hw_cubin_usage(const void *bytes, size_t length, int cc, hw_ptxas_sink sink, void *user, hw_diag *diag) {
    kernels k = {.cc = cc};
    attribute found;
    if (!hw_elf_open(bytes, length, &k.elf) || k.elf.header.e_machine != FILES_MACHINE)
        return hw_diag_set(diag, HW_MALFORMED, "this is no machine code for GPUs");
    k.symbols = hw_elf_find(&k.elf, ".symtab", NULL);
    k.strings = hw_elf_find(&k.elf, ".strtab", NULL);
    k.info = hw_elf_find(&k.elf, ".nv.info", NULL);
    for (size_t at = 0; next_attribute(k.info, &at, REGISTERS, &found);) {
        const uint32_t frame = frame_bytes(k.info, found.symbol);
        hw_ptxas_usage usage = {.regs = (int)found.number, .stack_bytes = (int)frame};
        Elf64_Shdr section;
        if (found.number > MOST_REGS || frame > MOST_BYTES) continue;
        if (!find_kernel(&k, found.symbol, &usage.kernel, &section)) continue;
        const uint64_t shared = shared_bytes(&k, usage.kernel);
        if (shared > MOST_BYTES) continue;
        usage.smem_bytes = (int)shared;
        // Of older code, whose instructions are not read: that each word is put away and fetched once.
        usage.spill_bytes = cc >= FIRST_CC_OF_LONG_INSTS
                                ? (int)local_access_bytes(hw_elf_content(&k.elf, &section)) : 2 * usage.stack_bytes;
        sink(user, &usage);
    }
    return HW_OK;
}
