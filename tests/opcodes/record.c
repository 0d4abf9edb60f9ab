// Runs the opcode tests on a real GPU and writes the files anew with its results: how the '=' lines came to be.
//
//     cc -o record record.c cases.c -ldl -lm && ./record FILE...      (on a machine with an NVIDIA driver)
//
// A row that the driver's compiler refuses is reported and kept without a record.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

static struct {
    int (*init)(unsigned), (*device_get)(int *, int), (*context_retain)(void **, int), (*context_set)(void *);
    int (*load)(void **, const void *, unsigned, int *, void **), (*get)(void **, void *, const char *);
    int (*unload)(void *);
    int (*alloc)(uint64_t *, size_t), (*to_device)(uint64_t, const void *, size_t);
    int (*to_host)(void *, uint64_t, size_t);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                  void **);
    int (*synchronize)(void);
    uint64_t in, out;
} cu;

static void *symbol(void *library, const char *name) {
    void *p = dlsym(library, name);
    if (!p) {
        fprintf(stderr, "record: libcuda has no %s\n", name);
        exit(1);
    }
    return p;
}

static void start(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    void *context;
    int device;
    if (!library) {
        fprintf(stderr, "record: no NVIDIA driver here\n");
        exit(1);
    }
    *(void **)&cu.init = symbol(library, "cuInit");
    *(void **)&cu.device_get = symbol(library, "cuDeviceGet");
    *(void **)&cu.context_retain = symbol(library, "cuDevicePrimaryCtxRetain");
    *(void **)&cu.context_set = symbol(library, "cuCtxSetCurrent");
    *(void **)&cu.load = symbol(library, "cuModuleLoadDataEx");
    *(void **)&cu.get = symbol(library, "cuModuleGetFunction");
    *(void **)&cu.unload = symbol(library, "cuModuleUnload");
    *(void **)&cu.alloc = symbol(library, "cuMemAlloc_v2");
    *(void **)&cu.to_device = symbol(library, "cuMemcpyHtoD_v2");
    *(void **)&cu.to_host = symbol(library, "cuMemcpyDtoH_v2");
    *(void **)&cu.launch = symbol(library, "cuLaunchKernel");
    *(void **)&cu.synchronize = symbol(library, "cuCtxSynchronize");
    if (cu.init(0) || cu.device_get(&device, 0) || cu.context_retain(&context, device) || cu.context_set(context) ||
        cu.alloc(&cu.in, CASE_THREADS * 32) || cu.alloc(&cu.out, CASE_THREADS * 8)) {
        fprintf(stderr, "record: the GPU cannot be used\n");
        exit(1);
    }
}

static bool run(const opcode_case *c, uint64_t *results, char *log, size_t log_size) {
    uint64_t in[CASE_THREADS][CASE_INPUTS] = {{0}};
    void *module, *function;
    char *ptx = opcode_case_ptx(c);
    int options[] = {5, 6};    // CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
    void *values[] = {log, (void *)(uintptr_t)log_size};
    for (int t = 0; t < CASE_THREADS; t++)
        for (int k = 0; k < c->n_in; k++) in[t][k] = opcode_case_input(c, t, k);
    memset(results, 0, CASE_THREADS * 8);
    log[0] = 0;
    int failed = cu.load(&module, ptx, 2, options, values);
    free(ptx);
    if (failed) return false;
    void *params[] = {&cu.in, &cu.out};
    failed = cu.get(&function, module, "test") || cu.to_device(cu.in, in, sizeof in) ||
             cu.to_device(cu.out, results, CASE_THREADS * 8) ||
             cu.launch(function, 1, 1, 1, CASE_THREADS, 1, 1, 0, NULL, params, NULL) || cu.synchronize() ||
             cu.to_host(results, cu.out, CASE_THREADS * 8);
    cu.unload(module);
    return !failed;
}

// Copies the file line by line; behind each row its results.
static void record(const char *path) {
    char temporary[4096], text[8192], log[1024];
    snprintf(temporary, sizeof temporary, "%s.new", path);
    FILE *rows = fopen(path, "r"), *lines = fopen(path, "r"), *out = fopen(temporary, "w");
    if (!rows || !lines || !out) {
        fprintf(stderr, "record: cannot open %s\n", path);
        exit(1);
    }
    opcode_case c;
    const char *error;
    int line = 0, at = 0;
    while (opcode_case_read(rows, &line, &c, &error)) {
        uint64_t results[CASE_THREADS];
        while (at < c.line && fgets(text, sizeof text, lines)) {
            at++;
            if (text[0] != '=') fputs(text, out);
        }
        if (!run(&c, results, log, sizeof log)) {
            fprintf(stderr, "%s:%d: %s: refused: %s\n", path, c.line, c.name, log);
            continue;
        }
        fputc('=', out);
        for (int t = 0; t < CASE_THREADS; t++) fprintf(out, " %llx", (unsigned long long)results[t]);
        fputc('\n', out);
    }
    if (error) fprintf(stderr, "%s:%d: %s\n", path, line, error);
    while (fgets(text, sizeof text, lines))
        if (text[0] != '=') fputs(text, out);
    fclose(rows);
    fclose(lines);
    fclose(out);
    rename(temporary, path);
}

int main(int argc, char **argv) {
    start();
    for (int i = 1; i < argc; i++) record(argv[i]);
    return 0;
}
