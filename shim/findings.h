// halfwarp check in the program's process: what is found is written to a file as it is found, a line of JSON each, so
// that nothing is lost with a process that ends early. docs/design.md has the records.
#ifndef HW_SHIM_FINDINGS_H
#define HW_SHIM_FINDINGS_H

#include "device/sim.h"
#include "shim/environment.h"

// Opens the file. From then on contexts are checked. HW_IO.
hw_status hw_findings_open(const hw_environment *environment, hw_diag *diag);
bool hw_findings_are_wanted(void);
// A context has been opened: its launches are checked. HW_NO_MEMORY.
hw_status hw_findings_watch(hw_sim *sim, hw_diag *diag);
// And is about to go; left: that of another GPU, or NULL.
void hw_findings_closing(hw_sim *left);
// Nobody uses the context any more, which goes with all that it has: that leaks.
void hw_findings_abandoned(void);
// How often what was found has been found by now, after a launch.
void hw_findings_count(void);
// The same at the end of the process, and what is found then. A program that is ended before its own end leaks nothing.
void hw_findings_end(bool is_its_own_end);

#endif
