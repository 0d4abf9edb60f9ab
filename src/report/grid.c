// Aligned columns on a terminal.
#include "report/grid.h"

#include <string.h>

static const char *const codes[] = {
    [HW_GRID_PLAIN] = "", [HW_GRID_GOOD] = "\033[32m", [HW_GRID_BAD] = "\033[31m", [HW_GRID_FAINT] = "\033[2m"};
static const char bold[] = "\033[1m", reset[] = "\033[0m";

typedef struct layout {
    int width[HW_GRID_COLUMNS];      // in characters: what the texts want, or get in a part
    bool is_shown[HW_GRID_COLUMNS];
} layout;

enum { GAP = 2 };

// Characters of UTF-8, each taken to be one column wide.
static int width_of(const char *text) {
    int n = 0;
    for (; *text; text++) n += (*text & 0xc0) != 0x80;
    return n;
}

static int larger(int a, int b) { return a > b ? a : b; }
static int smaller(int a, int b) { return a < b ? a : b; }

// The byte where character n begins.
static int byte_of(const char *text, int n) {
    int i = 0;
    for (; text[i]; i++)
        if ((text[i] & 0xc0) != 0x80 && n-- == 0) break;
    return i;
}

const char *hw_grid_shorten(const char *text, int width, char *out, size_t out_bytes) {
    enum { DOTS = 3 };
    int length = width_of(text), kept = larger(width - DOTS, 0), behind = kept / 2;
    const char *end = text + byte_of(text, length - behind);
    if (length <= width) snprintf(out, out_bytes, "%s", text);
    else snprintf(out, out_bytes, "%.*s...%s", byte_of(text, kept - behind), text, end);
    return out;
}

const char *hw_grid_heading(const hw_grid_column *column, char *out, size_t out_bytes) {
    const size_t length = strlen(column->top);
    const char last = length ? column->top[length - 1] : '\0';
    const bool is_joined = !length || last == '-' || last == '/';   // the bottom goes on with the same word
    snprintf(out, out_bytes, "%.*s%s%s", (int)(length - (last == '-')), column->top, is_joined ? "" : " ",
             column->bottom);
    return out;
}

static layout measure_columns(const hw_grid *grid) {
    layout l = {0};
    hw_grid_cell cells[HW_GRID_COLUMNS];
    for (int c = 0; c < grid->n_columns; c++)
        l.width[c] = larger(width_of(grid->columns[c].top), width_of(grid->columns[c].bottom));
    for (size_t i = 0; i < grid->n_rows; i++) {
        memset(cells, 0, sizeof cells);
        grid->row(grid->context, i, cells);
        for (int c = 0; c < grid->n_columns; c++) {
            l.width[c] = larger(l.width[c], width_of(cells[c].text));
            l.is_shown[c] |= cells[c].text[0] && strcmp(cells[c].text, "-");
        }
    }
    return l;
}

// ---- Parts: as many columns as fit beside each other ----------------------------------------------------------------

static int least_width(const hw_grid *grid, const layout *l, int c) {
    const unsigned look = grid->columns[c].look;
    if (look & HW_GRID_SHORTENED) return smaller(l->width[c], HW_GRID_NAME);
    return look & HW_GRID_WRAPPED ? smaller(l->width[c], HW_GRID_TEXT) : l->width[c];
}

// The width of all columns beside each other, each as narrow as its texts can be, or as wide as they want.
static int total_width(const hw_grid *grid, const layout *l, bool is_least) {
    int used = 0;
    for (int c = 0; c < grid->n_columns; c++)
        if (l->is_shown[c]) used += GAP + (is_least ? least_width(grid, l, c) : l->width[c]);
    return used;
}

// Leaves out spared columns, the last one first, until the others fit; sets is_spared.
static void spare_columns(const hw_grid *grid, layout *l, bool is_spared[HW_GRID_COLUMNS]) {
    for (int c = grid->n_columns - 1; c >= 0 && grid->width; c--) {
        if (total_width(grid, l, true) <= grid->width) break;
        is_spared[c] = l->is_shown[c] && (grid->columns[c].look & HW_GRID_SPARED);
        l->is_shown[c] &= !is_spared[c];
    }
}

