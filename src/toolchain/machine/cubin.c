// Machine code out of an ELF file for GPUs: instructions, and the lines of PTX that the section .nv_debug_line_sass has
// for them, which is a line table of DWARF 2. Every offset is checked.
#include <string.h>

#include "toolchain/binary/elf_file.h"
#include "toolchain/machine/machine.h"

enum { INST_BYTES = 16, FILES_MACHINE = 190 /* EM_CUDA */ };

typedef struct cubin {
    hw_elf elf;
    int cc;
    hw_arena *arena;
} cubin;

// A string with its NUL, or "".
static const char *string_at(hw_span strings, uint64_t offset) {
    if (offset >= strings.length || !memchr(strings.bytes + offset, '\0', strings.length - offset)) return "";
    return (const char *)strings.bytes + offset;
}

// ---- Instructions ---------------------------------------------------------------------------------------------------

// Where a branch goes, in bytes from the instruction behind it. A number of words in bits 34 to 81; of 9.0 and newer
// its low byte stands in bits 16 to 23. From what nvdisasm prints of both.
static int64_t branch_offset(uint64_t low, uint64_t high, int cc) {
    const int64_t words = (int64_t)((low >> 34 | (high & 0x3ffff) << 30) << 16) >> 16;
    return 4 * (cc < 90 ? words : words * 256 + (int64_t)(low >> 16 & 0xff));
}

static uint32_t index_of(int64_t address, uint32_t n) {
    const bool is_here = address >= 0 && address % INST_BYTES == 0 && address / INST_BYTES < n;
    return is_here ? (uint32_t)(address / INST_BYTES) : HW_MACHINE_NO_TARGET;
}

static void decode(const cubin *c, const uint8_t *bytes, hw_machine_inst *insts, uint32_t n) {
    enum { GUARD_ALWAYS = 7, DIVERGENT = 2 };
    for (uint32_t i = 0; i < n; i++) {
        uint64_t low, high;
        memcpy(&low, bytes + (size_t)i * INST_BYTES, sizeof low);
        memcpy(&high, bytes + (size_t)i * INST_BYTES + sizeof low, sizeof high);
        hw_machine_inst *inst = &insts[i];
        inst->op = hw_machine_op_of(low);
        inst->is_guarded = (low >> 12 & 15) != GUARD_ALWAYS;
        inst->target = HW_MACHINE_NO_TARGET;
        if (inst->op->kind != HW_MACHINE_BRANCH) continue;
        inst->target = index_of(((int64_t)i + 1) * INST_BYTES + branch_offset(low, high, c->cc), n);
        inst->is_rare = (low >> 32 & 3) == DIVERGENT;
    }
}

// ---- Lines ----------------------------------------------------------------------------------------------------------

typedef struct reader {
    const uint8_t *at, *end;
    bool has_failed;
} reader;

static uint64_t take(reader *r, size_t bytes) {
    uint64_t value = 0;
    if (bytes > (size_t)(r->end - r->at)) {
        r->has_failed = true;
        r->at = r->end;
        return 0;
    }
    memcpy(&value, r->at, bytes < sizeof value ? bytes : sizeof value);
    r->at += bytes;
    return value;
}

