// The program hears of its part as GoogleTest and Bazel have agreed: the part, from 0 on, the number of parts, and a
// file that it makes when it takes notice. Which part it is, schedulers have told in variables of their own.
#include "run/shard.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Who tells this process its number among how many. Sources: sbatch(1), srun(1); Open MPI, "Environmental variables";
// MPICH's and Intel MPI's process managers (PMI); GitLab, CircleCI and Buildkite on parallel jobs; Bazel, "Test
// encyclopedia".
typedef struct teller {
    const char *name, *index, *count;
    const char *first;            // variable of the number of the first; NULL: `from` is that
    const char *step;             // variable of what numbers go up by; NULL: 1
    unsigned from;
} teller;

static const teller tellers[] = {
    {"a Slurm array", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP",
     0},
    {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", NULL, NULL, 0},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL, NULL, 0},
    {"MPI", "PMI_RANK", "PMI_SIZE", NULL, NULL, 0},
    {"GitLab", "CI_NODE_INDEX", "CI_NODE_TOTAL", NULL, NULL, 1},
    {"CircleCI", "CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", NULL, NULL, 0},
    {"Buildkite", "BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", NULL, NULL, 0},
    {"Bazel", "TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", NULL, NULL, 0},
};
enum { N_TELLERS = sizeof tellers / sizeof tellers[0] };

// A whole number of digits alone, and what is behind it.
static bool read_number(const char *text, uint32_t *value, const char **end) {
    char *behind;
    if (!text || *text < '0' || *text > '9') return false;
    const unsigned long long number = strtoull(text, &behind, 10);
    *value = (uint32_t)number;
    *end = behind;
    return number <= INT_MAX;
}

bool hw_cli_shard_parse(const char *text, hw_cli_shard *out) {
    const char *end;
    if (!read_number(text, &out->index, &end) || *end != '/') return false;
    if (!read_number(end + 1, &out->count, &end) || *end) return false;
    return out->index >= 1 && out->index <= out->count;
}

// NULL stands for a number that is there without a variable.
static bool read_variable(const char *name, uint32_t otherwise, uint32_t *value) {
    const char *end;
    *value = otherwise;
    return !name || (read_number(getenv(name), value, &end) && !*end);
}

// True where it says that there is more than one part.
static bool ask_teller(const teller *t, hw_cli_shard *out, bool *is_wrong) {
    uint32_t index, first, step;
    *is_wrong = false;
    if (!read_variable(t->index, 0, &index) || !read_variable(t->count, 0, &out->count) || out->count < 2) return false;
    *is_wrong = !read_variable(t->first, t->from, &first) || !read_variable(t->step, 1, &step) || !step ||
                index < first || (index - first) % step || (index - first) / step >= out->count;
    if (!*is_wrong) out->index = (index - first) / step + 1;
    return true;
}

static bool find_told_part(hw_cli_shard *out) {
    const teller *by = NULL;
    for (int i = 0; i < N_TELLERS; i++) {
        hw_cli_shard told;
        bool is_wrong;
        if (!ask_teller(&tellers[i], &told, &is_wrong)) continue;
        if (is_wrong) {
            hw_cli_complain("--shards auto: %s=%s is not one of %u numbers in a row; say which part it is, K/N",
                            tellers[i].index, getenv(tellers[i].index), told.count);
            return false;
        }
        if (by && (told.index != out->index || told.count != out->count)) {
            hw_cli_complain("--shards auto: part %u of %u says %s, and part %u of %u %s; say which part it is, K/N",
                            out->index, out->count, by->name, told.index, told.count, tellers[i].name);
            return false;
        }
        by = &tellers[i];
        *out = told;
    }
    if (!by) hw_cli_complain("--shards auto: no variable of Slurm, MPI or a CI says which part this is; give K/N");
    return by != NULL;
}

bool hw_cli_shard_read(const char *value, hw_cli_shard *out) {
    if (strcmp(value, "auto") == 0) return find_told_part(out);
    if (hw_cli_shard_parse(value, out)) return true;
    hw_cli_complain("--shards takes K/N, part K from 1 to N, or auto, and got '%s'", value);
    return false;
}

// ---- the program ----

static bool put_number(const char *variable, uint32_t value) {
    char text[16];
    snprintf(text, sizeof text, "%u", value);
    return setenv(variable, text, 1) == 0;
}

// The file has a byte, which goes when it is made anew.
bool hw_cli_shard_tell(const hw_cli_shard *shard, hw_cli_temporary *status) {
    char text[32];
    snprintf(text, sizeof text, "%u/%u", shard->index, shard->count);
    *status = hw_cli_temporary_memory("shard");
    bool good = write(status->file, "1", 1) == 1;
    good = good && put_number("GTEST_TOTAL_SHARDS", shard->count) && put_number("GTEST_SHARD_INDEX", shard->index - 1);
    good = good && put_number("TEST_TOTAL_SHARDS", shard->count) && put_number("TEST_SHARD_INDEX", shard->index - 1);
    good = good && setenv("GTEST_SHARD_STATUS_FILE", status->path, 1) == 0;
    good = good && setenv("TEST_SHARD_STATUS_FILE", status->path, 1) == 0;
    good = good && setenv("HALFWARP_SHARD", text, 1) == 0;
    if (!good) hw_cli_complain("--shards: the program cannot be told which part it is to do");
    return good;
}

void hw_cli_shard_check(const hw_cli_shard *shard, const char *program, const hw_cli_temporary *status) {
    struct stat now;
    if (shard->count < 2 || fstat(status->file, &now) != 0 || now.st_size == 0) return;
    hw_cli_complain("%s has taken no notice of --shards %u/%u, and has likely done all parts; GoogleTest does, and "
                    "what empties the file that TEST_SHARD_STATUS_FILE names", program, shard->index, shard->count);
}
