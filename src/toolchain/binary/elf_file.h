// Sections of a 64-bit ELF file in memory, of a program or of machine code for GPUs. Every offset is checked.
#ifndef HW_TOOLCHAIN_BINARY_ELF_FILE_H
#define HW_TOOLCHAIN_BINARY_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hw_span {
    const uint8_t *bytes;        // NULL: there is no such part
    size_t length;
} hw_span;

typedef struct hw_elf {
    hw_span file;
    Elf64_Ehdr header;
    hw_span names;               // of sections
} hw_elf;

// False: it is no such file of 64 bits and little-endian with a whole header. The bytes stay the caller's, and have to.
bool hw_elf_open(const void *bytes, size_t length, hw_elf *elf);

// False behind the last.
bool hw_elf_section(const hw_elf *elf, size_t index, Elf64_Shdr *section);

hw_span hw_elf_content(const hw_elf *elf, const Elf64_Shdr *section);

// The first section of that name. index: its number, not written where there is none; may be NULL.
hw_span hw_elf_find(const hw_elf *elf, const char *name, size_t *index);

#endif
