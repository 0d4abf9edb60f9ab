#include "ptx/dwarf.h"

#include <string.h>

#include "base/alloc.h"

enum { MAX_DEPTH = 64, MAX_ATTRIBUTES = 32, MAX_CODES = 512 };

enum {
    AT_LOCATION = 0x02, AT_NAME = 0x03, AT_BYTE_SIZE = 0x0b, AT_BIT_SIZE = 0x0d, AT_UPPER_BOUND = 0x2f,
    AT_COUNT = 0x37, AT_MEMBER_LOCATION = 0x38, AT_TYPE = 0x49, AT_LINKAGE_NAME = 0x6e, AT_MIPS_LINKAGE_NAME = 0x2007,
};

enum {
    FORM_ADDR = 0x01, FORM_BLOCK2 = 0x03, FORM_BLOCK4, FORM_DATA2, FORM_DATA4, FORM_DATA8, FORM_STRING, FORM_BLOCK,
    FORM_BLOCK1, FORM_DATA1, FORM_FLAG, FORM_SDATA, FORM_STRP, FORM_UDATA, FORM_REF_ADDR, FORM_REF1, FORM_REF2,
    FORM_REF4, FORM_REF8, FORM_REF_UDATA, FORM_SEC_OFFSET = 0x17, FORM_EXPRLOC, FORM_FLAG_PRESENT, FORM_REF_SIG8,
};

enum { OP_ADDR = 0x03, OP_PLUS_UCONST = 0x23, OP_REGX = 0x90 };

// ---- bytes ----------------------------------------------------------------------------------------------------------

typedef struct cursor {
    const hw_section *section;
    size_t at, end;
    bool is_past;                    // it has been read beyond the end: what came is 0
} cursor;

static uint64_t take_number(cursor *c, unsigned bytes) {
    uint64_t value = 0;
    if (c->is_past || bytes > c->end - c->at) {
        c->is_past = true;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++) value |= (uint64_t)c->section->bytes[c->at + i] << 8 * i;
    c->at += bytes;
    return value;
}

static uint64_t take_any_leb(cursor *c, bool is_signed) {
    uint64_t value = 0;
    for (unsigned shift = 0; !c->is_past;) {
        const uint64_t byte = take_number(c, 1);
        if (shift < 64) value |= (byte & 127) << shift;
        shift += shift < 64 ? 7 : 0;
        if (byte & 128) continue;
        if (is_signed && shift < 64 && byte & 64) value |= UINT64_MAX << shift;
        break;
    }
    return value;
}

static uint64_t take_leb(cursor *c) { return take_any_leb(c, false); }

static void skip_bytes(cursor *c, uint64_t n) {
    if (n > c->end - c->at) c->is_past = true;
    else c->at += n;
}

static const char *take_string(cursor *c) {
    const size_t begin = c->at;
    while (take_number(c, 1)) continue;
    return c->is_past ? "" : (const char *)c->section->bytes + begin;
}

// The name that stands for an address at this byte; NULL: none does.
static const char *name_at(const hw_section *section, size_t at) {
    size_t low = 0, high = section->n_names;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (section->names[middle].at < at) low = middle + 1;
        else high = middle;
    }
    return low < section->n_names && section->names[low].at == at ? section->names[low].name : NULL;
}

// ---- abbreviations --------------------------------------------------------------------------------------------------

typedef struct abbreviation {
    uint64_t tag;
    bool is_known, has_children;
    uint32_t n;
    struct {
        uint32_t name, form;
    } attributes[MAX_ATTRIBUTES];
} abbreviation;

// By its code. False: there is none.
static bool find_abbreviation(cursor *c, uint64_t code, abbreviation *out) {
    for (uint64_t is = take_leb(c); is && !c->is_past; is = take_leb(c)) {
        *out = (abbreviation){.tag = take_leb(c), .is_known = true, .has_children = take_number(c, 1)};
        while (!c->is_past) {
            const uint64_t name = take_leb(c), form = take_leb(c);
            if (!name && !form) break;
            if (out->n == MAX_ATTRIBUTES) return false;
            out->attributes[out->n].name = (uint32_t)name;
            out->attributes[out->n++].form = (uint32_t)form;
        }
        if (is == code) return !c->is_past;
    }
    return false;
}

// ---- entries --------------------------------------------------------------------------------------------------------

typedef struct reader {
    hw_dwarf *out;
    const hw_debug_sections *sections;
    abbreviation *known;             // by code, of the unit's table
    size_t table;                    // the unit's
    uint32_t used[MAX_CODES], n_used;    // codes of known ones
    uint64_t places_left;            // in lists: as many as their section has room for, however often one is named
    uint64_t search_left;            // bytes of tables to go over for abbreviations
} reader;

// The entry that is being read is in it.
static void add_register(reader *r, uint64_t code) {
    hw_dwarf *d = r->out;
    if (!hw_grow((void **)&d->registers, d->n_registers, &d->registers_capacity, sizeof *d->registers))
        d->ran_out = true;
    else d->registers[d->n_registers++] = (hw_dwarf_register){.entry = (uint32_t)d->n, .code = code};
}

