// What programs read: the columns of a row of CSV, or of an object of JSON, in their order.
#ifndef HW_REPORT_FIELDS_H
#define HW_REPORT_FIELDS_H

#include "report/columns.h"

// When a field is there, and how it is written.
enum {
    HW_FIELD_PADDED = 1,         // CSV: with all of its decimals, zeros at the end too
    HW_FIELD_ALWAYS = 2,         // its number even where it is absent, which is 0 then; else CSV has nothing, JSON null
    HW_FIELD_COUNTERS = 4,       // stands for all counters that the GPU has a column for
    HW_FIELD_PARTITIONS = 8,     // of GPUs whose partitions are counted
    HW_FIELD_APART = 16,         // of lines that are counted for other launches than all of a kernel
};

typedef struct hw_field {
    uint8_t column, decimals, how;
} hw_field;

#define HW_FIELD_ALL_COUNTERS {0, 0, HW_FIELD_COUNTERS}

// Calls put for each field that the report has, with what it holds of the subject; subject may be NULL, and so is value
// then. Stops at what is not 0, and returns it.
typedef int (*hw_field_sink)(void *context, const hw_column *column, const hw_field *field, const hw_value *value);
int hw_fields_each(const hw_field *fields, size_t n_fields, const hw_report *report, const hw_subject *subject,
                   hw_field_sink put, void *context);

#endif
