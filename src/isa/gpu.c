// Compute capabilities, chips and GPUs, filled from their .def files, and the ways to spell a GPU.
#include "isa/gpu.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const hw_arch arch_10 =
#include "isa/arch/10.def"
;
static const hw_arch arch_11 =
#include "isa/arch/11.def"
;
static const hw_arch arch_12 =
#include "isa/arch/12.def"
;
static const hw_arch arch_13 =
#include "isa/arch/13.def"
;
static const hw_arch arch_20 =
#include "isa/arch/20.def"
;
static const hw_arch arch_21 =
#include "isa/arch/21.def"
;
static const hw_arch arch_30 =
#include "isa/arch/30.def"
;
static const hw_arch arch_32 =
#include "isa/arch/32.def"
;
static const hw_arch arch_35 =
#include "isa/arch/35.def"
;
static const hw_arch arch_37 =
#include "isa/arch/37.def"
;
static const hw_arch arch_50 =
#include "isa/arch/50.def"
;
static const hw_arch arch_52 =
#include "isa/arch/52.def"
;
static const hw_arch arch_53 =
#include "isa/arch/53.def"
;
static const hw_arch arch_60 =
#include "isa/arch/60.def"
;
static const hw_arch arch_61 =
#include "isa/arch/61.def"
;
static const hw_arch arch_62 =
#include "isa/arch/62.def"
;
static const hw_arch arch_70 =
#include "isa/arch/70.def"
;
static const hw_arch arch_72 =
#include "isa/arch/72.def"
;
static const hw_arch arch_75 =
#include "isa/arch/75.def"
;
static const hw_arch arch_80 =
#include "isa/arch/80.def"
;
static const hw_arch arch_86 =
#include "isa/arch/86.def"
;
static const hw_arch arch_87 =
#include "isa/arch/87.def"
;
static const hw_arch arch_89 =
#include "isa/arch/89.def"
;
static const hw_arch arch_90 =
#include "isa/arch/90.def"
;
static const hw_arch arch_100 =
#include "isa/arch/100.def"
;
static const hw_arch arch_103 =
#include "isa/arch/103.def"
;
static const hw_arch arch_110 =
#include "isa/arch/110.def"
;
static const hw_arch arch_120 =
#include "isa/arch/120.def"
;
static const hw_arch arch_121 =
#include "isa/arch/121.def"
;

// Ascending. A new file of arch/ is included above and named here.
static const hw_arch *const archs[] = {
    &arch_10, &arch_11, &arch_12, &arch_13, &arch_20, &arch_21, &arch_30, &arch_32, &arch_35, &arch_37,
    &arch_50, &arch_52, &arch_53, &arch_60, &arch_61, &arch_62, &arch_70, &arch_72, &arch_75, &arch_80,
    &arch_86, &arch_87, &arch_89, &arch_90, &arch_100, &arch_103, &arch_110, &arch_120, &arch_121,
};
enum { N_ARCHS = sizeof archs / sizeof archs[0] };

static const hw_chip chips[] = {
#define HW_CHIP(name_, cc_, sms_, bits_, integrated_)                                                                  \
    {.name = name_, .cc = cc_, .sms = sms_, .memory_bus_bits = bits_, .is_integrated = integrated_},
#include "isa/chips.def"
#undef HW_CHIP
};
enum { N_CHIPS = sizeof chips / sizeof chips[0] };

static const hw_gpu gpus[] = {
#define MIB (1ull << 20)
#define HW_GPU(id_, name_, chip_, cc_, sms_, base_, clock_, memory_clock_, gbs_, bits_, partitions_, l2_, bytes_,      \
               fp32_, fp64_, pcie_, source_)                                                                          \
    {.id = id_, .name = name_, .chip = chip_, .arch = &arch_##cc_, .sms = sms_, .base_clock_mhz = base_,               \
     .clock_mhz = clock_, .memory_clock_mhz = memory_clock_, .memory_gbs = gbs_, .memory_bus_bits = bits_,             \
     .memory_partitions = partitions_, .l2_kib = l2_, .memory_bytes = bytes_, .fp32_gflops = fp32_,                    \
     .fp64_gflops = fp64_, .pcie_gbs = pcie_, .source = source_},
#include "isa/gpus.def"
#undef HW_GPU
#undef MIB
};
enum { N_GPUS = sizeof gpus / sizeof gpus[0] };
_Static_assert(N_GPUS == 510, "one row per GPU of gpus.def");

