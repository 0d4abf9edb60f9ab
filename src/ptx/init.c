// Initial values of variables: nested braces, numbers, addresses and masked bytes of addresses. PTX ISA section 5.4.4.
#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "ptx/parser.h"

// What all initialisers together may take, so that {0} of a huge array does not: this, and 64 bytes a character.
#define INIT_BYTES (UINT64_C(64) << 20)

typedef struct filler {
    parser *p;
    hw_type type;
    uint32_t elem_bytes;
    const uint64_t *dims;
    uint32_t n_dims;
    bool open_ended;
    uint64_t limit;                 // bytes that may still be initialised
    uint8_t *bytes;                 // grows when open-ended
    size_t size, capacity;
    hw_ptx_reloc *relocs;
    size_t n_relocs, cap_relocs;
} filler;

static bool too_large(filler *f) {
    return hw_ptx_fail(f->p, HW_UNSUPPORTED, f->p->tok.line, "the initial values of a variable are too large");
}

static bool store_bits(filler *f, uint64_t offset, uint64_t bits) {
    if (offset + f->elem_bytes > f->limit) return too_large(f);
    while (f->open_ended && offset + f->elem_bytes > f->capacity) {
        uint8_t *bigger = hw_realloc_array(f->bytes, f->capacity ? f->capacity * 2 : 256, 1);
        if (!bigger) return hw_ptx_out_of_memory(f->p);
        f->bytes = bigger;
        memset(bigger + f->capacity, 0, f->capacity ? f->capacity : 256);
        f->capacity = f->capacity ? f->capacity * 2 : 256;
    }
    for (uint32_t i = 0; i < f->elem_bytes && i < 8; i++) f->bytes[offset + i] = (uint8_t)(bits >> 8 * i);
    if (offset + f->elem_bytes > f->size) f->size = offset + f->elem_bytes;
    return true;
}

static bool add_reloc(filler *f, hw_ptx_reloc reloc) {
    if (!hw_ptx_room(f->p, &f->relocs, f->n_relocs, &f->cap_relocs, sizeof *f->relocs)) return false;
    f->relocs[f->n_relocs++] = reloc;
    return true;
}

// name, name+4, generic(name), generic(name)+4
static bool parse_address(filler *f, hw_ptx_reloc *reloc) {
    parser *p = f->p;
    bool is_generic = hw_ptx_at_name(p, "generic");
    if (is_generic && (!hw_ptx_next(p) || !hw_ptx_expect(p, '('))) return false;
    if (p->tok.kind != TOKEN_NAME) return hw_ptx_unexpected(p, "a variable or function");
    reloc->target_name = p->tok.name->text;
    reloc->generic = is_generic;
    if (!hw_ptx_next(p)) return false;
    if (hw_ptx_at(p, '+') || hw_ptx_at(p, '-')) {
        if (!hw_ptx_parse_int(p, &reloc->addend)) return false;
    }
    if (is_generic && !hw_ptx_expect(p, ')')) return false;
    int64_t more = 0;
    if (is_generic && (hw_ptx_at(p, '+') || hw_ptx_at(p, '-')) && !hw_ptx_parse_int(p, &more)) return false;
    reloc->addend = (int64_t)((uint64_t)reloc->addend + (uint64_t)more);
    return true;
}

// 0xFF00(name): byte 1 of the address. The mask has been read.
static bool parse_masked(filler *f, uint64_t mask, uint64_t offset) {
    parser *p = f->p;
    int line = p->tok.line;
    unsigned shift = mask ? (unsigned)__builtin_ctzll(mask) : 0;
    if (mask >> shift != 0xff || shift % 8) {
        return hw_ptx_fail(p, HW_MALFORMED, line, "the mask of an address must be one byte of it");
    }
    hw_ptx_reloc reloc = {.offset = offset, .width_bytes = 1, .shift = (uint8_t)shift};
    return hw_ptx_expect(p, '(') && parse_address(f, &reloc) && hw_ptx_expect(p, ')') && store_bits(f, offset, 0) &&
           add_reloc(f, reloc);
}

static bool parse_number(filler *f, uint64_t offset) {
    parser *p = f->p;
    int line = p->tok.line;
    constant v;
    uint64_t bits;
    if (!hw_ptx_parse_constant(p, &v)) return false;
    if (v.kind == TOKEN_INT && (f->type == HW_T_F32 || f->type == HW_T_F64)) {
        double d = v.is_unsigned ? (double)v.bits : (double)(int64_t)v.bits;
        v.kind = TOKEN_DOUBLE;
        memcpy(&v.bits, &d, sizeof d);
    }
    if (f->type == HW_T_B128) bits = v.bits;
    else if (v.kind == TOKEN_INT && f->elem_bytes <= 4) bits = v.bits;   // f16 and the like: their bits
    else if (!hw_ptx_constant_bits(&v, f->type, &bits)) {
        return hw_ptx_fail(p, HW_MALFORMED, line, "the number is no .%s", hw_type_name(f->type));
    }
    return store_bits(f, offset, bits);
}

