// halfwarp gpus: the GPUs that --gpu knows.
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "isa/gpu.h"

static const char help[] =
    "usage: halfwarp gpus\n"
    "\n"
    "Lists the GPUs that --gpu knows: its name there, compute capability, multiprocessors, memory bandwidth in\n"
    "10^9 bytes per second, and the product's name.\n";

const hw_gpu *hw_cli_find_gpu(const char *name) {
    enum { MOST = 256 };
    const char *names[MOST];
    size_t count = 0;
    const hw_gpu *gpu = hw_gpu_find(name), *known;
    if (gpu) return gpu;
    while (count < MOST && (known = hw_gpu_at(count))) names[count++] = known->id;
    const char *near = hw_cli_nearest(name, names, count);
    if (near) hw_cli_complain("there is no GPU '%s'; did you mean '%s'? `halfwarp gpus` lists them", name, near);
    else hw_cli_complain("there is no GPU '%s'; `halfwarp gpus` lists them", name);
    return NULL;
}

static int gpus_main(int argc, char **argv) {
    if (argc > 1) {
        hw_cli_complain("gpus takes no argument, and got '%s'", argv[1]);
        return HW_EXIT_USAGE;
    }
    printf("%-12s %4s %5s %8s  %s\n", "gpu", "cc", "SMs", "GB/s", "name");
    const hw_gpu *gpu;
    for (size_t i = 0; (gpu = hw_gpu_at(i)); i++)
        printf("%-12s %2d.%d %5u %8.4g  %s\n", gpu->id, gpu->arch->cc / 10, gpu->arch->cc % 10, gpu->sms,
               gpu->memory_gbs, gpu->name);
    return 0;
}

const hw_command hw_cmd_gpus = {"gpus", "list the GPUs that can be simulated", help, gpus_main};
