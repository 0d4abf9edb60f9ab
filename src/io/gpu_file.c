// A GPU from JSON and to JSON. First what the file is based on, then what it says, then what follows from that.
#include "io/gpu_file.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/text.h"
#include "isa/rates.h"

enum { MAX_FILE_BYTES = 1 << 20, TEXT_BYTES = 400 };

static const hw_gpu_field fields[] = {
#define HW_GPU_FIELD(key_, member_, kind_, least_, most_) \
    {.key = key_, .kind = HW_GPU_##kind_, .offset = offsetof(hw_gpu, member_), .least = least_, .most = most_},
#include "io/gpu_fields.def"
#undef HW_GPU_FIELD
};
enum { N_FIELDS = sizeof fields / sizeof fields[0] };

const hw_gpu_field *hw_gpu_field_at(size_t index) { return index < N_FIELDS ? &fields[index] : NULL; }

static size_t index_of(const char *key) {
    size_t i = 0;
    while (i < N_FIELDS && strcmp(fields[i].key, key)) i++;
    return i;
}

// A GPU of a file with its texts: one allocation.
typedef struct own_gpu {
    hw_gpu gpu;   // first: hw_gpu_close frees it by its address
    char texts[N_FIELDS][TEXT_BYTES];
} own_gpu;

typedef struct reader {
    const char *path, *text;   // text: NUL-terminated
    json_t *object;
    own_gpu *own;
    hw_diag *diag;
} reader;

static void *member_of(hw_gpu *gpu, const hw_gpu_field *field) { return (char *)gpu + field->offset; }
static const void *const_member(const hw_gpu *gpu, const hw_gpu_field *field) {
    return (const char *)gpu + field->offset;
}

// ---- What went wrong ------------------------------------------------------------------------------------------------

// The line on which the key stands, for people who look for it; 0: it is written with escapes.
static int line_of(const char *text, const char *key) {
    size_t length = strlen(key);
    int line = 1;
    for (const char *at = text; *at; at++) {
        line += *at == '\n';
        if (*at != '"' || strncmp(at + 1, key, length) || at[1 + length] != '"') continue;
        const char *behind = at + length + 2;
        if (behind[strspn(behind, " \t\r\n")] == ':') return line;
    }
    return 0;
}

static hw_status refuse_key(const reader *r, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static hw_status refuse_key(const reader *r, const char *key, const char *format, ...) {
    char why[512];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return hw_diag_set_at(r->diag, HW_MALFORMED, r->path, key ? line_of(r->text, key) : 0, "%s", why);
}

static bool has_key(const reader *r, const char *key) { return json_object_get(r->object, key) != NULL; }

// ---- Values ---------------------------------------------------------------------------------------------------------

static const char *keep_own_text(own_gpu *own, size_t field, const char *text) {
    snprintf(own->texts[field], TEXT_BYTES, "%s", text);
    return own->texts[field];
}

static bool is_id(const char *text) {
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("-_+.", *text)) return false;
    return true;
}

static bool has_controls(const char *text) {
    for (; *text; text++)
        if (iscntrl((unsigned char)*text)) return true;
    return false;
}

static hw_status take_text_value(reader *r, const hw_gpu_field *field, const json_t *value) {
    const char *text = json_string_value(value);
    size_t length = json_string_length(value);
    if (!text) return refuse_key(r, field->key, "\"%s\" has to be a text in quotes", field->key);
    if (length != strlen(text) || has_controls(text))
        return refuse_key(r, field->key, "\"%s\" has characters in it that cannot be printed", field->key);
    if (length < field->least || length > field->most)
        return refuse_key(r, field->key, "\"%s\" has %zu characters, and can have %g to %g", field->key, length,
                          field->least, field->most);
    if (strcmp(field->key, "id") == 0 && !is_id(text))
        return refuse_key(r, field->key, "\"id\" is letters, digits and - _ + . alone, and not \"%s\"", text);
    *(const char **)member_of(&r->own->gpu, field) = keep_own_text(r->own, (size_t)(field - fields), text);
    return HW_OK;
}

static hw_status take_capability(reader *r, const hw_gpu_field *field, const json_t *value) {
    const hw_arch *arch = json_is_string(value) ? hw_arch_named(json_string_value(value)) : NULL;
    if (arch) {
        r->own->gpu.arch = arch;
        return HW_OK;
    }
    char list[256];
    hw_text known = hw_text_in(list, sizeof list);
    for (size_t i = 0; (arch = hw_arch_at(i)); i++)
        hw_text_put(&known, "%s%d.%d", i ? ", " : "", arch->cc / 10, arch->cc % 10);
    return refuse_key(r, field->key, "\"%s\" is one of these, in quotes: %s", field->key, list);
}

static hw_status take_number(reader *r, const hw_gpu_field *field, const json_t *value) {
    const bool is_whole = field->kind != HW_GPU_REAL;
    const double number = json_number_value(value);
    const bool is_right = (is_whole ? json_is_integer(value) : json_is_number(value)) && number >= field->least &&
                          number <= field->most;
    if (!is_right)
        return refuse_key(r, field->key, "\"%s\" has to be a %snumber from %.15g to %.15g", field->key,
                          is_whole ? "whole " : "", field->least, field->most);
    void *to = member_of(&r->own->gpu, field);
    if (field->kind == HW_GPU_U32) *(uint32_t *)to = (uint32_t)json_integer_value(value);
    else if (field->kind == HW_GPU_U64) *(uint64_t *)to = (uint64_t)json_integer_value(value);
    else *(double *)to = number;
    return HW_OK;
}

static hw_status take_values(reader *r) {
    const char *key;
    json_t *value;
    hw_status status = HW_OK;
    json_object_foreach(r->object, key, value) {
        size_t i = index_of(key);
        if (i == N_FIELDS)
            return refuse_key(
                r, key, "there is no key \"%.60s\"; `halfwarp gpus h200 --format json` shows those there are", key);
        if (fields[i].kind == HW_GPU_TEXT) status = take_text_value(r, &fields[i], value);
        else if (fields[i].kind == HW_GPU_CAPABILITY) status = take_capability(r, &fields[i], value);
        else status = take_number(r, &fields[i], value);
        if (status) return status;
    }
    return HW_OK;
}

// ---- What it is based on, and what follows --------------------------------------------------------------------------

// The GPU that the file changes, or nothing at all. Texts are the row's, which outlives it.
static hw_status begin_from_base(reader *r) {
    const json_t *value = json_object_get(r->object, "based_on");
    if (!value) {
        r->own->gpu = (hw_gpu){.name = "", .chip = "", .source = ""};
        return HW_OK;
    }
    const char *name = json_string_value(value);
    const hw_gpu *base = name ? hw_gpu_find(name) : NULL;
    if (!base)
        return refuse_key(r, "based_on",
                          "\"based_on\" is the name of a GPU that `halfwarp gpus` lists, in quotes%s%.60s%s",
                          name ? ", and not \"" : "", name ? name : "", name ? "\"" : "");
    r->own->gpu = *base;
    r->own->gpu.based_on = base->id;
    r->own->gpu.id = NULL;
    r->own->gpu.source = "";
    return HW_OK;
}

// "/home/me/my gpu.json" is my-gpu.
static void name_by_path(reader *r) {
    const size_t field = index_of("id");
    const char *slash = strrchr(r->path, '/'), *stem = slash ? slash + 1 : r->path;
    char *id = r->own->texts[field];
    size_t length = strlen(stem), most = (size_t)fields[field].most;
    if (length > 5 && strcmp(stem + length - 5, ".json") == 0) length -= 5;
    if (length > most) length = most;
    for (size_t i = 0; i < length; i++) {
        const char letter[2] = {stem[i], '\0'};
        id[i] = is_id(letter) ? stem[i] : '-';
    }
    id[length] = '\0';
    r->own->gpu.id = length ? id : "gpu";
}

static hw_status check_complete(const reader *r) {
    static const char *const needed[] = {"compute_capability", "multiprocessors", "clock_mhz", "memory_bytes"};
    if (has_key(r, "based_on")) return HW_OK;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!has_key(r, needed[i]))
            return refuse_key(r, NULL, "\"%s\" is missing; a file that has no \"based_on\" has to say it", needed[i]);
    if (has_key(r, "memory_gbs") || (has_key(r, "memory_clock_mhz") && has_key(r, "memory_bus_bits"))) return HW_OK;
    return refuse_key(r, NULL, "\"memory_gbs\" is missing, or \"memory_clock_mhz\" with \"memory_bus_bits\"");
}

