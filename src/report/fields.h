// What programs read: a row of values as a line of CSV, or as members of an object of JSON.
#ifndef HW_REPORT_FIELDS_H
#define HW_REPORT_FIELDS_H

#include <jansson.h>

#include "report/column.h"

// When a field is there, and how it is written.
enum {
    HW_FIELD_ALWAYS = 1,         // its number even where it is absent, which is 0 then
    HW_FIELD_LEFT_OUT = 2,       // JSON: not there where it is absent, which is null else; CSV has nothing either way
    HW_FIELD_QUOTED = 4,         // CSV: in quotes, whatever the text is
    // Reals have up to so many decimals, zeros at the end left out, unless:
    HW_FIELD_PADDED = 8,         // CSV: all of its decimals
    HW_FIELD_DIGITS = 16,        // CSV: as printf's %g, with `decimals` digits
    HW_FIELD_EXPONENT = 32,      // CSV: as printf's %e
    HW_FIELD_WHOLE = 64,         // JSON: not rounded, but to the digits that the whole report has
    // Of a profile's lists, which hw_report_choose_fields resolves:
    HW_FIELD_COUNTERS = 256,     // stands for all counters that the GPU has a column for
    HW_FIELD_PARTITIONS = 512,   // of GPUs whose partitions are counted
    HW_FIELD_APART = 1024,       // of lines that are counted for other launches than all of a kernel
};

typedef struct hw_field {
    const hw_column *column;
    uint8_t decimals;
    uint16_t how;
} hw_field;

#define HW_FIELD_ALL_COUNTERS {NULL, 0, HW_FIELD_COUNTERS}

// The line of keys, and that of the values of a subject.
void hw_csv_write_keys(const hw_field *fields, size_t n_fields, FILE *out);
void hw_csv_write_row(const hw_field *fields, size_t n_fields, const void *subject, FILE *out);

// Adds the fields to the object. 0, or -1 when memory ran out.
int hw_json_put_row(json_t *object, const hw_field *fields, size_t n_fields, const void *subject);

// A text that may be no UTF-8, which JSON has to be: every other byte is a '?' then. NULL: out of memory.
json_t *hw_json_text(const char *text);

#endif
