// Values as programs read them: CSV (RFC 4180) and JSON.
#include "report/fields.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "report/text.h"

// ---- CSV ------------------------------------------------------------------------------------------------------------

static void write_csv_text(const char *text, bool is_quoted, FILE *out) {
    if (!is_quoted && !strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

// What most cells are, at half of what printf takes.
static void write_csv_integer(uint64_t value, FILE *out) {
    char digits[HW_REPORT_NUMBER], *const end = digits + sizeof digits, *at = end;
    do *--at = (char)('0' + value % 10);
    while (value /= 10);
    fwrite(at, 1, (size_t)(end - at), out);
}

static void write_csv_real(const hw_field *field, double number, FILE *out) {
    char digits[HW_REPORT_NUMBER];
    if (field->how & HW_FIELD_PADDED) hw_report_fixed(number, field->decimals, digits, sizeof digits);
    else if (field->how & HW_FIELD_DIGITS) hw_report_significant(number, field->decimals, digits, sizeof digits);
    else if (field->how & HW_FIELD_EXPONENT) hw_report_exponent(number, field->decimals, digits, sizeof digits);
    else hw_report_trimmed(number, field->decimals, digits, sizeof digits);
    fputs(digits, out);
}

static void write_csv_value(const hw_field *field, const hw_value *value, FILE *out) {
    char capability[HW_REPORT_NUMBER];
    const uint32_t *n = value->shape;
    if (value->is_absent && !(field->how & HW_FIELD_ALWAYS)) return;
    switch (value->kind) {
    case HW_VALUE_INTEGER:
    case HW_VALUE_FLAG: write_csv_integer(value->integer, out); break;
    case HW_VALUE_CAPABILITY:
        fputs(hw_report_capability((int)value->integer, capability, sizeof capability), out);
        break;
    case HW_VALUE_REAL:
    case HW_VALUE_PAIR: write_csv_real(field, value->real, out); break;
    case HW_VALUE_TEXT: write_csv_text(value->text, field->how & HW_FIELD_QUOTED, out); break;
    case HW_VALUE_SHAPE: fprintf(out, "(%u %u %u)", n[0], n[1], n[2]); break;
    case HW_VALUE_PLANE: fprintf(out, "%ux%u", n[0], n[1]); break;
    }
}

void hw_csv_write_keys(const hw_field *fields, size_t n_fields, FILE *out) {
    for (size_t i = 0; i < n_fields; i++) fprintf(out, "%s%s", i ? "," : "", fields[i].column->key);
    fputc('\n', out);
}

void hw_csv_write_row(const hw_field *fields, size_t n_fields, const void *subject, FILE *out) {
    for (size_t i = 0; i < n_fields; i++) {
        const hw_value value = hw_column_value(fields[i].column, subject);
        if (i) fputc(',', out);
        write_csv_value(&fields[i], &value, out);
    }
    fputc('\n', out);
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

json_t *hw_json_text(const char *text) {
    json_t *string = json_string(text);
    if (string) return string;
    size_t length = strlen(text);
    char *plain = hw_malloc(length + 1);
    for (size_t i = 0; plain && i <= length; i++) plain[i] = (signed char)text[i] < 0 ? '?' : text[i];
    string = plain ? json_string(plain) : NULL;
    hw_free(plain);
    return string;
}

static json_t *json_of_real(const hw_field *field, double number) {
    if (!isfinite(number)) return json_null();
    return json_real(field->how & HW_FIELD_WHOLE ? number : hw_report_rounded(number, field->decimals));
}

static json_t *json_of_value(const hw_field *field, const hw_value *value) {
    char capability[HW_REPORT_NUMBER];
    const uint32_t *n = value->shape;
    if (value->is_absent && !(field->how & HW_FIELD_ALWAYS)) return json_null();
    switch (value->kind) {
    case HW_VALUE_INTEGER: return json_integer((json_int_t)value->integer);
    case HW_VALUE_FLAG: return json_boolean(value->integer);
    case HW_VALUE_CAPABILITY:
        return json_string(hw_report_capability((int)value->integer, capability, sizeof capability));
    case HW_VALUE_REAL:
    case HW_VALUE_PAIR: return json_of_real(field, value->real);
    case HW_VALUE_TEXT: return hw_json_text(value->text);
    case HW_VALUE_SHAPE: return json_pack("[I, I, I]", (json_int_t)n[0], (json_int_t)n[1], (json_int_t)n[2]);
    case HW_VALUE_PLANE: return json_pack("[I, I]", (json_int_t)n[0], (json_int_t)n[1]);
    }
    return NULL;
}

int hw_json_put_row(json_t *object, const hw_field *fields, size_t n_fields, const void *subject) {
    int failed = 0;
    for (size_t i = 0; i < n_fields && !failed; i++) {
        const hw_value value = hw_column_value(fields[i].column, subject);
        if (value.is_absent && (fields[i].how & HW_FIELD_LEFT_OUT)) continue;
        failed = json_object_set_new(object, fields[i].column->key, json_of_value(&fields[i], &value));
    }
    return failed;
}
