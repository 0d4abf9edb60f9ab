// PTX as words: its declarations, and several texts as one. What the words mean is src/ptx's.
#define _GNU_SOURCE
#include "toolchain/binary/ptx_link.h"
#include "toolchain/binary/producer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct word {
    const char *at;
    size_t length;
} word;

// From one declaration or directive outside of functions to the next.
typedef struct statement {
    const char *begin, *end;     // with the blanks before it
    hw_ptx_link_symbol symbol;        // name NULL: a directive
    word declared;               // the symbol's name, or that of a .shared variable; length 0: a directive
    bool is_kernel, is_section, is_dropped;
    bool is_in_sight;            // by its words, though its name says that it is kept to its file
} statement;

typedef struct text {
    statement *statements;
    size_t count, capacity;
    const char **renamed;        // names
    size_t n_renamed;
    long files;                  // the largest number of a .file
    const char *version, *target;
    double version_number;
    int target_number;
    bool is_needed;
} text;

// ---- Words ----------------------------------------------------------------------------------------------------------

static bool is_name_byte(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.'; }

static const char *skip_blanks(const char *p) {
    for (;;) {
        while (isspace((unsigned char)*p)) p++;
        if (p[0] == '/' && p[1] == '/') p += strcspn(p, "\n");
        else if (p[0] == '/' && p[1] == '*') p = strstr(p + 2, "*/") ? strstr(p + 2, "*/") + 2 : p + strlen(p);
        else return p;
    }
}

// The next word, string or single character behind *at. False at the end.
static bool next_word(const char **at, word *found) {
    const char *p = skip_blanks(*at), *end = p + 1;
    if (!*p) return false;
    if (*p == '"') end += strcspn(end, "\"") + (strchr(end, '"') != NULL);
    else if (is_name_byte(*p))
        while (is_name_byte(*end)) end++;
    *found = (word){p, (size_t)(end - p)};
    *at = end;
    return true;
}

static bool is(word w, const char *name) { return strlen(name) == w.length && !memcmp(w.at, name, w.length); }

// static functions and variables, and what lies in a namespace without a name: visible, for clang wants the host to
// find them, and yet each file's own.
static bool is_kept_to_file(word name) {
    static const char inner[] = "_GLOBAL__N_1";
    if (name.length > 3 && !memcmp(name.at, "_ZL", 3)) return true;
    for (size_t i = 0; i + sizeof inner - 1 <= name.length; i++)
        if (!memcmp(name.at + i, inner, sizeof inner - 1)) return true;
    return false;
}

// ---- Statements -----------------------------------------------------------------------------------------------------

static void take_word(statement *s, word w, int nesting, word *name, bool *is_declaration, bool *is_shared) {
    if (nesting) return;
    if (is(w, ".visible")) s->symbol.scope = HW_PTX_LINK_VISIBLE;
    else if (is(w, ".weak") || is(w, ".common")) s->symbol.scope = HW_PTX_LINK_WEAK;
    else if (is(w, ".extern")) s->symbol.scope = HW_PTX_LINK_EXTERN;
    else if (is(w, ".section")) s->is_section = true;
    else if (is(w, ".global") || is(w, ".const")) *is_declaration = s->symbol.is_variable = true;
    else if (is(w, ".func") || is(w, ".entry")) {
        *is_declaration = true;
        s->is_kernel = is(w, ".entry");
    }
    else if (is(w, ".shared")) *is_declaration = *is_shared = true;
    else if (!name->length && *is_declaration && (isalpha((unsigned char)w.at[0]) || strchr("_$%", w.at[0]))) *name = w;
}

// Does the directive end with its line, and not with a semicolon or a body?
static bool ends_with_line(word first) {
    static const char *const names[] = {".version", ".target", ".address_size", ".file", ".loc"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (is(first, names[i])) return true;
    return false;
}

// The end of the statement whose words follow `at`; what it declares goes into *s.
static const char *read_statement(const char *at, statement *s, word *name) {
    word w;
    int braces = 0, brackets = 0;
    bool is_declaration = false, is_shared = false, has_body = false;
    for (bool is_first = true; next_word(&at, &w); is_first = false) {
        if (is_first && ends_with_line(w)) return at + strcspn(at, "\n");
        if (is(w, "(") || is(w, "[")) brackets++;
        else if (is(w, ")") || is(w, "]")) brackets--;
        else if (is(w, "{")) {
            braces++;
            has_body = true;
        } else if (is(w, "}")) {
            // A variable's initial values end with a semicolon behind them.
            if (--braces <= 0 && !s->symbol.is_variable) break;
        } else if (is(w, ";") && !braces) break;
        else take_word(s, w, braces + brackets, name, &is_declaration, &is_shared);
    }
    s->declared = *name;
    if (is_shared && !s->symbol.is_variable) *name = (word){0};
    s->symbol.is_defined = s->symbol.scope != HW_PTX_LINK_EXTERN && (has_body || s->symbol.is_variable);
    return at;
}

static bool add_statement(text *t, hw_arena *arena, const statement *s) {
    if (t->count == t->capacity) {
        size_t wanted = t->capacity ? 2 * t->capacity : 64;
        statement *bigger = hw_arena_take(arena, wanted * sizeof *bigger);
        if (!bigger) return false;
        if (t->count) memcpy(bigger, t->statements, t->count * sizeof *bigger);
        t->statements = bigger;
        t->capacity = wanted;
    }
    t->statements[t->count++] = *s;
    return true;
}

static bool read_text(const char *ptx, hw_arena *arena, text *t) {
    *t = (text){0};
    for (const char *at = ptx; *skip_blanks(at);) {
        statement s = {.begin = at};
        word name = {0};
        s.end = at = read_statement(at, &s, &name);
        if (name.length) {
            s.symbol.name = hw_arena_string(arena, name.at, name.length);
            if (!s.symbol.name) return false;
            if (s.symbol.scope != HW_PTX_LINK_EXTERN && is_kept_to_file(name)) {
                s.is_in_sight = s.symbol.scope != HW_PTX_LINK_LOCAL;
                s.symbol.scope = HW_PTX_LINK_LOCAL;
            }
        }
        if (!add_statement(t, arena, &s)) return false;
    }
    return true;
}

hw_status hw_ptx_link_list(const char *ptx, hw_arena *arena, hw_ptx_link_symbol **symbols, size_t *count,
                           hw_diag *diag) {
    text t;
    *count = 0;
    if (!read_text(ptx, arena, &t) || !(*symbols = hw_arena_take(arena, (t.count + 1) * sizeof **symbols)))
        return hw_diag_no_memory(diag);
    for (size_t i = 0; i < t.count; i++)
        if (t.statements[i].symbol.name) (*symbols)[(*count)++] = t.statements[i].symbol;
    return HW_OK;
}

// ---- Linking --------------------------------------------------------------------------------------------------------

static const statement *find_statement(const text *t, const char *name) {
    for (size_t i = 0; i < t->count; i++)
        if (t->statements[i].symbol.name && !strcmp(t->statements[i].symbol.name, name)) return &t->statements[i];
    return NULL;
}

static bool is_elsewhere(const text *texts, size_t count, size_t here, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (i != here && find_statement(&texts[i], name)) return true;
    return false;
}

// Has a part declared it as another's? numba-cuda has NVRTC make functions with names as if they were static.
static bool is_asked_for(const text *texts, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++) {
        const statement *s = find_statement(&texts[i], name);
        if (s && s->symbol.scope == HW_PTX_LINK_EXTERN) return true;
    }
    return false;
}

static bool is_renamed(const text *t, word w) {
    for (size_t i = 0; i < t->n_renamed; i++)
        if (is(w, t->renamed[i])) return true;
    return false;
}

// Which names of text `here` are to be renamed, and which of its statements another text has made needless.
static bool settle_names(text *texts, size_t count, size_t here, hw_arena *arena) {
    text *t = &texts[here];
    t->renamed = hw_arena_take(arena, (t->count + 1) * sizeof *t->renamed);
    if (!t->renamed) return false;
    for (size_t i = 0; i < t->count; i++) {
        const hw_ptx_link_symbol *symbol = &t->statements[i].symbol;
        t->statements[i].is_dropped = t->statements[i].is_section;
        if (!symbol->name) continue;
        word name = {symbol->name, strlen(symbol->name)};
        const bool is_own = symbol->scope == HW_PTX_LINK_LOCAL &&
                            !(t->statements[i].is_in_sight && is_asked_for(texts, count, symbol->name));
        if (is_own && !is_renamed(t, name) && is_elsewhere(texts, count, here, symbol->name))
            t->renamed[t->n_renamed++] = symbol->name;
        for (size_t k = 0; k < here && symbol->scope == HW_PTX_LINK_WEAK && symbol->is_defined; k++) {
            const statement *first = texts[k].is_needed ? find_statement(&texts[k], symbol->name) : NULL;
            if (first && first->symbol.scope != HW_PTX_LINK_EXTERN) t->statements[i].is_dropped = true;
        }
    }
    return true;
}

static bool defines(const text *t, const char *name) {
    for (size_t i = 0; i < t->count; i++)
        if (t->statements[i].symbol.is_defined && t->statements[i].symbol.name &&
            !strcmp(t->statements[i].symbol.name, name))
            return true;
    return false;
}

// nvcc adds cudadevrt to every relocatable program; its functions want what only a GPU has. Its names have its file's.
static bool is_library(const text *t) {
    for (size_t i = 0; i < t->count; i++)
        if (t->statements[i].symbol.name && strstr(t->statements[i].symbol.name, "cuda_device_runtime_cu")) return true;
    return false;
}

// A text is a part of the program if the host may name something in it, a kernel or a variable, or if another part
// wants one of its functions.
static void mark_needed(text *texts, size_t count, size_t here) {
    if (texts[here].is_needed) return;
    texts[here].is_needed = true;
    for (size_t i = 0; i < texts[here].count; i++) {
        const hw_ptx_link_symbol *symbol = &texts[here].statements[i].symbol;
        for (size_t k = 0; symbol->name && !symbol->is_defined && k < count; k++)
            if (defines(&texts[k], symbol->name)) mark_needed(texts, count, k);
    }
}

static void find_needed(text *texts, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0, is_own = !is_library(&texts[i]); is_own && k < texts[i].count; k++) {
            const statement *s = &texts[i].statements[k];
            if (s->symbol.is_defined && (s->is_kernel || s->symbol.is_variable)) mark_needed(texts, count, i);
        }
}

