// embed_recorded LIST OUT.c: writes the recorded PTX that LIST names, a path a line, as a table of C (device/recorded.h).
// Built and run while the library is built. A file's first line is
//   // halfwarp recorded KEY ARCH SOURCE DEFINES...   (tabs behind ARCH and between the rest)
// and all of the file is what the table holds.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

typedef struct text {
    char *bytes;
    size_t length;
} text;

static int fail(const char *what, const char *path) {
    fprintf(stderr, "embed_recorded: %s %s\n", what, path);
    return 1;
}

static int read_whole(const char *path, text *out) {
    FILE *file = fopen(path, "rb");
    size_t room = 0, got;
    *out = (text){0};
    if (!file) return 1;
    do {
        char *bigger = room - out->length > 1 ? out->bytes : realloc(out->bytes, room = 2 * room + 65536);
        if (!bigger) break;
        out->bytes = bigger;
        got = fread(out->bytes + out->length, 1, room - out->length - 1, file);
        out->length += got;
    } while (got > 0);
    int failed = !out->bytes || ferror(file);
    fclose(file);
    if (!failed) out->bytes[out->length] = '\0';
    return failed;
}

static void write_bytes(FILE *out, int number, const unsigned char *bytes, size_t length) {
    fprintf(out, "static const unsigned char packed_%d[] = {", number);
    for (size_t i = 0; i < length; i++) fprintf(out, "%s%u,", i % 32 ? "" : "\n", bytes[i]);
    fprintf(out, "\n};\n");
}

// Packs one file; its row goes to rows.
static int embed(const char *path, int number, FILE *out, FILE *rows) {
    text ptx;
    char key[33];
    int arch;
    if (read_whole(path, &ptx)) return fail("cannot read", path);
    if (sscanf(ptx.bytes, "// halfwarp recorded %32[0-9a-f] %d", key, &arch) != 2) return fail("no recording:", path);
    size_t room = ZSTD_compressBound(ptx.length);
    unsigned char *packed = malloc(room);
    size_t length = packed ? ZSTD_compress(packed, room, ptx.bytes, ptx.length, 15) : 0;
    if (!packed || ZSTD_isError(length)) return fail("cannot pack", path);
    write_bytes(out, number, packed, length);
    fprintf(rows, "    {\"%s\", %d, packed_%d, sizeof packed_%d, %zu},\n", key, arch, number, number, ptx.length);
    free(packed);
    free(ptx.bytes);
    return 0;
}

int main(int argc, char **argv) {
    text list;
    if (argc != 3 || read_whole(argv[1], &list)) return fail("usage: embed_recorded LIST", "OUT.c");
    FILE *out = fopen(argv[2], "w"), *rows = tmpfile();
    int number = 0;
    if (!out || !rows) return fail("cannot write", argv[2]);
    fprintf(out, "// Made from kernels/recorded/ by cmake/embed_recorded.c.\n#include \"device/recorded.h\"\n\n");
    for (char *path = strtok(list.bytes, "\n"); path; path = strtok(NULL, "\n"))
        if (embed(path, number++, out, rows)) return 1;
    fprintf(out, "\nconst hw_recorded hw_recorded_table[] = {\n");
    rewind(rows);
    for (int c; (c = getc(rows)) != EOF;) putc(c, out);
    fprintf(out, "    {0, 0, 0, 0, 0},\n};\n");
    int failed = ferror(out) | ferror(rows);
    fclose(rows);
    free(list.bytes);
    return fclose(out) || failed ? fail("cannot write", argv[2]) : 0;
}
