// halfwarp doctor: what it looks for on this machine, a row each.
#ifndef HW_CLI_DOCTOR_H
#define HW_CLI_DOCTOR_H

#include "base/arena.h"
#include "cli.h"

typedef enum hw_doctor_need { HW_DOCTOR_NEEDED, HW_DOCTOR_BETTER } hw_doctor_need;

// What is there, or why it is not, in a few words, into out.
typedef bool hw_doctor_look(hw_arena *arena, char *out, size_t bytes);

typedef struct hw_doctor_row {
    const char *what;
    hw_doctor_need need;             // NEEDED: nothing goes without it
    hw_doctor_look *look;
    const char *enables;             // what it is good for, there or not
    const char *remedy;              // what to type where it is not there
} hw_doctor_row;

extern const hw_doctor_row hw_doctor_rows[];
extern const size_t hw_doctor_n_rows;

#endif