// .version, .target and the numbers of files. The header's directives are dropped: the whole has its own.
static void read_directives(text *t) {
    for (size_t i = 0; i < t->count; i++) {
        statement *s = &t->statements[i];
        const char *at = s->begin;
        word w;
        if (s->symbol.name || !next_word(&at, &w)) continue;
        at = skip_blanks(at);
        if (is(w, ".file") && strtol(at, NULL, 10) > t->files) t->files = strtol(at, NULL, 10);
        if (is(w, ".version")) t->version_number = strtod(at, NULL);
        if (is(w, ".target")) t->target_number = strncmp(at, "sm_", 3) ? 0 : atoi(at + 3);
        if (is(w, ".version")) t->version = at;
        if (is(w, ".target")) t->target = at;
        if (is(w, ".version") || is(w, ".target") || is(w, ".address_size")) s->is_dropped = true;
    }
}

static void write_text(FILE *out, const char *begin, const char *end) { fwrite(begin, 1, (size_t)(end - begin), out); }

// Copies a statement word by word, with names and numbers of files as they are in the whole.
static void copy_statement(const text *t, const statement *s, size_t part, long files_before, FILE *out) {
    const char *at = s->begin, *copied = s->begin;
    bool expects_file = false;
    for (word w; at < s->end && next_word(&at, &w) && w.at < s->end;) {
        const bool is_file = expects_file && isdigit((unsigned char)w.at[0]);
        expects_file = is(w, ".loc") || is(w, ".file") || is(w, "inlined_at");
        if (!is_file && !is_renamed(t, w)) continue;
        write_text(out, copied, w.at);
        if (is_file) fprintf(out, "%ld", strtol(w.at, NULL, 10) + files_before);
        else {
            write_text(out, w.at, w.at + w.length);
            fprintf(out, "$f%zu", part);
        }
        copied = at;
    }
    write_text(out, copied, s->end);
}

