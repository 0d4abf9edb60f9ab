// What advice says of each rung, beside what the rungs that build on it come to.
#ifndef HW_CLI_LADDER_ADVICE_H
#define HW_CLI_LADDER_ADVICE_H

#include <jansson.h>

#include "advice/advice.h"
#include "ladder/ladder.h"

enum { HW_LADDER_MOST_ADVICE = 256 };

// One advice on one rung, by the estimate of all of the rung's launches.
typedef struct hw_ladder_advice_row {
    const hw_rung *rung;
    uint32_t block[2];
    hw_advice_id id;
    double before_us, after_us;
    char finding[sizeof((hw_advice *)NULL)->finding];
} hw_ladder_advice_row;

typedef struct hw_ladder_advice {
    hw_ladder_advice_row rows[HW_LADDER_MOST_ADVICE];
    size_t n;
} hw_ladder_advice;

// hw_ladder_options.counted: adds what is advised on a row; context is a hw_ladder_advice. Without memory: nothing.
void hw_cli_ladder_advise(void *context, const hw_ladder_row *row, const hw_report *report);

// An element for each, with its remedy. NULL: out of memory.
json_t *hw_cli_ladder_advice_json(const hw_ladder_advice *advice);
// A table of them below the ladder's.
void hw_cli_ladder_write_advice(const hw_ladder_advice *advice, const hw_ladder *ladder, int width, bool colour,
                                FILE *out);

#endif