static bool differs_by_far(double a, double b) { return fabs(a - b) > 0.03 * fabs(b); }

// Two transfers a clock over the whole bus. gbs_per_bit: of what the file is based on, where its clock is not known.
static hw_status follow_memory(reader *r, double gbs_per_bit) {
    hw_gpu *gpu = &r->own->gpu;
    const double per_mhz = 2e-3 * gpu->memory_bus_bits / 8;
    if (gpu->memory_bus_bits % 8)
        return refuse_key(r, "memory_bus_bits", "\"memory_bus_bits\" has to be a multiple of 8, and is %u",
                          gpu->memory_bus_bits);
    if (has_key(r, "memory_gbs")) {
        if (!has_key(r, "memory_clock_mhz"))
            gpu->memory_clock_mhz = per_mhz > 0 && gpu->memory_gbs / per_mhz < 1e6
                                        ? (uint32_t)(gpu->memory_gbs / per_mhz + 0.5) : 0;
    } else if (has_key(r, "memory_clock_mhz") || has_key(r, "memory_bus_bits")) {
        gpu->memory_gbs = gpu->memory_clock_mhz ? gpu->memory_clock_mhz * per_mhz : gbs_per_bit * gpu->memory_bus_bits;
    }
    if (!(gpu->memory_gbs > 0))
        return refuse_key(r, "memory_bus_bits", "memory without a bus or a clock moves nothing: give \"memory_gbs\"");
    if (has_key(r, "memory_clock_mhz") && gpu->memory_clock_mhz && per_mhz > 0 &&
        differs_by_far(gpu->memory_gbs, gpu->memory_clock_mhz * per_mhz))
        return refuse_key(r, "memory_gbs",
                          "\"memory_gbs\" is %.6g, and two transfers a clock at %u MHz over %u bits make "
                          "%.6g: change or leave out one of them",
                          gpu->memory_gbs, gpu->memory_clock_mhz, gpu->memory_bus_bits,
                          gpu->memory_clock_mhz * per_mhz);
    return HW_OK;
}

