// Completion for shells, made of the texts and tables that the commands have anyway: options are what --help lists.
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "op/common/family.h"

// A line of a --help text that begins with an option, two blanks before it. Its name's length; 0: there is none.
static size_t option_length(const char *line) {
    if (strncmp(line, "  -", 3) != 0) return 0;
    return strspn(line + 2, "-abcdefghijklmnopqrstuvwxyz0123456789");
}

static void print_options(const hw_command *command) {
    for (const char *line = command->help; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        size_t length = option_length(line);
        if (length > 1) printf(" %.*s", (int)length, line + 2);
    }
    fputs(" --help", stdout);
}

static void print_commands(void) {
    const hw_command *command;
    for (size_t i = 0; (command = hw_cli_command_at(i)); i++) printf(" %s", command->name);
}

static void print_gpus(void) {
    const hw_gpu *gpu;
    for (size_t i = 0; (gpu = hw_gpu_at(i)); i++) printf(" %s", gpu->id);
}

static void print_families(void) {
    const hw_family *family;
    for (size_t i = 0; (family = hw_family_at(i)); i++) printf(" %s", family->name);
}

// A shell splits sim:h200 at the colon (COMP_WORDBREAKS). What is completed by nothing is a file's name.
static const char beginning[] =
    "# Made by `halfwarp --completions bash`.\n"
    "_halfwarp() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options= words= gpus\n"
    "    local first=$((COMP_CWORD == 2))\n";
static const char values[] =
    "    if [ \"$word\" = : ]; then\n"
    "        before=: word=\n"
    "        [ \"${COMP_WORDS[COMP_CWORD-1]}\" = sim ] || before=\n"
    "    elif [ \"$before\" = : ] && [ \"${COMP_WORDS[COMP_CWORD-2]}\" != sim ]; then\n"
    "        before=\n"
    "    fi\n"
    "    [ \"$word\" = = ] && word=\n"
    "    [ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    case $before in\n"
    "        --gpu | :) words=$gpus ;;\n"
    "        --device) words='cpu cuda:0 sim:' ;;\n"
    "        --compiler) words='nvcc clang' ;;\n"
    "        *) case $word in -*) words=$options ;; esac ;;\n"
    "    esac\n"
    "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
    "}\n"
    "complete -o default -F _halfwarp halfwarp\n";

static void print_bash(void) {
    const hw_command *command;
    fputs(beginning, stdout);
    fputs("    gpus='", stdout);
    print_gpus();
    fputs("'\n    if [ \"$COMP_CWORD\" = 1 ]; then\n        COMPREPLY=($(compgen -W '", stdout);
    print_commands();
    fputs(" --help --version' -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n", stdout);
    for (size_t i = 0; (command = hw_cli_command_at(i)); i++) {
        printf("        %s) options='", command->name);
        print_options(command);
        fputs("' ;;\n", stdout);
    }
    fputs("    esac\n    case ${COMP_WORDS[1]}$first in\n        help1) words='", stdout);
    print_commands();
    fputs("' ;;\n        ladder1) words='", stdout);
    print_families();
    fputs("' ;;\n    esac\n", stdout);
    fputs(values, stdout);
}

int hw_cli_print_completions(const char *shell) {
    if (shell && strcmp(shell, "bash") == 0) {
        print_bash();
        return 0;
    }
    hw_cli_complain("--completions is for bash, and not for '%s'", shell ? shell : "");
    return HW_EXIT_USAGE;
}
