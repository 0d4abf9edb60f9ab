// PTX text to tokens, names to atoms. PTX ISA section 4.
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/parser.h"

enum { SPACE = 1, DIGIT = 2, LETTER = 4, MARK = 8, HEX = 16 };   // MARK: $ _ %

static const uint8_t char_class[256] = {
    [' '] = SPACE, ['\t'] = SPACE, ['\r'] = SPACE, ['\f'] = SPACE, ['\v'] = SPACE, ['\n'] = SPACE,
    ['0'] = DIGIT | HEX, ['1'] = DIGIT | HEX, ['2'] = DIGIT | HEX, ['3'] = DIGIT | HEX, ['4'] = DIGIT | HEX,
    ['5'] = DIGIT | HEX, ['6'] = DIGIT | HEX, ['7'] = DIGIT | HEX, ['8'] = DIGIT | HEX, ['9'] = DIGIT | HEX,
    ['a'] = LETTER | HEX, ['b'] = LETTER | HEX, ['c'] = LETTER | HEX, ['d'] = LETTER | HEX, ['e'] = LETTER | HEX,
    ['f'] = LETTER | HEX, ['A'] = LETTER | HEX, ['B'] = LETTER | HEX, ['C'] = LETTER | HEX, ['D'] = LETTER | HEX,
    ['E'] = LETTER | HEX, ['F'] = LETTER | HEX, ['g' ... 'z'] = LETTER, ['G' ... 'Z'] = LETTER,
    ['$'] = MARK, ['_'] = MARK, ['%'] = MARK,
};

static bool is(char c, int classes) { return char_class[(uint8_t)c] & classes; }
static bool continues_name(char c) { return is(c, LETTER | DIGIT) || c == '_' || c == '$'; }

bool hw_ptx_lexer_open(parser *p, const char *text, size_t length) {
    p->atom_chains = 256;
    while (p->atom_chains < length / 64) p->atom_chains *= 2;
    p->atoms = hw_calloc(p->atom_chains, sizeof *p->atoms);
    p->lex.text = length < SIZE_MAX ? hw_malloc(length + 1) : NULL;
    if (!p->lex.text || !p->atoms) return hw_ptx_out_of_memory(p);
    if (length) memcpy(p->lex.text, text, length);
    p->lex.text[length] = 0;
    p->lex.at = p->lex.text;
    p->lex.end = p->lex.text + length;
    p->lex.line = 1;
    return hw_ptx_next(p);
}

