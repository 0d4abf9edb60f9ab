// What a report says, apart from how it looks: a number with its unit, a name or a shape. Columns make values; tables,
// CSV and JSON write them, each in its own way.
#ifndef HW_REPORT_VALUE_H
#define HW_REPORT_VALUE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum hw_unit {
    HW_UNIT_NONE,        // a name, a shape, an ordinal, a mean number of things
    HW_UNIT_COUNT,       // so many things; tables show none as "-"
    HW_UNIT_BYTES,
    HW_UNIT_US,          // microseconds
    HW_UNIT_MS,          // milliseconds
    HW_UNIT_GBS,         // 10^9 bytes per second
    HW_UNIT_PERCENT,
    HW_UNIT_TIMES,       // so many times what would do
} hw_unit;

typedef enum hw_value_kind {
    HW_VALUE_INTEGER,    // integer
    HW_VALUE_FLAG,       // integer: 0 or 1
    HW_VALUE_REAL,       // real
    HW_VALUE_RATIO,      // real, as it is, beside ideal, what would do
    HW_VALUE_TEXT,       // text
    HW_VALUE_SHAPE,      // shape: three extents
} hw_value_kind;

typedef enum hw_judgement { HW_JUDGED_PLAIN, HW_JUDGED_GOOD, HW_JUDGED_BAD } hw_judgement;

typedef struct hw_value {
    hw_value_kind kind;
    hw_unit unit;
    bool is_absent;              // it was not counted or estimated, or there is no such thing; numbers are 0 then, but
                                 // for sums of launches of which some stopped early, which are of the others
    bool is_estimate;            // of a column whose other values may be exact
    hw_judgement judgement;      // is time lost there?
    uint64_t integer;
    double real, ideal;
    const char *text;            // lives as long as the report or as what the column was given to write to
    const char *remark;          // stands behind a text, or in place of what is absent; NULL: none
    const uint32_t *shape;
} hw_value;

#endif
