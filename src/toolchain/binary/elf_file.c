#include "toolchain/binary/elf_file.h"

#include <string.h>

bool hw_elf_section(const hw_elf *elf, size_t index, Elf64_Shdr *section) {
    uint64_t offset;
    if (index >= elf->header.e_shnum || elf->header.e_shentsize != sizeof *section) return false;
    if (__builtin_add_overflow(elf->header.e_shoff, (uint64_t)index * sizeof *section, &offset)) return false;
    if (offset > elf->file.length || sizeof *section > elf->file.length - offset) return false;
    memcpy(section, elf->file.bytes + offset, sizeof *section);
    return true;
}

hw_span hw_elf_content(const hw_elf *elf, const Elf64_Shdr *section) {
    if (section->sh_type == SHT_NOBITS || section->sh_offset > elf->file.length ||
        section->sh_size > elf->file.length - section->sh_offset)
        return (hw_span){NULL, 0};
    return (hw_span){elf->file.bytes + section->sh_offset, (size_t)section->sh_size};
}

bool hw_elf_open(const void *bytes, size_t length, hw_elf *elf) {
    Elf64_Shdr names;
    *elf = (hw_elf){.file = {bytes, length}};
    if (length < sizeof elf->header) return false;
    memcpy(&elf->header, bytes, sizeof elf->header);
    const unsigned char *ident = elf->header.e_ident;
    if (memcmp(ident, ELFMAG, SELFMAG) || ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB) return false;
    if (hw_elf_section(elf, elf->header.e_shstrndx, &names)) elf->names = hw_elf_content(elf, &names);
    return true;
}

hw_span hw_elf_find(const hw_elf *elf, const char *name, size_t *index) {
    const size_t length = strlen(name) + 1;
    Elf64_Shdr section;
    for (size_t i = 0; elf->names.bytes && hw_elf_section(elf, i, &section); i++) {
        if (section.sh_name >= elf->names.length || length > elf->names.length - section.sh_name ||
            memcmp(elf->names.bytes + section.sh_name, name, length))
            continue;
        if (index) *index = i;
        return hw_elf_content(elf, &section);
    }
    return (hw_span){NULL, 0};
}
