// What a Halfwarp function returns, and the message that goes with a failure: what halfwarp.h and halfwarp/sim.h share.
//
// A function that can fail returns hw_status. A call that fails replaces what the caller's hw_diag holds (text, file,
// line) with one sentence of its own; one that succeeds leaves it as it was, so one hw_diag serves any number of calls.
// The library never prints.
#ifndef HALFWARP_STATUS_H
#define HALFWARP_STATUS_H

#define HW_API __attribute__((visibility("default")))

typedef enum hw_status {
    HW_OK = 0,
    HW_NO_MEMORY,    // an allocation on this machine or on the device failed
    HW_USAGE,        // an argument is wrong
    HW_IO,           // a file or process could not be read, written or started
    HW_MALFORMED,    // input that breaks its format: PTX syntax, a file's header
    HW_COMPILE,      // the user's program did not compile
    HW_UNSUPPORTED,  // well-formed, and not something Halfwarp executes
    HW_FAULT,        // the kernel did something that a GPU stops for
    HW_DEADLOCK,     // the kernel cannot finish
    HW_NOT_FOUND,    // a name, device or library that is not there
} hw_status;

// One message, with the place it is about. Owned by the caller, who zero-initialises it, so that it can be looked at
// before anything failed. file is empty where there is none; line 0 means that there is no line.
typedef struct hw_diag {
    char file[256];
    int line;
    char text[1536];
} hw_diag;

#endif
