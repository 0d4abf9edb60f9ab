// Reading and writing surface objects: surf1Dread, surf2Dwrite and the others, of numbers and vectors of 1, 2, 4, 8 and
// 16 bytes. The first coordinate is in bytes.
#ifndef __HALFWARP_SURFACE_ACCESS_H__
#define __HALFWARP_SURFACE_ACCESS_H__

#include "texture_types.h"

namespace __halfwarp {

enum surface_kind { surface_1d, surface_2d, surface_3d, surface_a1d, surface_a2d };

// CASE(kind, PTX's name, the coordinates as it wants them, mode, PTX's name)
#define __HALFWARP_MODES__(CASE, kind, name, place)                                                                    \
    CASE(kind, name, place, cudaBoundaryModeZero, "zero")                                                              \
    CASE(kind, name, place, cudaBoundaryModeClamp, "clamp")                                                            \
    CASE(kind, name, place, cudaBoundaryModeTrap, "trap")
#define __HALFWARP_SURFACES__(CASE)                                                                                    \
    __HALFWARP_MODES__(CASE, surface_1d, "1d", "%[a]")                                                                 \
    __HALFWARP_MODES__(CASE, surface_2d, "2d", "%[a], %[b]")                                                           \
    __HALFWARP_MODES__(CASE, surface_3d, "3d", "%[a], %[b], %[c], %[c]")                                               \
    __HALFWARP_MODES__(CASE, surface_a1d, "a1d", "%[c], %[a]")                                                         \
    __HALFWARP_MODES__(CASE, surface_a2d, "a2d", "%[c], %[a], %[b], %[b]")

// Words of a surface, and both ways of moving them. c is the layer where there are layers.
#define __HALFWARP_READ__(kind_, name, place, mode_, mode_name)                                                        \
    if (kind == kind_ && mode == mode_)                                                                                \
        asm volatile("suld.b." name "." __HALFWARP_TYPE__ "." mode_name " {" __HALFWARP_WORDS__ "}, [%[s], {" place    \
                     "}];" : __HALFWARP_HELD__("=") : [s] "l"(s), [a] "r"(a), [b] "r"(b), [c] "r"(c) : "memory");
#define __HALFWARP_WRITE__(kind_, name, place, mode_, mode_name)                                                       \
    if (kind == kind_ && mode == mode_)                                                                                \
        asm volatile("sust.b." name "." __HALFWARP_TYPE__ "." mode_name " [%[s], {" place "}], {" __HALFWARP_WORDS__   \
                     "};" : : [s] "l"(s), [a] "r"(a), [b] "r"(b), [c] "r"(c), __HALFWARP_HELD__("") : "memory");
#define __HALFWARP_SURFACE__(bytes, word, n)                                                                           \
    template <> struct surface<bytes> {                                                                                \
        word w[n];                                                                                                     \
        __device__ __forceinline__ void read(surface_kind kind, cudaSurfaceObject_t s, int a, int b, int c,            \
                                             int mode) {                                                               \
            __HALFWARP_SURFACES__(__HALFWARP_READ__)                                                                   \
        }                                                                                                              \
        __device__ __forceinline__ void write(surface_kind kind, cudaSurfaceObject_t s, int a, int b, int c,           \
                                              int mode) const {                                                        \
            __HALFWARP_SURFACES__(__HALFWARP_WRITE__)                                                                  \
        }                                                                                                              \
    };

template <int bytes> struct surface;

#define __HALFWARP_WORDS__ "%[w]"
#define __HALFWARP_TYPE__ "b8"
#define __HALFWARP_HELD__(out) [w] out "h"(w[0])
__HALFWARP_SURFACE__(1, unsigned short, 1)
#undef __HALFWARP_TYPE__
#define __HALFWARP_TYPE__ "b16"
__HALFWARP_SURFACE__(2, unsigned short, 1)
#undef __HALFWARP_TYPE__
#undef __HALFWARP_HELD__
#define __HALFWARP_TYPE__ "b32"
#define __HALFWARP_HELD__(out) [w] out "r"(w[0])
__HALFWARP_SURFACE__(4, unsigned int, 1)
#undef __HALFWARP_TYPE__
#undef __HALFWARP_HELD__
#define __HALFWARP_TYPE__ "b64"
#define __HALFWARP_HELD__(out) [w] out "l"(w[0])
__HALFWARP_SURFACE__(8, unsigned long long, 1)
#undef __HALFWARP_WORDS__
#undef __HALFWARP_TYPE__
#undef __HALFWARP_HELD__
#define __HALFWARP_WORDS__ "%[w], %[x], %[y], %[z]"
#define __HALFWARP_TYPE__ "v4.b32"
#define __HALFWARP_HELD__(out) [w] out "r"(w[0]), [x] out "r"(w[1]), [y] out "r"(w[2]), [z] out "r"(w[3])
__HALFWARP_SURFACE__(16, unsigned int, 4)
#undef __HALFWARP_WORDS__
#undef __HALFWARP_TYPE__
#undef __HALFWARP_HELD__

#undef __HALFWARP_SURFACE__
#undef __HALFWARP_WRITE__
#undef __HALFWARP_READ__
#undef __HALFWARP_SURFACES__
#undef __HALFWARP_MODES__

template <class T>
static __device__ __forceinline__ T surface_read(surface_kind kind, cudaSurfaceObject_t s, int a, int b, int c,
                                                 int mode) {
    surface<sizeof(T)> held;
    T value;
    held.read(kind, s, a, b, c, mode);
    __builtin_memcpy(&value, held.w, sizeof value);
    return value;
}

template <class T>
static __device__ __forceinline__ void surface_write(surface_kind kind, T value, cudaSurfaceObject_t s, int a, int b,
                                                     int c, int mode) {
    surface<sizeof(T)> held = {{0}};
    __builtin_memcpy(held.w, &value, sizeof value);
    held.write(kind, s, a, b, c, mode);
}

}

