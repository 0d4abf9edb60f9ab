// nvJitLink beside the driver: two texts become one, which the driver loads. Prints what is not so.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cuda.h"
#include "expect.h"

typedef struct nvJitLink *handle_t;

static const char caller[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n.extern .func (.param .u32 r) seven();\n"
    ".visible .entry call(.param .u64 p) {\n .reg .u64 %rd<2>; .reg .u32 %r<2>;\n"
    " ld.param.u64 %rd1, [p]; .param .u32 x; call.uni (x), seven, ();\n ld.param.u32 %r1, [x];\n"
    " st.global.u32 [%rd1], %r1; ret;\n}\n";
static const char callee[] = ".version 7.0\n.target sm_50\n.address_size 64\n"
                             ".visible .func (.param .u32 r) seven() {\n st.param.u32 [r], 7; ret;\n}\n";

static void *library;

#define FIND(type, name) ((type)dlsym(library, name))

typedef int (*create_t)(handle_t *, unsigned, const char **);
typedef int (*add_t)(handle_t, int, const void *, size_t, const char *);
typedef int (*complete_t)(handle_t);
typedef int (*size_t_of)(handle_t, size_t *);
typedef int (*text_of)(handle_t, char *);
typedef int (*destroy_t)(handle_t *);

enum { PTX = 2, INVALID_INPUT = 3 };

static void link_both(char *image, size_t room) {
    const char *options[] = {"-arch=sm_90"};
    handle_t handle = NULL;
    size_t bytes = 0;
    CHECK(!FIND(create_t, "__nvJitLinkCreate_13_0")(&handle, 1, options));
    CHECK(FIND(complete_t, "nvJitLinkComplete")(handle) == INVALID_INPUT);   // nothing to link
    CHECK(!FIND(add_t, "__nvJitLinkAddData_13_0")(handle, PTX, caller, sizeof caller, "caller"));
    CHECK(!FIND(add_t, "nvJitLinkAddData")(handle, PTX, callee, strlen(callee), NULL));
    CHECK(FIND(add_t, "nvJitLinkAddData")(handle, PTX, "", 0, "none") == INVALID_INPUT);
    CHECK(!FIND(size_t_of, "nvJitLinkGetErrorLogSize")(handle, &bytes) && bytes > 1);
    CHECK(!FIND(complete_t, "nvJitLinkComplete")(handle));
    CHECK(!FIND(size_t_of, "nvJitLinkGetLinkedCubinSize")(handle, &bytes) && bytes < room);
    CHECK(!FIND(text_of, "nvJitLinkGetLinkedCubin")(handle, image));
    CHECK(!FIND(destroy_t, "nvJitLinkDestroy")(&handle) && !handle);
}

int main(void) {
    static char image[8192];
    CUcontext context;
    CUmodule module;
    CUfunction call;
    CUdeviceptr p;
    void *params[] = {&p};
    unsigned seven = 0;
    library = dlopen("libnvJitLink.so.13", RTLD_NOW);
    if (!library) return 2;
    link_both(image, sizeof image);
    CHECK(!cuInit(0) && !cuDevicePrimaryCtxRetain(&context, 0) && !cuCtxSetCurrent(context));
    CHECK(!cuModuleLoadData(&module, image) && !cuModuleGetFunction(&call, module, "call") && !cuMemAlloc(&p, 4));
    CHECK(!cuLaunchKernel(call, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL) && !cuMemcpyDtoH(&seven, p, 4));
    CHECK(seven == 7);
    printf("%d failures\n", failures);
    return failures != 0;
}
