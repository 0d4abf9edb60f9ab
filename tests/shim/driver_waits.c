// Kernels that wait for those they launch (CUDA 11's device runtime), and ask what the GPU is. tree(p, n) launches
// tree(p, n - 1), waits, and makes p[n] = p[n - 1] + 1 of what it has written, with n 0: p[0] = 1; each block has a row
// of 64 words, with the results of its waits from the 33rd on. What it prints: the first row, and how many others are
// the same. With the argument "fault" the innermost kernel writes to nothing, with "spin" it
// never ends; with "limit" it says no more than whether there is such a limit.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

static const char kernels_ptx[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12],"
    " .param .align 4 .b8 b[12], .param .b32 s);\n"
    ".extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
    ".extern .func (.param .b32 r) cudaDeviceSynchronize();\n"
    ".extern .func (.param .b32 r) cudaPeekAtLastError();\n.extern .func (.param .b32 r) cudaGetLastError();\n"
    ".extern .func (.param .b32 r) cudaDeviceGetAttribute(.param .b64 v, .param .b32 a, .param .b32 d);\n"
    ".extern .func (.param .b32 r) cudaOccupancyMaxActiveBlocksPerMultiprocessor(.param .b64 n, .param .b64 f,"
    " .param .b32 t, .param .b64 s);\n"
    ".extern .func (.param .b32 r) cudaDeviceGetLimit(.param .b64 v, .param .b32 l);\n"
    ".extern .func (.param .b32 r) cudaFuncGetAttributes(.param .b64 a, .param .b64 f);\n"
    ".extern .func (.param .b32 r) cudaEventCreateWithFlags(.param .b64 e, .param .b32 f);\n"
    ".extern .func (.param .b32 r) cudaEventRecord(.param .b64 e, .param .b64 s);\n"
    ".visible .entry tree(.param .u64 p, .param .u32 n) {\n"
    " .reg .u64 %rd<9>; .reg .u32 %r<9>; .reg .pred %q;\n"
    " ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd2, %r2, 256;\n"
    " add.u64 %rd1, %rd1, %rd2; setp.eq.u32 %q, %r1, 0; @%q bra leaf;\n"
    " mov.u64 %rd3, tree; mov.u32 %r3, 1; sub.u32 %r4, %r1, 1;\n"
    " {\n .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;\n"
    " st.param.b64 [f], %rd3; st.param.b32 [g], %r3; st.param.b32 [g+4], %r3; st.param.b32 [g+8], %r3;\n"
    " st.param.b32 [b], %r3; st.param.b32 [b+4], %r3; st.param.b32 [b+8], %r3; st.param.b32 [s], 0;\n"
    " call.uni (r), cudaGetParameterBufferV2, (f, g, b, s);\n ld.param.b64 %rd4, [r];\n }\n"
    " st.u64 [%rd4], %rd1; st.u32 [%rd4+8], %r4;\n"
    " {\n .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], %rd4; st.param.b64 [s], 0;\n"
    " call.uni (r), cudaLaunchDeviceV2, (p, s);\n }\n"
    " {\n .param .b32 r; call.uni (r), cudaDeviceSynchronize, ();\n ld.param.b32 %r5, [r];\n }\n"
    " mul.wide.u32 %rd5, %r1, 4; add.u64 %rd6, %rd1, %rd5; ld.global.u32 %r6, [%rd6-4]; add.u32 %r6, %r6, 1;\n"
    " st.global.u32 [%rd6], %r6; st.global.u32 [%rd6+128], %r5; ret;\n"
    "leaf: st.global.u32 [%rd1], 1; ret;\n}\n"
    ".visible .entry ask(.param .u64 p) {\n"
    " .reg .u64 %rd<9>; .reg .u32 %r<9>; ld.param.u64 %rd1, [p]; mov.u64 %rd2, tree; add.u64 %rd3, %rd1, 4;\n"
    " add.u64 %rd4, %rd1, 64; add.u64 %rd5, %rd1, 128;\n"
    " {\n .param .b64 v; .param .b32 a; .param .b32 d; .param .b32 r; st.param.b64 [v], %rd1; st.param.b32 [a], 16;\n"
    " st.param.b32 [d], 0; call.uni (r), cudaDeviceGetAttribute, (v, a, d);\n }\n"
    " {\n .param .b64 n; .param .b64 f; .param .b32 t; .param .b64 s; .param .b32 r; st.param.b64 [n], %rd3;\n"
    " st.param.b64 [f], %rd2; st.param.b32 [t], 1024; st.param.b64 [s], 0;\n"
    " call.uni (r), cudaOccupancyMaxActiveBlocksPerMultiprocessor, (n, f, t, s);\n }\n"
    " {\n .param .b64 a; .param .b64 f; .param .b32 r; st.param.b64 [a], %rd4; st.param.b64 [f], %rd2;\n"
    " call.uni (r), cudaFuncGetAttributes, (a, f);\n }\n"
    " {\n .param .b64 v; .param .b32 l; .param .b32 r; add.u64 %rd7, %rd1, 136; st.param.b64 [v], %rd7;\n"
    " st.param.b32 [l], 2; call.uni (r), cudaDeviceGetLimit, (v, l);\n }\n"
    " {\n .param .b64 v; .param .b32 l; .param .b32 r; st.param.b64 [v], %rd7; st.param.b32 [l], 99;\n"
    " call.uni (r), cudaDeviceGetLimit, (v, l);\n ld.param.b32 %r1, [r];\n }\n st.global.u32 [%rd1+12], %r1;\n"
    " {\n .param .b64 e; .param .b32 f; .param .b32 r; st.param.b64 [e], %rd5; st.param.b32 [f], 2;\n"
    " call.uni (r), cudaEventCreateWithFlags, (e, f);\n }\n ld.global.u64 %rd6, [%rd5];\n"
    " {\n .param .b64 e; .param .b64 s; .param .b32 r; st.param.b64 [e], %rd6; st.param.b64 [s], 0;\n"
    " call.uni (r), cudaEventRecord, (e, s);\n ld.param.b32 %r1, [r];\n }\n"
    " st.global.u32 [%rd1+8], %r1; ret;\n}\n"
    ".visible .entry refused(.param .u64 p) {\n"
    " .reg .u64 %rd<9>; .reg .u32 %r<9>; ld.param.u64 %rd1, [p]; mov.u64 %rd3, tree; mov.u32 %r3, 1;"
    " mov.u32 %r4, 2000;\n"
    " {\n .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;\n"
    " st.param.b64 [f], %rd3; st.param.b32 [g], %r3; st.param.b32 [g+4], %r3; st.param.b32 [g+8], %r3;\n"
    " st.param.b32 [b], %r4; st.param.b32 [b+4], %r3; st.param.b32 [b+8], %r3; st.param.b32 [s], 0;\n"
    " call.uni (r), cudaGetParameterBufferV2, (f, g, b, s);\n ld.param.b64 %rd4, [r];\n }\n"
    " {\n .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], %rd4; st.param.b64 [s], 0;\n"
    " call.uni (r), cudaLaunchDeviceV2, (p, s);\n ld.param.b32 %r1, [r];\n }\n st.global.u32 [%rd1], %r1;\n"
    " {\n .param .b32 r; call.uni (r), cudaPeekAtLastError, ();\n ld.param.b32 %r1, [r];\n }\n"
    " st.global.u32 [%rd1+4], %r1;\n"
    " {\n .param .b32 r; call.uni (r), cudaGetLastError, ();\n ld.param.b32 %r1, [r];\n }\n"
    " st.global.u32 [%rd1+8], %r1;\n"
    " {\n .param .b32 r; call.uni (r), cudaGetLastError, ();\n ld.param.b32 %r1, [r];\n }\n"
    " st.global.u32 [%rd1+12], %r1; ret;\n}\n";