// CUDA's names. Columns: its suffix, the kind, the parameters, and what they are of a, b and c.
#define __HALFWARP_CALLS__(name, kind, parameters, ...)                                                                \
    template <class T>                                                                                                 \
    static __device__ __forceinline__ T name##read(cudaSurfaceObject_t s, __HALFWARP_LIST__ parameters,                \
                                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {              \
        return __halfwarp::surface_read<T>(__halfwarp::kind, s, __VA_ARGS__, mode);                                    \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    static __device__ __forceinline__ void name##read(T *value, cudaSurfaceObject_t s, __HALFWARP_LIST__ parameters,   \
                                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {           \
        *value = __halfwarp::surface_read<T>(__halfwarp::kind, s, __VA_ARGS__, mode);                                  \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    static __device__ __forceinline__ void name##write(T value, cudaSurfaceObject_t s, __HALFWARP_LIST__ parameters,   \
                                                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {          \
        __halfwarp::surface_write(__halfwarp::kind, value, s, __VA_ARGS__, mode);                                      \
    }
#define __HALFWARP_LIST__(...) __VA_ARGS__

__HALFWARP_CALLS__(surf1D, surface_1d, (int x), x, 0, 0)
__HALFWARP_CALLS__(surf2D, surface_2d, (int x, int y), x, y, 0)
__HALFWARP_CALLS__(surf3D, surface_3d, (int x, int y, int z), x, y, z)
__HALFWARP_CALLS__(surf1DLayered, surface_a1d, (int x, int layer), x, 0, layer)
__HALFWARP_CALLS__(surf2DLayered, surface_a2d, (int x, int y, int layer), x, y, layer)
__HALFWARP_CALLS__(surfCubemap, surface_a2d, (int x, int y, int face), x, y, face)
__HALFWARP_CALLS__(surfCubemapLayered, surface_a2d, (int x, int y, int layer_and_face), x, y, layer_and_face)

#undef __HALFWARP_LIST__
#undef __HALFWARP_CALLS__

#endif
