// Numbers and names as reports show them.
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text.h"

static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

// The nearest whole number to value times a power of ten. The product may be rounded to the middle between two; fma
// tells on which side of it the number lies.
static double scaled_number(double value, int decimals) {
    const double number = value > 0 ? value : 0, product = number * powers[decimals], nearest = nearbyint(product);
    const double rest = product - nearest;
    if (fabs(rest) != 0.5) return nearest;
    const double lost = fma(number, powers[decimals], -product);
    return rest > 0 && lost > 0 ? nearest + 1 : rest < 0 && lost < 0 ? nearest - 1 : nearest;
}

double hw_report_rounded(double value, int decimals) { return scaled_number(value, decimals) / powers[decimals]; }

const char *hw_report_fixed(double value, int decimals, char *out, size_t out_bytes) {
    double scaled = scaled_number(value, decimals);
    if (!(scaled < 1.8e19)) {   // not a number, or too large to split
        snprintf(out, out_bytes, "%s", value > 0 ? "inf" : "0");
        return out;
    }
    unsigned long long digits = (unsigned long long)scaled, unit = (unsigned long long)powers[decimals];
    if (decimals) snprintf(out, out_bytes, "%llu.%0*llu", digits / unit, decimals, digits % unit);
    else snprintf(out, out_bytes, "%llu", digits);
    return out;
}

const char *hw_report_trimmed(double value, int decimals, char *out, size_t out_bytes) {
    hw_report_fixed(value, decimals, out, out_bytes);
    if (!strchr(out, '.')) return out;
    char *end = out + strlen(out);
    while (end[-1] == '0') *--end = 0;
    if (end[-1] == '.') end[-1] = 0;
    return out;
}

// Puts a '.' where the locale has something else.
static const char *mend_point(char *number) {
    const char *point = localeconv()->decimal_point;
    const size_t length = strlen(point);
    char *at = strstr(number, point);
    if (!at || !strcmp(point, ".")) return number;
    *at = '.';
    memmove(at + 1, at + length, strlen(at + length) + 1);
    return number;
}

const char *hw_report_significant(double value, int digits, char *out, size_t out_bytes) {
    snprintf(out, out_bytes, "%.*g", digits, value);
    return mend_point(out);
}

const char *hw_report_exponent(double value, int decimals, char *out, size_t out_bytes) {
    snprintf(out, out_bytes, "%.*e", decimals, value);
    return mend_point(out);
}

const char *hw_report_bytes(uint64_t bytes, char *out, size_t out_bytes) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    char number[HW_REPORT_NUMBER];
    double value = (double)bytes;
    int unit = 0;
    while (value >= 999.5 && unit < 6) {
        value /= 1000;
        unit++;
    }
    hw_report_fixed(value, unit && value < 99.95 ? 1 : 0, number, sizeof number);
    snprintf(out, out_bytes, "%s %s", number, units[unit]);
    return out;
}

const char *hw_report_tenths(uint64_t bytes, char *out, size_t out_bytes) {
    const bool is_small = bytes < 100000;
    char number[HW_REPORT_NUMBER];
    hw_report_fixed((double)bytes / (is_small ? 1e3 : 1e6), 1, number, sizeof number);
    snprintf(out, out_bytes, "%s %s", number, is_small ? "kB" : "MB");
    return out;
}

const char *hw_report_binary(uint64_t bytes, char *out, size_t out_bytes) {
    const uint64_t kib = 1 << 10, mib = 1 << 20;
    if (bytes >= mib && bytes % mib == 0) snprintf(out, out_bytes, "%" PRIu64 " MiB", bytes / mib);
    else if (bytes >= kib && bytes % kib == 0) snprintf(out, out_bytes, "%" PRIu64 " KiB", bytes / kib);
    else snprintf(out, out_bytes, "%" PRIu64 " B", bytes);
    return out;
}

const char *hw_report_sold(uint64_t bytes, char *out, size_t out_bytes) {
    static const char units[] = "KMG";
    enum { DIGITS = 3 };
    char number[HW_REPORT_NUMBER];
    double size = (double)(bytes >> 10);
    int unit = 0;
    for (; size >= 1000 && unit < 2; unit++) size /= 1024;
    snprintf(out, out_bytes, "%s %cB", hw_report_significant(size, DIGITS, number, sizeof number), units[unit]);
    return out;
}

const char *hw_report_capability(int cc, char *out, size_t out_bytes) {
    snprintf(out, out_bytes, "%d.%d", cc / 10, cc % 10);
    return out;
}

const char *hw_report_shape(const uint32_t shape[3], char *out, size_t out_bytes) {
    if (shape[2] > 1) snprintf(out, out_bytes, "%ux%ux%u", shape[0], shape[1], shape[2]);
    else if (shape[1] > 1) snprintf(out, out_bytes, "%ux%u", shape[0], shape[1]);
    else snprintf(out, out_bytes, "%u", shape[0]);
    return out;
}

// The index of the bracket that opens the list of parameters, whose closing bracket ends the name; length when there is
// none.
static size_t parameters_at(const char *name, size_t length) {
    size_t depth = 0;
    if (!length || name[length - 1] != ')') return length;
    for (size_t i = length; i-- > 0;) {
        depth += name[i] == ')';
        depth -= name[i] == '(';
        if (!depth) return i;
    }
    return length;
}

const char *hw_report_short_name(const char *kernel, char *out, size_t out_bytes) {
    size_t end = parameters_at(kernel, strlen(kernel)), start = 0;
    int depth = 0;
    if (!end) end = strlen(kernel);
    for (size_t i = 0; i < end; i++) {
        depth += kernel[i] == '<' || kernel[i] == '(';
        depth -= kernel[i] == '>' || kernel[i] == ')';
        if (kernel[i] == ' ' && depth == 0) start = i + 1;
    }
    snprintf(out, out_bytes, "%.*s", (int)(end - start), kernel + start);
    return out;
}

// Characters, not bytes, of UTF-8.
static size_t count_characters(const char *text) {
    size_t n = 0;
    for (; *text; text++) n += (*text & 0xc0) != 0x80;
    return n;
}

// The byte where character n begins.
static size_t byte_of(const char *text, size_t n) {
    size_t i = 0;
    for (; text[i]; i++)
        if ((text[i] & 0xc0) != 0x80 && n-- == 0) break;
    return i;
}

const char *hw_report_shorten(const char *text, size_t width, bool keep_end, char *out, size_t out_bytes) {
    size_t n = count_characters(text);
    if (n <= width) snprintf(out, out_bytes, "%s", text);
    else if (keep_end) snprintf(out, out_bytes, "...%s", text + byte_of(text, n - width + 3));
    else snprintf(out, out_bytes, "%.*s...", (int)byte_of(text, width - 3), text);
    return out;
}
