// Constant expressions: C's operators on 64-bit integers, and arithmetic on doubles. PTX ISA section 4.5.
#include <string.h>

#include "ptx/parser.h"

static bool parse_conditional(parser *p, constant *out);

static double as_double(const constant *v) {
    double d;
    float f;
    uint32_t low = (uint32_t)v->bits;
    if (v->kind == TOKEN_INT) return v->is_unsigned ? (double)v->bits : (double)(int64_t)v->bits;
    if (v->kind == TOKEN_SINGLE) {
        memcpy(&f, &low, sizeof f);
        return f;
    }
    memcpy(&d, &v->bits, sizeof d);
    return d;
}

static constant from_double(double d) {
    constant v = {.kind = TOKEN_DOUBLE};
    memcpy(&v.bits, &d, sizeof d);
    return v;
}

static constant from_int(uint64_t bits, bool is_unsigned) {
    return (constant){.kind = TOKEN_INT, .bits = bits, .is_unsigned = is_unsigned};
}

static bool is_true(const constant *v) { return v->kind == TOKEN_INT ? v->bits != 0 : as_double(v) != 0; }

static bool parse_parenthesis(parser *p, constant *out) {
    if (!hw_ptx_next(p)) return false;
    bool to_signed = hw_ptx_at_word(p, "s64"), to_unsigned = hw_ptx_at_word(p, "u64");
    if (!to_signed && !to_unsigned) return parse_conditional(p, out) && hw_ptx_expect(p, ')');
    if (!hw_ptx_next(p) || !hw_ptx_expect(p, ')')) return false;
    int line = p->tok.line;
    if (p->expression_depth >= MAX_EXPRESSION_DEPTH) {
        return hw_ptx_fail(p, HW_MALFORMED, line, "the expression is nested too deeply");
    }
    constant v = {.kind = TOKEN_INT};
    // The operand of a cast is a unary expression: a parenthesis, a sign or a number.
    if (hw_ptx_at(p, '(')) {
        p->expression_depth++;
        if (!parse_parenthesis(p, &v)) return false;
        p->expression_depth--;
    } else {
        bool negative = hw_ptx_at(p, '-');
        if (negative && !hw_ptx_next(p)) return false;
        if (p->tok.kind != TOKEN_INT) return hw_ptx_unexpected(p, "an integer");
        v.bits = negative ? -p->tok.value : p->tok.value;
        if (!hw_ptx_next(p)) return false;
    }
    if (v.kind != TOKEN_INT) return hw_ptx_fail(p, HW_MALFORMED, line, "only integers can be cast");
    *out = from_int(v.bits, to_unsigned);
    return true;
}

static bool apply_unary(parser *p, int op, int line, constant *v) {
    if (op == '!') *v = from_int(!is_true(v), false);
    else if (v->kind == TOKEN_INT) v->bits = op == '-' ? -v->bits : op == '~' ? ~v->bits : v->bits;
    else if (op == '~') return hw_ptx_fail(p, HW_MALFORMED, line, "'~' needs an integer");
    else if (op == '-') v->bits ^= v->kind == TOKEN_SINGLE ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
    return true;
}

static bool parse_unary(parser *p, constant *out) {
    token t = p->tok;
    if (p->expression_depth >= MAX_EXPRESSION_DEPTH) {
        return hw_ptx_fail(p, HW_MALFORMED, t.line, "the expression is nested too deeply");
    }
    p->expression_depth++;
    bool good;
    if (t.kind == TOKEN_INT || t.kind == TOKEN_DOUBLE || t.kind == TOKEN_SINGLE) {
        *out = (constant){.kind = t.kind, .is_unsigned = t.is_unsigned, .bits = t.value};
        good = hw_ptx_next(p);
    } else if (hw_ptx_at_name(p, "WARP_SZ")) {
        *out = from_int(HW_WARP_LANES, false);
        good = hw_ptx_next(p);
    } else if (hw_ptx_at(p, '(')) {
        good = parse_parenthesis(p, out);
    } else if (hw_ptx_at(p, '-') || hw_ptx_at(p, '+') || hw_ptx_at(p, '~') || hw_ptx_at(p, '!')) {
        good = hw_ptx_next(p) && parse_unary(p, out) && apply_unary(p, t.punct, t.line, out);
    } else {
        good = hw_ptx_unexpected(p, "a number");
    }
    p->expression_depth--;
    return good;
}

