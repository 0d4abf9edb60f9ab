// "Did you mean": the nearest name by edit distance.
#include <string.h>

#include "cli.h"

enum { LONGEST = 63 };

static size_t smallest(size_t a, size_t b, size_t c) {
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

// Insertions, deletions and replacements that turn one word into the other (Levenshtein); words up to LONGEST.
static size_t distance(const char *a, const char *b) {
    size_t row[LONGEST + 1], length = strlen(b);
    for (size_t j = 0; j <= length; j++) row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t above = row[j + 1];
            row[j + 1] = smallest(above + 1, row[j] + 1, diagonal + (a[i] != b[j]));
            diagonal = above;
        }
    }
    return row[length];
}

const char *hw_cli_nearest(const char *typed, const char *const *names, size_t count) {
    const char *best = NULL;
    size_t length = strlen(typed), best_distance = length / 3 + 2;
    if (length > LONGEST) return NULL;
    for (size_t i = 0; i < count; i++) {
        if (strlen(names[i]) > LONGEST) continue;
        size_t d = distance(typed, names[i]);
        if (d < best_distance) {
            best = names[i];
            best_distance = d;
        }
    }
    return best;
}