// A multiply-add in each lane and clock. ratio: fp64 to fp32 of what the file is based on.
static hw_status follow_rates(reader *r, double ratio) {
    hw_gpu *gpu = &r->own->gpu;
    const bool is_new = !has_key(r, "based_on") || has_key(r, "compute_capability");
    const double flops = 2e-3 * gpu->sms * gpu->clock_mhz, fp32 = flops * hw_rate_of(gpu->arch, HW_RATE_F32);
    const bool changes = is_new || has_key(r, "multiprocessors") || has_key(r, "clock_mhz");
    if (!has_key(r, "fp32_gflops") && changes) gpu->fp32_gflops = fp32;
    if (!has_key(r, "fp64_gflops") && changes)
        gpu->fp64_gflops = is_new ? flops * hw_rate_of(gpu->arch, HW_RATE_F64) : ratio * gpu->fp32_gflops;
    if (has_key(r, "fp32_gflops") && gpu->fp32_gflops > 0 && differs_by_far(gpu->fp32_gflops, fp32))
        return refuse_key(r, "fp32_gflops",
                          "\"fp32_gflops\" is %.6g, and %u multiprocessors at %u MHz make %.6g: change "
                          "or leave out one of them",
                          gpu->fp32_gflops, gpu->sms, gpu->clock_mhz, fp32);
    if (gpu->fp32_gflops > 0 && gpu->fp64_gflops > gpu->fp32_gflops)
        return refuse_key(r, "fp64_gflops", "\"fp64_gflops\" is %.6g, more than \"fp32_gflops\", %.6g",
                          gpu->fp64_gflops, gpu->fp32_gflops);
    if (!has_key(r, "base_clock_mhz") && gpu->base_clock_mhz > gpu->clock_mhz) gpu->base_clock_mhz = 0;
    if (gpu->base_clock_mhz > gpu->clock_mhz)
        return refuse_key(r, "base_clock_mhz", "\"base_clock_mhz\" is %u, more than \"clock_mhz\", %u",
                          gpu->base_clock_mhz, gpu->clock_mhz);
    return HW_OK;
}

