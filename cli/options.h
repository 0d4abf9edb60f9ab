// Options as a table, for the commands whose words are all their own (run and profile pass most of theirs on:
// launch_options.c).
#ifndef HW_CLI_OPTIONS_H
#define HW_CLI_OPTIONS_H

#include "cli.h"

typedef struct hw_cli_option {
    const char *name;   // "-o", "--axes"
    bool takes_value;   // in the next word, or behind '='
    // value is NULL where none is taken. Returns false after a complaint.
    bool (*set)(void *options, const char *value);
} hw_cli_option;

typedef struct hw_cli_syntax {
    const char *command;
    const hw_cli_option *options;
    size_t n_options;
    int max_words;      // that are no options
} hw_cli_syntax;

// Reads argv behind argv[0]: options and words in any order, "--" ends the options, "-" is a word, and so is what
// begins with '-' and a digit. words has room for max_words; *n_words of them are set. 0, or HW_EXIT_USAGE after a
// complaint.
int hw_cli_parse(const hw_cli_syntax *syntax, void *options, int argc, char **argv, const char **words, int *n_words);

// The same, with options that the table does not have: other says how many words the one at argv takes, itself
// included; 0: it is none, or *complained is set.
typedef int hw_cli_other_option(void *options, char **argv, bool *complained);
int hw_cli_parse_with(const hw_cli_syntax *syntax, hw_cli_other_option *other, void *options, int argc, char **argv,
                      const char **words, int *n_words);

// "1000000", "512MiB", "2GB": into bytes. False when it is no such number, or none above 0.
bool hw_cli_parse_bytes(const char *text, unsigned long long *bytes);

#endif
