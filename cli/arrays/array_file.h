// What the commands that work on files of arrays share: inputs, results that are there whole or not at all, and their
// way through a device.
#ifndef HW_CLI_ARRAY_FILE_H
#define HW_CLI_ARRAY_FILE_H

#include <stdio.h>

#include "cli.h"
#include "io/npy.h"

enum { HW_CLI_INPUTS = 2, HW_CLI_RESULTS = 2 };

// ---- Options --------------------------------------------------------------------------------------------------------

// What -o or a word of the command says; false (or HW_EXIT_USAGE) after a complaint.
bool hw_cli_is_file_name(const char *option, const char *value);
// An input or output that is "-" must not be a terminal.
int hw_cli_check_terminals(const char *const *inputs, int n_inputs, const char *const *outputs, int n_outputs);

// ---- Inputs ---------------------------------------------------------------------------------------------------------

// Opens a .npy file of numbers to compute with, brought into this machine's byte order. kinds: NumPy's letters of what
// is taken, "iuf" for integers and floats, "iufb" for these and bool (HW_BOOL). 0, or the exit status after a
// complaint. Close with hw_npy_close.
int hw_cli_open_numbers(const char *path, const char *kinds, hw_npy *npy);

// ---- Results --------------------------------------------------------------------------------------------------------

// What np.save writes for an array of this type and shape.
void hw_cli_npy_header(DLDataType dtype, int rank, const int64_t *shape, hw_npy_header *header);

// Files that are being made. They hold back the signals that would end the program where that must not be.
typedef struct hw_cli_results {
    hw_npy_output file[HW_CLI_RESULTS];
    int n;
} hw_cli_results;

// Makes n files at paths; hw_cli_hold_signals was called. A result that is an input or another result, by whatever
// name, is refused. 0, or the exit status after a complaint, when nothing is left behind.
int hw_cli_results_create(hw_cli_results *results, const char *const *paths, const hw_npy_header *headers, int n,
                          const char *const *inputs, int n_inputs);
// They are complete, and get their names; or status tells that they are not, and they are removed. Returns the exit
// status, after a complaint.
int hw_cli_results_finish(hw_cli_results *results, hw_status status, hw_diag *diag);

// ---- Through a device -----------------------------------------------------------------------------------------------

// An operation between files. in and out of run are on the device (of cpu where they lie, else copied), all at once.
typedef struct hw_cli_work {
    const char *inputs[HW_CLI_INPUTS];               // files that no result may be
    int n_inputs;
    DLTensor in[HW_CLI_INPUTS];                      // on this machine; data NULL and no elements: there is none
    int n_in;
    const char *outputs[HW_CLI_RESULTS];             // files; NULL: into memory of this machine that memory[] names
    hw_npy_header headers[HW_CLI_RESULTS];
    void *memory[HW_CLI_RESULTS];
    int n_out;
    hw_status (*run)(void *context, hw_device *device, const DLTensor *in, DLTensor *out, hw_diag *diag);
    void (*finish)(void *context, DLTensor *out);    // changes results on this machine before they are kept; or NULL
    void *context;
} hw_cli_work;

// 0, or the exit status after a complaint.
int hw_cli_work_run(hw_device *device, const hw_cli_work *work);

// An array of this machine as it will be on the device, without its data: for hw_X_explain.
DLTensor hw_cli_array_there(hw_device *device, const DLTensor *here);

// The lines of hw_X_explain; to standard error when a result goes to standard output.
void hw_cli_print_explanation(const char *text, const char *output);

#endif
