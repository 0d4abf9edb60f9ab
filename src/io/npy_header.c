// The header of a .npy file: magic, version, length, and a Python dictionary of three entries.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "io/npy.h"

enum { MAGIC_BYTES = 8, ALIGN = 64, GROWTH_DIGITS = 21 };   // the last two: numpy/lib/format.py's ARRAY_ALIGN and
                                                            // GROWTH_AXIS_MAX_DIGITS
static const char magic[] = "\x93NUMPY";

// ---- Dtypes ---------------------------------------------------------------------------------------------------------

// A kind of dtype: which sizes NumPy has of it (a bit per byte count), what DLPack calls it, and how many parts of an
// element have a byte order of their own (0: none has).
typedef struct dtype_kind {
    char kind;
    uint32_t sizes;
    DLDataTypeCode code;
    int parts;
} dtype_kind;

#define BYTES(n) (1u << (n))
enum { ANY_SIZE = 0 };
static const dtype_kind kinds[] = {
    {'b', BYTES(1), kDLUInt, 0},
    {'i', BYTES(1) | BYTES(2) | BYTES(4) | BYTES(8), kDLInt, 1},
    {'u', BYTES(1) | BYTES(2) | BYTES(4) | BYTES(8), kDLUInt, 1},
    {'f', BYTES(2) | BYTES(4) | BYTES(8) | BYTES(16), kDLFloat, 1},
    {'c', BYTES(8) | BYTES(16), kDLComplex, 2},
    {'M', BYTES(8), kDLInt, 1},     // times and their differences, with a unit behind: M8[ns]
    {'m', BYTES(8), kDLInt, 1},
    {'S', ANY_SIZE, kDLUInt, 0},
    {'V', ANY_SIZE, kDLUInt, 0},
    {'U', ANY_SIZE, kDLUInt, -1},   // letters of four bytes
};

static bool is_little_endian(void) {
    const uint16_t one = 1;
    return *(const uint8_t *)&one == 1;
}

static bool is_element_size(uint64_t bytes) {
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

static const dtype_kind *find_kind(char letter) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].kind == letter) return &kinds[i];
    return NULL;
}

static hw_status refuse_dtype(const char *name, const char *descr, const char *why, hw_diag *diag) {
    return hw_diag_set_at(diag, HW_UNSUPPORTED, name, 0, "dtype '%s' %s", descr, why);
}

// "[ns]", "[25us]": what may stand behind M8 and m8.
static bool is_time_unit(const char *text) {
    size_t length = strlen(text);
    if (!*text) return true;
    if (length < 3 || text[0] != '[' || text[length - 1] != ']') return false;
    for (size_t i = 1; i + 1 < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '/') return false;
    return true;
}

// text: what descr's string holds. Understands what np.dtype.str gives, and the byte orders '=' and none.
static hw_status parse_dtype(const char *text, const char *name, hw_npy_header *header, hw_diag *diag) {
    const char *at = text;
    char native = is_little_endian() ? '<' : '>', order = native;
    if (*at == '<' || *at == '>') order = *at++;
    else if (*at == '=' || *at == '|') at++;
    if (*at == 'O') return refuse_dtype(name, text, "holds Python objects, which have no bytes of their own", diag);
    const dtype_kind *kind = find_kind(*at);
    uint64_t bytes = 0;
    int digits = 0;
    for (at += kind != NULL; kind && isdigit((unsigned char)*at) && digits < 9; at++, digits++)
        bytes = bytes * 10 + (uint64_t)(*at - '0');
    bool takes_unit = kind && (kind->kind == 'M' || kind->kind == 'm');
    if (!kind || !digits || !(takes_unit ? is_time_unit(at) : *at == '\0'))
        return refuse_dtype(name, text, "is not one that Halfwarp knows", diag);
    uint64_t letters = bytes;
    if (kind->kind == 'U') bytes *= 4;
    if (!is_element_size(bytes) || (kind->sizes && !(kind->sizes & BYTES(bytes)))) {
        char why[96];
        snprintf(why, sizeof why, "has elements of %llu bytes, and not of 1, 2, 4, 8 or 16", (unsigned long long)bytes);
        return refuse_dtype(name, text, is_element_size(bytes) ? "is not one that NumPy has" : why, diag);
    }
    header->elem_bytes = (uint32_t)bytes;
    uint32_t number_bytes = kind->parts < 0 ? 4 : kind->parts ? header->elem_bytes / (uint32_t)kind->parts : 1;
    header->swap_bytes = number_bytes > 1 && order != native ? number_bytes : 0;
    header->dtype = (DLDataType){.code = (uint8_t)kind->code, .bits = (uint8_t)(bytes * 8), .lanes = 1};
    snprintf(header->descr, sizeof header->descr, "%c%c%llu%s", number_bytes > 1 ? order : '|', kind->kind,
             (unsigned long long)letters, at);
    return HW_OK;
}

// ---- The dictionary -------------------------------------------------------------------------------------------------

