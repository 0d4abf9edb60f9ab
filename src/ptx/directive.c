// Directives that carry no instruction: .loc, .file, .pragma, .section. PTX ISA sections 11.5 and 11.6.
#include <stdio.h>
#include <string.h>

#include "ptx/parser.h"

static bool read_number(parser *p, uint64_t *out) {
    if (p->tok.kind != TOKEN_INT) return hw_ptx_unexpected(p, "a number");
    *out = p->tok.value;
    return hw_ptx_next(p);
}

static bool read_place(parser *p, place *out) {
    uint64_t file = 0, line = 0, column = 0;
    int own_line = p->tok.line;
    if (!read_number(p, &file) || !read_number(p, &line) || !read_number(p, &column)) return false;
    if (file > UINT32_MAX || line > UINT32_MAX || column > UINT32_MAX)
        return hw_ptx_fail(p, HW_MALFORMED, own_line, ".loc is out of range");
    *out = (place){(uint32_t)file, (uint32_t)line, (uint32_t)column};
    return true;
}

static bool is_name(const parser *p, const char *name) {
    return p->tok.kind == TOKEN_NAME && p->tok.length == strlen(name) && !memcmp(p->tok.text, name, p->tok.length);
}

// function_name $L__info_string0+4
static bool read_string_name(parser *p, string_name *out) {
    bool has_offset;
    if (!hw_ptx_next(p)) return false;
    if (p->tok.kind != TOKEN_NAME) return true;
    out->label = p->tok.name;
    if (!hw_ptx_next(p) || !hw_ptx_accept(p, '+', &has_offset)) return false;
    return !has_offset || read_number(p, &out->offset);
}

// .loc 1 12 0, function_name $L__info_string0, inlined_at 1 20 5
// The attributes have no terminator; they are read as long as they begin with ',' or a name on the same line.
bool hw_ptx_parse_loc(parser *p) {
    place code, inlined_at;
    string_name function = {NULL, 0};
    bool is_inlined = false;
    int own_line = p->tok.line;
    if (!hw_ptx_next(p) || !read_place(p, &code)) return false;
    while (hw_ptx_at(p, ',')) {
        if (!hw_ptx_next(p)) return false;
        if (is_name(p, "inlined_at") && p->tok.line == own_line) {
            if (!hw_ptx_next(p) || !read_place(p, &inlined_at)) return false;
            is_inlined = true;
        } else if (is_name(p, "function_name") && p->tok.line == own_line && !read_string_name(p, &function)) {
            return false;
        }
        while (p->tok.line == own_line && (p->tok.kind == TOKEN_INT || p->tok.kind == TOKEN_NAME || hw_ptx_at(p, '+')))
            if (!hw_ptx_next(p)) return false;
    }
    return hw_ptx_set_location(p, &code, &function, is_inlined ? &inlined_at : NULL);
}

// .file 1 "name", 1700000000, 1234   or, of DWARF 5, .file 1 "folder" "name"
bool hw_ptx_parse_file(parser *p) {
    uint64_t number = 0, ignored;
    bool more;
    int line = p->tok.line;
    if (!hw_ptx_next(p) || !read_number(p, &number)) return false;
    token name = p->tok, second;
    if (name.kind != TOKEN_STRING) return hw_ptx_unexpected(p, "a file's name");
    if (number >= MAX_FILES) return hw_ptx_fail(p, HW_MALFORMED, line, "the file's number is too large");
    if (!hw_ptx_next(p)) return false;
    second = p->tok;
    if (second.kind == TOKEN_STRING && !hw_ptx_next(p)) return false;
    while (p->n_files <= number) {
        if (!hw_ptx_room(p, &p->files, p->n_files, &p->cap_files, sizeof *p->files)) return false;
        p->files[p->n_files++] = NULL;
    }
    bool is_split = second.kind == TOKEN_STRING && !(second.length && second.text[0] == '/');
    if (second.kind == TOKEN_STRING && !is_split) name = second;
    p->files[number] = is_split ? hw_arena_printf(p->module->arena, "%.*s/%.*s", (int)name.length, name.text,
                                                  (int)second.length, second.text)
                                : hw_arena_string(p->module->arena, name.text, name.length);
    if (!p->files[number]) return hw_ptx_out_of_memory(p);
    for (;;) {
        if (!hw_ptx_accept(p, ',', &more)) return false;
        if (!more) return true;
        if (!read_number(p, &ignored)) return false;
    }
}

// .pragma "nounroll";
bool hw_ptx_parse_pragma(parser *p) {
    bool more = true;
    if (!hw_ptx_next(p)) return false;
    while (more) {
        if (p->tok.kind != TOKEN_STRING) return hw_ptx_unexpected(p, "a string");
        if (!hw_ptx_next(p) || !hw_ptx_accept(p, ',', &more)) return false;
    }
    return hw_ptx_expect(p, ';');
}

// .section .debug_info { ... }: of all that they say the names of inlined functions are for us, in .debug_str, and the
// types of variables.
bool hw_ptx_parse_section(parser *p) {
    if (!hw_ptx_next(p)) return false;
    if (p->tok.kind != TOKEN_WORD && p->tok.kind != TOKEN_NAME) return hw_ptx_unexpected(p, "a section's name");
    const char **kept = hw_ptx_at_word(p, "debug_str")      ? &p->strings
                        : hw_ptx_at_word(p, "debug_info")   ? &p->debug_info
                        : hw_ptx_at_word(p, "debug_abbrev") ? &p->debug_abbrev
                        : hw_ptx_at_word(p, "debug_loc")    ? &p->debug_loc
                                                            : NULL;
    if (!hw_ptx_next(p)) return false;
    if (!hw_ptx_at(p, '{')) return hw_ptx_unexpected(p, "'{'");
    if (kept) *kept = p->lex.at;
    return hw_ptx_skip_block(p);
}

// nvcc writes .file at the end of its text, so a failure before that has to look ahead.
const char *hw_ptx_source_file(parser *p, uint32_t file) {
    if (file < p->n_files && p->files[file]) return p->files[file];
    char wanted[32];
    size_t length = (size_t)snprintf(wanted, sizeof wanted, "%u", file);
    static const char directive[] = ".file";
    for (const char *at = p->lex.at; (at = strstr(at, directive)) != NULL;) {
        at += sizeof directive - 1;
        at += strspn(at, " \t");
        if (strncmp(at, wanted, length) != 0) continue;
        at += length;
        at += strspn(at, " \t");
        if (*at != '"') continue;
        size_t name_length = strcspn(++at, "\"\n");
        return hw_arena_string(p->scratch, at, name_length);
    }
    return NULL;
}