// An address and a constant behind it; or, of a member, the constant alone; or a register. False: something else.
static bool read_expression(reader *r, cursor in, hw_dwarf_entry *e, bool is_member) {
    const char *symbol = NULL;
    uint64_t offset = 0;
    if (!is_member && in.section->bytes[in.at] == OP_REGX) {
        in.at++;
        add_register(r, take_leb(&in));
        return !in.is_past && in.at == in.end;
    }
    if (!is_member && take_number(&in, 1) == OP_ADDR) {
        symbol = name_at(in.section, in.at);
        take_number(&in, 8);
    }
    bool is_understood = is_member || symbol;
    if (in.at < in.end) {
        is_understood &= take_number(&in, 1) == OP_PLUS_UCONST;
        offset = take_leb(&in);
    }
    if (!is_understood || in.is_past || in.at != in.end) return false;
    e->symbol = symbol;
    e->offset = offset;
    e->has_offset = true;
    return true;
}

static void take_expression(reader *r, cursor *c, uint64_t n, hw_dwarf_entry *e, bool is_member) {
    const size_t begin = c->at;
    skip_bytes(c, n);
    if (c->is_past || !n) return;
    const cursor in = {.section = c->section, .at = begin, .end = begin + n};
    e->is_elsewhere |= !read_expression(r, in, e, is_member) && !is_member;
}

// Places that a variable is at for a part of its function, one after the other, each between two addresses, or what
// these count from. Names of addresses stand for what is not 0.
static void take_list(reader *r, uint64_t offset, hw_dwarf_entry *e) {
    const hw_section *section = &r->sections->loc;
    cursor c = {.section = section, .at = offset, .end = section->n_bytes, .is_past = offset > section->n_bytes};
    while (!c.is_past && r->places_left) {
        const bool is_named = name_at(section, c.at) || name_at(section, c.at + 8);
        const uint64_t from = take_number(&c, 8), to = take_number(&c, 8);
        if (!(from | to) && !is_named) break;
        r->places_left--;
        if (from == UINT64_MAX) continue;
        hw_dwarf_entry somewhere = {.name = e->name};
        take_expression(r, &c, take_number(&c, 2), &somewhere, false);
        e->is_elsewhere |= somewhere.is_elsewhere;
    }
    e->is_elsewhere |= c.is_past || !r->places_left;
}

// Of so many bytes: an upper bound of -1 is that of an array without elements.
static void keep_number(reader *r, hw_dwarf_entry *e, uint32_t name, uint64_t value, unsigned bytes) {
    const bool is_negative = (int64_t)value < 0 || value == UINT64_MAX >> (64 - 8 * bytes);
    if (name == AT_LOCATION) take_list(r, value, e);
    if (name == AT_BYTE_SIZE) e->bytes = value;
    if (name == AT_BIT_SIZE) e->has_bits = true;
    if (name == AT_COUNT) e->count = value;
    if (name == AT_UPPER_BOUND) e->count = is_negative ? 0 : value + 1;
    if (name == AT_MEMBER_LOCATION) {
        e->offset = value;
        e->has_offset = true;
    }
}

static void take_block(reader *r, cursor *c, hw_dwarf_entry *e, uint32_t name, uint64_t n) {
    if (name == AT_LOCATION || name == AT_MEMBER_LOCATION) take_expression(r, c, n, e, name == AT_MEMBER_LOCATION);
    else skip_bytes(c, n);
}

// False: a form that is not known, so that nobody knows where the next attribute begins.
static bool take_attribute(reader *r, cursor *c, hw_dwarf_entry *e, uint32_t name, uint32_t form, size_t unit) {
    size_t reference = 0;
    switch (form) {
    case FORM_FLAG_PRESENT: break;
    case FORM_DATA1: case FORM_FLAG: keep_number(r, e, name, take_number(c, 1), 1); break;
    case FORM_DATA2: keep_number(r, e, name, take_number(c, 2), 2); break;
    case FORM_DATA4: keep_number(r, e, name, take_number(c, 4), 4); break;
    case FORM_DATA8: keep_number(r, e, name, take_number(c, 8), 8); break;
    case FORM_UDATA: keep_number(r, e, name, take_leb(c), 8); break;
    case FORM_SDATA: keep_number(r, e, name, take_any_leb(c, true), 8); break;
    case FORM_STRING: {
        const char *text = take_string(c);
        if (name == AT_NAME) e->name = text;
        if (name == AT_LINKAGE_NAME || name == AT_MIPS_LINKAGE_NAME) e->linkage = text;
        break;
    }
    case FORM_SEC_OFFSET: keep_number(r, e, name, take_number(c, 4), 4); break;
    case FORM_STRP: case FORM_REF_ADDR: skip_bytes(c, 4); break;
    case FORM_ADDR: case FORM_REF_SIG8: skip_bytes(c, 8); break;
    case FORM_BLOCK1: take_block(r, c, e, name, take_number(c, 1)); break;
    case FORM_BLOCK2: take_block(r, c, e, name, take_number(c, 2)); break;
    case FORM_BLOCK4: take_block(r, c, e, name, take_number(c, 4)); break;
    case FORM_BLOCK: case FORM_EXPRLOC: take_block(r, c, e, name, take_leb(c)); break;
    case FORM_REF1: reference = unit + take_number(c, 1); break;
    case FORM_REF2: reference = unit + take_number(c, 2); break;
    case FORM_REF4: reference = unit + take_number(c, 4); break;
    case FORM_REF8: reference = unit + take_number(c, 8); break;
    case FORM_REF_UDATA: reference = unit + take_leb(c); break;
    default: return false;
    }
    if (name == AT_TYPE) e->type = reference;
    return !c->is_past;
}