static void write_header(const text *texts, size_t count, FILE *out) {
    const text *version = &texts[0], *target = &texts[0];
    for (size_t i = 1; i < count; i++) {
        if (texts[i].version_number > version->version_number) version = &texts[i];
        if (texts[i].target_number > target->target_number) target = &texts[i];
    }
    if (version->version) fprintf(out, ".version %.*s\n", (int)strcspn(version->version, "\n"), version->version);
    if (target->target) fprintf(out, ".target %.*s\n", (int)strcspn(target->target, "\n"), target->target);
    fputs(".address_size 64\n", out);
}

// Who made the parts, if it was one compiler: comments are not linked.
static void write_maker(const char *const *ptx, size_t count, FILE *out) {
    char maker[64] = "", other[64];
    for (size_t i = 0; i < count; i++) {
        if (!hw_producer_of_ptx(ptx[i], strlen(ptx[i]), other, sizeof other)) return;
        if (i && strcmp(other, maker) != 0) return;
        memcpy(maker, other, sizeof maker);
    }
    if (count) fprintf(out, HW_PRODUCER_LINE, maker);
}

hw_status hw_ptx_link(const char *const *ptx, size_t count, hw_arena *arena, char **linked, size_t *length,
                      hw_diag *diag) {
    text *texts = hw_arena_take(arena, (count + 1) * sizeof *texts);
    char *made = NULL;
    bool good = texts != NULL;
    for (size_t i = 0; good && i < count; i++) good = read_text(ptx[i], arena, &texts[i]);
    if (good) find_needed(texts, count);
    for (size_t i = 0; good && i < count; i++) good = settle_names(texts, count, i, arena);
    FILE *out = good ? open_memstream(&made, length) : NULL;
    if (!out) return hw_diag_no_memory(diag);
    for (size_t i = 0; i < count; i++) read_directives(&texts[i]);
    write_header(texts, count, out);
    long files_before = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; texts[i].is_needed && k < texts[i].count; k++)
            if (!texts[i].statements[k].is_dropped)
                copy_statement(&texts[i], &texts[i].statements[k], i, files_before, out);
        fputc('\n', out);
        files_before += texts[i].files;
    }
    write_maker(ptx, count, out);
    good = fclose(out) == 0;
    *linked = good ? hw_arena_string(arena, made, *length) : NULL;
    free(made);
    return *linked ? HW_OK : hw_diag_no_memory(diag);
}

