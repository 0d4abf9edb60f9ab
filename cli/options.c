// Reads options by their table.
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

enum { MAX_OPTIONS = 32 };

static const hw_cli_option *find_option(const hw_cli_syntax *syntax, const char *word) {
    for (size_t i = 0; i < syntax->n_options; i++) {
        size_t length = strlen(syntax->options[i].name);
        if (strncmp(word, syntax->options[i].name, length) == 0 && (!word[length] || word[length] == '='))
            return &syntax->options[i];
    }
    return NULL;
}

static void complain_unknown_option(const hw_cli_syntax *syntax, const char *word) {
    const char *names[MAX_OPTIONS];
    size_t count = 0;
    for (; count < syntax->n_options && count < MAX_OPTIONS; count++) names[count] = syntax->options[count].name;
    const char *near = hw_suggest(word, names, count);
    if (near) hw_cli_complain("there is no option %s; did you mean %s?", word, near);
    else hw_cli_complain("there is no option %s; `halfwarp %s --help` lists them", word, syntax->command);
}

// How many words it took; 0 after a complaint.
static int take_option(const hw_cli_syntax *syntax, hw_cli_other_option *other, void *options, char **argv) {
    const hw_cli_option *option = find_option(syntax, argv[0]);
    const char *equals = strchr(argv[0], '=');
    if (!option) {
        bool complained = false;
        int taken = other ? other(options, argv, &complained) : 0;
        if (!taken && !complained) complain_unknown_option(syntax, argv[0]);
        return taken;
    }
    if (!option->takes_value && equals) {
        hw_cli_complain("%s takes no value", option->name);
        return 0;
    }
    const char *value = !option->takes_value ? NULL : equals ? equals + 1 : argv[1];
    if (option->takes_value && !value) {
        hw_cli_complain("%s takes a value", option->name);
        return 0;
    }
    if (!option->set(options, value)) return 0;
    return option->takes_value && !equals ? 2 : 1;
}

int hw_cli_parse_with(const hw_cli_syntax *syntax, hw_cli_other_option *other, void *options, int argc, char **argv,
                      const char **words, int *n_words) {
    bool only_words = false;
    *n_words = 0;
    for (int i = 1; i < argc;) {
        const char *word = argv[i];
        if (!only_words && strcmp(word, "--") == 0) {
            only_words = true;
            i++;
        } else if (!only_words && word[0] == '-' && word[1] && !isdigit((unsigned char)word[1])) {
            int taken = take_option(syntax, other, options, argv + i);
            if (!taken) return HW_EXIT_USAGE;
            i += taken;
        } else if (*n_words == syntax->max_words) {
            hw_cli_complain("one word too many: '%s'; `halfwarp %s --help` has the usage", word, syntax->command);
            return HW_EXIT_USAGE;
        } else {
            words[(*n_words)++] = word;
            i++;
        }
    }
    return 0;
}

int hw_cli_parse(const hw_cli_syntax *syntax, void *options, int argc, char **argv, const char **words, int *n_words) {
    return hw_cli_parse_with(syntax, NULL, options, argc, argv, words, n_words);
}

bool hw_cli_parse_bytes(const char *text, unsigned long long *bytes) {
    static const struct {
        const char *name;
        unsigned long long bytes;
    } units[] = {
        {"", 1},           {"B", 1},           {"kB", 1000},       {"KB", 1000},          {"KiB", 1ull << 10},
        {"MB", 1000000},   {"MiB", 1ull << 20}, {"GB", 1000000000}, {"GiB", 1ull << 30}, {"TB", 1000000000000},
        {"TiB", 1ull << 40},
    };
    char *end;
    errno = 0;
    if (!isdigit((unsigned char)*text)) return false;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno || !number) return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(end, units[i].name) == 0) return !__builtin_mul_overflow(number, units[i].bytes, bytes);
    return false;
}
