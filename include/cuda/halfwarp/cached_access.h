// Loads and stores with a cache hint: __ldcg, __ldca, __ldcs, __ldlu, __ldcv, __stwb, __stcg, __stcs, __stwt, for every
// type of 1, 2, 4, 8 or 16 bytes. A value travels as the unsigned integers of its size.
#ifndef __HALFWARP_CACHED_ACCESS_H__
#define __HALFWARP_CACHED_ACCESS_H__

// One function per access and size. `hint` is PTX's word; the address must be in global memory, as with nvcc.
#define __HALFWARP_CACHED_LOAD__(name, hint)                                                                           \
    template <int bytes> struct name##_bits;                                                                           \
    template <> struct name##_bits<1> {                                                                                \
        static __device__ __forceinline__ void move(void *to, const void *from) {                                      \
            unsigned short value;                                                                                      \
            asm volatile("ld.global." hint ".u8 %0, [%1];" : "=h"(value) : "l"(from) : "memory");                      \
            *(unsigned char *)to = (unsigned char)value;                                                               \
        }                                                                                                              \
    };                                                                                                                 \
    template <> struct name##_bits<2> {                                                                                \
        static __device__ __forceinline__ void move(void *to, const void *from) {                                      \
            unsigned short value;                                                                                      \
            asm volatile("ld.global." hint ".u16 %0, [%1];" : "=h"(value) : "l"(from) : "memory");                     \
            __builtin_memcpy(to, &value, 2);                                                                           \
        }                                                                                                              \
    };                                                                                                                 \
    template <> struct name##_bits<4> {                                                                                \
        static __device__ __forceinline__ void move(void *to, const void *from) {                                      \
            unsigned int value;                                                                                        \
            asm volatile("ld.global." hint ".u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");                     \
            __builtin_memcpy(to, &value, 4);                                                                           \
        }                                                                                                              \
    };                                                                                                                 \
    template <> struct name##_bits<8> {                                                                                \
        static __device__ __forceinline__ void move(void *to, const void *from) {                                      \
            unsigned long long value;                                                                                  \
            asm volatile("ld.global." hint ".u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");                     \
            __builtin_memcpy(to, &value, 8);                                                                           \
        }                                                                                                              \
    };                                                                                                                 \
    template <> struct name##_bits<16> {                                                                               \
        static __device__ __forceinline__ void move(void *to, const void *from) {                                      \
            unsigned long long value[2];                                                                               \
            asm volatile("ld.global." hint ".v2.u64 {%0, %1}, [%2];"                                                   \
                         : "=l"(value[0]), "=l"(value[1])                                                              \
                         : "l"(from)                                                                                   \
                         : "memory");                                                                                  \
            __builtin_memcpy(to, value, 16);                                                                           \
        }                                                                                                              \
    };                                                                                                                 \
    template <class T> static __device__ __forceinline__ T name(const T *from) {                                       \
        T value;                                                                                                       \
        name##_bits<sizeof(T)>::move(&value, from);                                                                    \
        return value;                                                                                                  \
    }

#define __HALFWARP_CACHED_STORE__(name, hint)                                                                          \
    template <int bytes> struct name##_bits;                                                                           \
    template <> struct name##_bits<1> {                                                                                \
        static __device__ __forceinline__ void move(void *to, const void *from) {                                      \
            unsigned short value = *(const unsigned char *)from;                                                       \
            asm volatile("st.global." hint ".u8 [%0], %1;" ::"l"(to), "h"(value) : "memory");                          \
        }                                                                                                              \
    };                                                                                                                 \
    template <> struct name##_bits<2> {                                                                                \
        static __device__ __forceinline__ void move(void *to, const void *from) {                                      \
            unsigned short value;                                                                                      \
            __builtin_memcpy(&value, from, 2);                                                                         \
            asm volatile("st.global." hint ".u16 [%0], %1;" ::"l"(to), "h"(value) : "memory");                         \
        }                                                                                                              \
    };                                                                                                                 \
    template <> struct name##_bits<4> {                                                                                \
        static __device__ __forceinline__ void move(void *to, const void *from) {                                      \
            unsigned int value;                                                                                        \
            __builtin_memcpy(&value, from, 4);                                                                         \
            asm volatile("st.global." hint ".u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");                         \
        }                                                                                                              \
    };                                                                                                                 \
    template <> struct name##_bits<8> {                                                                                \
        static __device__ __forceinline__ void move(void *to, const void *from) {                                      \
            unsigned long long value;                                                                                  \
            __builtin_memcpy(&value, from, 8);                                                                         \
            asm volatile("st.global." hint ".u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");                         \
        }                                                                                                              \
    };                                                                                                                 \
    template <> struct name##_bits<16> {                                                                               \
        static __device__ __forceinline__ void move(void *to, const void *from) {                                      \
            unsigned long long value[2];                                                                               \
            __builtin_memcpy(value, from, 16);                                                                         \
            asm volatile("st.global." hint ".v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(value[0]), "l"(value[1])           \
                         : "memory");                                                                                  \
        }                                                                                                              \
    };                                                                                                                 \
    template <class T> static __device__ __forceinline__ void name(T *to, T value) {                                   \
        name##_bits<sizeof(T)>::move(to, &value);                                                                      \
    }

__HALFWARP_CACHED_LOAD__(__ldca, "ca")
__HALFWARP_CACHED_LOAD__(__ldcg, "cg")
__HALFWARP_CACHED_LOAD__(__ldcs, "cs")
__HALFWARP_CACHED_LOAD__(__ldlu, "lu")
__HALFWARP_CACHED_LOAD__(__ldcv, "cv")
__HALFWARP_CACHED_STORE__(__stwb, "wb")
__HALFWARP_CACHED_STORE__(__stcg, "cg")
__HALFWARP_CACHED_STORE__(__stcs, "cs")
__HALFWARP_CACHED_STORE__(__stwt, "wt")

#undef __HALFWARP_CACHED_LOAD__
#undef __HALFWARP_CACHED_STORE__

#endif