// ---- A part of a text -----------------------------------------------------------------------------------------------

static int compare_words(word a, word b) {
    int order = memcmp(a.at, b.at, a.length < b.length ? a.length : b.length);
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int compare_declared(const void *left, const void *right) {
    const statement *const *a = left, *const *b = right;
    return compare_words((*a)->declared, (*b)->declared);
}

// Declarations by name, for looking them up. A name may have several.
typedef struct name_index {
    statement **sorted;
    size_t count;
} name_index;

static bool make_index(text *t, hw_arena *arena, name_index *index) {
    *index = (name_index){.sorted = hw_arena_take(arena, (t->count + 1) * sizeof *index->sorted)};
    for (size_t i = 0; index->sorted && i < t->count; i++)
        if (t->statements[i].declared.length) index->sorted[index->count++] = &t->statements[i];
    if (index->sorted) qsort(index->sorted, index->count, sizeof *index->sorted, compare_declared);
    return index->sorted != NULL;
}

// Keeps the statement and what its words name, and what these name. Texts nest no deeper than their calls do, but
// variables may name each other in long chains: what is to be looked through waits in a list.
static void keep_statements(const name_index *index, statement **waiting, statement *first) {
    size_t n = 1;
    first->is_dropped = false;
    waiting[0] = first;
    while (n) {
        const statement *s = waiting[--n];
        const char *at = s->begin;
        for (word w; at < s->end && next_word(&at, &w) && w.at < s->end;) {
            size_t low = 0, high = index->count;
            while (low < high) {
                size_t middle = (low + high) / 2;
                if (compare_words(index->sorted[middle]->declared, w) < 0) low = middle + 1;
                else high = middle;
            }
            for (; low < index->count && !compare_words(index->sorted[low]->declared, w); low++) {
                if (!index->sorted[low]->is_dropped) continue;
                index->sorted[low]->is_dropped = false;
                waiting[n++] = index->sorted[low];
            }
        }
    }
}

// Of debuggers' sections only the names stay that .loc refers to: the others describe all functions.
static bool stays_anyway(const statement *s) {
    const char *at = s->begin;
    word w;
    if (s->declared.length) return false;
    return !s->is_section || (next_word(&at, &w) && next_word(&at, &w) && is(w, ".debug_str"));
}

hw_status hw_ptx_link_select(const char *ptx, hw_ptx_link_filter *is_wanted, void *user, hw_arena *arena, char **part,
                             size_t *length, size_t *kernels, hw_diag *diag) {
    text t;
    name_index index;
    char *made = NULL;
    *kernels = 0;
    statement **waiting = NULL;
    if (read_text(ptx, arena, &t) && make_index(&t, arena, &index))
        waiting = hw_arena_take(arena, (t.count + 1) * sizeof *waiting);
    FILE *out = waiting ? open_memstream(&made, length) : NULL;
    if (!out) return hw_diag_no_memory(diag);
    for (size_t i = 0; i < t.count; i++) t.statements[i].is_dropped = !stays_anyway(&t.statements[i]);
    for (size_t i = 0; i < t.count; i++) {
        statement *s = &t.statements[i];
        if (!s->is_kernel || !s->symbol.name || !is_wanted(user, s->symbol.name)) continue;
        if (s->is_dropped) keep_statements(&index, waiting, s);
        *kernels += s->symbol.is_defined;
    }
    for (size_t i = 0; i < t.count; i++)
        if (!t.statements[i].is_dropped) write_text(out, t.statements[i].begin, t.statements[i].end);
    fputs(t.count ? t.statements[t.count - 1].end : ptx, out);   // the comments behind them
    const bool good = fclose(out) == 0;
    *part = good ? hw_arena_string(arena, made, *length) : NULL;
    free(made);
    return *part ? HW_OK : hw_diag_no_memory(diag);
}

void hw_ptx_link_name(const char *name, size_t part, char *out, size_t out_bytes) {
    snprintf(out, out_bytes, "%s$f%zu", name, part);
}

int hw_ptx_link_target(const char *ptx, size_t length) {
    static const char directive[] = ".target", prefix[] = "sm_";
    const char *end = ptx + length;
    for (const char *at = ptx; at && at < end; at = memchr(at, '\n', (size_t)(end - at)), at += at != NULL) {
        while (at < end && (*at == ' ' || *at == '\t')) at++;
        if ((size_t)(end - at) < sizeof directive || memcmp(at, directive, sizeof directive - 1) != 0) continue;
        for (at += sizeof directive - 1; at < end && (*at == ' ' || *at == '\t'); at++) {}
        if ((size_t)(end - at) < sizeof prefix || memcmp(at, prefix, sizeof prefix - 1) != 0) return 0;
        int target = 0;
        for (at += sizeof prefix - 1; at < end && *at >= '0' && *at <= '9' && target < 1000; at++)
            target = 10 * target + (*at - '0');
        return target;
    }
    return 0;
}