// 0: no binary operator.
static int precedence_of(const token *t) {
    if (t->kind != TOKEN_PUNCT) return 0;
    switch (t->punct) {
    case '*': case '/': case '%': return 10;
    case '+': case '-': return 9;
    case PUNCT2('<', '<'): case PUNCT2('>', '>'): return 8;
    case '<': case '>': case PUNCT2('<', '='): case PUNCT2('>', '='): return 7;
    case PUNCT2('=', '='): case PUNCT2('!', '='): return 6;
    case '&': return 5;
    case '^': return 4;
    case '|': return 3;
    case PUNCT2('&', '&'): return 2;
    case PUNCT2('|', '|'): return 1;
    default: return 0;
    }
}

static bool divide(int op, constant *a, const constant *b, bool is_unsigned) {
    if (!b->bits) return false;
    if (is_unsigned) *a = from_int(op == '/' ? a->bits / b->bits : a->bits % b->bits, true);
    else if (b->bits == UINT64_MAX) *a = from_int(op == '/' ? -a->bits : 0, false);   // INT64_MIN / -1 would trap
    else {
        int64_t x = (int64_t)a->bits, y = (int64_t)b->bits;
        *a = from_int((uint64_t)(op == '/' ? x / y : x % y), false);
    }
    return true;
}

static uint64_t shift(int op, const constant *a, uint64_t by) {
    bool left = op == PUNCT2('<', '<');
    if (by > 63) return left || a->is_unsigned || (int64_t)a->bits >= 0 ? 0 : UINT64_MAX;
    if (left) return a->bits << by;
    return a->is_unsigned ? a->bits >> by : (uint64_t)((int64_t)a->bits >> by);
}

static bool apply_to_ints(int op, constant *a, const constant *b) {
    bool is_unsigned = a->is_unsigned || b->is_unsigned;
    uint64_t x = a->bits, y = b->bits;
    bool less = is_unsigned ? x < y : (int64_t)x < (int64_t)y;
    switch (op) {
    case '*': *a = from_int(x * y, is_unsigned); return true;
    case '/': case '%': return divide(op, a, b, is_unsigned);
    case '+': *a = from_int(x + y, is_unsigned); return true;
    case '-': *a = from_int(x - y, is_unsigned); return true;
    case PUNCT2('<', '<'): case PUNCT2('>', '>'): a->bits = shift(op, a, y); return true;
    case '<': *a = from_int(less, false); return true;
    case '>': *a = from_int(!less && x != y, false); return true;
    case PUNCT2('<', '='): *a = from_int(less || x == y, false); return true;
    case PUNCT2('>', '='): *a = from_int(!less, false); return true;
    case PUNCT2('=', '='): *a = from_int(x == y, false); return true;
    case PUNCT2('!', '='): *a = from_int(x != y, false); return true;
    case '&': *a = from_int(x & y, is_unsigned); return true;
    case '^': *a = from_int(x ^ y, is_unsigned); return true;
    case '|': *a = from_int(x | y, is_unsigned); return true;
    default: return false;
    }
}

static bool apply_to_doubles(int op, constant *a, const constant *b) {
    double x = as_double(a), y = as_double(b);
    switch (op) {
    case '*': *a = from_double(x * y); return true;
    case '/': *a = from_double(y == 0 ? 0 : x / y); return y != 0;
    case '+': *a = from_double(x + y); return true;
    case '-': *a = from_double(x - y); return true;
    case '<': *a = from_int(x < y, false); return true;
    case '>': *a = from_int(x > y, false); return true;
    case PUNCT2('<', '='): *a = from_int(x <= y, false); return true;
    case PUNCT2('>', '='): *a = from_int(x >= y, false); return true;
    case PUNCT2('=', '='): *a = from_int(x == y, false); return true;
    case PUNCT2('!', '='): *a = from_int(x != y, false); return true;
    default: return false;
    }
}

