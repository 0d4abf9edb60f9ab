// A column of a report, as data: what it is called in each format, and the function that makes its values.
#ifndef HW_REPORT_COLUMN_H
#define HW_REPORT_COLUMN_H

#include "report/grid.h"
#include "report/value.h"

// How a column's cells look in tables, beside HW_GRID_LEFT and the others.
enum {
    HW_LOOK_ZERO = 1 << 6,       // 0 says something: an integer that is 0 is not shown as "-"
    HW_LOOK_SIGNATURE = 1 << 7,  // a text is a kernel's signature, shown without result type and parameters
    // Bytes, which are "37.7 MB" unless:
    HW_LOOK_EXACT = 1 << 8,      // "4224 B"
    HW_LOOK_HEADED = 1 << 9,     // "4224": the heading has named the unit
    HW_LOOK_TENTHS = 1 << 10,    // kB or MB with a decimal, however many: "8.4 MB", "1073.7 MB"
    HW_LOOK_BINARY = 1 << 11,    // "256 KiB", "4 MiB" where they are so many, else "300000 B"
    HW_LOOK_SOLD = 1 << 12,      // as products are sold: "80 GB", "768 KB" of 1024 bytes each
    // Reals, which have the decimals that suit their unit unless:
    HW_LOOK_FINE = 1 << 13,      // those that suit a measurement: "5.42", "99.9", "1287"
    HW_LOOK_COARSE = 1 << 14,    // one up to 100, then none
    HW_LOOK_TIDY = 1 << 15,      // none of whole numbers, of others one
    HW_LOOK_DIGITS = 1 << 16,    // whole numbers whole, others with four digits
    HW_LOOK_EXPONENT = 1 << 17,  // "1.2e-07"
    HW_LOOK_DECIMALS = 1 << 18,  // HW_LOOK_FIXED(n): always n
};
#define HW_LOOK_FIXED(n) ((unsigned)HW_LOOK_DECIMALS * (1u + (n)))   // n up to 9

typedef struct hw_column {
    const char *key;             // in CSV and JSON; "": it is in tables alone
    hw_grid_column heading;      // empty: the column is in no table, or has no name there
    int since, until;            // compute capabilities whose tables show it; of a counter, also CSV and JSON; of
                                 // columns that are not a profile's: 0, and it is chosen by the table
    hw_unit unit;
    // The value, but for its unit; subject is what the column's report says it is of.
    hw_value (*read)(const struct hw_column *column, const void *subject);
    uint8_t of[2][4];            // what read takes, by number: of a profile counters, [1] of stores, [0] of loads and
                                 // of both together
    const char *meaning;         // one line, without a full stop; of a profile's columns
} hw_column;

// The column's value, in its unit.
static inline hw_value hw_column_value(const hw_column *column, const void *subject) {
    hw_value value = column->read(column, subject);
    value.unit = column->unit;
    return value;
}

#endif
