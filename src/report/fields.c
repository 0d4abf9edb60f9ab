#include "report/fields.h"

static bool is_there(const hw_field *field, const hw_report *report) {
    if ((field->how & HW_FIELD_PARTITIONS) && !hw_counts_partitions(report->gpu)) return false;
    return !(field->how & HW_FIELD_APART) || report->lines_of != HW_LINES_OF_KERNEL;
}

static int put_one(hw_column_id id, const hw_field *field, const hw_subject *subject, hw_field_sink put,
                   void *context) {
    const hw_column *column = &hw_columns[id];
    if (!subject) return put(context, column, field, NULL);
    hw_value value = hw_column_value(column, subject);
    return put(context, column, field, &value);
}

int hw_fields_each(const hw_field *fields, size_t n_fields, const hw_report *report, const hw_subject *subject,
                   hw_field_sink put, void *context) {
    int stopped = 0;
    for (size_t i = 0; i < n_fields && !stopped; i++) {
        const hw_field *field = &fields[i];
        if (!(field->how & HW_FIELD_COUNTERS)) {
            if (is_there(field, report)) stopped = put_one(field->column, field, subject, put, context);
            continue;
        }
        for (int c = 0; c < HW_COUNTERS && !stopped; c++)
            if (hw_counter_is_column((hw_counter)c, report->gpu))
                stopped = put_one((hw_column_id)(HW_COLUMN_COUNT_INST + c), field, subject, put, context);
    }
    return stopped;
}
