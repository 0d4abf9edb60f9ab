// Who called into the runtime: a short stack of return addresses, kept once per distinct stack, and its place in the
// program's source when someone asks.
//
// One address is not enough: cudaMalloc<float> and its like are functions of the program when it is compiled without
// optimisation, and their line, in a CUDA header, tells the reader nothing.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "shim/shim.h"

enum { MAX_FRAMES = 12, BUCKETS = 1024 };   // the static runtime has some of its own in front of the program's

typedef struct site {
    struct site *next;
    int n_frames;
    void *frames[MAX_FRAMES];
} site;

static site *site_buckets[BUCKETS];
static pthread_mutex_t sites_lock = PTHREAD_MUTEX_INITIALIZER;

// Frames of this library and of the runtime behind it are left out.
static int program_frames(void **frames) {
    void *all[MAX_FRAMES + 8];
    Dl_info self, core, info;
    int n_all = backtrace(all, MAX_FRAMES + 8), n = 0;
    if (!dladdr((void *)hw_shim_site, &self) || !dladdr((void *)hw_rt_enter, &core)) return 0;
    for (int i = 0; i < n_all && n < MAX_FRAMES; i++) {
        bool is_own = n == 0 && dladdr(all[i], &info) &&
                      (info.dli_fbase == self.dli_fbase || info.dli_fbase == core.dli_fbase);
        if (!is_own) frames[n++] = all[i];
    }
    return n;
}

// The kept copy of a stack; NULL when out of memory.
static const void *keep_site(site wanted) {
    uint64_t hash = 0;
    for (int i = 0; i < wanted.n_frames; i++) hash = (hash ^ hw_address(wanted.frames[i])) * 0x9e3779b97f4a7c15u;
    site **bucket = &site_buckets[hash >> 54];
    pthread_mutex_lock(&sites_lock);
    site *found = *bucket;
    while (found && (found->n_frames != wanted.n_frames || memcmp(found->frames, wanted.frames, sizeof wanted.frames)))
        found = found->next;
    if (!found && (found = hw_malloc(sizeof *found))) {
        wanted.next = *bucket;
        *found = wanted;
        *bucket = found;
    }
    pthread_mutex_unlock(&sites_lock);
    return found;
}

// A kernel's stub has the kernel's line: where its <<<>>> stands is known apart from the stack.
static _Thread_local void *launch_address;

void hw_shim_begin_launch(void *return_address) { launch_address = return_address; }
void hw_shim_end_launch(void) { launch_address = NULL; }

const void *hw_shim_site(void) {
    site here = {.n_frames = 1, .frames = {launch_address}};
    if (!launch_address) here.n_frames = program_frames(here.frames);
    return keep_site(here);
}

const void *hw_shim_site_of(void *return_address) {
    return keep_site((site){.n_frames = 1, .frames = {return_address}});
}

const void *hw_shim_site_of_fault(void *instruction) {
    void *all[MAX_FRAMES + 8];
    int n_all = backtrace(all, MAX_FRAMES + 8), i = 0;
    site here = {.n_frames = 1, .frames = {(char *)instruction + 1}};    // as if it were a call
    while (i < n_all && all[i] != instruction) i++;
    for (i++; i < n_all && here.n_frames < MAX_FRAMES; i++) here.frames[here.n_frames++] = all[i];
    return keep_site(here);
}

// Environment of addr2line: this library is not to be loaded into it.
static char **clean_environment(void) {
    size_t n = 0, kept = 0;
    while (environ[n]) n++;
    char **copy = hw_calloc(n + 1, sizeof *copy);
    for (size_t i = 0; copy && i < n; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) && strncmp(environ[i], "LD_LIBRARY_PATH=", 16))
            copy[kept++] = environ[i];
    return copy;
}

static bool is_header_place(const char *place) {
    return strstr(place, "cuda_runtime.h:") || strstr(place, "runtime_templates.h:") ||
           strstr(place, "cuda_runtime_api.h:") || strstr(place, "/include/c++/");
}

