// SARIF 2.1.0 (OASIS), which code hosts and editors show beside the lines: what check finds, and what breaks budgets.
// Functions that return JSON return NULL when out of memory; those that take JSON take NULL for that, and own it then.
#ifndef HW_CLI_SARIF_H
#define HW_CLI_SARIF_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// A place in a source file with what it is about; file NULL: it is not known.
json_t *hw_cli_sarif_location(const char *text, const char *file, unsigned line);

// A rule; a result of one, "error" or "note", with lists of locations and of the stacks that led to them, and how often
// it occurred. False: out of memory.
bool hw_cli_sarif_add_rule(json_t *rules, const char *id, const char *text);
bool hw_cli_sarif_add_result(json_t *results, const char *rule, const char *level, const char *text, json_t *places,
                             json_t *related, json_t *stacks, json_int_t count);

// Writes the whole, of a tool by that name. False: out of memory, or good is.
bool hw_cli_sarif_write(const char *tool, json_t *rules, json_t *results, bool good, FILE *out);

#endif
