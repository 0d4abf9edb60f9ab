// The columns of a ladder, as data; what its tables, CSV and JSON consist of.
#ifndef HW_CLI_LADDER_COLUMNS_H
#define HW_CLI_LADDER_COLUMNS_H

#include "ladders/ladder_report.h"
#include "report/columns.h"
#include "report/sheet.h"

// What columns read: hw_row.of, whose rows are the ladder's.
typedef struct hw_cli_ladder_view {
    const hw_ladder *ladder;
    const hw_family *family;
    hw_cli_ladder_unit unit;
    char dtype[32], size[96], counted_size[96];   // counted_size "": nothing was counted
} hw_cli_ladder_view;
hw_cli_ladder_view hw_cli_ladder_look(const hw_ladder *ladder, const hw_family *family);

// A row of ladder_columns.def.
typedef enum hw_cli_ladder_column {
#define HW_COLUMN(id, ...) HW_LADDER_##id,
#include "ladders/ladder_columns.def"
#undef HW_COLUMN
    HW_LADDER_COLUMNS
} hw_cli_ladder_column;
extern const hw_column hw_cli_ladder_columns[HW_LADDER_COLUMNS];

// The counters, under their names.
extern const hw_column hw_cli_ladder_counters[HW_COUNTERS];

// What the family tells of its rungs. Returns how many columns; names has room for their texts.
typedef struct hw_cli_fact_names {
    char keys[HW_FAMILY_FACTS][64], tops[HW_FAMILY_FACTS][48];
} hw_cli_fact_names;
int hw_cli_ladder_facts(const hw_family *family, hw_cli_fact_names *names, hw_column columns[HW_FAMILY_FACTS]);

// The formats for programs (ladder_data.c). False: out of memory.
void hw_cli_ladder_write_csv(const hw_cli_ladder_view *view, FILE *out);
bool hw_cli_ladder_write_json(const hw_cli_ladder_view *view, const hw_ladder_advice *advice, FILE *out);

#endif