static bool begins_with(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

// nvcc's stub of a kernel is called by a function of the kernel's name, which has the kernel's line: neither is where
// the program launches it.
typedef struct stub {
    char kernel[512];                  // demangled; "" unless the frame before was its stub
} stub;

static bool is_stub(const char *function, stub *stub) {
    static const char beginning[] = "__device_stub_";
    char mangled[512];
    stub->kernel[0] = '\0';
    if (!begins_with(function, beginning)) return false;
    const char *name = function + strlen(beginning);
    snprintf(mangled, sizeof mangled, "%.*s", (int)strcspn(name, "("), name);
    hw_demangle(mangled, stub->kernel, sizeof stub->kernel);
    return true;
}

// Is this none of the program's own frames: a header's template, a runtime call, what the static runtime is made of?
static bool is_wrapper(const char *function, const char *place, stub *stub) {
    const bool is_kernel = stub->kernel[0] && strcmp(function, stub->kernel) == 0;
    return is_stub(function, stub) || is_kernel || is_header_place(place) || begins_with(function, "cuda") ||
           begins_with(function, "__cuda") || begins_with(function, "libcudart_static_");
}

// addr2line may name the file that nvcc makes of a .cu file, with that one's lines: then ".../tmpxft_<numbers>
// -6_sum.cudafe1.cpp:12" stands for sum.cu:12. Its folder is not known.
static void name_source(char *place) {
    static const char made[] = ".cudafe1.cpp:";
    const char *name = strrchr(place, '/') ? strrchr(place, '/') + 1 : place, *ending = strstr(name, made);
    if (!ending || strncmp(name, "tmpxft_", 7) != 0) return;
    const char *begin = strchr(name, '-') ? strchr(strchr(name, '-'), '_') : NULL;
    if (!begin || begin >= ending) return;
    char source[512];
    snprintf(source, sizeof source, "%.*s.cu:%s", (int)(ending - begin - 1), begin + 1, ending + strlen(made));
    strcpy(place, source);
}

// A function and its file:line as addr2line prints them, without what it says behind. False at the end.
static bool read_frame(FILE *in, char *function, char *place, size_t bytes) {
    if (!fgets(function, (int)bytes, in) || !fgets(place, (int)bytes, in)) return false;
    function[strcspn(function, "\n")] = place[strcspn(place, "\n")] = '\0';
    char *more = strstr(place, " (discriminator");
    if (more) *more = '\0';
    name_source(place);
    return true;
}

// Function and file:line of an offset in an object, as `addr2line` has them: of functions inlined there the innermost
// that is not one of CUDA's wrappers. *has_line: there is a line. False when all of them are wrappers.
static bool ask_addr2line(const char *object, uint64_t offset, stub *stub, char *function, char *place,
                          size_t bytes, bool *has_line) {
    char address[32];
    int ends[2];
    pid_t child;
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)offset);
    char *arguments[] = {"addr2line", "-f", "-C", "-i", "-e", (char *)object, address, NULL};
    char **environment = clean_environment();
    *has_line = false;
    if (!environment || pipe(ends)) {
        hw_free(environment);
        return true;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1, 0);
    int failed = posix_spawnp(&child, "addr2line", &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    hw_free(environment);
    close(ends[1]);
    FILE *in = failed ? NULL : fdopen(ends[0], "r");
    const bool good = in && read_frame(in, function, place, bytes);
    bool is_own = !good || !is_wrapper(function, place, stub);
    while (!is_own && read_frame(in, function, place, bytes)) is_own = !is_wrapper(function, place, stub);
    if (in) fclose(in);
    else close(ends[0]);
    if (!failed) waitpid(child, NULL, 0);
    const char *line = good ? strrchr(place, ':') : NULL;
    *has_line = line && strncmp(place, "??", 2) != 0 && line[1] >= '1' && line[1] <= '9';   // not "file.c:?" or ":0"
    return is_own;
}

// An address within an object as its debug information counts: from its load address unless it is loaded where linked.
static uint64_t link_address(const Dl_info *info, const void *address) {
    const Elf64_Ehdr *header = info->dli_fbase;
    bool is_fixed = header->e_type == ET_EXEC;
    return hw_address(address) - 1 - (is_fixed ? 0 : hw_address(info->dli_fbase));   // the call, not what follows it
}

// The program's own name is argv[0]: it may be relative to a folder that it has left, or to PATH, or that of another
// file, for the halfwarp command names a program after its source.
static const char *path_of(const Dl_info *info, const struct link_map *object) {
    static char self[4096];
    if (object && object->l_name[0]) return object->l_name;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return info->dli_fname;
    self[length] = '\0';
    return self;
}

// The first frame that is neither the languages' libraries' nor one of CUDA's wrappers: by its line, else by its
// function.
bool hw_shim_describe_site(const void *where, char *out, size_t out_bytes) {
    const site *s = where;
    char function[512], place[512];
    bool has_line;
    stub stub = {""};
    for (int i = 0; s && i < s->n_frames; i++) {
        Dl_info info;
        struct link_map *map = NULL;
        if (!dladdr1(s->frames[i], &info, (void **)&map, RTLD_DL_LINKMAP) || !info.dli_fname) continue;
        const char *path = path_of(&info, map), *object = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
        if (strncmp(object, "libc.", 5) == 0 || strncmp(object, "libstdc++.", 10) == 0) continue;
        uint64_t offset = link_address(&info, s->frames[i]);
        function[0] = place[0] = '\0';
        if (!ask_addr2line(path, offset, &stub, function, place, sizeof place, &has_line)) continue;
        bool has_name = function[0] && strncmp(function, "??", 2) != 0;
        if (has_line) snprintf(out, out_bytes, "%s", place);
        else if (has_name) snprintf(out, out_bytes, "%s in %s", function, object);
        else snprintf(out, out_bytes, "%s+0x%llx", object, (unsigned long long)offset);
        return true;
    }
    return false;
}
