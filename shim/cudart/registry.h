// Fat binaries that the program registered. See registry.c.
#ifndef HW_SHIM_CUDART_REGISTRY_H
#define HW_SHIM_CUDART_REGISTRY_H

#include "shim/cudart/cudart.h"

typedef struct hw_image hw_image;
struct hw_image {
    hw_image *next;
    const void *wrapper;               // the program's struct around its fat binary
    char name[256];                    // for messages
    char *ptx;                         // unpacked; kept, for it is loaded again after cudaDeviceReset
    size_t ptx_bytes;
    hw_rt_module *modules[HW_MEM_GPUS];   // by GPU; NULL until it is loaded there
    bool is_dropped, has_no_ptx, has_complained;
    bool is_relocatable;               // its ptx is one file's part of a whole
    hw_image *whole;                   // the image whose module it is in; NULL: its own
    size_t part;                       // its place among the parts
    char why[1800];                    // has_no_ptx: what the user should do
};

hw_image *hw_registry_add_image(const void *wrapper);   // NULL when out of memory
void hw_registry_drop_image(hw_image *image);
void hw_registry_add_function(hw_image *image, const void *host, const char *name);
void hw_registry_add_variable(hw_image *image, const void *host, void **managed, const char *name);

// Host memory that holds the managed variables of a program compiled by clang.
void hw_registry_add_managed_range(uint64_t begin, uint64_t end);
bool hw_registry_has_managed(const hw_image *image);

// relocatable.c: makes the PTX of all these images, each unpacked, one text of the first, whose parts they become.
hw_rt_status hw_relocatable_join(hw_image **parts, size_t count, hw_diag *diag);

// Says, once, that a kernel of an image without PTX cannot be run.
void hw_registry_complain(hw_image *image);

#endif
