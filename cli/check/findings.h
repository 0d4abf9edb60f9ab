// What the program's processes have found (shim/findings.c), as check reports it.
#ifndef HW_CLI_FINDINGS_H
#define HW_CLI_FINDINGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "check/finding.h"
#include "event/host.h"
#include "isa/isa.h"

typedef struct hw_cli_finding_side {
    hw_check_act act;
    const char *kernel;              // as people write it; NULL: a call of the host program
    const char *file, *site;         // "" where the line is not known; site: NULL likewise
    unsigned line, ptx_line, bytes, block[3], thread[3];
    bool is_many;
    unsigned long long launch, stream;
    const json_t *inlined;           // NULL: hw_cli_finding_inlined has nothing
} hw_cli_finding_side;

// Where the function of a side's line was inlined, or that of such a place.
typedef struct hw_cli_inlined {
    const char *file, *function;     // function: in which the place is, as people write it; NULL: not known
    unsigned line;
} hw_cli_inlined;

// What a call of the host program was about, as hw_check_subject.
typedef struct hw_cli_finding_subject {
    hw_host_reason reason;
    hw_host_object_kind object;
    hw_check_leak leak;
    const char *kernel, *why, *variable, *made_at;    // NULL: none
    unsigned long long begin, bytes;
    unsigned memory;
} hw_cli_finding_subject;

// An allocation or a variable.
typedef struct hw_cli_finding_object {
    bool is_known;
    bool is_out_of_reach;            // another GPU's memory, without peer access
    bool is_nearest;                 // nearest: it is not known where the pointer came from
    unsigned long long address, bytes;
    const char *name, *site;         // NULL: not known
    const char *part;                // of the variable or of what is allocated; NULL: it is all of it
} hw_cli_finding_object;

typedef struct hw_cli_finding {
    hw_check_kind kind;
    hw_check_missing missing;        // of several the widest: of a grid, of a block, of a warp
    unsigned lacks;                  // RACE: all that are missing between these places, 1 << hw_check_missing each
    hw_space space;
    unsigned long long address, bytes, count;
    unsigned long long seed;         // of the run that found it first; 0: none
    hw_cli_finding_object object;    // that the finding is about
    hw_cli_finding_object there;     // BOUNDS: what is accessed instead
    hw_cli_finding_subject subject;
    unsigned n_sides;
    hw_cli_finding_side sides[2];
} hw_cli_finding;

typedef struct hw_cli_findings {
    hw_cli_finding *items;
    size_t n, n_suppressed;
    size_t n_notes;                  // of the n, those that are no hazards (hw_check_is_note)
    size_t most_shown;               // of a kind, as text
    bool ran_out;                    // a process had no memory for it any more: there may be more findings
    bool left_out;                   // it had too much of something: likewise
    unsigned processes;              // that wrote; 0: no program ran that could be checked
    json_t *root;                    // whose strings the items have
} hw_cli_findings;

// Reads what is there; lines that are not whole are left out, and findings of the same places become one.
// suppressions: a file, or NULL. 0, or HW_EXIT_USAGE after a complaint. Free either way.
int hw_cli_findings_read(FILE *in, const char *suppressions, hw_cli_findings *out);
void hw_cli_findings_free(hw_cli_findings *findings);

// What is wrong, and what would mend it, a sentence each, without a full stop. Into out; what is returned may lie
// elsewhere.
const char *hw_cli_finding_sentence(const hw_cli_finding *finding, char *out, size_t bytes);
const char *hw_cli_finding_remedy(const hw_cli_finding *finding, char *out, size_t bytes);
// The same of findings about the host program's own calls, and about arithmetic (call_words.c).
bool hw_cli_is_about_calls(const hw_cli_finding *finding);
const char *hw_cli_call_sentence(const hw_cli_finding *finding, char *out, size_t bytes);
const char *hw_cli_call_remedy(const hw_cli_finding *finding);
// The same of races and of what a warp's step alone orders (race_words.c).
const char *hw_cli_race_sentence(const hw_cli_finding *finding, char *out, size_t bytes);
const char *hw_cli_race_remedy(const hw_cli_finding *finding, char *out, size_t bytes);
// "right behind the end of 400 bytes, allocated at sum.cu:20"; "which is byte 0 of 64 of the variable table": where the
// byte is, and what is there of another object. "" where nothing is to be said.
const char *hw_cli_finding_memory(const hw_cli_finding *finding, char *out, size_t bytes);
const char *hw_cli_finding_there(const hw_cli_finding *finding, char *out, size_t bytes);
// "reads 4 bytes: thread (1,0,0) of block (0,0,0) in sum(float*), launch 2".
const char *hw_cli_finding_side_text(const hw_cli_finding_side *side, char *out, size_t bytes);
// The file and line of a side in the source, of kernels and of calls: false where they are not known.
bool hw_cli_finding_line(const hw_cli_finding_side *side, char *file, size_t bytes, unsigned *line);
// The chain of places at which the function of a side's line was inlined, from the inside: false at its end.
bool hw_cli_finding_inlined(const hw_cli_finding_side *side, size_t index, hw_cli_inlined *out);
// "sum.cu:12", or where the host program's call is; "" where it is not known.
const char *hw_cli_finding_place(const hw_cli_finding_side *side, char *out, size_t bytes);

// Reports. False: out of memory.
bool hw_cli_findings_write_text(const hw_cli_findings *findings, bool colour, FILE *out);
bool hw_cli_findings_write_json(const hw_cli_findings *findings, FILE *out);
bool hw_cli_findings_write_sarif(const hw_cli_findings *findings, FILE *out);    // SARIF 2.1.0, for code hosts

#endif
