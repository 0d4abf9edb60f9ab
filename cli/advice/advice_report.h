// profile's advice, for people and as members of its JSON.
#ifndef HW_CLI_ADVICE_REPORT_H
#define HW_CLI_ADVICE_REPORT_H

#include <stdio.h>

#include "advice/advice.h"

// Sentences below the table, kernel by kernel.
void hw_cli_advice_write(const hw_advice *list, size_t n, int width, bool colour, FILE *out);

// An array of objects (man/halfwarp-columns.7 has their keys), as text, to be freed; NULL: out of memory.
char *hw_cli_advice_json(const hw_advice *list, size_t n);

#endif