enum { ROWS = 8, WORDS = 64, BYTES = ROWS * WORDS * 4 };

static int grow(CUmodule module, CUdeviceptr p, unsigned n) {
    CUfunction tree;
    unsigned got[ROWS][WORDS];
    void *params[] = {&p, &n};
    if (cuModuleGetFunction(&tree, module, "tree") || cuMemsetD32(p, 0, ROWS * WORDS) ||
        cuLaunchKernel(tree, ROWS, 1, 1, 1, 1, 1, 0, NULL, params, NULL) || cuMemcpyDtoH(got, p, BYTES))
        return 1;
    unsigned same = 0;
    for (int i = 1; i < ROWS; i++) same += !memcmp(got[i], got[0], sizeof *got);
    for (unsigned i = 0; i <= n; i++) printf("%u ", got[0][i]);
    for (unsigned i = 1; i <= n; i++) printf("[%u] ", got[0][32 + i]);
    printf("%u same\n", same);
    return 0;
}

static int ask(CUmodule module, CUdeviceptr p) {
    CUfunction function;
    int got[64];
    void *params[] = {&p};
    if (cuModuleGetFunction(&function, module, "ask") ||
        cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL) || cuMemcpyDtoH(got, p, sizeof got))
        return 1;
    printf("multiprocessors %d blocks %d threads %d binary %d event %d heap %d limit 99: %d\n", got[0], got[1],
           got[16 + 6], got[16 + 9], got[2], got[34], got[3]);
    return 0;
}

// A launch of 2000 threads: its error, peeked at, taken, and taken again.
static int refuse(CUmodule module, CUdeviceptr p) {
    CUfunction function;
    int got[4];
    void *params[] = {&p};
    if (cuModuleGetFunction(&function, module, "refused") ||
        cuLaunchKernel(function, 2, 1, 1, 1, 1, 1, 0, NULL, params, NULL) || cuMemcpyDtoH(got, p, sizeof got))
        return 1;
    printf("refused %d %d %d %d\n", got[0], got[1], got[2], got[3]);
    return 0;
}

int main(int argc, char **argv) {
    CUcontext context;
    CUmodule module;
    CUdeviceptr p;
    char *text = strdup(kernels_ptx);
    if (argc > 1 && !strcmp(argv[1], "fault")) memcpy(strstr(text, "[%rd1], 1; ret;"), "[64  ], 1; ret;", 15);
    if (argc > 1 && !strcmp(argv[1], "spin")) memcpy(strstr(text, "leaf: st"), "leaf: bra leaf; ret; //", 23);
    if (cuInit(0) || cuCtxCreate(&context, NULL, 0, 0)) return 1;
    if (argc > 1 && !strcmp(argv[1], "limit")) {
        printf("limit %d\n", (int)cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 3));
        return 0;
    }
    if (cuModuleLoadData(&module, text) || cuMemAlloc(&p, BYTES)) return 1;
    free(text);
    if (grow(module, p, 3)) return 2;
    printf("limit %d\n", (int)cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 3));
    if (grow(module, p, 3) || ask(module, p) || refuse(module, p)) return 3;
    // As deep as CUDA has it, and deeper.
    printf("limit %d\n", (int)cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 24));
    return grow(module, p, 23) || grow(module, p, 26) ? 4 : 0;
}
