// The real nvcc's command line, so that what it makes can be simulated.
#include <string.h>

#include "toolchain/nvcc/nvcc_route.h"

// -gencode and -arch with -code, by what they leave out.
typedef struct architectures {
    hw_args with_ptx, without_ptx;     // "compute_80", as -gencode needs it
    const char *arch, *code;
    bool makes_cubin;
    bool makes_one_file;               // -ptx: for one architecture, and nothing may be added
} architectures;

static bool is_option(const char *word, const char *name, const char *long_name, const char **value) {
    const char *at = word + (word[0] == '-') + (word[0] == '-' && word[1] == '-');
    if (at == word) return false;
    size_t length = strcspn(at, "=");
    if ((strlen(name) != length || strncmp(at, name, length)) &&
        (strlen(long_name) != length || strncmp(at, long_name, length)))
        return false;
    *value = at[length] ? at + length + 1 : NULL;
    return true;
}

// Does a list like [compute_80,sm_80] name a virtual architecture?
static bool has_ptx(const char *code) { return strstr(code, "compute_") != NULL; }

static void take_gencode(architectures *archs, hw_arena *arena, const char *value) {
    const char *arch = strstr(value, "arch="), *code = strstr(value, "code=");
    if (!arch) return;
    arch += strlen("arch=");
    if (*arch == '"') arch++;
    char *name = hw_arena_string(arena, arch, strcspn(arch, ",\""));
    hw_args_add(!code || has_ptx(code) ? &archs->with_ptx : &archs->without_ptx, name);
}

static bool has_text(const hw_args *list, const char *text) {
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->items[i], text)) return true;
    return false;
}

// Takes note of the word at i; *taken words. False when nvcc is not to see it.
static bool take_note(architectures *archs, const hw_args *words, size_t i, size_t *taken) {
    const char *word = words->items[i], *value = NULL;
    static const char *const valued[][2] = {{"gencode", "generate-code"}, {"arch", "gpu-architecture"},
                                            {"code", "gpu-code"},         {"cudart", "cudart"},
                                            {"halfwarp-compiler", "halfwarp-compiler"}};
    *taken = 1;
    for (size_t k = 0; k < sizeof valued / sizeof valued[0]; k++) {
        if (!is_option(word, valued[k][0], valued[k][1], &value)) continue;
        if (!value && i + 1 < words->count) {
            value = words->items[i + 1];
            *taken = 2;
        }
        if (!value) return true;
        if (k == 0) take_gencode(archs, words->arena, value);
        if (k == 1) archs->arch = value;
        if (k == 2) archs->code = value;
        // The static runtime is inside the program, where no other can replace it.
        return k < 3 || (k == 3 && strcmp(value, "none") == 0);
    }
    static const char *const one[][2] = {{"ptx", "ptx"}, {"optix-ir", "optix-ir"}};
    for (size_t k = 0; k < sizeof one / sizeof one[0]; k++)
        archs->makes_one_file |= is_option(word, one[k][0], one[k][1], &value);
    const bool is_cubin = is_option(word, "cubin", "cubin", &value);
    archs->makes_cubin |= is_cubin;
    return !is_cubin;
}

// -cubin becomes -fatbin, whose file has PTX beside the machine code; what it is called is nvcc's own rule.
static hw_status add_in_place_of_cubin(const hw_args *words, hw_args *real, hw_diag *diag) {
    hw_nvcc_command command;
    hw_status status = hw_nvcc_read_names(words, words->arena, &command, diag);
    hw_args_add(real, "-fatbin");
    if (status || command.output) return status;
    if (command.inputs.count > 1)
        return hw_diag_set(diag, HW_USAGE, "-cubin of several files: Halfwarp makes fat binaries with PTX in place of "
                           "machine code, for one file at a time");
    if (!command.inputs.count) return HW_OK;
    hw_args_add(real, "-o");
    hw_args_add(real, hw_nvcc_output(&command, command.inputs.items[0], ".cubin", words->arena));
    return HW_OK;
}

hw_status hw_nvcc_add_real(const char *path, const hw_args *words, hw_args *real, hw_diag *diag) {
    architectures archs = {.with_ptx.arena = words->arena, .without_ptx.arena = words->arena};
    const char *value;
    bool has_runtime = false;
    hw_args_add(real, path);
    for (size_t i = 0, taken; i < words->count; i += taken) {
        bool passes = take_note(&archs, words, i, &taken);
        for (size_t k = i; passes && k < i + taken; k++) hw_args_add(real, words->items[k]);
        has_runtime |= passes && is_option(words->items[i], "cudart", "cudart", &value);
    }
    if (archs.makes_cubin) {
        hw_status status = add_in_place_of_cubin(words, real, diag);
        if (status) return status;
    }
    if (!has_runtime) {
        hw_args_add(real, "-cudart");
        hw_args_add(real, "shared");
    }
    if (archs.code && !has_ptx(archs.code) && archs.arch && hw_nvcc_read_arch(archs.arch))
        hw_args_add(&archs.without_ptx, archs.arch);
    for (size_t i = 0; !archs.makes_one_file && i < archs.without_ptx.count; i++) {
        const char *arch = archs.without_ptx.items[i], *number = strchr(arch, '_');
        if (!number || has_text(&archs.with_ptx, arch)) continue;
        hw_args_add(&archs.with_ptx, arch);
        hw_args_addf(real, "-gencode=arch=compute%s,code=compute%s", number, number);
    }
    return real->failed || archs.with_ptx.failed || archs.without_ptx.failed ? hw_diag_no_memory(diag) : HW_OK;
}
