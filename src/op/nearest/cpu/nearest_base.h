// Vectors in plain C for nearest_body.h: a fused multiply-add is one instruction where the compiler may use it,
// elsewhere a call. The file that includes this one defines REAL, REAL_IS_F64, LANES, BRUTE_VECS and FMA_REAL.
#include <math.h>
#include <string.h>

typedef struct vec {
    REAL lane[LANES];
} vec;

#define EACH for (int i = 0; i < LANES; i++)
#define OPERATION(name, expression)                                                                                    \
    static inline vec name(vec a, vec b) {                                                                             \
        vec r;                                                                                                         \
        EACH r.lane[i] = expression;                                                                                   \
        return r;                                                                                                      \
    }
#define COMPARISON(name, operator)                                                                                     \
    static inline unsigned name(vec a, vec b) {                                                                        \
        unsigned mask = 0;                                                                                             \
        EACH mask |= (unsigned)(a.lane[i] operator b.lane[i]) << i;                                                    \
        return mask;                                                                                                   \
    }

OPERATION(SUB, a.lane[i] - b.lane[i])
OPERATION(MUL, a.lane[i] * b.lane[i])
OPERATION(MAX, a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i])
OPERATION(MIN, a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i])
COMPARISON(LT, <)
COMPARISON(LE, <=)
COMPARISON(EQ, ==)

static inline vec FMA(vec a, vec b, vec c) {
    EACH a.lane[i] = FMA_REAL(a.lane[i], b.lane[i], c.lane[i]);
    return a;
}

static inline vec LOAD(const REAL *p) {
    vec v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void STORE(REAL *p, vec v) { memcpy(p, &v, sizeof v); }

static inline vec SET(REAL x) {
    vec v;
    EACH v.lane[i] = x;
    return v;
}

static inline REAL LEAST(vec v) {
    REAL least = v.lane[0];
    EACH least = v.lane[i] < least ? v.lane[i] : least;
    return least;
}

#define UNROLL
#define INLINE static inline
#define FOR_DIMS(call) call((int)job->problem->dims)

#include "op/nearest/cpu/nearest_body.h"
