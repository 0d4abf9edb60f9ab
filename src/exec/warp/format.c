// Device-side printf: one conversion at a time, each handed to the host's snprintf with a checked specification.
#include "exec/warp/format.h"

#include <stdio.h>
#include <string.h>

#include "base/integers.h"
#include "base/text.h"

typedef struct arguments {
    uint64_t at;
    const hw_format_source *source;
    int used;
} arguments;

static uint64_t take_argument(arguments *a, uint32_t bytes) {
    uint64_t value = 0;
    a->at = hw_align_up(a->at, bytes);
    a->source->read_bytes(a->source->context, a->at, &value, bytes);
    a->at += bytes;
    a->used++;
    return value;
}

// One conversion, from behind its '%'.
typedef struct conversion {
    char flags[8];
    int width, precision;      // -1: none
    bool is_long;              // l, ll, z, j, t: 8 bytes
    int shorter;               // h: 1, hh: 2
    char letter;
    const char *end;
} conversion;

static int read_number(const char **p) {
    int n = 0;
    while (**p >= '0' && **p <= '9') {
        if (n < 100000) n = n * 10 + (**p - '0');
        (*p)++;
    }
    return n;
}

static conversion parse_conversion(const char *p, arguments *a) {
    conversion c = {.width = -1, .precision = -1};
    size_t n = 0;
    for (; *p && strchr("-+ #0", *p); p++)
        if (n < sizeof c.flags - 1 && !strchr(c.flags, *p)) c.flags[n++] = *p;
    if (*p == '*') {
        c.width = (int32_t)take_argument(a, 4);
        p++;
        if (c.width < 0) {
            c.width = c.width < -4095 ? 4095 : -c.width;
            if (n < sizeof c.flags - 1) c.flags[n++] = '-';
        }
    } else if (*p >= '1' && *p <= '9') {
        c.width = read_number(&p);
    }
    if (*p == '.') {
        p++;
        if (*p == '*') {
            c.precision = (int32_t)take_argument(a, 4);
            p++;
        } else {
            c.precision = read_number(&p);
        }
    }
    for (; *p && strchr("hlLjzt", *p); p++) {
        if (*p == 'h') c.shorter++;
        else c.is_long = true;
    }
    c.letter = *p;
    c.end = *p ? p + 1 : p;
    if (c.width > 4095) c.width = 4095;
    if (c.precision > 4095) c.precision = 4095;
    return c;
}

static void put_integer(hw_text *w, const conversion *c, arguments *a) {
    uint64_t value = take_argument(a, c->is_long ? 8 : 4);
    bool is_signed = c->letter == 'd' || c->letter == 'i';
    if (!c->is_long) value = is_signed ? (uint64_t)(int64_t)(int32_t)value : (uint32_t)value;
    if (c->shorter == 1) value = is_signed ? (uint64_t)(int64_t)(int16_t)value : (uint16_t)value;
    if (c->shorter >= 2) value = is_signed ? (uint64_t)(int64_t)(int8_t)value : (uint8_t)value;
    char spec[32];
    snprintf(spec, sizeof spec, "%%%s%s%s%s%c", c->flags, c->width >= 0 ? "*" : "", c->precision >= 0 ? ".*" : "", "ll",
             c->letter);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
    if (c->width >= 0 && c->precision >= 0) hw_text_put(w, spec, c->width, c->precision, (unsigned long long)value);
    else if (c->width >= 0) hw_text_put(w, spec, c->width, (unsigned long long)value);
    else if (c->precision >= 0) hw_text_put(w, spec, c->precision, (unsigned long long)value);
    else hw_text_put(w, spec, (unsigned long long)value);
#pragma GCC diagnostic pop
}

static void put_double(hw_text *w, const conversion *c, arguments *a) {
    uint64_t bits = take_argument(a, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    char spec[32];
    snprintf(spec, sizeof spec, "%%%s%s%s%c", c->flags, c->width >= 0 ? "*" : "", c->precision >= 0 ? ".*" : "",
             c->letter);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
    if (c->width >= 0 && c->precision >= 0) hw_text_put(w, spec, c->width, c->precision, value);
    else if (c->width >= 0) hw_text_put(w, spec, c->width, value);
    else if (c->precision >= 0) hw_text_put(w, spec, c->precision, value);
    else hw_text_put(w, spec, value);
#pragma GCC diagnostic pop
}

static void put_string(hw_text *w, const conversion *c, arguments *a) {
    char text[1024];
    uint64_t at = take_argument(a, 8);
    if (!at) snprintf(text, sizeof text, "(null)");
    else if (!a->source->read_string(a->source->context, at, text, sizeof text)) return;
    int precision = c->precision >= 0 ? c->precision : (int)sizeof text;
    bool left = strchr(c->flags, '-');
    hw_text_put(w, left ? "%-*.*s" : "%*.*s", c->width >= 0 ? c->width : 0, precision, text);
}

int hw_format(const char *format, uint64_t address, const hw_format_source *source, char *text, size_t size) {
    hw_text w = hw_text_in(text, size);
    arguments a = {address, source, 0};
    for (const char *p = format; *p;) {
        if (*p != '%' || p[1] == '%') {
            const size_t plain = *p == '%' ? 1 : strcspn(p, "%");
            hw_text_put(&w, "%.*s", (int)plain, p);
            p += *p == '%' ? 2 : plain;
            continue;
        }
        conversion c = parse_conversion(p + 1, &a);
        if (c.letter && strchr("diouxX", c.letter)) put_integer(&w, &c, &a);
        else if (c.letter && strchr("fFeEgGaA", c.letter)) put_double(&w, &c, &a);
        else if (c.letter == 'c')
            hw_text_put(&w, "%*c", strchr(c.flags, '-') ? -c.width : c.width, (int)(uint8_t)take_argument(&a, 4));
        else if (c.letter == 's') put_string(&w, &c, &a);
        else if (c.letter == 'p')
            hw_text_put(&w, "%*p", c.width > 0 ? c.width : 0, (void *)(uintptr_t)take_argument(&a, 8));
        else hw_text_put(&w, "%.*s", (int)(c.end - p), p);
        p = c.end;
    }
    return a.used;
}