// What is left of the line goes to the texts that gave way.
static void give_room(const hw_grid *grid, const layout *l, int room, layout *part) {
    for (int c = 0; c < grid->n_columns; c++) {
        if (!part->is_shown[c]) continue;
        int more = smaller(room, l->width[c] - part->width[c]);
        part->width[c] += more;
        room -= more;
    }
}

// The keys, and the columns from *next on that fit beside them in a line, one at least; *next moves on. False when none
// is left.
static bool next_part(const hw_grid *grid, const layout *l, int line, int *next, layout *part) {
    int used = 0, n_taken = 0, c = *next;
    *part = (layout){0};
    for (int k = 0; k < grid->n_columns; k++) {
        if (!l->is_shown[k] || !(grid->columns[k].look & HW_GRID_KEY)) continue;
        part->is_shown[k] = true;
        used += GAP + (part->width[k] = least_width(grid, l, k));
    }
    for (; c < grid->n_columns; c++) {
        if (!l->is_shown[c] || (grid->columns[c].look & HW_GRID_KEY)) continue;
        int width = least_width(grid, l, c);
        if (n_taken && used + GAP + width > line) break;
        part->is_shown[c] = true;
        part->width[c] = width;
        used += GAP + width;
        n_taken++;
    }
    bool is_first = *next == 0;
    *next = c;
    give_room(grid, l, larger((grid->width ? grid->width : line) - used, 0), part);
    return n_taken || is_first;
}

static int count_parts(const hw_grid *grid, const layout *l, int line) {
    layout part;
    int n = 0;
    for (int next = 0; next_part(grid, l, line, &next, &part);) n++;
    return n;
}

// The shortest line that takes no more parts than the whole width does: they come out about equally wide then.
static int balanced_line(const hw_grid *grid, const layout *l) {
    int line = grid->width ? grid->width : 1 << 20, parts = count_parts(grid, l, line);
    while (parts > 1 && line > 1 && count_parts(grid, l, line - 1) == parts) line--;
    return line;
}

// ---- Writing --------------------------------------------------------------------------------------------------------

// One cell and the gap before it. *blanks are owed to it, written when there is text, so that no line ends with any.
static void write_cell(const char *text, const char *code, int width, bool left, int *blanks, FILE *out) {
    int pad = width - width_of(text);
    *blanks += GAP + (left ? 0 : pad);
    if (*text) {
        fprintf(out, "%*s", *blanks, "");
        *blanks = 0;
        if (*code) fprintf(out, "%s%s%s", code, text, reset);
        else fputs(text, out);
    }
    if (left) *blanks += pad;
}

static void write_heading(const hw_grid *grid, const layout *l, bool is_top, bool colour, FILE *out) {
    int blanks = 0;
    for (int c = 0; c < grid->n_columns; c++) {
        const hw_grid_column *column = &grid->columns[c];
        const char *text = is_top ? column->top : column->bottom;
        if (!l->is_shown[c]) continue;
        write_cell(text, colour ? bold : "", l->width[c], column->look & HW_GRID_LEFT, &blanks, out);
    }
    fputc('\n', out);
}

static void write_headings(const hw_grid *grid, const layout *l, bool colour, FILE *out) {
    bool has_top = false;
    for (int c = 0; c < grid->n_columns; c++) has_top |= l->is_shown[c] && grid->columns[c].top[0];
    if (has_top) write_heading(grid, l, true, colour, out);
    write_heading(grid, l, false, colour, out);
}

// The bytes of text that make a line of at most `width` characters; *next: where the next line begins.
static int line_bytes(const char *text, int width, int *next) {
    int end = byte_of(text, width), at = end;
    *next = end;
    if (!text[end]) return end;
    while (at > 0 && text[at] != ' ') at--;
    if (!at || at < end / 3) return end;   // no blank, or far away: code without one is cut anywhere
    *next = at;
    while (text[*next] == ' ') ++*next;
    return at;
}

