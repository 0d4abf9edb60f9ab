// What a file is by its name.
#include "toolchain/binary/file_kind.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *ending;
    hw_file_kind kind;
} endings[] = {
#define HW_FILE_ENDING(ending, kind) {ending, HW_FILE_##kind},
#include "toolchain/binary/file_kind.def"
#undef HW_FILE_ENDING
};

hw_file_kind hw_file_kind_of(const char *name, const char **ending) {
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name, *dot = strrchr(base, '.');
    const char *shared = strstr(base, ".so.");
    hw_file_kind kind = shared && shared > base ? HW_FILE_OBJECT : HW_FILE_UNKNOWN;
    const char *at = kind == HW_FILE_OBJECT ? shared : base + strlen(base);
    for (size_t i = 0; dot && dot > base && i < sizeof endings / sizeof endings[0]; i++) {
        if (strcmp(dot, endings[i].ending) != 0) continue;
        kind = endings[i].kind;
        at = dot;
    }
    if (ending) *ending = at;
    return kind;
}