static uint32_t hash_text(const char *text, size_t length) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (uint8_t)text[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static atom *find_in_chain(parser *p, const char *text, size_t length, uint32_t hash) {
    for (atom *a = p->atoms[hash & (p->atom_chains - 1)]; a; a = a->next)
        if (a->hash == hash && a->length == length && memcmp(a->text, text, length) == 0) return a;
    return NULL;
}

atom *hw_ptx_find_atom(parser *p, const char *text, size_t length) {
    return find_in_chain(p, text, length, hash_text(text, length));
}

atom *hw_ptx_intern(parser *p, const char *text, size_t length) {
    uint32_t hash = hash_text(text, length);
    atom *a = find_in_chain(p, text, length, hash);
    if (a) return a;
    a = hw_ptx_take_scratch(p, sizeof *a);
    const char *copy = a ? hw_arena_string(p->module->arena, text, length) : NULL;
    if (!copy) {
        hw_ptx_out_of_memory(p);
        return NULL;
    }
    atom **chain = &p->atoms[hash & (p->atom_chains - 1)];
    *a = (atom){.next = *chain, .text = copy, .length = (uint32_t)length, .hash = hash};
    *chain = a;
    return a;
}

void hw_ptx_skip_space(lexer *lex) {
    const char *at = lex->at;
    for (;;) {
        if (*at == '\n') lex->line++, at++;
        else if (is(*at, SPACE)) at++;
        else if (at[0] == '/' && at[1] == '/') {
            while (*at != '\n' && at < lex->end) at++;
        } else if (at[0] == '/' && at[1] == '*') {
            for (at += 2; at < lex->end && !(at[0] == '*' && at[1] == '/'); at++) lex->line += *at == '\n';
            at += at < lex->end ? 2 : 0;
        } else break;
    }
    lex->at = at;
}

// Past .word and .word::word, from the character after the '.'.
static const char *skip_word(const char *at) {
    while (continues_name(*at)) {
        while (continues_name(*at)) at++;
        if (at[0] == ':' && at[1] == ':' && continues_name(at[2])) at += 2;
    }
    return at;
}

static bool lex_name(parser *p, token *t) {
    const char *at = p->lex.at + 1;
    while (continues_name(*at)) at++;
    while (at[0] == '.' && continues_name(at[1])) at = skip_word(at + 1);
    t->kind = TOKEN_NAME;
    t->text = p->lex.at;
    t->length = (uint32_t)(at - p->lex.at);
    t->name = hw_ptx_intern(p, t->text, t->length);
    p->lex.at = at;
    return t->name != NULL;
}

// digits of base, from at; *out their end. false when they do not fit 64 bits or there are none.
static bool read_digits(const char *at, unsigned base, const char **out, uint64_t *value) {
    const char *start = at;
    *value = 0;
    for (;; at++) {
        unsigned digit = *at >= '0' && *at <= '9' ? (unsigned)(*at - '0') : is(*at, HEX) ? (*at | 32) - 'a' + 10u : 99;
        if (digit >= base) break;
        if (__builtin_mul_overflow(*value, (uint64_t)base, value) ||
            __builtin_add_overflow(*value, (uint64_t)digit, value))
            return false;
    }
    *out = at;
    return at > start;
}

// 1.5, 2e10. The program around this library may have set a locale with another decimal point, which strtod obeys.
static bool read_decimal_float(const char *start, const char **out, uint64_t *bits) {
    char text[128];
    const char *at = start;
    const char *point = nl_langinfo(RADIXCHAR);
    size_t n = 0;
    bool in_exponent = false;
    while (is(*at, DIGIT) || (*at == '.' && !in_exponent) || (!in_exponent && (*at == 'e' || *at == 'E')) ||
           ((*at == '+' || *at == '-') && (at[-1] | 32) == 'e')) {
        in_exponent |= (*at | 32) == 'e';
        size_t length = *at == '.' ? strlen(point) : 1;
        if (n + length >= sizeof text) return false;
        memcpy(text + n, *at == '.' ? point : at, length);
        n += length;
        at++;
    }
    text[n] = 0;
    char *stop;
    double value = strtod(text, &stop);
    memcpy(bits, &value, sizeof value);
    *out = at;
    return stop == text + n;
}

static bool lex_number(parser *p, token *t) {
    const char *at = p->lex.at;
    char form = at[0] == '0' ? at[1] : 0;
    bool good;
    t->kind = TOKEN_INT;
    t->text = at;
    if (form == 'f' || form == 'F' || form == 'd' || form == 'D') {
        t->kind = form == 'f' || form == 'F' ? TOKEN_SINGLE : TOKEN_DOUBLE;
        good = read_digits(at + 2, 16, &at, &t->value) && at - t->text == (t->kind == TOKEN_SINGLE ? 10 : 18);
    } else if (form == 'x' || form == 'X') {
        good = read_digits(at + 2, 16, &at, &t->value);
    } else if (form == 'b' || form == 'B') {
        good = read_digits(at + 2, 2, &at, &t->value);
    } else {
        const char *digits = at;
        while (is(*digits, DIGIT)) digits++;
        bool is_float = *digits == '.' || *digits == 'e' || *digits == 'E';
        if (is_float) t->kind = TOKEN_DOUBLE;
        good = is_float ? read_decimal_float(at, &at, &t->value) : read_digits(at, *at == '0' ? 8 : 10, &at, &t->value);
    }
    if (good && t->kind == TOKEN_INT && (*at == 'U' || *at == 'u')) t->is_unsigned = true, at++;
    if (!good || continues_name(*at)) {
        return hw_ptx_fail(p, HW_MALFORMED, t->line, "a number is malformed or too large");
    }
    t->is_unsigned |= t->kind == TOKEN_INT && t->value > INT64_MAX;
    t->length = (uint32_t)(at - t->text);
    p->lex.at = at;
    return true;
}

static bool lex_string(parser *p, token *t) {
    const char *at = p->lex.at + 1;
    while (at < p->lex.end && *at != '"' && *at != '\n') at += *at == '\\' && at[1] && at[1] != '\n' ? 2 : 1;
    if (at >= p->lex.end || *at != '"') return hw_ptx_fail(p, HW_MALFORMED, t->line, "a string has no end");
    t->kind = TOKEN_STRING;
    t->text = p->lex.at + 1;
    t->length = (uint32_t)(at - t->text);
    p->lex.at = at + 1;
    return true;
}

static void lex_punct(parser *p, token *t) {
    static const char *const pairs[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    const char *at = p->lex.at;
    t->kind = TOKEN_PUNCT;
    t->punct = (uint8_t)at[0];
    t->text = at;
    t->length = 1;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (at[0] == pairs[i][0] && at[1] == pairs[i][1]) {
            t->punct = PUNCT2(at[0], at[1]);
            t->length = 2;
        }
    p->lex.at += t->length;
}

bool hw_ptx_next(parser *p) {
    lexer *lex = &p->lex;
    hw_ptx_skip_space(lex);
    token *t = &p->tok;
    *t = (token){.line = lex->line, .text = lex->at};
    char c = *lex->at;
    if (lex->at >= lex->end) return true;   // TOKEN_END
    if (is(c, LETTER) || c == '$' || c == '_' || (c == '%' && (continues_name(lex->at[1])))) return lex_name(p, t);
    if (is(c, DIGIT)) return lex_number(p, t);
    if (c == '"') return lex_string(p, t);
    if (c == '.' && continues_name(lex->at[1])) {
        t->kind = TOKEN_WORD;
        t->text = lex->at + 1;
        lex->at = skip_word(t->text);
        t->length = (uint32_t)(lex->at - t->text);
        return true;
    }
    if (c < 33 || c > 126) {
        return hw_ptx_fail(p, HW_MALFORMED, t->line, "character 0x%02x does not belong in PTX", (uint8_t)c);
    }
    lex_punct(p, t);
    return true;
}

bool hw_ptx_skip_block(parser *p) {
    int line = p->tok.line;
    lexer *lex = &p->lex;
    for (hw_ptx_skip_space(lex); lex->at < lex->end && *lex->at != '}'; hw_ptx_skip_space(lex)) lex->at++;
    if (lex->at >= lex->end) return hw_ptx_fail(p, HW_MALFORMED, line, "the section has no closing brace");
    lex->at++;
    return hw_ptx_next(p);
}

static bool token_is(const token *t, const char *text) {
    return strncmp(t->text, text, t->length) == 0 && text[t->length] == 0;
}

bool hw_ptx_at_word(const parser *p, const char *word) { return p->tok.kind == TOKEN_WORD && token_is(&p->tok, word); }

bool hw_ptx_at_name(const parser *p, const char *name) { return p->tok.kind == TOKEN_NAME && token_is(&p->tok, name); }

bool hw_ptx_expect(parser *p, int punct) {
    char wanted[] = {'\'', (char)punct, '\'', 0};
    return hw_ptx_at(p, punct) ? hw_ptx_next(p) : hw_ptx_unexpected(p, wanted);
}

bool hw_ptx_accept(parser *p, int punct, bool *taken) {
    *taken = hw_ptx_at(p, punct);
    return *taken ? hw_ptx_next(p) : true;
}
