// Inputs and results as files.
#include "arrays/array_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "output/unfinished.h"

static bool is_dash(const char *path) { return strcmp(path, "-") == 0; }

// ---- Options --------------------------------------------------------------------------------------------------------

bool hw_cli_is_file_name(const char *option, const char *value) {
    if (*value) return true;
    hw_cli_complain("%s takes a file's name", option);
    return false;
}

int hw_cli_check_terminals(const char *const *inputs, int n_inputs, const char *const *outputs, int n_outputs) {
    for (int i = 0; i < n_inputs; i++)
        if (inputs[i] && is_dash(inputs[i]) && isatty(STDIN_FILENO)) {
            hw_cli_complain("standard input is a terminal, and no array");
            return HW_EXIT_USAGE;
        }
    for (int i = 0; i < n_outputs; i++)
        if (outputs[i] && is_dash(outputs[i]) && isatty(STDOUT_FILENO)) {
            hw_cli_complain("standard output is a terminal, which shows no arrays; -o names a file");
            return HW_EXIT_USAGE;
        }
    return 0;
}

void hw_cli_print_explanation(const char *text, const char *output) {
    size_t length = strlen(text);
    FILE *to = output && is_dash(output) ? stderr : stdout;
    fprintf(to, "%s%s", text, length && text[length - 1] != '\n' ? "\n" : "");
}

// ---- Inputs ---------------------------------------------------------------------------------------------------------

static void swap_elements(unsigned char *bytes, size_t n_bytes, uint32_t each) {
    for (size_t i = 0; i + each <= n_bytes; i += each)
        for (uint32_t k = 0; k < each / 2; k++) {
            unsigned char byte = bytes[i + k];
            bytes[i + k] = bytes[i + each - 1 - k];
            bytes[i + each - 1 - k] = byte;
        }
}

// What was mapped is copied, as the file stays as it is.
static int use_own_byte_order(const char *path, hw_npy *npy) {
    if (!npy->header.swap_bytes) return 0;
    size_t bytes = npy->header.data_bytes;
    if (npy->map) {
        npy->memory = hw_malloc(bytes ? bytes : 1);
        if (!npy->memory) {
            hw_cli_complain("%s: out of memory for its %zu bytes", path, bytes);
            return HW_EXIT_USAGE;
        }
        memcpy(npy->memory, npy->tensor.data, bytes);
        npy->tensor.data = npy->memory;
    }
    swap_elements(npy->tensor.data, bytes, npy->header.swap_bytes);
    npy->header.swap_bytes = 0;
    return 0;
}

int hw_cli_open_numbers(const char *path, const char *kinds, hw_npy *npy) {
    hw_diag diag = {0};
    hw_status status = hw_npy_open(path, npy, &diag);
    if (status) return hw_cli_fail(status, &diag);
    int failed = 0;
    const bool is_bool = npy->header.descr[1] == 'b';
    if (is_bool) npy->tensor.dtype.code = npy->header.dtype.code = HW_BOOL;
    if (!strchr(kinds, npy->header.descr[1])) {
        hw_cli_complain("%s: dtype '%s' is none of integers%s floats%s", is_dash(path) ? "standard input" : path,
                        npy->header.descr, strchr(kinds, 'b') ? "," : " and", strchr(kinds, 'b') ? " and bool" : "");
        failed = HW_EXIT_UNSUPPORTED;
    } else failed = use_own_byte_order(path, npy);
    if (failed) hw_npy_close(npy);
    return failed;
}

// ---- Results --------------------------------------------------------------------------------------------------------

void hw_cli_npy_header(DLDataType dtype, int rank, const int64_t *shape, hw_npy_header *header) {
    const uint16_t one = 1;
    bool is_little = *(const uint8_t *)&one == 1;
    char kind = dtype.code == kDLFloat ? 'f' : dtype.code == kDLInt ? 'i' : dtype.code == HW_BOOL ? 'b' : 'u';
    *header = (hw_npy_header){.dtype = dtype, .elem_bytes = dtype.bits / 8u, .rank = rank};
    snprintf(header->descr, sizeof header->descr, "%c%c%u", dtype.bits == 8 ? '|' : is_little ? '<' : '>', kind,
             dtype.bits / 8u);
    memcpy(header->shape, shape, (size_t)rank * sizeof *shape);
}

static bool stat_file(const char *path, int of_dash, struct stat *info) {
    return (is_dash(path) ? fstat(of_dash, info) : stat(path, info)) == 0;
}

// By whatever names; of what is no regular file nothing is overwritten.
static bool is_same_file(const char *output, const char *other, int of_dash) {
    struct stat a, b;
    return stat_file(output, STDOUT_FILENO, &a) && stat_file(other, of_dash, &b) && S_ISREG(a.st_mode) &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool refuse_same(const char *const *paths, int n, const char *const *inputs, int n_inputs) {
    for (int i = 0; i < n; i++) {
        const char *name = is_dash(paths[i]) ? "standard output" : paths[i];
        for (int k = 0; k < n_inputs; k++)
            if (inputs[k] && is_same_file(paths[i], inputs[k], STDIN_FILENO)) {
                hw_cli_complain("%s: is the input, and the output must be another file", name);
                return true;
            }
        for (int k = 0; k < i; k++)
            if (strcmp(paths[i], paths[k]) == 0 || is_same_file(paths[i], paths[k], STDOUT_FILENO)) {
                hw_cli_complain("%s: is named for two outputs", name);
                return true;
            }
    }
    return false;
}

static void name_unfinished(const hw_cli_results *results) {
    hw_cli_release_signals(results->n > 0 ? results->file[0].temporary : NULL,
                           results->n > 1 ? results->file[1].temporary : NULL);
}

int hw_cli_results_create(hw_cli_results *results, const char *const *paths, const hw_npy_header *headers, int n,
                          const char *const *inputs, int n_inputs) {
    hw_diag diag = {0};
    hw_status status = HW_OK;
    results->n = 0;
    bool is_refused = refuse_same(paths, n, inputs, n_inputs);
    while (!is_refused && results->n < n && !status) {
        status = hw_npy_create(paths[results->n], &headers[results->n], NULL, &results->file[results->n], &diag);
        if (!status) results->n++;
    }
    if (!is_refused && !status) {
        name_unfinished(results);
        return 0;
    }
    while (results->n) hw_npy_discard(&results->file[--results->n]);
    hw_cli_release_signals(NULL, NULL);
    return is_refused ? HW_EXIT_USAGE : hw_cli_fail(status, &diag);
}

int hw_cli_results_finish(hw_cli_results *results, hw_status status, hw_diag *diag) {
    // What goes to a stream has no name to get, and a reader may be slow.
    bool is_file = false;
    for (int i = 0; i < results->n; i++) is_file |= results->file[i].temporary != NULL;
    if (is_file) hw_cli_hold_signals();
    // A stream may fail, by a full disk or a reader who has left, and then no file is to have a name.
    for (int of_files = 0; of_files < 2; of_files++)
        for (int i = 0; i < results->n && !status; i++)
            if ((results->file[i].temporary != NULL) == of_files) status = hw_npy_commit(&results->file[i], diag);
    for (int i = 0; i < results->n; i++) hw_npy_discard(&results->file[i]);
    results->n = 0;
    hw_cli_release_signals(NULL, NULL);
    return status ? hw_cli_fail(status, diag) : 0;
}