static bool apply_binary(parser *p, const token *op, constant *a, const constant *b) {
    bool good;
    if (op->punct == PUNCT2('&', '&')) *a = from_int(is_true(a) && is_true(b), false), good = true;
    else if (op->punct == PUNCT2('|', '|')) *a = from_int(is_true(a) || is_true(b), false), good = true;
    else if (a->kind == TOKEN_INT && b->kind == TOKEN_INT) good = apply_to_ints(op->punct, a, b);
    else good = apply_to_doubles(op->punct, a, b);
    return good || hw_ptx_fail(p, HW_MALFORMED, op->line, "the constant expression has no value");
}

static bool parse_binary(parser *p, int lowest, constant *out) {
    if (!parse_unary(p, out)) return false;
    for (int precedence; (precedence = precedence_of(&p->tok)) >= lowest && precedence;) {
        token op = p->tok;
        constant right;
        if (!hw_ptx_next(p) || !parse_binary(p, precedence + 1, &right) || !apply_binary(p, &op, out, &right))
            return false;
    }
    return true;
}

static bool parse_conditional(parser *p, constant *out) {
    bool taken;
    if (!parse_binary(p, 1, out) || !hw_ptx_accept(p, '?', &taken)) return false;
    if (!taken) return true;
    if (p->expression_depth >= MAX_EXPRESSION_DEPTH) {
        return hw_ptx_fail(p, HW_MALFORMED, p->tok.line, "the expression is nested too deeply");
    }
    p->expression_depth++;
    constant yes, no;
    if (!parse_conditional(p, &yes) || !hw_ptx_expect(p, ':') || !parse_conditional(p, &no)) return false;
    *out = is_true(out) ? yes : no;
    p->expression_depth--;
    return true;
}

bool hw_ptx_parse_constant(parser *p, constant *out) {
    p->expression_depth = 0;
    return parse_conditional(p, out);
}

bool hw_ptx_parse_int(parser *p, int64_t *out) {
    constant v;
    int line = p->tok.line;
    if (!hw_ptx_parse_constant(p, &v)) return false;
    if (v.kind != TOKEN_INT) return hw_ptx_fail(p, HW_MALFORMED, line, "an integer is needed here");
    *out = (int64_t)v.bits;
    return true;
}

bool hw_ptx_constant_bits(const constant *value, hw_type type, uint64_t *bits) {
    unsigned width = hw_type_bits(type);
    if (type == HW_T_PRED) {
        *bits = value->bits != 0;
        return value->kind == TOKEN_INT;
    }
    if (type == HW_T_F32 && value->kind != TOKEN_INT) {
        float f = (float)as_double(value);
        uint32_t low;
        memcpy(&low, &f, sizeof low);
        *bits = value->kind == TOKEN_SINGLE ? value->bits : low;   // unconverted, so that NaNs keep their bits
        return true;
    }
    if (type == HW_T_F64 && value->kind != TOKEN_INT) {
        double d = as_double(value);
        memcpy(bits, &d, sizeof d);
        if (value->kind == TOKEN_DOUBLE) *bits = value->bits;
        return true;
    }
    if ((type == HW_T_B32 && value->kind == TOKEN_SINGLE) || (type == HW_T_B64 && value->kind == TOKEN_DOUBLE)) {
        *bits = value->bits;
        return true;
    }
    *bits = width < 64 ? value->bits & ((UINT64_C(1) << width) - 1) : value->bits;
    return value->kind == TOKEN_INT && width <= 64 && hw_type_kind_of(type) != HW_KIND_F;
}
