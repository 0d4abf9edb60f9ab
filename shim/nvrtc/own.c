// NVRTC where NVIDIA's is not there: programs are compiled by clang (toolchain/rtc/rtc.h). What it does of PTX's files,
// LTO-IR and OptiX's code is refused.
#include <string.h>

#include "base/alloc.h"
#include "shim/nvrtc/nvrtc.h"
#include "shim/process.h"
#include "shim/shim.h"
#include "toolchain/rtc/rtc.h"

// All that it has is in its arena.
struct nvrtc_program {
    hw_arena *arena;
    const char *name, *source;
    hw_source_file *headers;
    size_t n_headers, n_expressions;
    const char **expressions;
    hw_rtc_result result;       // log NULL: not compiled yet
    int (*ask)(void *, void *);
    void *ask_user;
};

int hw_own_version(int *major, int *minor) {
    // Of each library's releases the newest that is known here.
    static const int newest[][2] = {{11, 8}, {12, 9}, {13, 0}};
    if (!major || !minor) return NVRTC_ERROR_INVALID_INPUT;
    *major = newest[(int)HW_NVRTC - 11][0];
    *minor = newest[(int)HW_NVRTC - 11][1];
    return NVRTC_SUCCESS;
}

const char *hw_own_error_string(int result) {
    switch (result) {
#define HW_RESULT(name, number) case number: return #name;
#include "shim/nvrtc/results.def"
#undef HW_RESULT
    }
    return "NVRTC_ERROR unknown";
}

// ---- Architectures --------------------------------------------------------------------------------------------------

enum { MAX_ARCHS = 64 };

static int complain_of_none(void) {
    hw_shim_complain("the program asks NVRTC to compile, and there is neither NVIDIA's (pip install "
                     "nvidia-cuda-nvrtc, or the CUDA toolkit) nor a clang to take its place (apt-get install clang)",
                     HW_EXIT_UNSUPPORTED);
    return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
}

static size_t find_archs(int archs[MAX_ARCHS]) {
    const hw_environment *environment = &hw_shim_process_get()->environment;
    const size_t count = hw_rtc_archs(environment->path, environment->cache_dir, archs, MAX_ARCHS);
    if (!count) complain_of_none();
    return count;
}

int hw_own_count_archs(int *count) {
    int archs[MAX_ARCHS];
    if (!count) return NVRTC_ERROR_INVALID_INPUT;
    *count = (int)find_archs(archs);
    return NVRTC_SUCCESS;
}

int hw_own_list_archs(int *archs) {
    int found[MAX_ARCHS];
    if (!archs) return NVRTC_ERROR_INVALID_INPUT;
    memcpy(archs, found, find_archs(found) * sizeof *archs);
    return NVRTC_SUCCESS;
}

// ---- Programs -------------------------------------------------------------------------------------------------------

static const char *keep(nvrtcProgram program, const char *text) {
    return hw_arena_string(program->arena, text, strlen(text));
}

static bool keep_headers(nvrtcProgram program, int count, const char *const *texts, const char *const *names) {
    program->headers = hw_arena_take(program->arena, ((size_t)count + 1) * sizeof *program->headers);
    for (int i = 0; program->headers && i < count; i++) {
        hw_source_file *header = &program->headers[program->n_headers++];
        *header = (hw_source_file){.path = keep(program, names[i]), .text = keep(program, texts[i]),
                                   .bytes = strlen(texts[i])};
        if (!header->path || !header->text) return false;
    }
    return program->headers != NULL;
}

int hw_own_create(nvrtcProgram *program, const char *source, const char *name, int n_headers,
                  const char *const *headers, const char *const *names) {
    if (!program || !source || n_headers < 0 || (n_headers && (!headers || !names))) return NVRTC_ERROR_INVALID_INPUT;
    for (int i = 0; i < n_headers; i++)
        if (!headers[i] || !names[i]) return NVRTC_ERROR_INVALID_INPUT;
    nvrtcProgram made = hw_calloc(1, sizeof *made);
    if (made) made->arena = hw_arena_create();
    if (made && made->arena && keep_headers(made, n_headers, headers, names) &&
        (made->name = keep(made, name && *name ? name : "default_program")) && (made->source = keep(made, source))) {
        *program = made;
        return NVRTC_SUCCESS;
    }
    hw_own_destroy(&made);
    return NVRTC_ERROR_OUT_OF_MEMORY;
}

int hw_own_destroy(nvrtcProgram *program) {
    if (!program || !*program) return NVRTC_ERROR_INVALID_PROGRAM;
    hw_arena_destroy((*program)->arena);
    hw_free(*program);
    *program = NULL;
    return NVRTC_SUCCESS;
}