static bool parse_value(filler *f, uint64_t offset) {
    parser *p = f->p;
    if (p->tok.kind == TOKEN_NAME && !hw_ptx_at_name(p, "WARP_SZ")) {
        hw_ptx_reloc reloc = {.offset = offset, .width_bytes = (uint8_t)f->elem_bytes};
        if (f->elem_bytes != 4 && f->elem_bytes != 8) {
            return hw_ptx_fail(p, HW_MALFORMED, p->tok.line, "an address does not fit a .%s", hw_type_name(f->type));
        }
        return parse_address(f, &reloc) && store_bits(f, offset, 0) && add_reloc(f, reloc);
    }
    if (p->tok.kind != TOKEN_INT) return parse_number(f, offset);
    // A mask looks like a number until the parenthesis.
    lexer before = p->lex;
    token number = p->tok;
    if (!hw_ptx_next(p)) return false;
    if (hw_ptx_at(p, '(')) return parse_masked(f, number.value, offset);
    p->lex = before;
    p->tok = number;
    return parse_number(f, offset);
}

// Braces of dimension `level`, whose elements begin at `start`. As in C: a brace opens the next dimension, and numbers
// without braces fill what follows.
static bool fill_elements(filler *f, uint32_t level, uint64_t start) {
    parser *p = f->p;
    int line = p->tok.line;
    uint64_t inner = f->elem_bytes, at = 0;
    for (uint32_t i = level + 1; i < f->n_dims; i++) inner *= f->dims[i];
    bool is_open = f->open_ended && level == 0;
    uint64_t room = is_open ? UINT64_MAX / 2 : inner * f->dims[level];
    if (!hw_ptx_expect(p, '{')) return false;
    for (bool more = !hw_ptx_at(p, '}'); more;) {
        if (hw_ptx_at(p, '}')) break;   // a comma before the closing brace
        bool is_nested = hw_ptx_at(p, '{');
        if (is_nested && level + 1 >= f->n_dims) return hw_ptx_unexpected(p, "a number");
        if (is_nested && inner && at % inner) at += inner - at % inner;
        uint64_t step = is_nested ? inner : f->elem_bytes;
        if (room < at || room - at < step) {
            return hw_ptx_fail(p, HW_MALFORMED, line, "there are too many initial values");
        }
        if (is_nested ? !fill_elements(f, level + 1, start + at) : !parse_value(f, start + at)) return false;
        at += step;
        if (!hw_ptx_accept(p, ',', &more)) return false;
    }
    if (is_open) {
        uint64_t whole = inner ? hw_align_up(at, inner) : 0;
        if (whole > f->size) f->size = whole;
    }
    return hw_ptx_expect(p, '}');
}

static bool fill_all(filler *f, hw_ptx_symbol *symbol) {
    parser *p = f->p;
    f->limit = INIT_BYTES + 64 * (uint64_t)(p->lex.end - p->lex.text) - p->init_bytes;
    if (!f->open_ended) {
        if (symbol->size_bytes > f->limit) return too_large(f);
        f->bytes = symbol->size_bytes ? hw_ptx_take(p, symbol->size_bytes) : NULL;
        if (symbol->size_bytes && !f->bytes) return false;
        p->init_bytes += symbol->size_bytes;
    }
    bool is_scalar = f->n_dims == 1 && f->dims[0] == 1 && !hw_ptx_at(p, '{');
    if (!(is_scalar ? parse_value(f, 0) : fill_elements(f, 0, 0))) return false;
    if (f->open_ended) {
        if (f->size > f->limit) return too_large(f);
        symbol->size_bytes = f->size;
        symbol->init = hw_ptx_take(p, f->size);
        if (!symbol->init) return false;
        if (f->bytes) memcpy(symbol->init, f->bytes, f->size < f->capacity ? f->size : f->capacity);
        p->init_bytes += f->size;
    } else {
        symbol->init = f->bytes;
    }
    symbol->n_relocs = (uint32_t)f->n_relocs;
    if (!f->n_relocs) return true;
    symbol->relocs = hw_ptx_take(p, f->n_relocs * sizeof *f->relocs);
    if (symbol->relocs) memcpy(symbol->relocs, f->relocs, f->n_relocs * sizeof *f->relocs);
    return symbol->relocs != NULL;
}

bool hw_ptx_init_variable(parser *p, hw_ptx_symbol *symbol, const uint64_t *dims, uint32_t n_dims, hw_type type,
                          bool open_ended) {
    filler f = {.p = p, .type = type, .elem_bytes = hw_type_bits(type) / 8, .dims = dims, .n_dims = n_dims,
                .open_ended = open_ended};
    bool good = fill_all(&f, symbol);
    if (open_ended) hw_free(f.bytes);
    hw_free(f.relocs);
    return good;
}