void hw_grid_write_wrapped(const char *text, int width, int used, int indent, FILE *out) {
    while (width > used && width_of(text) > width - used) {
        int next, bytes = line_bytes(text, width - used, &next);
        fprintf(out, "%.*s\n%*s", bytes, text, indent, "");
        text += next;
        used = indent;
    }
    fprintf(out, "%s\n", text);
}

static bool is_empty(const hw_grid_cell *cells, int n) {
    for (int c = 0; c < n; c++)
        if (cells[c].text[0]) return false;
    return true;
}

// A line of a row, with the texts as they fit: what goes on below stays in its cell, the others are emptied. True when
// something goes on.
static bool write_line(const hw_grid *grid, const layout *l, bool colour, hw_grid_cell *cells, FILE *out) {
    int blanks = 0;
    bool goes_on = false;
    for (int c = 0; c < grid->n_columns; c++) {
        if (!l->is_shown[c]) continue;
        const char *code = colour ? codes[cells[c].colour] : "";
        const unsigned look = grid->columns[c].look;
        char shown[HW_GRID_CELL];
        int next = (int)strlen(cells[c].text), bytes = next;
        if (look & HW_GRID_WRAPPED) bytes = line_bytes(cells[c].text, l->width[c], &next);
        snprintf(shown, sizeof shown, "%.*s", bytes, cells[c].text);
        if (look & HW_GRID_SHORTENED) hw_grid_shorten(cells[c].text, l->width[c], shown, sizeof shown);
        write_cell(shown, code, l->width[c], look & HW_GRID_LEFT, &blanks, out);
        memmove(cells[c].text, cells[c].text + next, strlen(cells[c].text + next) + 1);
        goes_on |= cells[c].text[0] != '\0';
    }
    fputc('\n', out);
    return goes_on;
}

static void write_part(const hw_grid *grid, const layout *l, bool colour, FILE *out) {
    hw_grid_cell cells[HW_GRID_COLUMNS];
    write_headings(grid, l, colour, out);
    for (size_t i = 0; i < grid->n_rows; i++) {
        memset(cells, 0, sizeof cells);
        grid->row(grid->context, i, cells);
        if (is_empty(cells, grid->n_columns)) continue;
        const char *section = grid->section ? grid->section(grid->context, i) : NULL;
        if (section) fprintf(out, "\n%s\n", section);
        while (write_line(grid, l, colour, cells, out)) continue;
    }
}

// "Left out for want of room: name. A terminal of 96 columns shows it, and --format csv has it."
static void write_spared(const hw_grid *grid, int wanted_width, const bool is_spared[HW_GRID_COLUMNS], FILE *out) {
    char text[HW_GRID_CELL] = "", name[64];
    int n = 0;
    for (int c = 0; c < grid->n_columns; c++) {
        size_t used = strlen(text);
        if (!is_spared[c]) continue;
        snprintf(text + used, sizeof text - used, "%s%s", n++ ? ", " : "left out for want of room: ",
                 hw_grid_heading(&grid->columns[c], name, sizeof name));
    }
    size_t used = strlen(text);
    if (!n) return;
    snprintf(text + used, sizeof text - used, "; a terminal of %d columns shows all of it%s%s", wanted_width,
             grid->elsewhere ? ", as does " : "", grid->elsewhere ? grid->elsewhere : "");
    fputc('\n', out);
    hw_grid_write_wrapped(text, grid->width, 0, 0, out);
}

void hw_grid_write(const hw_grid *grid, bool colour, FILE *out) {
    layout all = measure_columns(grid), part;
    bool has_columns = false, is_spared[HW_GRID_COLUMNS] = {false};
    const int wanted_width = total_width(grid, &all, false);
    for (int c = 0; c < grid->n_columns; c++) has_columns |= all.is_shown[c];
    if (!has_columns) return;
    spare_columns(grid, &all, is_spared);
    if (grid->title) fprintf(out, "\n%s\n", grid->title);
    const int line = balanced_line(grid, &all);
    for (int next = 0, n = 0; next_part(grid, &all, line, &next, &part); n++) {
        if (n) fputc('\n', out);
        write_part(grid, &part, colour, out);
    }
    write_spared(grid, wanted_width, is_spared, out);
}
