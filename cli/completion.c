// Completion for shells, made of the texts and tables that the commands have anyway: options are what --help lists.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "op/common/family.h"

// ---- What --help lists ----------------------------------------------------------------------------------------------

typedef struct option {
    char name[40];            // "--gpu", "-o"
    enum { NO_VALUE, A_VALUE, MAYBE_A_VALUE /* behind an '=' only */ } value;
    bool takes_file;          // the value is one
    char does[160];           // the first clause of what --help says
} option;

// Where a --help text is read. The options of one entry, "-c, -dc", come one by one.
typedef struct reader {
    const char *at;           // NULL: the entry's options are done
    const char *line;         // the entry's, then the next one's
    const char *does;         // of the entry
    char seen[512];           // " --gpu -o ": some have two entries
} reader;

// The text behind the names; it begins in its column, and goes on in lines that are blank up to there.
static const char *find_text(const char *line) {
    const char *end = strchr(line, '\n'), *text = strstr(line, "  ");
    if (!end) return "";
    return text && text < end ? text : end;
}

// The first clause, over the ends of lines; of a long one what stands before its first comma.
static void copy_clause(const char *from, char *to, size_t bytes) {
    enum { LONG = 70 };
    size_t n = 0, comma = 0;
    for (const char *c = from; *c; c++) {
        const bool ends_word = !c[1] || isspace((unsigned char)c[1]);
        if (strchr(";:.", *c) && ends_word) break;
        if (*c == '\n' && strncmp(c + 1, "          ", 10) != 0) break;   // another entry
        if (*c == ',' && ends_word && !comma) comma = n;
        const char letter = isspace((unsigned char)*c) ? ' ' : *c;
        if (letter == ' ' && (!n || to[n - 1] == ' ')) continue;
        if (n + 1 < bytes) to[n++] = letter;
    }
    if (n > LONG && comma) n = comma;
    while (n && to[n - 1] == ' ') n--;
    to[n] = '\0';
}

static size_t name_length(const char *text) {
    size_t length = strspn(text, "-");
    while (isalnum((unsigned char)text[length]) || (length > 1 && text[length] && strchr("-_", text[length]))) length++;
    return length;
}

// Lines that list options of the compilers ("-I -D ...", "-Xcompiler ...") have none of ours.
static bool find_entry(reader *r) {
    while (!r->at) {
        const char *line = r->line;
        if (!line || !*line) return false;
        r->line = strchr(line, '\n');
        r->line += r->line != NULL;
        if (strncmp(line, "  -", 3) != 0) continue;
        if (strncmp(line + 2, "-I ", 3) == 0 || strncmp(line + 2 + name_length(line + 2), " ...", 4) == 0) continue;
        r->at = line + 2;
        r->does = find_text(line + 2);
    }
    return true;
}

static void read_option(reader *r, option *o) {
    size_t length = name_length(r->at);
    const char *behind = r->at + length, *next = strstr(behind, " -");
    const bool has_value = *behind == '=' || (*behind == ' ' && !strchr(" -", behind[1]));
    *o = (option){.value = *behind == '[' ? MAYBE_A_VALUE : has_value ? A_VALUE : NO_VALUE};
    snprintf(o->name, sizeof o->name, "%.*s", (int)length, r->at);
    copy_clause(r->does, o->does, sizeof o->does);
    o->takes_file = o->value && strncmp(behind + 1, "FILE", 4) == 0;
    r->at = next && next < r->does ? next + 1 : NULL;
}

// True with the next option, each once.
static bool next_option(reader *r, option *o) {
    char word[sizeof o->name + 2];
    do {
        if (!find_entry(r)) return false;
        read_option(r, o);
        snprintf(word, sizeof word, " %s ", o->name);
    } while (strstr(r->seen, word));
    size_t used = strlen(r->seen);
    snprintf(r->seen + used, sizeof r->seen - used, "%s", word);
    return true;
}

static reader read_help(const hw_command *command) { return (reader){.line = command->help}; }