// NULL: there is none.
static const abbreviation *abbreviation_of(reader *r, uint64_t code) {
    if (code >= MAX_CODES) return NULL;
    abbreviation *a = &r->known[code];
    if (a->is_known) return a;
    cursor c = {.section = &r->sections->abbrev, .at = r->table, .end = r->sections->abbrev.n_bytes};
    r->used[r->n_used++] = (uint32_t)code;
    const bool is_found = find_abbreviation(&c, code, a);
    if (!is_found || c.at - r->table > r->search_left) return NULL;
    r->search_left -= c.at - r->table;
    return a;
}

static void use_table(reader *r, size_t table) {
    while (r->n_used) r->known[r->used[--r->n_used]].is_known = false;
    r->table = table;
}

static bool add_entry(hw_dwarf *d, const hw_dwarf_entry *e) {
    if (!hw_grow((void **)&d->items, d->n, &d->capacity, sizeof *d->items)) d->ran_out = true;
    else d->items[d->n++] = *e;
    return !d->ran_out;
}

typedef struct parents {
    uint32_t numbers[MAX_DEPTH], depth;
} parents;

// The next one, which may be none. False: it is not understood.
static bool read_entry(reader *r, cursor *c, size_t unit, parents *in) {
    const size_t at = c->at;
    const uint64_t code = take_leb(c);
    if (!code) {
        if (in->depth) in->depth--;
        return !c->is_past;
    }
    const abbreviation *a = abbreviation_of(r, code);
    if (!a) return false;
    hw_dwarf_entry e = {.at = at, .tag = a->tag, .parent = in->numbers[in->depth]};
    for (uint32_t i = 0; i < a->n; i++)
        if (!take_attribute(r, c, &e, a->attributes[i].name, a->attributes[i].form, unit)) return false;
    if (!add_entry(r->out, &e)) return false;
    if (!a->has_children) return true;
    if (in->depth + 1 == MAX_DEPTH) return false;
    in->numbers[++in->depth] = (uint32_t)r->out->n;
    return true;
}

// All entries of a unit, each behind the one that it stands in. False: the rest of the unit is not understood. What has
// begun and not ended then is not known as a whole.
static bool read_entries(reader *r, cursor *c, size_t unit) {
    parents in = {.depth = 0};
    bool is_understood = true;
    while (is_understood && c->at < c->end) is_understood = read_entry(r, c, unit, &in);
    for (uint32_t i = 1; i <= in.depth; i++) r->out->items[in.numbers[i] - 1].is_elsewhere = true;
    return is_understood;
}

static void read_units(reader *r) {
    const hw_section *info = &r->sections->info;
    cursor c = {.section = info, .end = info->n_bytes};
    while (c.at < info->n_bytes) {
        const size_t unit = c.at;
        const uint64_t length = take_number(&c, 4);
        cursor in = {.section = info, .at = c.at, .end = c.at + length};
        if (c.is_past || length > info->n_bytes - c.at) return;
        c.at += length;
        const uint64_t version = take_number(&in, 2);
        const uint64_t table = take_number(&in, 4);
        if (version < 2 || version > 4 || take_number(&in, 1) != 8 || table > r->sections->abbrev.n_bytes) return;
        if (table != r->table) use_table(r, table);
        if (!read_entries(r, &in, unit)) return;
    }
}

void hw_dwarf_read(hw_dwarf *dwarf, hw_arena *scratch, const hw_debug_sections *sections) {
    const size_t least_place = 16;
    reader r = {.out = dwarf, .sections = sections, .known = hw_arena_take(scratch, MAX_CODES * sizeof *r.known),
                .places_left = sections->loc.n_bytes / least_place + 1,
                .search_left = MAX_CODES * (uint64_t)sections->abbrev.n_bytes};
    *dwarf = (hw_dwarf){.ran_out = !r.known};
    if (!r.known) return;
    memset(r.known, 0, MAX_CODES * sizeof *r.known);
    read_units(&r);
}

void hw_dwarf_free(hw_dwarf *dwarf) {
    hw_free(dwarf->items);
    hw_free(dwarf->registers);
}