typedef struct cursor {
    const char *at, *end, *name;
    hw_diag *diag;
    bool old_python;   // whose long integers end in L
} cursor;

static hw_status refuse_header(const cursor *c, const char *what) {
    return hw_diag_set_at(c->diag, HW_MALFORMED, c->name, 0, "its header is no .npy header: %s", what);
}

static char skip_to_token(cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t' || *c->at == '\r')) c->at++;
    return c->at < c->end ? *c->at : '\0';
}

static bool take_char(cursor *c, char wanted) {
    if (skip_to_token(c) != wanted || c->at == c->end) return false;
    c->at++;
    return true;
}

// A string without escapes into text; false when it is none, or longer.
static bool take_string(cursor *c, char *text, size_t text_bytes) {
    char quote = skip_to_token(c);
    if (quote != '\'' && quote != '"') return false;
    const char *begin = ++c->at;
    while (c->at < c->end && *c->at != quote && isprint((unsigned char)*c->at) && *c->at != '\\') c->at++;
    size_t length = (size_t)(c->at - begin);
    if (c->at == c->end || *c->at != quote || length >= text_bytes) return false;
    memcpy(text, begin, length);
    text[length] = '\0';
    c->at++;
    return true;
}

static bool take_word(cursor *c, const char *word) {
    size_t length = strlen(word);
    skip_to_token(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0) return false;
    c->at += length;
    return true;
}

static hw_status take_extent(cursor *c, int64_t *extent) {
    int64_t value = 0;
    if (!isdigit((unsigned char)skip_to_token(c)))
        return refuse_header(c, skip_to_token(c) == '-' ? "an extent of its shape is negative"
                                                        : "its shape is no tuple of numbers");
    for (; c->at < c->end && isdigit((unsigned char)*c->at); c->at++)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *c->at - '0', &value))
            return refuse_header(c, "an extent of its shape overflows");
    if (c->old_python) take_char(c, 'L');
    *extent = value;
    return HW_OK;
}

// (), (3,), (3, 4), (3, 4,); (3) is a number, and no tuple.
static hw_status take_shape(cursor *c, hw_npy_header *header) {
    if (!take_char(c, '(')) return refuse_header(c, "its shape is no tuple of numbers");
    bool comma = true;
    header->rank = 0;
    while (!take_char(c, ')')) {
        if (!comma) return refuse_header(c, "its shape is no tuple of numbers");
        int64_t extent = 0;
        hw_status status = take_extent(c, &extent);
        if (status) return status;
        if (header->rank == HW_NPY_MAX_RANK)
            return hw_diag_set_at(c->diag, HW_UNSUPPORTED, c->name, 0, "it has more than %d axes", HW_NPY_MAX_RANK);
        header->shape[header->rank++] = extent;
        comma = take_char(c, ',');
    }
    return header->rank == 1 && !comma ? refuse_header(c, "its shape is no tuple of numbers") : HW_OK;
}

// A dtype that is no plain string, for the message: up to the bracket that ends it, or its beginning. Brackets within
// names of fields may end it early.
static hw_status refuse_structured(const cursor *c) {
    char text[80];
    size_t length = 0;
    int depth = 0;
    const char *at = c->at;
    for (; at < c->end && *at != '\n' && length + 1 < sizeof text; at++) {
        text[length++] = isprint((unsigned char)*at) ? *at : '?';
        depth += (*at == '[' || *at == '(') - (*at == ']' || *at == ')');
        if (depth == 0) break;
    }
    text[length] = '\0';
    return hw_diag_set_at(c->diag, HW_UNSUPPORTED, c->name, 0,
                          "its dtype has fields, and plain elements are needed: %s%s", text, depth ? "..." : "");
}

static hw_status take_descr(cursor *c, hw_npy_header *header) {
    char descr[sizeof header->descr];
    if (skip_to_token(c) == '[' || skip_to_token(c) == '(') return refuse_structured(c);
    if (!take_string(c, descr, sizeof descr)) return refuse_header(c, "its dtype is no string");
    return parse_dtype(descr, c->name, header, c->diag);
}

static hw_status take_order(cursor *c, hw_npy_header *header) {
    header->fortran_order = take_word(c, "True");
    return header->fortran_order || take_word(c, "False") ? HW_OK
                                                          : refuse_header(c, "fortran_order is neither True nor False");
}

static hw_status take_entry(cursor *c, const char *key, hw_npy_header *header) {
    if (strcmp(key, "descr") == 0) return take_descr(c, header);
    if (strcmp(key, "fortran_order") == 0) return take_order(c, header);
    return take_shape(c, header);
}