int hw_own_compile(nvrtcProgram program, int count, const char *const *options) {
    if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
    if (count < 0 || (count && !options)) return NVRTC_ERROR_INVALID_INPUT;
    if (program->ask && program->ask(program->ask_user, NULL)) return NVRTC_ERROR_CANCELLED;
    const hw_environment *environment = &hw_shim_process_get()->environment;
    const hw_rtc_request request = {
        .name = program->name, .text = program->source, .headers = program->headers, .n_headers = program->n_headers,
        .options = options, .n_options = (size_t)count, .expressions = program->expressions,
        .n_expressions = program->n_expressions, .search_path = environment->path,
        .cache_dir = environment->cache_dir,
    };
    switch (hw_rtc_compile(&request, program->arena, &program->result)) {
    case HW_OK: return NVRTC_SUCCESS;
    case HW_NO_MEMORY: return NVRTC_ERROR_OUT_OF_MEMORY;
    case HW_USAGE: return NVRTC_ERROR_INVALID_OPTION;
    case HW_UNSUPPORTED:
        if (program->result.refused) hw_shim_complain(program->result.refused, HW_EXIT_UNSUPPORTED);
        return NVRTC_ERROR_INVALID_OPTION;
    case HW_COMPILE: return NVRTC_ERROR_COMPILATION;
    case HW_NOT_FOUND: return complain_of_none();
    default: return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    }
}

// ---- Name expressions -----------------------------------------------------------------------------------------------

int hw_own_add_expression(nvrtcProgram program, const char *name) {
    if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!name) return NVRTC_ERROR_INVALID_INPUT;
    if (program->result.log) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    const size_t count = program->n_expressions;
    const char **grown = hw_arena_take(program->arena, (count + 1) * sizeof *grown);
    if (!grown || !(grown[count] = keep(program, name))) return NVRTC_ERROR_OUT_OF_MEMORY;
    if (count) memcpy(grown, program->expressions, count * sizeof *grown);
    program->expressions = grown;
    program->n_expressions++;
    return NVRTC_SUCCESS;
}

int hw_own_lowered(nvrtcProgram program, const char *name, const char **lowered) {
    if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!name || !lowered) return NVRTC_ERROR_INVALID_INPUT;
    if (!program->result.lowered) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    *lowered = NULL;
    for (size_t i = 0; i < program->n_expressions; i++) {
        if (strcmp(program->expressions[i], name)) continue;
        *lowered = program->result.lowered[i];
        return NVRTC_SUCCESS;
    }
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

// ---- What came of it ------------------------------------------------------------------------------------------------

static int give_size(nvrtcProgram program, const char *text, size_t *bytes) {
    if (!program || !text) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!bytes) return NVRTC_ERROR_INVALID_INPUT;
    *bytes = strlen(text) + 1;
    return NVRTC_SUCCESS;
}

static int give_text(nvrtcProgram program, const char *text, char *out) {
    if (!program || !text) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!out) return NVRTC_ERROR_INVALID_INPUT;
    memcpy(out, text, strlen(text) + 1);
    return NVRTC_SUCCESS;
}

static const char *ptx_of(nvrtcProgram program) { return program ? program->result.ptx : NULL; }

int hw_own_ptx_size(nvrtcProgram program, size_t *bytes) { return give_size(program, ptx_of(program), bytes); }
int hw_own_ptx(nvrtcProgram program, char *ptx) { return give_text(program, ptx_of(program), ptx); }

// Before it is compiled the log is empty.
static const char *log_of(nvrtcProgram program) { return program && program->result.log ? program->result.log : ""; }

int hw_own_log_size(nvrtcProgram program, size_t *bytes) { return give_size(program, log_of(program), bytes); }
int hw_own_log(nvrtcProgram program, char *log) { return give_text(program, log_of(program), log); }

int hw_own_no_code_size(nvrtcProgram program, size_t *bytes) {
    (void)program, (void)bytes;
    return NVRTC_ERROR_INVALID_PROGRAM;
}
int hw_own_no_code(nvrtcProgram program, char *code) {
    (void)program, (void)code;
    return NVRTC_ERROR_INVALID_PROGRAM;
}

// ---- Precompiled headers, of which clang's are made without being asked for -----------------------------------------

int hw_own_pch_heap(size_t *bytes) {
    if (!bytes) return NVRTC_ERROR_INVALID_INPUT;
    *bytes = 0;
    return NVRTC_SUCCESS;
}
int hw_own_set_pch_heap(size_t bytes) {
    (void)bytes;
    return NVRTC_SUCCESS;
}
int hw_own_pch_status(nvrtcProgram program) {
    return program ? NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED : NVRTC_ERROR_INVALID_PROGRAM;
}
int hw_own_pch_size(nvrtcProgram program, size_t *bytes) {
    if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
    return hw_own_pch_heap(bytes);
}

int hw_own_set_callback(nvrtcProgram program, int (*ask)(void *, void *), void *user) {
    if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!ask) return NVRTC_ERROR_INVALID_INPUT;
    program->ask = ask;
    program->ask_user = user;
    return NVRTC_SUCCESS;
}
