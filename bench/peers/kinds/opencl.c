// The kinds of kernels by OpenCL, on the first device that there is: kinds.cl, which OPENCL_OPTIONS say where to find,
// and whether loops are unrolled.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernels/plain.h"
#include "problem.h"

typedef struct {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem out, words;
    size_t block[2], threads[2];
} session;

static void check(cl_int status, const char *what) {
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "opencl: %s gave %d\n", what, status);
    exit(1);
}

// Of 4-byte elements.
static cl_mem buffer(const session *s, cl_mem_flags flags, size_t count, void *from) {
    const size_t bytes = (count ? count : 1) * sizeof(float);
    cl_int status;
    cl_mem made = clCreateBuffer(s->context, flags | CL_MEM_COPY_HOST_PTR, bytes, from, &status);
    check(status, "clCreateBuffer");
    return made;
}

// The elements as texels; one where a kind has no image, which an argument has to be anyway.
static cl_mem image_of(const session *s, const problem *p) {
    const size_t side = strcmp(p->kind->name, "texture_linear") ? 1 : (size_t)p->n;
    const cl_image_format format = {CL_R, CL_FLOAT};
    const cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = side, .image_height = side};
    cl_int status;
    cl_mem made = clCreateImage(s->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &shape, p->in, &status);
    check(status, "clCreateImage");
    return made;
}

// And prints which it is.
static void open_device(session *s) {
    char driver[256] = "";
    cl_platform_id platform;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &s->device, NULL), "clGetDeviceIDs");
    check(clGetDeviceInfo(s->device, CL_DRIVER_VERSION, sizeof driver, driver, NULL), "clGetDeviceInfo");
    printf("driver %s\n", driver);
    s->context = clCreateContext(NULL, 1, &s->device, NULL, NULL, &status);
    check(status, "clCreateContext");
    s->queue = clCreateCommandQueue(s->context, s->device, 0, &status);
    check(status, "clCreateCommandQueue");
}

static void build_kernel(session *s, const char *name) {
    const char *source = "#include \"kinds.cl\"\n";
    char log[4096] = "";
    cl_int status;
    cl_program program = clCreateProgramWithSource(s->context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    status = clBuildProgram(program, 1, &s->device, OPENCL_OPTIONS, NULL, NULL);
    if (status) clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fputs(log, stderr);
    check(status, "clBuildProgram");
    // `constant` is a word of the language.
    s->kernel = clCreateKernel(program, strcmp(name, "constant") ? name : "constant_factors", &status);
    check(status, "clCreateKernel");
}

static void give_arguments(session *s, const problem *p) {
    const cl_mem_flags read = CL_MEM_READ_ONLY;
    s->out = buffer(s, CL_MEM_READ_WRITE, p->result_count, p->out);
    s->words = buffer(s, CL_MEM_READ_WRITE, p->result_count, p->words);
    const cl_int numbers[] = {p->n, p->elements, p->table};
    const cl_mem memory[] = {
        buffer(s, read, p->in_count, p->in), buffer(s, read, p->in_count, p->second),
        buffer(s, read, p->factor_count, p->factors), buffer(s, read, p->random_count, p->random),
        buffer(s, read, p->row_count, p->rows), buffer(s, read, p->column_count, p->columns),
        s->out, s->words, image_of(s, p)};
    cl_uint index = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        check(clSetKernelArg(s->kernel, index++, sizeof *numbers, &numbers[i]), "clSetKernelArg");
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        check(clSetKernelArg(s->kernel, index++, sizeof *memory, &memory[i]), "clSetKernelArg");
}

// Whole blocks, as in bench/kernels.
static void choose_threads(session *s, const problem *p) {
    const kind *kind = p->kind;
    const size_t per_thread = (size_t)kind->per_thread, side = (size_t)p->n;
    const bool has_rows = kind->block_y > 1;
    const size_t wanted[] = {has_rows ? side : (size_t)p->elements / per_thread, has_rows ? side / per_thread : 1};
    const int block[] = {kind->block_x, kind->block_y};
    for (int i = 0; i < 2; i++) {
        s->block[i] = (size_t)block[i];
        s->threads[i] = (wanted[i] + s->block[i] - 1) / s->block[i] * s->block[i];
    }
}

int main(int argc, char **argv) {
    int launches;
    problem p = problem_of(argc, argv, &launches);
    session s;
    open_device(&s);
    build_kernel(&s, p.kind->name);
    give_arguments(&s, &p);
    choose_threads(&s, &p);
    for (int i = 0; i < launches; i++) {
        moment begun = moment_now();
        check(clEnqueueNDRangeKernel(s.queue, s.kernel, 2, NULL, s.threads, s.block, 0, NULL, NULL), "the launch");
        check(clFinish(s.queue), "clFinish");
        print_launch(begun);
    }
    const size_t bytes = p.result_count * sizeof *p.out;
    check(clEnqueueReadBuffer(s.queue, s.out, CL_TRUE, 0, bytes, p.out, 0, NULL, NULL), "clEnqueueReadBuffer");
    check(clEnqueueReadBuffer(s.queue, s.words, CL_TRUE, 0, bytes, p.words, 0, NULL, NULL), "clEnqueueReadBuffer");
    print_result(&p);
    return 0;
}