// What stands behind an option and is no file.
static const struct {
    const char *option, *words;
} values[] = {
    {"--device", "cpu cuda:0 sim:"}, {"--compiler", "nvcc clang"}, {"--halfwarp-compiler", "nvcc clang"},
    {"--only", "kernel= launch="},   {"--shards", "auto"},
};
enum { N_VALUES = sizeof values / sizeof values[0] };

static const char *words_of(const char *name) {
    for (size_t i = 0; i < N_VALUES; i++)
        if (strcmp(values[i].option, name) == 0) return values[i].words;
    return NULL;
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

// Between single quotes: of one itself the quotes end, and begin again. before: characters that take a backslash.
static void print_quoted(const char *text, const char *before) {
    for (; *text; text++) {
        if (*text == '\'') fputs("'\\'", stdout);
        else if (strchr(before, *text)) putchar('\\');
        putchar(*text);
    }
}

// ---- bash -----------------------------------------------------------------------------------------------------------

// A shell splits sim:h200 at the colon (COMP_WORDBREAKS). What is completed by nothing is a file's name.
static const char bash_beginning[] =
    "# Made by `halfwarp --completions bash`.\n"
    "_halfwarp() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options= words= gpus\n"
    "    local first=$((COMP_CWORD == 2))\n";
static const char bash_colons[] =
    "    if [ \"$word\" = : ]; then\n"
    "        before=: word=\n"
    "        [ \"${COMP_WORDS[COMP_CWORD-1]}\" = sim ] || before=\n"
    "    elif [ \"$before\" = : ] && [ \"${COMP_WORDS[COMP_CWORD-2]}\" != sim ]; then\n"
    "        before=\n"
    "    fi\n"
    "    [ \"$word\" = = ] && word=\n"
    "    [ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    case $before in\n"
    "        --gpu | :) words=$gpus ;;\n";
static const char bash_end[] =
    "        *) case $word in -*) words=$options ;; esac ;;\n"
    "    esac\n"
    "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
    "}\n"
    "complete -o default -F _halfwarp halfwarp\n";

static void print_bash_options(const hw_command *command) {
    option o;
    for (reader r = read_help(command); next_option(&r, &o);) printf(" %s", o.name);
    fputs(" --help", stdout);
}

static void print_bash(void) {
    const hw_command *command;
    fputs(bash_beginning, stdout);
    fputs("    gpus='", stdout);
    print_gpus();
    fputs("'\n    if [ \"$COMP_CWORD\" = 1 ]; then\n        COMPREPLY=($(compgen -W '", stdout);
    print_commands();
    fputs(" --help --version' -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n", stdout);
    for (size_t i = 0; (command = hw_cli_command_at(i)); i++) {
        printf("        %s) options='", command->name);
        print_bash_options(command);
        fputs("' ;;\n", stdout);
    }
    fputs("    esac\n    case ${COMP_WORDS[1]}$first in\n        help1) words='", stdout);
    print_commands();
    fputs(" columns' ;;\n        ladder1) words='", stdout);
    print_families();
    fputs("' ;;\n    esac\n", stdout);
    fputs(bash_colons, stdout);
    for (size_t i = 0; i < N_VALUES; i++) printf("        %s) words='%s' ;;\n", values[i].option, values[i].words);
    fputs(bash_end, stdout);
}

// ---- zsh ------------------------------------------------------------------------------------------------------------

// '--gpu=[the GPU]:G:{...}', as _arguments takes it: behind '=' or in the next word, '=-' behind '=' only.
static void print_zsh_option(const option *o) {
    const bool is_long = strncmp(o->name, "--", 2) == 0;
    const char *words = words_of(o->name);
    printf(" \\\n        '%s%s[", o->name, o->value == MAYBE_A_VALUE ? "=-" : o->value && is_long ? "=" : "");
    print_quoted(o->does, "[]:\\");
    fputs("]", stdout);
    if (o->value == MAYBE_A_VALUE) fputs(":: :", stdout);
    else if (!strcmp(o->name, "--gpu")) fputs(": :{compadd -a gpus}", stdout);
    else if (!strcmp(o->name, "--device")) fputs(": :{compadd -a devices}", stdout);
    else if (words) printf(": :(%s)", words);
    else if (o->value) fputs(o->takes_file ? ": :_files" : ": :", stdout);
    putchar('\'');
}

static void print_zsh_command(const hw_command *command) {
    option o;
    printf("    %s) _arguments '--help[what this command does]'", command->name);
    for (reader r = read_help(command); next_option(&r, &o);) print_zsh_option(&o);
    if (!strcmp(command->name, "help"))
        fputs(" \\\n        '1: :{_describe command commands; compadd columns}'", stdout);
    else if (!strcmp(command->name, "ladder")) {
        fputs(" \\\n        '1: :(", stdout);
        print_families();
        fputs(")'", stdout);
    } else fputs(" \\\n        '*: :_files'", stdout);
    fputs(" ;;\n", stdout);
}

static void print_zsh(void) {
    const hw_command *command;
    fputs("#compdef halfwarp\n# Made by `halfwarp --completions zsh`.\nlocal -a commands gpus devices\ncommands=(\n",
          stdout);
    for (size_t i = 0; (command = hw_cli_command_at(i)); i++) {
        printf("    '%s:", command->name);
        print_quoted(command->does, ":\\");
        fputs("'\n", stdout);
    }
    fputs(")\ngpus=(", stdout);
    print_gpus();
    fputs(" )\ndevices=(cpu cuda:0 sim:${^gpus})\n"
          "if (( CURRENT == 2 )); then\n"
          "    _describe command commands\n"
          "    compadd -- --help --version\n"
          "    return\n"
          "fi\n"
          "shift words\n"
          "(( CURRENT-- ))\n"
          "case $words[1] in\n",
          stdout);
    for (size_t i = 0; (command = hw_cli_command_at(i)); i++) print_zsh_command(command);
    fputs("esac\n", stdout);
}

// ---- fish -----------------------------------------------------------------------------------------------------------

// -l for two hyphens, -s for a letter behind one, -o for a word behind one.
static void print_fish_option(const hw_command *command, const option *o) {
    const char *hyphenless = o->name + strspn(o->name, "-"), *words = words_of(o->name);
    const char *kind = strncmp(o->name, "--", 2) == 0 ? "-l" : hyphenless[1] ? "-o" : "-s";
    printf("complete -c halfwarp -n '__fish_seen_subcommand_from %s' %s %s", command->name, kind, hyphenless);
    if (!strcmp(o->name, "--gpu")) fputs(" -x -a '(__halfwarp_gpus)'", stdout);
    else if (!strcmp(o->name, "--device")) fputs(" -x -a 'cpu cuda:0 sim:(__halfwarp_gpus)'", stdout);
    else if (words) printf(" -x -a '%s'", words);
    else if (o->value == A_VALUE) fputs(o->takes_file ? " -r" : " -x", stdout);
    fputs(" -d '", stdout);
    print_quoted(o->does, "\\");
    fputs("'\n", stdout);
}

static void print_fish(void) {
    const hw_command *command;
    option o;
    fputs("# Made by `halfwarp --completions fish`.\nfunction __halfwarp_gpus\n    printf '%s\\n'", stdout);
    print_gpus();
    fputs("\nend\n", stdout);
    for (size_t i = 0; (command = hw_cli_command_at(i)); i++) {
        printf("complete -c halfwarp -n __fish_use_subcommand -f -a %s -d '", command->name);
        print_quoted(command->does, "\\");
        fputs("'\n", stdout);
        for (reader r = read_help(command); next_option(&r, &o);) print_fish_option(command, &o);
    }
    fputs("complete -c halfwarp -n __fish_use_subcommand -l version -d 'the release'\n"
          "complete -c halfwarp -l help -d 'what a command does'\n"
          "complete -c halfwarp -n '__fish_seen_subcommand_from help' -f -a '", stdout);
    print_commands();
    fputs(" columns'\ncomplete -c halfwarp -n '__fish_seen_subcommand_from ladder' -f -a '", stdout);
    print_families();
    fputs("'\n", stdout);
}

int hw_cli_print_completions(const char *shell) {
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; shell && i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shell, shells[i].name) != 0) continue;
        shells[i].print();
        return 0;
    }
    hw_cli_complain("--completions is for bash, zsh or fish, and not for '%s'", shell ? shell : "");
    return HW_EXIT_USAGE;
}