// ---- Names ----------------------------------------------------------------------------------------------------------

enum { LONGEST = 128 };

// In lower case, without what people leave out or put in between.
static void squeeze(const char *text, char out[LONGEST]) {
    size_t n = 0;
    for (; *text && n < LONGEST - 1; text++)
        if (!strchr(" -_()", *text)) out[n++] = (char)tolower((unsigned char)*text);
    out[n] = '\0';
}

// Behind the maker's and the brand's words.
static const char *skip_brands(const char *squeezed) {
    static const char *const brands[] = {"nvidia", "geforce", "tesla", "jetson"};
    for (size_t i = 0; i < sizeof brands / sizeof brands[0]; i++)
        if (strncmp(squeezed, brands[i], strlen(brands[i])) == 0) squeezed += strlen(brands[i]);
    return squeezed;
}

static bool is_spelled(const char *name, const char *typed) {
    char squeezed[LONGEST];
    squeeze(name, squeezed);
    return strcmp(skip_brands(squeezed), typed) == 0;
}

const hw_gpu *hw_gpu_find(const char *name) {
    char squeezed[LONGEST];
    for (size_t i = 0; i < N_GPUS; i++)
        if (!strcasecmp(gpus[i].id, name)) return &gpus[i];
    if (strlen(name) >= LONGEST) return NULL;
    squeeze(name, squeezed);
    const char *typed = skip_brands(squeezed);
    if (!*typed) return NULL;
    for (size_t i = 0; i < N_GPUS; i++)
        if (is_spelled(gpus[i].id, typed)) return &gpus[i];
    for (size_t i = 0; i < N_GPUS; i++)
        if (is_spelled(gpus[i].name, typed)) return &gpus[i];
    return NULL;
}

bool hw_gpu_has_words(const hw_gpu *gpu, const char *words) {
    const char *const places[] = {gpu->id, gpu->name, gpu->chip, gpu->arch->generation};
    for (words += strspn(words, " "); *words; words += strspn(words, " ")) {
        char word[LONGEST], squeezed[LONGEST], place[LONGEST];
        size_t length = strcspn(words, " ");
        bool is_there = false;
        if (length >= LONGEST) return false;
        memcpy(word, words, length);
        word[length] = '\0';
        squeeze(word, squeezed);
        for (size_t i = 0; i < sizeof places / sizeof places[0] && !is_there; i++) {
            squeeze(places[i], place);
            is_there = strstr(place, squeezed) != NULL;
        }
        if (!is_there) return false;
        words += length;
    }
    return true;
}

static const char *without_maker(const char *name) {
    static const char maker[] = "NVIDIA ";
    return strncmp(name, maker, sizeof maker - 1) ? name : name + sizeof maker - 1;
}

bool hw_gpu_is_called(const hw_gpu *gpu, const char *name) {
    return strcmp(without_maker(gpu->name), without_maker(name)) == 0;
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

const hw_gpu *hw_gpu_at(size_t index) { return index < N_GPUS ? &gpus[index] : NULL; }

const hw_chip *hw_chip_find(const char *name) {
    for (size_t i = 0; i < N_CHIPS; i++)
        if (!strcmp(chips[i].name, name)) return &chips[i];
    return NULL;
}

const hw_chip *hw_chip_at(size_t index) { return index < N_CHIPS ? &chips[index] : NULL; }

bool hw_gpu_is_integrated(const hw_gpu *gpu) {
    const hw_chip *chip = hw_chip_find(gpu->chip);
    return chip && chip->is_integrated;
}

bool hw_gpu_is_for_games(const hw_gpu *gpu) { return strstr(gpu->name, "GeForce") || strstr(gpu->name, "TITAN"); }

const hw_arch *hw_arch_find(int cc) {
    for (size_t i = 0; i < N_ARCHS; i++)
        if (archs[i]->cc == cc) return archs[i];
    return NULL;
}

const hw_arch *hw_arch_named(const char *text) {
    for (size_t i = 0; i < N_ARCHS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d.%d", archs[i]->cc / 10, archs[i]->cc % 10);
        if (!strcmp(name, text)) return archs[i];
    }
    return NULL;
}

const hw_arch *hw_arch_at(size_t index) { return index < N_ARCHS ? archs[index] : NULL; }