// Exactly three entries, in any order.
static hw_status take_dictionary(cursor *c, hw_npy_header *header) {
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    unsigned seen = 0;
    bool comma = true;
    if (!take_char(c, '{')) return refuse_header(c, "it is no dictionary");
    while (!take_char(c, '}')) {
        char key[16];
        int which = 0;
        if (!comma || !take_string(c, key, sizeof key)) return refuse_header(c, "it is no dictionary");
        while (which < 3 && strcmp(key, keys[which]) != 0) which++;
        if (which == 3 || seen & 1u << which)
            return refuse_header(c, "its keys are not descr, fortran_order and shape");
        seen |= 1u << which;
        if (!take_char(c, ':')) return refuse_header(c, "it is no dictionary");
        hw_status status = take_entry(c, keys[which], header);
        if (status) return status;
        comma = take_char(c, ',');
    }
    if (seen != 7) return refuse_header(c, "its keys are not descr, fortran_order and shape");
    return skip_to_token(c) || c->at < c->end ? refuse_header(c, "something follows its dictionary") : HW_OK;
}

// ---- The whole ------------------------------------------------------------------------------------------------------

hw_status hw_npy_header_length(const void *bytes, size_t n_bytes, const char *name, size_t *length, hw_diag *diag) {
    const uint8_t *b = bytes;
    if (n_bytes == 0) return hw_diag_set_at(diag, HW_MALFORMED, name, 0, "empty, and no .npy file");
    if (n_bytes >= 4 && memcmp(b, "PK\3\4", 4) == 0)
        return hw_diag_set_at(diag, HW_MALFORMED, name, 0,
                              "this is a .npz archive; unzip it, its members are .npy files");
    if (n_bytes < 6 ? memcmp(b, magic, n_bytes) != 0 : memcmp(b, magic, 6) != 0)
        return hw_diag_set_at(diag, HW_MALFORMED, name, 0, "not a .npy file");
    if (n_bytes < 12) return hw_diag_set_at(diag, HW_MALFORMED, name, 0, "cut short within its header");
    if (b[6] < 1 || b[6] > 3 || b[7] != 0)
        return hw_diag_set_at(diag, HW_UNSUPPORTED, name, 0, ".npy format %d.%d; 1.0, 2.0 and 3.0 are known", b[6],
                              b[7]);
    *length = b[6] == 1 ? (size_t)(b[8] | b[9] << 8) + 10
                        : (size_t)(b[8] | b[9] << 8 | b[10] << 16 | (uint64_t)b[11] << 24) + 12;
    return HW_OK;
}

// Extents of 0 do not excuse the others: their strides would overflow.
static hw_status find_size(const char *name, hw_npy_header *header, hw_diag *diag) {
    uint64_t total = header->elem_bytes, end;
    bool empty = false, overflow = false;
    for (int i = 0; i < header->rank; i++) {
        empty = empty || header->shape[i] == 0;
        overflow = overflow || (header->shape[i] && __builtin_mul_overflow(total, (uint64_t)header->shape[i], &total));
    }
    if (overflow || __builtin_add_overflow(total, header->data_offset, &end) || end > PTRDIFF_MAX)
        return hw_diag_set_at(diag, HW_MALFORMED, name, 0, "the size of its shape overflows");
    header->data_bytes = empty ? 0 : total;
    return HW_OK;
}

hw_status hw_npy_header_parse(const void *bytes, size_t n_bytes, const char *name, hw_npy_header *header,
                              hw_diag *diag) {
    size_t length;
    *header = (hw_npy_header){0};
    hw_status status = hw_npy_header_length(bytes, n_bytes, name, &length, diag);
    if (status) return status;
    if (length > n_bytes) return hw_diag_set_at(diag, HW_MALFORMED, name, 0, "cut short within its header");
    const char *text = bytes;
    cursor c = {.at = text + (text[6] == 1 ? 10 : 12), .end = text + length, .name = name, .diag = diag,
                .old_python = text[6] < 3};
    status = take_dictionary(&c, header);
    header->data_offset = length;
    return status ? status : find_size(name, header, diag);
}

size_t hw_npy_header_format(const hw_npy_header *header, char text[HW_NPY_HEADER_BYTES]) {
    char *dictionary = text + MAGIC_BYTES + 2;
    size_t room = HW_NPY_HEADER_BYTES - MAGIC_BYTES - 2;
    int used = snprintf(dictionary, room, "{'descr': '%s', 'fortran_order': False, 'shape': (", header->descr);
    for (int i = 0; i < header->rank; i++)
        used += snprintf(dictionary + used, room - (size_t)used, i ? ", %lld" : "%lld", (long long)header->shape[i]);
    used += snprintf(dictionary + used, room - (size_t)used, "%s), }", header->rank == 1 ? "," : "");
    // NumPy leaves room for the first extent to grow, so that arrays can be appended to in place.
    if (header->rank) used += GROWTH_DIGITS - snprintf(NULL, 0, "%lld", (long long)header->shape[0]);
    size_t length = (size_t)used + MAGIC_BYTES + 2 + 1, padded = length + ALIGN - length % ALIGN;
    size_t written = strlen(dictionary);
    memset(dictionary + written, ' ', padded - MAGIC_BYTES - 2 - written);
    text[padded - 1] = '\n';
    memcpy(text, magic, 6);
    text[6] = 1;
    text[7] = 0;
    text[8] = (char)((padded - 10) & 255);
    text[9] = (char)((padded - 10) >> 8);
    return padded;
}
