// The command line: a table of subcommands.
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "cli.h"
#include "output/paged.h"

static const hw_command *const all_commands[] = {
    &hw_cmd_run, &hw_cmd_profile, &hw_cmd_check, &hw_cmd_plan, &hw_cmd_diff, &hw_cmd_nvcc, &hw_cmd_ptx,
    &hw_cmd_gpus, &hw_cmd_occupancy, &hw_cmd_bandwidth, &hw_cmd_ladder, &hw_cmd_transpose, &hw_cmd_matmul,
    &hw_cmd_reduce, &hw_cmd_nearest, &hw_cmd_bench, &hw_cmd_doctor, &hw_cmd_help};
enum { N_COMMANDS = sizeof all_commands / sizeof all_commands[0] };

// All of --help fits 24 lines of 80 columns, with the prompt below it.
static const char help_tail[] =
    "\n"
    "PROG is a .cu or .cpp file or an executable that has PTX; no GPU is needed.\n"
    "`halfwarp COMMAND --help` has its options, `halfwarp help COMMAND` its manual.\n"
    "Exit status: the program's own; 1 hazards, a broken budget, or slower; 2 wrong\n"
    "usage; 3 did not compile; 4 not supported; 5 the kernel faulted; 124 --timeout.\n";

void hw_cli_complain(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("halfwarp: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

// Who types the name alone has not read anything yet.
static const char first_words[] =
    "Halfwarp runs, profiles and checks CUDA programs on the CPU, warp by warp.\n"
    "\n"
    "usage: halfwarp COMMAND [OPTIONS] ...\n"
    "\n"
    "  halfwarp profile prog.cu         run it, and see what its kernels do\n"
    "  halfwarp check prog.cu           find races and other hazards in it\n"
    "  halfwarp ladder transpose        see what each idea buys, without a program\n"
    "  halfwarp doctor                  see what of this machine it can use\n"
    "  halfwarp --help                  all commands\n";

// They share a line.
static bool is_operation(const hw_command *command) {
    return command == &hw_cmd_transpose || command == &hw_cmd_matmul || command == &hw_cmd_reduce ||
           command == &hw_cmd_nearest;
}

void hw_cli_print_help(FILE *out) {
    fputs("Halfwarp runs, profiles and checks CUDA programs on the CPU, warp by warp.\n"
          "usage: halfwarp COMMAND [OPTIONS] ...\n\n",
          out);
    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (all_commands[i] == &hw_cmd_transpose)
            fputs("  transpose, matmul, reduce, nearest: the operations, of arrays in files\n", out);
        if (!is_operation(all_commands[i])) fprintf(out, "  %-9s %s\n", all_commands[i]->name, all_commands[i]->does);
    }
    fputs(help_tail, out);
}

// Where a standard stream is closed, the next file that is opened would get its number, and what is printed would go
// into that file. A stream that can do nothing takes the place: printing to it fails as before.
static void hold_standard_streams(void) {
    static const int modes[] = {[STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_RDONLY};
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0) (void)!open("/dev/null", modes[stream]);
}

// A full disk or a closed pipe must not look like success.
static int finish_stdout(int status) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    hw_cli_complain("cannot write to standard output");
    return status > HW_EXIT_FOUND ? status : HW_EXIT_USAGE;    // what was found is not told then
}

// A program, or an option, where a command should stand.
static bool complain_other_word(const char *name) {
    const char *ending = strrchr(name, '.');
    const bool is_source = ending && (!strcmp(ending, ".cu") || !strcmp(ending, ".cpp"));
    if (is_source || strchr(name, '/'))
        hw_cli_complain("what should be done with %s? halfwarp run, profile or check %s", name, name);
    else if (*name == '-') hw_cli_complain("options stand behind the command: halfwarp profile %s ...", name);
    else return false;
    return true;
}

static void complain_unknown_command(const char *name) {
    const char *names[N_COMMANDS];
    if (complain_other_word(name)) return;
    for (size_t i = 0; i < N_COMMANDS; i++) names[i] = all_commands[i]->name;
    const char *near = hw_suggest(name, names, N_COMMANDS);
    if (near) hw_cli_complain("there is no command '%s'; did you mean '%s'?", name, near);
    else hw_cli_complain("there is no command '%s'; `halfwarp --help` lists them", name);
}

const hw_command *hw_cli_command_at(size_t index) { return index < N_COMMANDS ? all_commands[index] : NULL; }

const hw_command *hw_cli_find_command(const char *name) {
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(name, all_commands[i]->name) == 0) return all_commands[i];
    complain_unknown_command(name);
    return NULL;
}

// Where a program is run, what follows the first word that is no option belongs to it.
static bool asks_for_help(const hw_command *command, int argc, char **argv) {
    const bool runs_program = command == &hw_cmd_run || command == &hw_cmd_profile || command == &hw_cmd_check ||
                              command == &hw_cmd_plan;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (runs_program && argv[i][0] != '-') return false;
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    }
    return false;
}

// halfwarp-nvcc, for build systems that want the compiler to be one file.
static bool is_named_nvcc(const char *program) {
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
    return strcmp(name, "halfwarp-nvcc") == 0 || strcmp(name, "nvcc") == 0;
}

static int run_command(const hw_command *command, int argc, char **argv) {
    if (asks_for_help(command, argc, argv)) {
        hw_cli_print_paged(command->help);
        return finish_stdout(0);
    }
    return finish_stdout(command->main(argc, argv));
}

int main(int argc, char **argv) {
    hold_standard_streams();
    if (argc > 0 && is_named_nvcc(argv[0])) return run_command(&hw_cmd_nvcc, argc, argv);
    if (argc < 2) {
        fputs(first_words, stderr);
        return HW_EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        hw_cli_print_help(stdout);
        return finish_stdout(0);
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-v") == 0 || strcmp(word, "version") == 0) {
        puts("halfwarp " HW_VERSION);
        return finish_stdout(0);
    }
    if (strcmp(word, "--completions") == 0) return finish_stdout(hw_cli_print_completions(argv[2]));
    const hw_command *command = hw_cli_find_command(word);
    if (!command) return HW_EXIT_USAGE;
    return run_command(command, argc - 1, argv + 1);
}
