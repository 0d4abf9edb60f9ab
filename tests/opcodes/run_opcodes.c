// Runs the opcode tests on the simulator: each row of the files named becomes a kernel, each result is compared with
// what an H200 gave.
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "device/sim.h"

static hw_sim *sim;

static bool run(const opcode_case *c, uint64_t *results, hw_diag *diag) {
    hw_sim_module *module = NULL;
    hw_sim_function *function;
    hw_sim_refusal refusal;
    hw_fault fault;
    uint64_t in = 0, out = 0;
    char *ptx = opcode_case_ptx(c);
    hw_mem *mem = hw_sim_mem(sim);
    hw_status status = hw_sim_load(sim, ptx, strlen(ptx), c->name, &module, diag);
    if (status == HW_OK) status = hw_sim_find_function(module, "test", &function, diag);
    if (status == HW_OK) status = hw_mem_alloc(mem, CASE_THREADS * 32, 256, HW_ALLOC_DEVICE, NULL, NULL, &in, diag);
    if (status == HW_OK) status = hw_mem_alloc(mem, CASE_THREADS * 8, 256, HW_ALLOC_DEVICE, NULL, NULL, &out, diag);
    if (status == HW_OK) {
        uint64_t *inputs = hw_mem_host(mem, in);
        for (int t = 0; t < CASE_THREADS; t++)
            for (int k = 0; k < c->n_in; k++) inputs[t * 4 + k] = opcode_case_input(c, t, k);
        memset(hw_mem_host(mem, out), 0, CASE_THREADS * 8);
        void *params[] = {&in, &out};
        hw_sim_launch_args args = {
            .function = function, .grid = {1, 1, 1}, .block = {CASE_THREADS, 1, 1}, .params = params};
        status = hw_sim_launch(sim, &args, &refusal, &fault, diag);
        memcpy(results, hw_mem_host(mem, out), CASE_THREADS * 8);
    }
    if (in) hw_mem_free(mem, in, NULL);
    if (out) hw_mem_free(mem, out, NULL);
    if (module) hw_sim_unload(sim, module);
    free(ptx);
    return status == HW_OK;
}

// Prints the first threads that differ. Returns whether none does.
static bool check(const char *path, const opcode_case *c) {
    uint64_t results[CASE_THREADS];
    hw_diag diag = {0};
    int wrong = 0;
    if (!run(c, results, &diag)) {
        printf("%s:%d: %s: %s\n", path, c->line, c->name, diag.text);
        return false;
    }
    for (int t = 0; t < CASE_THREADS; t++) {
        if (opcode_case_agrees(c, t, results[t]) || wrong++ >= 3) continue;
        printf("%s:%d: %s: thread %d: inputs", path, c->line, c->name, t);
        for (int k = 0; k < c->n_in; k++) printf(" %llx", (unsigned long long)opcode_case_input(c, t, k));
        printf(": got %llx, an H200 gives %llx\n", (unsigned long long)results[t], (unsigned long long)c->expected[t]);
    }
    if (wrong > 3) printf("%s:%d: %s: %d threads differ in all\n", path, c->line, c->name, wrong);
    return !wrong;
}

int main(int argc, char **argv) {
    hw_diag diag = {0};
    hw_sim_options options = {.gpu = hw_gpu_find("h200"), .threads = 1};
    if (hw_sim_create(&options, &sim, &diag) != HW_OK) {
        printf("cannot create the simulated GPU: %s\n", diag.text);
        return 1;
    }
    int passed = 0, failed = 0;
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "r");
        opcode_case c;
        const char *error = "cannot be opened";
        int line = 0;
        while (file && opcode_case_read(file, &line, &c, &error)) {
            if (!c.has_expected) printf("%s:%d: %s has no record\n", argv[i], c.line, c.name);
            if (c.has_expected && check(argv[i], &c)) passed++;
            else failed++;
        }
        if (error) {
            printf("%s:%d: %s\n", argv[i], line, error);
            failed++;
        }
        if (file) fclose(file);
    }
    hw_sim_destroy(sim);
    printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed;
}
