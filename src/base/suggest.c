// The name that was begun, or that has what was typed in it, or that is a slip away.
#include "base/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 63, LEAST_BEGUN = 2, LEAST_INSIDE = 3 };

static bool is_same(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

static size_t smaller_size(size_t a, size_t b) { return a < b ? a : b; }
static size_t larger_size(size_t a, size_t b) { return a > b ? a : b; }

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other; words up to LONGEST.
static size_t edit_distance(const char *a, const char *b) {
    size_t rows[3][LONGEST + 1], length = strlen(b);
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= length; j++) row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            row[j + 1] = smaller_size(smaller_size(above[j + 1], row[j]) + 1, above[j] + !is_same(a[i], b[j]));
            if (i && j && is_same(a[i], b[j - 1]) && is_same(a[i - 1], b[j]))
                row[j + 1] = smaller_size(row[j + 1], before[j - 1] + 1);
        }
    }
    return row[length];
}

static size_t common_start(const char *a, const char *b) {
    size_t n = 0;
    while (a[n] && is_same(a[n], b[n])) n++;
    return n;
}

// Is one of them somewhere in the other?
static bool is_inside(const char *a, const char *b) {
    const char *in = strlen(a) < strlen(b) ? b : a, *what = in == b ? a : b;
    if (strlen(what) < LEAST_INSIDE) return false;
    for (; *in; in++)
        if (strncasecmp(in, what, strlen(what)) == 0) return true;
    return false;
}

// How far a name is from what was typed, less for the likelier; the best kind comes first, whatever its distance.
// SIZE_MAX: not meant.
static size_t weighted_distance(const char *typed, const char *name) {
    enum { KIND = 4096, STARTS = 64 };   // distances are below KIND / STARTS
    size_t d = edit_distance(typed, name), start = common_start(typed, name);
    size_t rank = d * STARTS + STARTS - 1 - start;
    if (start >= LEAST_BEGUN && (!typed[start] || !name[start])) return rank;
    if (is_inside(typed, name)) return KIND + rank;
    return 3 * d <= larger_size(strlen(typed), strlen(name)) ? 2 * KIND + rank : SIZE_MAX;
}

const char *hw_suggest(const char *typed, const char *const *names, size_t count) {
    const char *best = NULL;
    size_t least = SIZE_MAX;
    if (strlen(typed) > LONGEST) return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t far = strlen(names[i]) > LONGEST ? SIZE_MAX : weighted_distance(typed, names[i]);
        if (far >= least) continue;
        best = names[i];
        least = far;
    }
    return best;
}