static hw_status read_object(reader *r) {
    hw_status status = begin_from_base(r);
    const hw_gpu base = r->own->gpu;
    if (!status) status = take_values(r);
    if (!status) status = check_complete(r);
    if (status) return status;
    if (has_key(r, "based_on")) r->own->gpu.based_on = base.based_on;   // however it was spelled
    if (!r->own->gpu.id) name_by_path(r);
    if (!*r->own->gpu.name) r->own->gpu.name = r->own->gpu.id;
    status = follow_memory(r, base.memory_bus_bits ? base.memory_gbs / base.memory_bus_bits : 0);
    return status ? status : follow_rates(r, base.fp32_gflops > 0 ? base.fp64_gflops / base.fp32_gflops : 0);
}

// ---- Doors ----------------------------------------------------------------------------------------------------------

// An object, or what `gpus --format json` writes of one GPU: an array with an object. NULL after a refusal.
static json_t *find_object(reader *r, json_t *root) {
    json_t *object = json_is_array(root) && json_array_size(root) == 1 ? json_array_get(root, 0) : root;
    if (json_is_array(root) && json_array_size(root) != 1)
        refuse_key(r, NULL, "it has %zu GPUs, and one is asked for", json_array_size(root));
    else if (!json_is_object(object)) refuse_key(r, NULL, "it is no JSON object, {\"based_on\": \"h200\", ...}");
    return json_is_object(object) ? object : NULL;
}

static hw_status parse_copy(const char *copy, size_t length, const char *path, const hw_gpu **out, hw_diag *diag) {
    json_error_t error;
    reader r = {.path = path, .text = copy, .diag = diag};
    json_t *root = json_loadb(copy, length, JSON_REJECT_DUPLICATES, &error);
    hw_status status = HW_MALFORMED;
    if (!root && json_error_code(&error) == json_error_out_of_memory) return hw_diag_no_memory(diag);
    if (!root) return hw_diag_set_at(diag, HW_MALFORMED, path, error.line, "it is no JSON: %s", error.text);
    if ((r.object = find_object(&r, root))) {
        r.own = hw_calloc(1, sizeof *r.own);
        status = r.own ? read_object(&r) : hw_diag_no_memory(diag);
    }
    json_decref(root);
    if (!status) *out = &r.own->gpu;
    else hw_free(r.own);
    return status;
}

hw_status hw_gpu_parse(const char *text, size_t length, const char *path, const hw_gpu **out, hw_diag *diag) {
    *out = NULL;
    char *copy = hw_malloc(length + 1);
    if (!copy) return hw_diag_no_memory(diag);
    memcpy(copy, text, length);
    copy[length] = '\0';
    hw_status status = parse_copy(copy, length, path, out, diag);
    hw_free(copy);
    return status;
}

bool hw_gpu_is_file(const char *word) {
    size_t length = strlen(word);
    return strchr(word, '/') || (length > 5 && strcmp(word + length - 5, ".json") == 0);
}

