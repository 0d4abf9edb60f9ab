// What a measurement must say about where it was made.
#ifndef HW_BASE_MACHINE_H
#define HW_BASE_MACHINE_H

typedef struct hw_machine {
    char cpu[256], memory[64], system[256];   // "" where it is not known
    int processors;
} hw_machine;

// Describes this machine from /proc and uname.
void hw_machine_describe(hw_machine *machine);

#endif
