// A mnemonic taken apart: opcode, modifiers, types, and which of ops.def's forms it is.
#include <stdio.h>
#include <string.h>

#include "ptx/parser.h"

static const char *const refused_ops[] = {
#define HW_REFUSED_OP(name) name,
#define HW_REFUSED_WORD(name)
#include "isa/refused.def"
#undef HW_REFUSED_OP
#undef HW_REFUSED_WORD
};

static const char *const refused_words[] = {
#define HW_REFUSED_OP(name)
#define HW_REFUSED_WORD(name) name,
#include "isa/refused.def"
#undef HW_REFUSED_OP
#undef HW_REFUSED_WORD
};

// A stretch of a table's text.
typedef struct words {
    const char *at, *end;
} words;

static bool is_listed(const char *const *list, size_t count, words word) {
    size_t length = (size_t)(word.end - word.at);
    for (size_t i = 0; i < count; i++)
        if (strncmp(list[i], word.at, length) == 0 && !list[i][length]) return true;
    return false;
}

// The next stretch up to one of `separators`; false at the end. Blanks around it are dropped.
static bool next_part(words *rest, char separator, words *part) {
    if (!rest->at) return false;
    const char *stop = memchr(rest->at, separator, (size_t)(rest->end - rest->at));
    *part = (words){rest->at, stop ? stop : rest->end};
    rest->at = stop ? stop + 1 : NULL;
    while (part->at < part->end && *part->at == ' ') part->at++;
    while (part->end > part->at && part->end[-1] == ' ') part->end--;
    return true;
}

static bool next_word(words *rest, words *word) {
    while (next_part(rest, ' ', word))
        if (word->end > word->at) return true;
    return false;
}

static words words_of(const char *text) { return (words){text, text + strlen(text)}; }

// Form number `index` of a column; a column with one form serves all. false when there is no such form.
static bool form_of(const char *column, unsigned index, words *form) {
    words rest = words_of(column), first = {NULL, NULL};
    for (unsigned i = 0; next_part(&rest, '/', form); i++) {
        if (i == 0) first = *form;
        if (i == index) return true;
        if (i == 0 && !rest.at) break;
    }
    *form = first;
    return memchr(column, '/', strlen(column)) == NULL;
}

// How near a form came; the nearest one's reason is told.
typedef enum verdict { FITS_NOT_TYPES, FITS_NOT_MODS, CONFLICTS, LACKS, FITS } verdict;

static bool types_fit(const mnemonic *m, words form) {
    words position, word;
    unsigned n = 0;
    if (form.at == form.end) return m->n_types == 0;
    while (next_part(&form, ';', &position)) {
        bool found = false;
        if (n >= m->n_types) return false;
        while (!found && next_word(&position, &word))
            found = hw_type_find(word.at, (size_t)(word.end - word.at)) == m->types[n];
        if (!found) return false;
        n++;
    }
    return n == m->n_types;
}

static verdict mods_fit(const mnemonic *m, words form, words *reason) {
    hw_mods allowed = {{0}};
    verdict result = FITS;
    words group, word;
    while (next_word(&form, &group)) {
        bool is_needed = group.end[-1] == '!';
        group.end -= is_needed;
        words rest = group;
        unsigned found = 0;
        while (next_part(&rest, '|', &word)) {
            hw_mod mod = hw_mod_find(word.at, (size_t)(word.end - word.at));
            if (mod == HW_M_COUNT) continue;
            hw_add_mod(&allowed, mod);
            found += hw_has_mod(&m->mods, mod);
        }
        if (found <= 1 && !(is_needed && !found)) continue;
        result = found > 1 ? CONFLICTS : LACKS;
        *reason = group;
    }
    for (int i = 0; i < 3; i++)
        if (m->mods.bits[i] & ~allowed.bits[i]) return FITS_NOT_MODS;
    return result;
}

static void read_rules(mnemonic *m, words form) {
    words word;
    m->n_rules = 0;
    if (m->op == HW_OP_CALL) return;
    while (m->n_rules < MAX_RULES && next_word(&form, &word)) {
        operand_rule *rule = &m->rules[m->n_rules++];
        *rule = (operand_rule){.letter = *word.at};
        for (const char *flag = word.at + 1; flag < word.end; flag++) {
            rule->optional |= *flag == '?';
            rule->may_sink |= *flag == '_';
            rule->may_pair |= *flag == '|';
            rule->may_have_parts |= *flag == '.';
            rule->may_negate |= *flag == '-';
        }
    }
}

static bool choose_form(parser *p, mnemonic *m, int line) {
    const hw_op_row *row = hw_op_info(m->op);
    verdict best = FITS_NOT_TYPES;
    bool may_lack_type = false;
    words types, mods, operands, reason = {NULL, NULL};
    for (unsigned i = 0; form_of(row->types, i, &types) && form_of(row->mods, i, &mods) &&
                         form_of(row->operands, i, &operands); i++) {
        words why = {NULL, NULL};
        verdict v = types_fit(m, types) ? mods_fit(m, mods, &why) : FITS_NOT_TYPES;
        if (v > best) best = v, reason = why;
        may_lack_type |= types.at == types.end;
        if (v == FITS) {
            read_rules(m, operands);
            return true;
        }
        bool has_one_form = !strchr(row->types, '/') && !strchr(row->mods, '/') && !strchr(row->operands, '/');
        if (has_one_form) break;
    }
    if (best == CONFLICTS || best == LACKS) {
        return hw_ptx_fail(p, HW_MALFORMED, line, "%s: %s of '%.*s' is needed", m->text,
                           best == LACKS ? "one" : "at most one", (int)(reason.end - reason.at), reason.at);
    }
    if (m->n_types == 0 && !may_lack_type) {
        return hw_ptx_fail(p, HW_MALFORMED, line, "%s has no type", m->text);
    }
    return hw_ptx_refuse(p, line, "instruction %s is", m->text);
}

