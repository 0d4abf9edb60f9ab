// A library as cuBLAS is one: device code, which it gives the driver by itself, as a CUDA runtime inside it would. With
// SHARED_RUNTIME one that leaves its code to the shared runtime. MACHINE_CODE: the file of a fat binary, without PTX.
#include <dlfcn.h>
#include <stddef.h>

__asm__(".section .nv_fatbin,\"a\"\n.balign 8\n.globl device_code\n.hidden device_code\n"
        "device_code: .incbin \"" MACHINE_CODE "\"\n.balign 8\n.text\n");
extern const char device_code[];

static const struct { int magic, version; const void *data; void *more; } wrapper = {0x466243b1, 1, device_code, NULL};

#ifdef SHARED_RUNTIME
typedef struct { unsigned x, y, z; } extent;
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
int cudaLaunchKernel(const void *, extent, extent, void **, size_t, void *);
static void kernel(void) {}
__attribute__((constructor)) static void begin(void) {
    __cudaRegisterFunction(__cudaRegisterFatBinary((void *)&wrapper), (const char *)kernel, (char *)"kernel", "kernel",
                           -1, NULL, NULL, NULL, NULL, NULL);
}
int gpu_library_create(void) {
    extent one = {1, 1, 1};
    return cudaLaunchKernel((const void *)kernel, one, one, NULL, 0, NULL);
}
#else
int gpu_library_create(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *library;
    int (*init)(unsigned) = driver ? (int (*)(unsigned))dlsym(driver, "cuInit") : NULL;
    int (*load)(void **, const void *, void *, void *, unsigned, void *, void *, unsigned) =
        driver ? (__typeof__(load))dlsym(driver, "cuLibraryLoadData") : NULL;
    if (!init || init(0)) return -1;
    return load(&library, &wrapper, NULL, NULL, 0, NULL, NULL, 0);
}
#endif
