// make's dependency format: "target: file file \ newline file", blanks in names behind a backslash, $$ for $.
#include "toolchain/cache/depend.h"

#include <string.h>

#include "toolchain/cache/cache.h"

static bool add_file(hw_depend *files, const char *path) {
    for (size_t i = 0; i < files->count; i++)
        if (!strcmp(files->paths[i], path)) return true;
    if (files->count == files->capacity) {
        size_t wanted = files->capacity ? files->capacity * 2 : 256;
        const char **bigger = hw_arena_take(files->arena, wanted * sizeof *bigger);
        if (!bigger) return false;
        if (files->count) memcpy(bigger, files->paths, files->count * sizeof *bigger);
        files->paths = bigger;
        files->capacity = wanted;
    }
    const char *kept = hw_arena_string(files->arena, path, strlen(path));
    if (kept) files->paths[files->count++] = kept;
    return kept != NULL;
}

// Takes one word from *at, undoing make's escapes in place. NULL at the end of the text.
static char *next_word(char **at) {
    char *p = *at, *word, *to;
    while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r' || (*p == '\\' && (p[1] == '\n' || p[1] == '\r'))) p++;
    if (!*p) return NULL;
    for (word = to = p; *p && *p != ' ' && *p != '\t' && *p != '\n' && *p != '\r'; *to++ = *p++) {
        if (*p == '\\' && (p[1] == '\n' || p[1] == '\r')) break;
        if (*p == '\\' && (p[1] == ' ' || p[1] == '#' || p[1] == '\\')) p++;
        else if (*p == '$' && p[1] == '$') p++;
    }
    *at = *p ? p + 1 : p;
    *to = '\0';
    return word;
}

bool hw_depend_parse(hw_depend *files, char *text) {
    size_t listed = 0;
    // The target ends at the first colon with a blank behind it.
    char *at = strstr(text, ": "), *line = strstr(text, ":\\\n"), *word;
    if (!at || (line && line < at)) at = line;
    if (!at) return false;
    at++;
    for (; (word = next_word(&at)); listed++)
        if (!add_file(files, word)) return false;
    return listed > 0;
}

bool hw_depend_read(hw_depend *files, const char *make_file) {
    size_t length;
    char *text = hw_cache_read_file(make_file, files->arena, &length);
    return text && hw_depend_parse(files, text);
}
