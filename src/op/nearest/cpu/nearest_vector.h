// How nearest_body.h is compiled where it has vectors: everything in one function, the most usual dimensions as
// constants. Under sanitizers that would take minutes, and the compiler is left to decide.
#if defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HW_SANITIZED
#endif
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define HW_SANITIZED
#endif

#ifdef HW_SANITIZED
#define UNROLL
#define INLINE static inline
#define FOR_DIMS(call) call((int)job->problem->dims)
#else
#define UNROLL _Pragma("GCC unroll 16")
#define INLINE static inline __attribute__((always_inline))
#define FOR_DIMS(call)                                                                                                 \
    switch (job->problem->dims) {                                                                                      \
        case 2: call(2); break;                                                                                        \
        case 3: call(3); break;                                                                                        \
        default: call((int)job->problem->dims); break;                                                                 \
    }
#endif
