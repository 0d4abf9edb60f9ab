// Decimal numbers, correctly rounded, in no locale.
//
// At most 19 digits are an integer w. With w <= 2^53 and a power of ten of at most 22 both are exact in double, so that
// one multiplication or division rounds once (Clinger, "How to read floating point numbers accurately", 1990).
// Everything else is left to strtod in the C locale.
#define _GNU_SOURCE
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/points_internal.h"

enum { MAX_DIGITS = 19, MAX_POWER = 22, MAX_LENGTH = 2000 };

typedef struct decimal {
    bool is_negative, is_exact;   // is_exact: w has all digits
    uint64_t w;
    int exponent;                 // of ten; kept within +-100,000
} decimal;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Digits with one point among them. False: no digit.
static bool scan_digits(const char **at, const char *end, decimal *d) {
    int digits = 0, behind_point = 0;
    bool has_point = false, has_any = false;
    for (; *at < end && (is_digit(**at) || (**at == '.' && !has_point)); (*at)++) {
        if (**at == '.') {
            has_point = true;
            continue;
        }
        has_any = true;
        if (digits < MAX_DIGITS) {
            d->w = d->w * 10 + (uint64_t)(**at - '0');
            if (d->w) digits++;
            behind_point += has_point;
        } else {
            if (**at != '0') d->is_exact = false;
            behind_point -= !has_point;
        }
    }
    d->exponent = -behind_point;
    return has_any;
}

static bool scan_exponent(const char **at, const char *end, decimal *d) {
    enum { MOST = 100000 };
    bool is_negative = false;
    int value = 0;
    if (*at == end || (**at != 'e' && **at != 'E')) return true;
    (*at)++;
    if (*at < end && (**at == '+' || **at == '-')) is_negative = *(*at)++ == '-';
    if (*at == end || !is_digit(**at)) return false;
    for (; *at < end && is_digit(**at); (*at)++) value = value < MOST ? value * 10 + (**at - '0') : value;
    d->exponent += is_negative ? -value : value;
    return true;
}

static bool word_number(hw_span text, bool is_negative, double *value) {
    if (hw_span_is(text, "inf") || hw_span_is(text, "infinity")) *value = is_negative ? -INFINITY : INFINITY;
    else if (hw_span_is(text, "nan")) *value = NAN;
    else return false;
    return true;
}

static bool by_library(hw_span text, bool as_f32, double *value) {
    char copy[MAX_LENGTH + 1];
    const size_t length = (size_t)(text.end - text.begin);
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c) return false;
    memcpy(copy, text.begin, length);
    copy[length] = 0;
    *value = as_f32 ? strtof_l(copy, NULL, c) : strtod_l(copy, NULL, c);
    freelocale(c);
    return true;
}

// Whether a double that was rounded once can be rounded to float as if it had not been: not at the middle of two
// floats, and no denormal float.
static bool rounds_again(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & 0x1fffffff) != 0x10000000 && fabs(x) >= 0x1p-126;
}

bool hw_points_number(hw_span text, bool as_f32, double *value) {
    static const double power[MAX_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    decimal d = {.is_exact = true};
    const char *at = text.begin;
    if (text.end - text.begin > MAX_LENGTH) return false;
    if (at < text.end && (*at == '+' || *at == '-')) d.is_negative = *at++ == '-';
    if (!scan_digits(&at, text.end, &d)) return word_number((hw_span){at, text.end}, d.is_negative, value);
    if (!scan_exponent(&at, text.end, &d) || at != text.end) return false;
    if (!d.is_exact || d.w > (uint64_t)1 << 53 || d.exponent < -MAX_POWER || d.exponent > MAX_POWER)
        return by_library(text, as_f32, value);
    double x = (double)d.w;
    x = d.exponent < 0 ? x / power[-d.exponent] : x * power[d.exponent];
    if (as_f32 && x != 0 && !rounds_again(x)) return by_library(text, as_f32, value);
    if (as_f32) x = (float)x;
    *value = d.is_negative ? -x : x;
    return true;
}
