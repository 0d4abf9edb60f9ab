// Types of elements by name, and their values as numbers.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "op/common/family.h"

typedef struct dtype_row {
    const char *name;
    uint8_t code, bits;
} dtype_row;

// Columns: name, DLPack's code, bits.
static const dtype_row rows[] = {
    {"f16", kDLFloat, 16},    {"bf16", kDLBfloat, 16},   {"f32", kDLFloat, 32}, {"f64", kDLFloat, 64},
    {"c64", kDLComplex, 64},  {"c128", kDLComplex, 128}, {"u8", kDLUInt, 8},    {"u16", kDLUInt, 16},
    {"u32", kDLUInt, 32},     {"u64", kDLUInt, 64},      {"i8", kDLInt, 8},     {"i16", kDLInt, 16},
    {"i32", kDLInt, 32},      {"i64", kDLInt, 64},
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

bool hw_dtype_find(const char *name, DLDataType *dtype) {
    for (int i = 0; i < N_ROWS; i++) {
        if (strcmp(rows[i].name, name)) continue;
        *dtype = (DLDataType){rows[i].code, rows[i].bits, 1};
        return true;
    }
    return false;
}

const char *hw_dtype_name(DLDataType dtype, char *text, size_t text_bytes) {
    const bool is_bool = dtype.code == HW_BOOL && dtype.bits == 8;   // of reductions alone: hw_dtype_find has it not
    if (is_bool) snprintf(text, text_bytes, "bool");
    else snprintf(text, text_bytes, "type %u of %u bits", dtype.code, dtype.bits);
    for (int i = 0; i < N_ROWS; i++)
        if (rows[i].code == dtype.code && rows[i].bits == dtype.bits) snprintf(text, text_bytes, "%s", rows[i].name);
    return text;
}

// ---- 16-bit floating point ----

static double get_f16(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 31 ? (fraction ? NAN : INFINITY)
                 : exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits >> 15 ? -value : value;
}

// Rounds to nearest, ties to even; 65520 and more become infinite.
static uint16_t set_f16(double value) {
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    if (isnan(value)) return 0x7e00;
    if (size >= 65520) return sign | 0x7c00;
    int exponent = size < ldexp(1, -14) ? -14 : ilogb(size);
    long steps = lrint(ldexp(size, 10 - exponent));   // 1024 to 2048, less for subnormal numbers
    return (uint16_t)(sign | (((exponent + 14) << 10) + steps));
}

static double get_bf16(uint16_t bits) {
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

static uint16_t set_bf16(double value) {
    float narrow = (float)value;
    uint32_t wide;
    memcpy(&wide, &narrow, sizeof wide);
    if (isnan(narrow)) return 0x7fc0;
    return (uint16_t)((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
}

// ---- any ----

// The types of C. hw_dtype_find knows no type but these, without bool, and those with a case of their own.
#define EACH_PLAIN_TYPE(DO)                                                                                            \
    DO(kDLFloat, 32, float) DO(kDLFloat, 64, double) DO(kDLUInt, 8, uint8_t) DO(kDLUInt, 16, uint16_t)                 \
    DO(kDLUInt, 32, uint32_t) DO(kDLUInt, 64, uint64_t) DO(kDLInt, 8, int8_t) DO(kDLInt, 16, int16_t)                  \
    DO(kDLInt, 32, int32_t) DO(kDLInt, 64, int64_t) DO(HW_BOOL, 8, uint8_t)

double hw_dtype_get(DLDataType dtype, const void *array, uint64_t index) {
    switch ((uint32_t)dtype.code << 8 | dtype.bits) {
#define GET(type_code, type_bits, type)                                                                                \
    case type_code << 8 | type_bits: return (double)((const type *)array)[index];
    EACH_PLAIN_TYPE(GET)
#undef GET
    case kDLFloat << 8 | 16: return get_f16(((const uint16_t *)array)[index]);
    case kDLBfloat << 8 | 16: return get_bf16(((const uint16_t *)array)[index]);
    case kDLComplex << 8 | 64: return ((const float *)array)[2 * index];
    case kDLComplex << 8 | 128: return ((const double *)array)[2 * index];
    default: return 0;
    }
}

void hw_dtype_set(DLDataType dtype, void *array, uint64_t index, double value) {
    switch ((uint32_t)dtype.code << 8 | dtype.bits) {
#define SET(type_code, type_bits, type)                                                                                \
    case type_code << 8 | type_bits: ((type *)array)[index] = (type)value; break;
    EACH_PLAIN_TYPE(SET)
#undef SET
    case kDLFloat << 8 | 16: ((uint16_t *)array)[index] = set_f16(value); break;
    case kDLBfloat << 8 | 16: ((uint16_t *)array)[index] = set_bf16(value); break;
    case kDLComplex << 8 | 64:
        ((float *)array)[2 * index] = (float)value;
        ((float *)array)[2 * index + 1] = 0;
        break;
    case kDLComplex << 8 | 128:
        ((double *)array)[2 * index] = value;
        ((double *)array)[2 * index + 1] = 0;
        break;
    default: break;
    }
}