// The whole file; *length bytes, to be freed. What is read twice, here and by a program's process, has to stay.
static hw_status read_gpu_file(const char *path, char **text, size_t *length, hw_diag *diag) {
    struct stat info;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &info) != 0) {
        int failure = errno;
        if (file) fclose(file);
        return hw_diag_set(diag, HW_IO, "cannot read the GPU of %s: %s", path, strerror(failure));
    }
    hw_status status = HW_OK;
    if (!S_ISREG(info.st_mode))
        status = hw_diag_set(diag, HW_IO, "cannot read the GPU of %s: it is no regular file", path);
    else if (info.st_size > MAX_FILE_BYTES)
        status = hw_diag_set(diag, HW_MALFORMED, "%s has %lld bytes, and is no GPU", path, (long long)info.st_size);
    else if (!(*text = hw_malloc((size_t)info.st_size + 1))) status = hw_diag_no_memory(diag);
    if (!status) *length = fread(*text, 1, (size_t)info.st_size, file);
    if (!status && ferror(file)) {
        hw_free(*text);
        status = hw_diag_set(diag, HW_IO, "cannot read the GPU of %s: %s", path, strerror(errno));
    }
    fclose(file);
    return status;
}

hw_status hw_gpu_open(const char *word, const hw_gpu **out, hw_diag *diag) {
    char *text = NULL;
    size_t length = 0;
    *out = hw_gpu_is_file(word) ? NULL : hw_gpu_find(word);
    if (*out) return HW_OK;
    if (!hw_gpu_is_file(word))
        return hw_diag_set(diag, HW_USAGE, "no GPU model is called \"%s\"; `halfwarp gpus` lists them", word);
    hw_status status = read_gpu_file(word, &text, &length, diag);
    if (status) return status;
    status = hw_gpu_parse(text, length, word, out, diag);
    hw_free(text);
    return status;
}

void hw_gpu_close(const hw_gpu *gpu) {
    const hw_gpu *row;
    for (size_t i = 0; gpu && (row = hw_gpu_at(i)); i++)
        if (row == gpu) return;
    hw_free((void *)(uintptr_t)gpu);
}

// ---- To JSON --------------------------------------------------------------------------------------------------------

static json_t *json_of_field(const hw_gpu *gpu, const hw_gpu_field *field) {
    const void *at = const_member(gpu, field);
    char spelled[16];
    switch (field->kind) {
    case HW_GPU_TEXT: return json_string(*(const char *const *)at);
    case HW_GPU_CAPABILITY:
        snprintf(spelled, sizeof spelled, "%d.%d", gpu->arch->cc / 10, gpu->arch->cc % 10);
        return json_string(spelled);
    case HW_GPU_U32: return json_integer(*(const uint32_t *)at);
    case HW_GPU_U64: return json_integer((json_int_t)*(const uint64_t *)at);
    default: return json_real(*(const double *)at);
    }
}

static json_t *object_of(const hw_gpu *gpu) {
    json_t *object = json_object();
    bool is_whole = object != NULL;
    for (size_t i = 0; i < N_FIELDS && is_whole; i++) {
        const bool is_text = fields[i].kind == HW_GPU_TEXT;
        const char *text = is_text ? *(const char *const *)const_member(gpu, &fields[i]) : "";
        if (is_text && (!text || !*text)) continue;
        is_whole = json_object_set_new(object, fields[i].key, json_of_field(gpu, &fields[i])) == 0;
    }
    if (is_whole) return object;
    json_decref(object);
    return NULL;
}

bool hw_gpu_write_json(const hw_gpu *const *gpus, size_t count, FILE *out) {
    json_t *array = json_array();
    bool is_whole = array != NULL;
    for (size_t i = 0; i < count && is_whole; i++) is_whole = json_array_append_new(array, object_of(gpus[i])) == 0;
    if (is_whole) is_whole = json_dumpf(array, out, JSON_INDENT(1) | JSON_REAL_PRECISION(10)) == 0 || ferror(out);
    if (is_whole) fputc('\n', out);
    json_decref(array);
    return is_whole;
}
