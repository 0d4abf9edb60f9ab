// Runs a fuzz target over the files of the folders named, and over each one cut short and with bytes changed: what was
// found once stays found, with any compiler. Linked with one fuzz_X.c in place of libFuzzer's main.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { VARIANTS = 200, MAX_BYTES = 1 << 20 };

static uint32_t noise = 1;

// Numerical Recipes' linear congruential generator: the same sequence everywhere.
static uint32_t next_noise(void) { return (noise = noise * 1664525u + 1013904223u) >> 8; }

// A buffer of exactly that size, so that AddressSanitizer sees a read behind its end.
static void run_copy(const uint8_t *bytes, size_t size, int is_damaged) {
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) exit(2);
    if (size) memcpy(copy, bytes, size);
    for (int i = 0; size && is_damaged && i < 4; i++) copy[next_noise() % size] = (uint8_t)next_noise();
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static int replay(const char *path) {
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(MAX_BYTES);
    if (!file || !bytes) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    size_t size = fread(bytes, 1, MAX_BYTES, file);
    fclose(file);
    run_copy(bytes, size, 0);
    for (int i = 0; i < VARIANTS; i++) {
        run_copy(bytes, size, 1);
        run_copy(bytes, next_noise() % (size + 1), i % 2);
    }
    free(bytes);
    return 1;
}

static int replay_folder(const char *folder) {
    DIR *open = opendir(folder);
    struct dirent *entry;
    int count = 0;
    while (open && (entry = readdir(open))) {
        char path[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        count += replay(path);
    }
    if (open) closedir(open);
    return count;
}

int main(int argc, char **argv) {
    int count = 0;
    for (int i = 1; i < argc; i++) count += replay_folder(argv[i]);
    printf("%d files, each whole and %d times damaged\n", count, 2 * VARIANTS);
    return count ? 0 : 1;
}
