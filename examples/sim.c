// What a kernel would cost on a GPU that is not there: a copy with a stride, simulated, and its counters.
//
//   cc sim.c -o sim $(pkg-config --cflags --libs halfwarp)
//   ./sim                      # an H200
//   ./sim gtx280               # another GPU of `halfwarp gpus`
//   ./sim h200 k.ptx copy      # a kernel of a file: PTX, or a fat binary; with the parameters of the one below
#include <halfwarp/sim.h>
#include <stdio.h>
#include <stdlib.h>

// out[i * stride] = in[i * stride], as a compiler would write it.
static const char copy_ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry copy(.param .u64 in, .param .u64 out, .param .u32 stride)\n"
    "{\n"
    "    .reg .u32 %r<7>;\n"
    "    .reg .u64 %d<6>;\n"
    "    mov.u32 %r1, %ctaid.x;\n"
    "    mov.u32 %r2, %ntid.x;\n"
    "    mov.u32 %r3, %tid.x;\n"
    "    mad.lo.u32 %r4, %r1, %r2, %r3;\n"
    "    ld.param.u32 %r5, [stride];\n"
    "    mul.lo.u32 %r4, %r4, %r5;\n"
    "    ld.param.u64 %d1, [in];\n"
    "    ld.param.u64 %d2, [out];\n"
    "    mul.wide.u32 %d3, %r4, 4;\n"
    "    add.u64 %d4, %d1, %d3;\n"
    "    add.u64 %d5, %d2, %d3;\n"
    "    ld.global.u32 %r6, [%d4];\n"
    "    st.global.u32 [%d5], %r6;\n"
    "    ret;\n"
    "}\n";

enum { THREADS = 1 << 20, BLOCK = 256, MOST_STRIDE = 8 };

// What is to be simulated: device code in memory, and the kernel's name.
typedef struct program {
    const char *name, *kernel;
    const void *image;
    size_t bytes;
} program;

// The file's bytes; NULL when it cannot be read.
static char *read_file(const char *path, size_t *bytes) {
    FILE *in = fopen(path, "rb");
    char *image = NULL;
    if (in && !fseek(in, 0, SEEK_END)) {
        long end = ftell(in);
        rewind(in);
        image = end > 0 ? malloc((size_t)end) : NULL;
        *bytes = image ? fread(image, 1, (size_t)end, in) : 0;
    }
    if (in) fclose(in);
    return image;
}

// Launches the kernel with each stride. Every function gives 0 for success, and otherwise one sentence in diag.
static hw_status simulate(hw_simulator *sim, const program *p, hw_diag *diag) {
    const uint64_t bytes = (uint64_t)THREADS * MOST_STRIDE * 4;
    const hw_simulator_shape shape = {.struct_bytes = sizeof shape, .grid = {THREADS / BLOCK, 1, 1},
                                      .block = {BLOCK, 1, 1}};
    hw_simulator_module *module;
    hw_simulator_kernel *kernel = NULL;
    uint64_t in = 0, out = 0;   // addresses on the GPU
    hw_status status = hw_simulator_load(sim, p->image, p->bytes, p->name, &module, diag);
    if (!status) status = hw_simulator_find_kernel(module, p->kernel, &kernel, diag);
    if (!status) status = hw_simulator_alloc(sim, bytes, &in, diag);
    if (!status) status = hw_simulator_alloc(sim, bytes, &out, diag);
    if (!status) status = hw_simulator_set(sim, in, 1, bytes, diag);
    for (uint32_t stride = 1; stride <= MOST_STRIDE && !status; stride *= 2)
        status = hw_simulator_launch(kernel, &shape, (void *[]){&in, &out, &stride}, NULL, diag);
    return status;
}

static hw_status print_rows(hw_simulator *sim, hw_diag *diag) {
    static const char *const bounds[] = {"none", "memory", "shared", "issue", "latency", "launch"};
    const int atomics = hw_simulator_counter("atomics");   // any counter can be had by its name
    hw_simulator_launch_row row = {.struct_bytes = sizeof row};
    hw_simulator_counters n = {.struct_bytes = sizeof n};
    hw_status status = HW_OK;
    for (uint64_t i = 0; i < hw_simulator_count_launches(sim) && !status; i++) {
        status = hw_simulator_get_launch(sim, i, &row, &n, diag);
        if (status) break;
        printf("launch %d: %s, %.1f sectors a load, %.1f us, bound by %s, %llu atomics\n", (int)i, row.kernel,
               (double)n.gld_sectors / (double)(n.gld_requests ? n.gld_requests : 1), row.est_us,
               row.est_bound >= 0 && row.est_bound < 6 ? bounds[row.est_bound] : "something new",
               (unsigned long long)hw_simulator_counter_value(&n, atomics));
    }
    return status;
}

int main(int argc, char **argv) {
    const char *gpu = argc > 1 ? argv[1] : "h200";
    program p = {"copy.ptx", argc > 3 ? argv[3] : "copy", copy_ptx, sizeof copy_ptx - 1};
    char *file = NULL;
    hw_simulator *sim;
    hw_diag diag = {0};
    if (argc > 2) {
        p.name = argv[2];
        p.image = file = read_file(argv[2], &p.bytes);
        if (!file) {
            fprintf(stderr, "%s cannot be read\n", argv[2]);
            return 2;
        }
    }
    hw_status status = hw_simulator_open(gpu, NULL, &sim, &diag);
    if (!status) {
        status = simulate(sim, &p, &diag);
        if (!status) status = print_rows(sim, &diag);
        hw_simulator_close(sim);
    }
    if (status) fprintf(stderr, "%s\n", diag.text);
    free(file);
    return status != 0;
}