static void set_space(mnemonic *m) {
    static const struct {
        hw_mod mod;
        hw_space space;
    } spaces[] = {
        {HW_M_GLOBAL, HW_SPACE_GLOBAL}, {HW_M_SHARED, HW_SPACE_SHARED}, {HW_M_LOCAL, HW_SPACE_LOCAL},
        {HW_M_PARAM, HW_SPACE_PARAM}, {HW_M_CONST, HW_SPACE_CONST}, {HW_M_SHARED_CTA, HW_SPACE_SHARED},
        {HW_M_SHARED_CLUSTER, HW_SPACE_SHARED}, {HW_M_PARAM_ENTRY, HW_SPACE_PARAM}, {HW_M_PARAM_FUNC, HW_SPACE_PARAM},
    };
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (hw_has_mod(&m->mods, spaces[i].mod)) m->space = spaces[i].space;
    m->vector = hw_has_mod(&m->mods, HW_M_V2) ? 2 : hw_has_mod(&m->mods, HW_M_V4) ? 4
              : hw_has_mod(&m->mods, HW_M_V8) ? 8 : 1;
}

// One dotted word. Words that only hint may repeat: an eviction priority and a prefetch size are the same modifier.
static bool add_word(parser *p, mnemonic *m, words word, int line) {
    size_t length = (size_t)(word.end - word.at);
    hw_type type = hw_type_find(word.at, length);
    if (type != HW_T_NONE) {
        if (m->n_types == 4) return hw_ptx_fail(p, HW_MALFORMED, line, "%s has too many types", m->text);
        m->types[m->n_types++] = type;
        return true;
    }
    hw_mod mod = hw_mod_find(word.at, length);
    if (mod == HW_M_COUNT) {
        if (is_listed(refused_words, sizeof refused_words / sizeof *refused_words, word)) {
            return hw_ptx_refuse(p, line, "instruction %s is", m->text);
        }
        return hw_ptx_fail(p, HW_MALFORMED, line, "%s: .%.*s is neither a type nor a modifier", m->text, (int)length,
                           word.at);
    }
    // Two layouts, of a and of b, may be the same.
    if (m->op == HW_OP_WMMA_MMA && hw_has_mod(&m->mods, mod) && (mod == HW_M_ROW || mod == HW_M_COL))
        mod = mod == HW_M_ROW ? HW_M_ROW_ROW : HW_M_COL_COL;
    if (hw_has_mod(&m->mods, mod) && mod != HW_M_L2_HINT && mod != HW_M_L1_EVICT) {
        return hw_ptx_fail(p, HW_MALFORMED, line, "%s: .%.*s stands twice", m->text, (int)length, word.at);
    }
    hw_add_mod(&m->mods, mod);
    return true;
}

// In PTX for 1.x, mad.f32 has no rounding; newer GPUs take it for fma.rn.ftz.f32 (PTX ISA 9.7.3.7, Notes).
static void round_as_before(const parser *p, mnemonic *m) {
    static const hw_mod roundings[] = {HW_M_RN, HW_M_RZ, HW_M_RM, HW_M_RP};
    if (m->op != HW_OP_MAD || m->n_types != 1 || m->types[0] != HW_T_F32 || p->module->target >= 20) return;
    for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++)
        if (hw_has_mod(&m->mods, roundings[i])) return;
    hw_add_mod(&m->mods, HW_M_RN);
    hw_add_mod(&m->mods, HW_M_FTZ);
}

static bool decode_mnemonic(parser *p, mnemonic *m, int line) {
    words rest = words_of(m->text), word, second;
    next_part(&rest, '.', &word);
    words name = word;
    m->op = hw_op_find(word.at, (size_t)(word.end - word.at));
    // cvt.pack is an opcode of two words, cp.async.mbarrier one of three: the longest name counts.
    words behind = rest;
    for (int n = 0; n < 2 && next_part(&behind, '.', &second); n++) {
        hw_op op = hw_op_find(name.at, (size_t)(second.end - name.at));
        if (op == HW_OP_NONE) continue;
        m->op = op;
        rest = behind;
    }
    if (m->op == HW_OP_NONE) {
        if (is_listed(refused_ops, sizeof refused_ops / sizeof *refused_ops, word)) {
            return hw_ptx_refuse(p, line, "instruction %s is", m->text);
        }
        return hw_ptx_fail(p, HW_MALFORMED, line, "%s is no PTX instruction", m->text);
    }
    while (next_part(&rest, '.', &word))
        if (!add_word(p, m, word, line)) return false;
    set_space(m);
    round_as_before(p, m);
    return choose_form(p, m, line);
}

bool hw_ptx_decode(parser *p, atom *name, int line, const mnemonic **out) {
    if (!name->decoded) {
        mnemonic *m = hw_ptx_take_scratch(p, sizeof *m);
        if (!m) return false;
        m->text = name->text;
        if (name->length > 200) return hw_ptx_fail(p, HW_MALFORMED, line, "the instruction's name is too long");
        if (!decode_mnemonic(p, m, line)) return false;
        name->decoded = m;
    }
    *out = name->decoded;
    return true;
}