static uint64_t take_number(reader *r, bool is_signed) {
    uint64_t value = 0;
    unsigned shift = 0, byte;
    do {
        byte = (unsigned)take(r, 1);
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (is_signed && shift < 64 && byte & 0x40) value |= ~(uint64_t)0 << shift;
    return value;
}

// The symbol that a relocation puts at an offset of the line table: the section whose code a sequence is about.
static uint32_t section_of(const cubin *c, size_t table, uint64_t offset) {
    Elf64_Shdr section, symbols;
    for (size_t i = 0; hw_elf_section(&c->elf, i, &section); i++) {
        if ((section.sh_type != SHT_RELA && section.sh_type != SHT_REL) || section.sh_info != table ||
            !hw_elf_section(&c->elf, section.sh_link, &symbols))
            continue;
        const hw_span list = hw_elf_content(&c->elf, &section), all = hw_elf_content(&c->elf, &symbols);
        const size_t bytes = section.sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
        for (size_t at = 0; at + bytes <= list.length; at += bytes) {
            Elf64_Rel entry;
            Elf64_Sym symbol;
            memcpy(&entry, list.bytes + at, sizeof entry);
            const size_t number = ELF64_R_SYM(entry.r_info);
            if (entry.r_offset != offset || (number + 1) * sizeof symbol > all.length) continue;
            memcpy(&symbol, all.bytes + number * sizeof symbol, sizeof symbol);
            return symbol.st_shndx;
        }
    }
    return SHN_UNDEF;
}

// The code of one section while the table is read: lines of its instructions.
typedef struct lines {
    uint32_t section, *of;       // by instruction
    uint32_t n;
} lines;

typedef struct table {
    const cubin *cubin;
    size_t index;
    const uint8_t *begin;
    lines *all;                  // by section
    uint32_t section;            // of the sequence
    uint64_t address, line, since, line_since;
} table;

static void fill(table *t, uint64_t until) {
    if (t->section >= t->cubin->elf.header.e_shnum) return;
    const lines *l = &t->all[t->section];
    for (uint64_t i = t->since / INST_BYTES; i < until / INST_BYTES && i < l->n; i++)
        l->of[i] = (uint32_t)t->line_since;
}

static void add_row(table *t) {
    fill(t, t->address);
    t->since = t->address;
    t->line_since = t->line;
}

static void begin_sequence(table *t) {
    t->address = t->since = t->line_since = 0;
    t->line = 1;
    t->section = SHN_UNDEF;
}

static void take_extended(table *t, reader *r) {
    enum { END_SEQUENCE = 1, SET_ADDRESS = 2 };
    const uint64_t bytes = take_number(r, false);
    if (!bytes || bytes > (uint64_t)(r->end - r->at)) {
        r->has_failed |= bytes != 0;
        return;
    }
    const uint8_t *after = r->at + bytes;
    const uint64_t what = take(r, 1);
    if (what == END_SEQUENCE) {
        add_row(t);
        begin_sequence(t);
    } else if (what == SET_ADDRESS) {
        t->section = section_of(t->cubin, t->index, (uint64_t)(r->at - t->begin));
        t->address = t->since = take(r, 8);
    }
    r->at = after;
}

typedef struct line_header {
    uint8_t min_bytes, opcode_base, range;
    int8_t base;
    const uint8_t *arguments;
} line_header;

static void take_standard(table *t, reader *r, const line_header *h, unsigned opcode) {
    enum { COPY = 1, ADVANCE_PC, ADVANCE_LINE, SET_FILE, SET_COLUMN, NEGATE, BASIC_BLOCK, CONST_PC, FIXED_PC };
    switch (opcode) {
    case COPY: add_row(t); break;
    case ADVANCE_PC: t->address += take_number(r, false) * h->min_bytes; break;
    case ADVANCE_LINE: t->line += take_number(r, true); break;
    case CONST_PC: t->address += (255u - h->opcode_base) / h->range * h->min_bytes; break;
    case FIXED_PC: t->address += take(r, 2); break;
    default:
        for (unsigned i = 0; i < h->arguments[opcode - 1]; i++) take_number(r, false);
    }
}

static void take_program(table *t, reader *r, const line_header *h) {
    begin_sequence(t);
    while (r->at < r->end) {
        const unsigned opcode = (unsigned)take(r, 1);
        if (!opcode) take_extended(t, r);
        else if (opcode < h->opcode_base) take_standard(t, r, h, opcode);
        else {
            const unsigned step = opcode - h->opcode_base;
            t->address += step / h->range * h->min_bytes;
            t->line += (uint64_t)(int64_t)(h->base + (int)(step % h->range));
            add_row(t);
        }
    }
}

// Units one after the other, each with its header (DWARF 2 to 4).
static bool read_lines(const cubin *c, hw_span content, size_t index, lines *all) {
    table t = {.cubin = c, .index = index, .begin = content.bytes, .all = all};
    reader r = {content.bytes, content.bytes + content.length, false};
    while (r.at < r.end && !r.has_failed) {
        const uint64_t unit_bytes = take(&r, 4);
        if (unit_bytes > (uint64_t)(r.end - r.at)) return false;
        reader unit = {r.at, r.at + unit_bytes, false};
        r.at = unit.end;
        const uint64_t version = take(&unit, 2), header_bytes = take(&unit, 4);
        if (version < 2 || version > 4 || header_bytes > (uint64_t)(unit.end - unit.at)) return false;
        reader program = {unit.at + header_bytes, unit.end, false};
        line_header h = {.min_bytes = (uint8_t)take(&unit, 1)};
        take(&unit, version == 4 ? 2 : 1);
        h.base = (int8_t)take(&unit, 1);
        h.range = (uint8_t)take(&unit, 1);
        h.opcode_base = (uint8_t)take(&unit, 1);
        h.arguments = unit.at;
        if (unit.has_failed || !h.range || !h.opcode_base || h.opcode_base > (size_t)(unit.end - unit.at)) return false;
        take_program(&t, &program, &h);
        r.has_failed |= program.has_failed;
    }
    return !r.has_failed;
}

// ---- Kernels and functions ------------------------------------------------------------------------------------------

static const Elf64_Sym *symbol_at(hw_span symbols, size_t i, Elf64_Sym *symbol) {
    if ((i + 1) * sizeof *symbol > symbols.length) return NULL;
    memcpy(symbol, symbols.bytes + i * sizeof *symbol, sizeof *symbol);
    return symbol;
}

// Where the code that begins at a symbol ends: a kernel's section has the functions that it alone calls behind it.
static uint64_t end_of(hw_span symbols, const Elf64_Sym *of, uint64_t section_bytes) {
    uint64_t end = of->st_size <= section_bytes - of->st_value ? of->st_value + of->st_size : section_bytes;
    Elf64_Sym other;
    for (size_t i = 0; symbol_at(symbols, i, &other); i++)
        if (ELF64_ST_TYPE(other.st_info) == STT_FUNC && other.st_shndx == of->st_shndx &&
            other.st_value > of->st_value && other.st_value < end)
            end = other.st_value;
    return end;
}

static bool add_code(const cubin *c, hw_span symbols, const Elf64_Sym *symbol, const char *name, lines *all,
                     hw_machine_code *code) {
    enum { IS_ENTRY = 0x10 };    // of st_other
    Elf64_Shdr section;
    if (!hw_elf_section(&c->elf, symbol->st_shndx, &section)) return true;
    const hw_span text = hw_elf_content(&c->elf, &section);
    if (symbol->st_value >= text.length || symbol->st_value % INST_BYTES) return true;
    const uint64_t end = end_of(symbols, symbol, text.length), first = symbol->st_value / INST_BYTES;
    const uint32_t n = (uint32_t)((end - symbol->st_value) / INST_BYTES);
    *code = (hw_machine_code){.name = name, .is_kernel = symbol->st_other & IS_ENTRY, .n_insts = n,
                              .insts = hw_arena_take(c->arena, ((size_t)n + 1) * sizeof *code->insts)};
    if (!code->insts) return false;
    decode(c, text.bytes + symbol->st_value, code->insts, n);
    const lines *l = &all[symbol->st_shndx];
    for (uint32_t i = 0; i < n && first + i < l->n; i++) code->insts[i].ptx_line = l->of[first + i];
    return true;
}

// ptxas' own functions, slow paths of divisions and roots, have names that no program has.
static bool is_of_program(const Elf64_Sym *symbol, const char *name) {
    return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx && *name && *name != '$';
}

static bool read_codes(const cubin *c, lines *all, hw_machine_code **codes, uint32_t *n_codes) {
    const hw_span symbols = hw_elf_find(&c->elf, ".symtab", NULL);
    const hw_span names = hw_elf_find(&c->elf, ".strtab", NULL);
    const size_t most = symbols.length / sizeof(Elf64_Sym);
    Elf64_Sym symbol;
    *n_codes = 0;
    *codes = hw_arena_take(c->arena, (most + 1) * sizeof **codes);
    if (!*codes) return false;
    for (size_t i = 0; symbol_at(symbols, i, &symbol); i++) {
        const char *name = string_at(names, symbol.st_name);
        if (!is_of_program(&symbol, name)) continue;
        if (!add_code(c, symbols, &symbol, name, all, &(*codes)[*n_codes])) return false;
        *n_codes += (*codes)[*n_codes].insts != NULL;
    }
    return true;
}

static lines *make_lines(const cubin *c) {
    lines *all = hw_arena_take(c->arena, ((size_t)c->elf.header.e_shnum + 1) * sizeof *all);
    Elf64_Shdr section;
    for (size_t i = 0; all && hw_elf_section(&c->elf, i, &section); i++) {
        if (!(section.sh_flags & SHF_EXECINSTR)) continue;
        all[i].n = (uint32_t)(hw_elf_content(&c->elf, &section).length / INST_BYTES);
        all[i].of = hw_arena_take(c->arena, ((size_t)all[i].n + 1) * sizeof *all[i].of);
        if (!all[i].of) return NULL;
    }
    return all;
}

hw_status hw_cubin_read(const void *bytes, size_t length, int cc, hw_arena *arena, hw_machine_code **codes,
                        uint32_t *n_codes, hw_diag *diag) {
    cubin c = {.cc = cc, .arena = arena};
    size_t index = 0;
    if (cc < 70) return hw_diag_set(diag, HW_MALFORMED, "machine code before 7.0 is not read");
    if (!hw_elf_open(bytes, length, &c.elf) || c.elf.header.e_machine != FILES_MACHINE)
        return hw_diag_set(diag, HW_MALFORMED, "this is no machine code for GPUs");
    const hw_span table = hw_elf_find(&c.elf, ".nv_debug_line_sass", &index);
    lines *all = make_lines(&c);
    if (!all) return hw_diag_no_memory(diag);
    if (!table.length || !read_lines(&c, table, index, all))
        return hw_diag_set(diag, HW_MALFORMED, "this machine code does not say which PTX it was made from");
    return read_codes(&c, all, codes, n_codes) ? HW_OK : hw_diag_no_memory(diag);
}
