// Texels that blocks fetch, of which execution tells a sample: sectors of each fetch, and each block's own.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "model/caches.h"
#include "prof/internal.h"

enum { SECTOR_BYTES = 32, SEEN_WORDS = HW_PROF_TEXEL_BITS / 64,
       ROOM = 512 };                     // for the sectors of one fetch: 256 at most

// Counting by bits takes it that numbers which follow each other have hashes at random, as the last step of MurmurHash3
// makes them: one multiplication spreads them evenly, so that none would meet another.
static uint32_t hash_of(uint64_t sector) {
    sector = (sector ^ sector >> 33) * 0xff51afd7ed558ccdu;
    sector = (sector ^ sector >> 33) * 0xc4ceb9fe1a85ec53u;
    return (uint32_t)(sector ^ sector >> 33);
}

// The block's sectors, as bits that they hash to: numbers of them do not depend on the order of warps. NULL: no memory.
static uint64_t *seen_by(hw_prof_texels *t, uint64_t block) {
    for (uint32_t i = t->n_blocks; i-- > 0;)
        if (t->blocks[i] == block) return t->seen + (size_t)i * SEEN_WORDS;
    if (t->n_blocks == t->capacity) {
        const uint32_t wanted = t->capacity ? 2 * t->capacity : 4;
        uint64_t *blocks = hw_realloc_array(t->blocks, wanted, sizeof *blocks);
        if (blocks) t->blocks = blocks;
        uint64_t *seen = blocks ? hw_realloc_array(t->seen, (size_t)wanted * SEEN_WORDS, sizeof *seen) : NULL;
        if (!seen) return NULL;
        t->seen = seen;
        t->capacity = wanted;
    }
    t->blocks[t->n_blocks] = block;
    return memset(t->seen + (size_t)t->n_blocks++ * SEEN_WORDS, 0, SEEN_WORDS * sizeof *t->seen);
}

// Is it the first time in this fetch? known: sectors plus one, by hash.
static bool is_new(uint64_t known[ROOM], uint64_t sector) {
    uint32_t i = hash_of(sector) % ROOM;
    while (known[i] && known[i] != sector + 1) i = (i + 1) % ROOM;
    if (known[i]) return false;
    known[i] = sector + 1;
    return true;
}

void hw_prof_texel_fetch(hw_sink *sink, uint32_t worker, const hw_texel_fetch *fetch) {
    hw_prof *prof = (hw_prof *)sink;
    uint64_t known[ROOM] = {0};
    hw_prof_worker *w = hw_prof_worker_of(prof, worker);
    if (!w) return;
    hw_prof_texels *t = &w->texels;
    uint64_t *seen = seen_by(t, fetch->block);
    if (!seen) return;
    t->fetches += (uint64_t)__builtin_popcount(fetch->mask);
    uint64_t last = UINT64_MAX;          // lanes side by side are mostly in one
    for (int corner = 0; corner < HW_TEXEL_CORNERS; corner++)
        for (uint32_t left = fetch->lanes[corner]; left; left &= left - 1) {
            const uint64_t sector = fetch->place[corner][__builtin_ctz(left)] / SECTOR_BYTES;
            const uint32_t bit = hash_of(sector) % HW_PROF_TEXEL_BITS;
            if (sector == last || !is_new(known, last = sector)) continue;
            t->sectors++;
            seen[bit / 64] |= 1ull << bit % 64;
        }
}

static double least(double a, double b) { return a < b ? a : b; }

// How many there are likely to be, of which so many bits are left: several may have one.
static double count_seen(const uint64_t *seen) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < SEEN_WORDS; i++) bits += (uint32_t)__builtin_popcountll(seen[i]);
    const double all = HW_PROF_TEXEL_BITS, left = bits < HW_PROF_TEXEL_BITS ? all - bits : 0.5;
    return all * log(all / left);
}

// How many sectors there are, if reads of so many at random have met so many different ones: different =
// all (1 - exp(-reads / all)). More than there can be where hardly one was met again.
static double met_again(double reads, double different, double most) {
    double low = different, high = most;
    for (int i = 0; i < 60 && low < high; i++) {
        const double all = (low + high) / 2;
        if (all * -expm1(-reads / all) < different) low = all;
        else high = all;
    }
    return low < high ? high : low;
}

bool hw_prof_texel_reads(const hw_prof *prof, uint64_t fetches, uint64_t texture_bytes, hw_texel_reads *out) {
    uint64_t sampled = 0, met[SEEN_WORDS] = {0};
    *out = (hw_texel_reads){0};
    for (uint32_t k = 0; k < prof->n_workers; k++) {
        const hw_prof_texels *t = &prof->workers[k].texels;
        sampled += t->fetches;
        out->by_warps += (double)t->sectors;
        out->blocks += t->n_blocks;
        for (uint32_t i = 0; i < t->n_blocks; i++) out->by_blocks += count_seen(t->seen + (size_t)i * SEEN_WORDS);
        for (uint32_t i = 0; i < t->n_blocks * SEEN_WORDS; i++) met[i % SEEN_WORDS] |= t->seen[i];
    }
    if (!sampled) return false;
    out->by_blocks = least(out->by_blocks, out->by_warps);    // an estimate, of what no block can have more of
    const double all = (double)fetches / (double)sampled, there_are = (double)texture_bytes / SECTOR_BYTES;
    out->texture_bytes = least(met_again(out->by_blocks, count_seen(met), there_are), there_are) * SECTOR_BYTES;
    out->by_warps *= all;
    out->by_blocks *= all;
    out->blocks *= all;
    return true;
}
