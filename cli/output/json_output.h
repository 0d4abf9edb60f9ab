// The end of a report in JSON.
#ifndef HW_CLI_JSON_OUTPUT_H
#define HW_CLI_JSON_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// Writes object, which is taken, and ends the line; numbers with so many digits. is_whole false: memory ran out while
// the object was filled, and nothing of it is written. False then, or when writing failed.
bool hw_cli_finish_json(json_t *object, bool is_whole, int digits, FILE *out);

#endif
