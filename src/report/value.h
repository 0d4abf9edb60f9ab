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
    HW_UNIT_NS,          // nanoseconds
    HW_UNIT_US,          // microseconds
    HW_UNIT_MS,          // milliseconds
    HW_UNIT_GBS,         // 10^9 bytes per second; of other things, 10^9 or 10^12 of them
    HW_UNIT_MHZ,
    HW_UNIT_PERCENT,
    HW_UNIT_SHARE,       // of a whole, which is 1; tables show percent
    HW_UNIT_TIMES,       // so many times what would do, or as fast
} hw_unit;

typedef enum hw_value_kind {
    HW_VALUE_INTEGER,    // integer
    HW_VALUE_FLAG,       // integer: 0 or 1
    HW_VALUE_CAPABILITY, // integer: 90 for compute capability 9.0
    HW_VALUE_REAL,       // real
    HW_VALUE_PAIR,       // real, and beside it another: as it is, what would do; of loads, of stores
    HW_VALUE_TEXT,       // text
    HW_VALUE_SHAPE,      // shape: three extents
    HW_VALUE_PLANE,      // shape: two extents, both written whatever they are
} hw_value_kind;

// Is time lost there? Idle: the number is beside the point, as a limit that does not limit.
typedef enum hw_judgement { HW_JUDGED_PLAIN, HW_JUDGED_GOOD, HW_JUDGED_BAD, HW_JUDGED_IDLE } hw_judgement;

typedef struct hw_value {
    hw_value_kind kind;
    hw_unit unit;
    bool is_absent;              // it was not counted or estimated, or there is no such thing; numbers are 0 then, but
                                 // for sums of launches of which some stopped early, which are of the others
    bool is_estimate;            // of a column whose other values may be exact: "~16"
    bool is_assumed;             // nobody told it: "0?"
    bool is_best;                // of its kind: "*32x8"
    hw_judgement judgement;
    uint64_t integer;
    double real, beside;
    const char *text;            // lives as long as the report or as what the column was given to write to
    const char *over;            // what a number of times is over, by name: "1.88x on tile"; NULL: it has none
    const char *remark;          // stands behind a text, or in place of what is absent; NULL: none
    const uint32_t *shape;
} hw_value;

static inline hw_value hw_value_integer(uint64_t number) {
    return (hw_value){.kind = HW_VALUE_INTEGER, .integer = number};
}
static inline hw_value hw_value_flag(bool is_set) { return (hw_value){.kind = HW_VALUE_FLAG, .integer = is_set}; }
static inline hw_value hw_value_capability(int cc) {
    return (hw_value){.kind = HW_VALUE_CAPABILITY, .integer = (uint64_t)cc};
}
static inline hw_value hw_value_real(double number) { return (hw_value){.kind = HW_VALUE_REAL, .real = number}; }
static inline hw_value hw_value_pair(double number, double beside) {
    return (hw_value){.kind = HW_VALUE_PAIR, .real = number, .beside = beside};
}
// NULL: an empty one.
static inline hw_value hw_value_text(const char *text) {
    return (hw_value){.kind = HW_VALUE_TEXT, .text = text ? text : ""};
}
static inline hw_value hw_value_shape(const uint32_t extents[3]) {
    return (hw_value){.kind = HW_VALUE_SHAPE, .shape = extents};
}
static inline hw_value hw_value_plane(const uint32_t extents[2]) {
    return (hw_value){.kind = HW_VALUE_PLANE, .shape = extents};
}
static inline hw_value hw_value_nothing(void) { return (hw_value){.kind = HW_VALUE_INTEGER, .is_absent = true}; }

// The value where there is one, else nothing.
static inline hw_value hw_value_where(bool is_there, hw_value value) { return is_there ? value : hw_value_nothing(); }

// A number that is not 0, which stands for none.
static inline hw_value hw_value_positive(double number) {
    return hw_value_where(number > 0, hw_value_real(number));
}

static inline hw_value hw_value_judged(hw_value value, hw_judgement judgement) {
    value.judgement = judgement;
    return value;
}

// How much more than the ideal: to 5% good, from twice on bad.
static inline hw_judgement hw_judge_ratio(double actual, double ideal) {
    const double ratio = ideal > 0 ? actual / ideal : 1;
    return ratio <= 1.05 ? HW_JUDGED_GOOD : ratio >= 2 ? HW_JUDGED_BAD : HW_JUDGED_PLAIN;
}

// Warps held of the warps possible.
static inline hw_judgement hw_judge_occupancy(double pct) {
    return pct >= 50 ? HW_JUDGED_GOOD : pct < 25 ? HW_JUDGED_BAD : HW_JUDGED_PLAIN;
}

#endif
