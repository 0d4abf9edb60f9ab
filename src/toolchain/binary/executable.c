// What a program that is already built brings with it: read from its ELF file, every offset checked.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "toolchain/args.h"
#include "toolchain/binary/elf_file.h"
#include "toolchain/binary/fatbin.h"
#include "toolchain/binary/file_kind.h"
#include "toolchain/binary/ptx_link.h"
#include "toolchain/toolchain.h"

#if defined(__x86_64__)
enum { OWN_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { OWN_MACHINE = EM_AARCH64 };
#else
enum { OWN_MACHINE = EM_NONE };
#endif

// The name of a shared library that the program asks for and that begins so; NULL bytes when there is none.
static hw_span find_needed(const hw_elf *elf, const char *beginning) {
    hw_span dynamic = hw_elf_find(elf, ".dynamic", NULL), strings = hw_elf_find(elf, ".dynstr", NULL);
    size_t length = strlen(beginning);
    for (size_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.length; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        memcpy(&entry, dynamic.bytes + at, sizeof entry);
        if (entry.d_tag == DT_NULL) break;
        if (entry.d_tag != DT_NEEDED || entry.d_un.d_val >= strings.length) continue;
        const char *name = (const char *)strings.bytes + entry.d_un.d_val;
        size_t room = strings.length - entry.d_un.d_val;
        if (length <= room && !memcmp(name, beginning, length))
            return (hw_span){(const uint8_t *)name, strnlen(name, room)};
    }
    return (hw_span){NULL, 0};
}

// Machine code with a function in it: nvcc puts an empty piece into every program that it links.
static int has_function(const hw_fatbin_entry *entry) {
    char *text;
    size_t length;
    if (entry->kind != HW_FATBIN_CUBIN || hw_fatbin_unpack(entry, &text, &length, NULL) != HW_OK) return 0;
    int found = memmem(text, length, "\0.text.", 7) != NULL;
    hw_free(text);
    return found;
}

// The containers lie one behind the other, with zeros between them. False after the last.
static int next_container(hw_span section, size_t *at, hw_fatbin *fatbin) {
    static const uint8_t magic[] = {0x50, 0xed, 0x55, 0xba};
    for (; *at + sizeof magic <= section.length; *at += 8) {
        if (memcmp(section.bytes + *at, magic, sizeof magic) != 0 ||
            hw_fatbin_open(section.bytes + *at, section.length - *at, fatbin, NULL) != HW_OK)
            continue;
        *at += hw_align_up(fatbin->total_bytes, 8);
        return 1;
    }
    return 0;
}

static void count_device_code(hw_span section, size_t *ptx, size_t *machine_code) {
    hw_fatbin fatbin;
    for (size_t at = 0; next_container(section, &at, &fatbin);) {
        hw_fatbin_entry entry;
        size_t cursor = 0;
        while (hw_fatbin_next(&fatbin, &cursor, &entry, NULL) == HW_OK) {
            *ptx += entry.kind == HW_FATBIN_PTX;
            *machine_code += has_function(&entry);
        }
    }
}

static hw_status check_device_code(const hw_elf *elf, const char *path, hw_diag *diag) {
    size_t ptx = 0, machine_code = 0;
    count_device_code(hw_elf_find(elf, ".nv_fatbin", NULL), &ptx, &machine_code);
    // What nvcc has linked is machine code; the files' own pieces have PTX where -gencode asked for it.
    count_device_code(hw_elf_find(elf, "__nv_relfatbin", NULL), &ptx, &machine_code);
    if (machine_code && !ptx)
        return hw_diag_set(diag, HW_UNSUPPORTED,
                           "%s holds machine code only, and no PTX; rebuild it with "
                           "`nvcc -gencode arch=compute_75,code=compute_75 ...`",
                           path);
    return HW_OK;
}

// Is what begins as an ELF file one with a whole header, of 32 or 64 bits?
static bool has_header(const uint8_t *bytes, size_t length) {
    if (length < EI_NIDENT) return false;
    if (bytes[EI_CLASS] == ELFCLASS32) return length >= sizeof(Elf32_Ehdr);
    return bytes[EI_CLASS] == ELFCLASS64 && length >= sizeof(Elf64_Ehdr);
}

// HW_USAGE: not an ELF program; HW_UNSUPPORTED: for another processor.
static hw_status open_elf(const uint8_t *bytes, size_t length, const char *path, hw_elf *elf, hw_diag *diag) {
    if (length < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return hw_diag_set(diag, HW_USAGE, "%s is neither a program nor a .cu file", path);
    if (!has_header(bytes, length))
        return hw_diag_set(diag, HW_USAGE, "%s begins as a program does, but its header is cut short or damaged", path);
    if (!hw_elf_open(bytes, length, elf) || (OWN_MACHINE != EM_NONE && elf->header.e_machine != OWN_MACHINE))
        return hw_diag_set(diag, HW_UNSUPPORTED, "%s was built for another processor than this machine's", path);
    if (elf->header.e_type != ET_EXEC && elf->header.e_type != ET_DYN)
        return hw_diag_set(diag, HW_USAGE, "%s is an object file, and not yet a program: link it", path);
    return HW_OK;
}

static hw_status check_bytes(const uint8_t *bytes, size_t length, const char *path, char *runtime, size_t runtime_bytes,
                             hw_diag *diag) {
    hw_elf elf;
    if (length >= 2 && bytes[0] == '#' && bytes[1] == '!') return HW_OK;
    hw_status status = open_elf(bytes, length, path, &elf, diag);
    if (status) return status;
    hw_span name = find_needed(&elf, "libcudart.so");
    if (name.length < runtime_bytes) {
        memcpy(runtime, name.bytes ? (const char *)name.bytes : "", name.length);
        runtime[name.length] = '\0';
    }
    return check_device_code(&elf, path, diag);
}

// A walk over the device code of a file. Relocatable pieces wait for the end, when they are linked.
typedef struct walk {
    const char *path;
    int cc;
    hw_toolchain_ptx_sink sink;
    void *user;
    hw_arena *arena;
    hw_args parts;
    size_t pieces;
} walk;

static hw_status visit_container(walk *walk, const hw_fatbin *fatbin, bool is_relocatable, hw_diag *diag) {
    char *text = NULL;
    size_t length;
    hw_fatbin_entry entry;
    hw_diag why = {0};
    hw_status status = hw_fatbin_ptx(fatbin, walk->cc, &text, &length, &entry, &why);
    if (status == HW_NOT_FOUND) return HW_OK;   // nvcc's empty piece of machine code, for one
    if (status) return hw_diag_set(diag, status, "%s: %s", walk->path, why.text);
    walk->pieces++;
    if (is_relocatable || hw_fatbin_is_relocatable(&entry))
        hw_args_add(&walk->parts, hw_arena_string(walk->arena, text, length));
    else {
        const hw_ptx_piece piece = {text, length, fatbin->entries - (fatbin->total_bytes - fatbin->bytes),
                                    fatbin->total_bytes};
        status = walk->sink(walk->user, &piece, diag);
    }
    hw_free(text);
    return status;
}

static hw_status visit_section(walk *walk, hw_span section, bool is_relocatable, hw_diag *diag) {
    hw_status status = HW_OK;
    hw_fatbin fatbin;
    for (size_t at = 0; !status && next_container(section, &at, &fatbin);)
        status = visit_container(walk, &fatbin, is_relocatable, diag);
    return status;
}

static hw_status visit_linked(walk *walk, hw_diag *diag) {
    char *linked;
    size_t length;
    if (walk->parts.failed) return hw_diag_no_memory(diag);
    if (!walk->parts.count) return HW_OK;
    hw_status status = hw_ptx_link(walk->parts.items, walk->parts.count, walk->arena, &linked, &length, diag);
    return status ? status : walk->sink(walk->user, &(hw_ptx_piece){.ptx = linked, .length = length}, diag);
}

static hw_status visit_ptx(const hw_elf *elf, const char *path, int cc, hw_toolchain_ptx_sink sink, void *user,
                           hw_diag *diag) {
    walk walk = {.path = path, .cc = cc, .sink = sink, .user = user, .arena = hw_arena_create()};
    walk.parts.arena = walk.arena;
    if (!walk.arena) return hw_diag_no_memory(diag);
    hw_status status = visit_section(&walk, hw_elf_find(elf, ".nv_fatbin", NULL), false, diag);
    if (!status) status = visit_section(&walk, hw_elf_find(elf, "__nv_relfatbin", NULL), true, diag);
    if (!status) status = visit_linked(&walk, diag);
    if (!status && !walk.pieces)
        status = hw_diag_set(diag, HW_NOT_FOUND, "%s has no device code that is PTX", path);
    hw_arena_destroy(walk.arena);
    return status;
}

// A file as bytes, to be taken away with munmap.
static hw_status map_file(const char *path, const uint8_t **bytes, size_t *length, hw_diag *diag) {
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return hw_diag_errno(diag, errno, "cannot read %s", path);
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || !info.st_size) {
        close(file);
        return hw_diag_set(diag, HW_USAGE, "%s is neither a program nor a .cu file", path);
    }
    *length = (size_t)info.st_size;
    void *map = mmap(NULL, *length, PROT_READ, MAP_PRIVATE, file, 0);
    int failure = errno;
    close(file);
    if (map == MAP_FAILED) return hw_diag_errno(diag, failure, "cannot read %s", path);
    *bytes = map;
    return HW_OK;
}

static hw_status inspect_file(const char *path, char *runtime, size_t runtime_bytes, hw_diag *diag) {
    const uint8_t *bytes;
    size_t length;
    hw_status status = map_file(path, &bytes, &length, diag);
    if (status) return status;
    status = check_bytes(bytes, length, path, runtime, runtime_bytes, diag);
    munmap((void *)bytes, length);
    return status;
}

static hw_status visit_text(const uint8_t *bytes, size_t length, hw_toolchain_ptx_sink sink, void *user,
                            hw_diag *diag) {
    char *text = hw_malloc(length + 1);
    if (!text) return hw_diag_no_memory(diag);
    memcpy(text, bytes, length);
    text[length] = '\0';
    hw_status status = sink(user, &(hw_ptx_piece){.ptx = text, .length = length}, diag);
    hw_free(text);
    return status;
}

// A file that is a fat binary alone, as nvcc -fatbin makes it. What waits in it to be linked is shown as it is.
static hw_status visit_fatbin(const uint8_t *bytes, size_t length, const char *name, int cc, hw_toolchain_ptx_sink sink,
                              void *user, hw_diag *diag) {
    hw_fatbin fatbin;
    char *text;
    size_t text_length;
    hw_diag why = {0};
    hw_status status = hw_fatbin_open(bytes, length, &fatbin, &why);
    if (!status) status = hw_fatbin_ptx(&fatbin, cc, &text, &text_length, NULL, &why);
    if (status == HW_NOT_FOUND)
        return hw_diag_set(diag, HW_NOT_FOUND, "%s has no device code that is PTX", name);
    if (status) return hw_diag_set(diag, status, "%s: %s", name, why.text);
    status = sink(user, &(hw_ptx_piece){text, text_length, bytes, length}, diag);
    hw_free(text);
    return status;
}

hw_status hw_toolchain_each_ptx(const char *path, const char *name, int cc, hw_toolchain_ptx_sink sink, void *user,
                                hw_diag *diag) {
    const uint8_t *bytes;
    size_t length;
    hw_elf elf;
    hw_status status = map_file(path, &bytes, &length, diag);
    if (status) return status;
    switch (hw_file_kind_of(path, NULL)) {
    case HW_FILE_PTX: status = visit_text(bytes, length, sink, user, diag); break;
    case HW_FILE_FATBIN: status = visit_fatbin(bytes, length, name, cc, sink, user, diag); break;
    default:
        status = open_elf(bytes, length, name, &elf, diag);
        if (!status) status = visit_ptx(&elf, name, cc, sink, user, diag);
    }
    munmap((void *)bytes, length);
    return status;
}

hw_status hw_toolchain_check_executable(const char *path, hw_diag *diag) { return inspect_file(path, NULL, 0, diag); }

void hw_toolchain_find_runtime(const char *path, char *name, size_t name_bytes) {
    name[0] = '\0';
    inspect_file(path, name, name_bytes, NULL);
}
