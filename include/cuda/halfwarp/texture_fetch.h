// Reading texture objects: tex1Dfetch, tex1D, tex2D and tex3D, layers and cubes, of float, integers of 8, 16 and 32
// bits, and vectors.
#ifndef __HALFWARP_TEXTURE_FETCH_H__
#define __HALFWARP_TEXTURE_FETCH_H__

#include "texture_types.h"

namespace __halfwarp {

// Four components in the registers that PTX gives them in, and what a kernel wants of them.
template <class Element> struct texel {
    Element x, y, z, w;
};

template <class T> struct texel_of;

// Columns: the element that PTX reads, the type of one component, and its vectors' name without their number.
#define __HALFWARP_TEXEL__(read, scalar, name)                                                                         \
    template <> struct texel_of<scalar> {                                                                              \
        typedef read element;                                                                                          \
        static __device__ scalar pick(const texel<read> &t) { return (scalar)t.x; }                                    \
    };                                                                                                                 \
    template <> struct texel_of<name##1> {                                                                             \
        typedef read element;                                                                                          \
        static __device__ name##1 pick(const texel<read> &t) { return make_##name##1((scalar)t.x); }                   \
    };                                                                                                                 \
    template <> struct texel_of<name##2> {                                                                             \
        typedef read element;                                                                                          \
        static __device__ name##2 pick(const texel<read> &t) { return make_##name##2((scalar)t.x, (scalar)t.y); }      \
    };                                                                                                                 \
    template <> struct texel_of<name##4> {                                                                             \
        typedef read element;                                                                                          \
        static __device__ name##4 pick(const texel<read> &t) {                                                         \
            return make_##name##4((scalar)t.x, (scalar)t.y, (scalar)t.z, (scalar)t.w);                                 \
        }                                                                                                              \
    };

__HALFWARP_TEXEL__(float, float, float)
__HALFWARP_TEXEL__(int, int, int)
__HALFWARP_TEXEL__(unsigned int, unsigned int, uint)
__HALFWARP_TEXEL__(int, signed char, char)
__HALFWARP_TEXEL__(unsigned int, unsigned char, uchar)
__HALFWARP_TEXEL__(int, short, short)
__HALFWARP_TEXEL__(unsigned int, unsigned short, ushort)

#undef __HALFWARP_TEXEL__

template <> struct texel_of<char> {
    typedef int element;
    static __device__ char pick(const texel<int> &t) { return (char)t.x; }
};

#define __HALFWARP_FETCH__(element, type, constraint)                                                                  \
    static __device__ __forceinline__ void fetch(texel<element> &t, cudaTextureObject_t object, int x) {               \
        asm volatile("tex.1d.v4." type ".s32 {%0, %1, %2, %3}, [%4, {%5}];"                                            \
                     : constraint(t.x), constraint(t.y), constraint(t.z), constraint(t.w)                              \
                     : "l"(object), "r"(x));                                                                           \
    }                                                                                                                  \
    static __device__ __forceinline__ void fetch(texel<element> &t, cudaTextureObject_t object, float x) {             \
        asm volatile("tex.1d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5}];"                                            \
                     : constraint(t.x), constraint(t.y), constraint(t.z), constraint(t.w)                              \
                     : "l"(object), "f"(x));                                                                           \
    }                                                                                                                  \
    static __device__ __forceinline__ void fetch(texel<element> &t, cudaTextureObject_t object, float x, float y) {    \
        asm volatile("tex.2d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                                        \
                     : constraint(t.x), constraint(t.y), constraint(t.z), constraint(t.w)                              \
                     : "l"(object), "f"(x), "f"(y));                                                                   \
    }                                                                                                                  \
    static __device__ __forceinline__ void fetch(texel<element> &t, cudaTextureObject_t object, float x, float y,      \
                                                 float z) {                                                            \
        asm volatile("tex.3d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"                                \
                     : constraint(t.x), constraint(t.y), constraint(t.z), constraint(t.w)                              \
                     : "l"(object), "f"(x), "f"(y), "f"(z));                                                           \
    }                                                                                                                  \
    static __device__ __forceinline__ void fetch_layer(texel<element> &t, cudaTextureObject_t object, int layer,       \
                                                       float x) {                                                      \
        asm volatile("tex.a1d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                                       \
                     : constraint(t.x), constraint(t.y), constraint(t.z), constraint(t.w)                              \
                     : "l"(object), "r"(layer), "f"(x));                                                               \
    }                                                                                                                  \
    static __device__ __forceinline__ void fetch_layer(texel<element> &t, cudaTextureObject_t object, int layer,       \
                                                       float x, float y) {                                             \
        asm volatile("tex.a2d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"                               \
                     : constraint(t.x), constraint(t.y), constraint(t.z), constraint(t.w)                              \
                     : "l"(object), "r"(layer), "f"(x), "f"(y));                                                       \
    }                                                                                                                  \
    static __device__ __forceinline__ void fetch_cube(texel<element> &t, cudaTextureObject_t object, float x, float y, \
                                                      float z) {                                                       \
        asm volatile("tex.cube.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"                              \
                     : constraint(t.x), constraint(t.y), constraint(t.z), constraint(t.w)                              \
                     : "l"(object), "f"(x), "f"(y), "f"(z));                                                           \
    }                                                                                                                  \
    static __device__ __forceinline__ void fetch_cube(texel<element> &t, cudaTextureObject_t object, int layer,        \
                                                      float x, float y, float z) {                                     \
        asm volatile("tex.acube.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %8}];"                             \
                     : constraint(t.x), constraint(t.y), constraint(t.z), constraint(t.w)                              \
                     : "l"(object), "r"(layer), "f"(x), "f"(y), "f"(z));                                               \
    }

__HALFWARP_FETCH__(float, "f32", "=f")
__HALFWARP_FETCH__(int, "s32", "=r")
__HALFWARP_FETCH__(unsigned int, "u32", "=r")

#undef __HALFWARP_FETCH__

}

template <class T> static __device__ __forceinline__ T tex1Dfetch(cudaTextureObject_t object, int x) {
    __halfwarp::texel<typename __halfwarp::texel_of<T>::element> t;
    __halfwarp::fetch(t, object, x);
    return __halfwarp::texel_of<T>::pick(t);
}
template <class T> static __device__ __forceinline__ T tex1D(cudaTextureObject_t object, float x) {
    __halfwarp::texel<typename __halfwarp::texel_of<T>::element> t;
    __halfwarp::fetch(t, object, x);
    return __halfwarp::texel_of<T>::pick(t);
}
template <class T> static __device__ __forceinline__ T tex2D(cudaTextureObject_t object, float x, float y) {
    __halfwarp::texel<typename __halfwarp::texel_of<T>::element> t;
    __halfwarp::fetch(t, object, x, y);
    return __halfwarp::texel_of<T>::pick(t);
}
template <class T> static __device__ __forceinline__ T tex3D(cudaTextureObject_t object, float x, float y, float z) {
    __halfwarp::texel<typename __halfwarp::texel_of<T>::element> t;
    __halfwarp::fetch(t, object, x, y, z);
    return __halfwarp::texel_of<T>::pick(t);
}
template <class T> static __device__ __forceinline__ T tex1DLayered(cudaTextureObject_t object, float x, int layer) {
    __halfwarp::texel<typename __halfwarp::texel_of<T>::element> t;
    __halfwarp::fetch_layer(t, object, layer, x);
    return __halfwarp::texel_of<T>::pick(t);
}
template <class T>
static __device__ __forceinline__ T tex2DLayered(cudaTextureObject_t object, float x, float y, int layer) {
    __halfwarp::texel<typename __halfwarp::texel_of<T>::element> t;
    __halfwarp::fetch_layer(t, object, layer, x, y);
    return __halfwarp::texel_of<T>::pick(t);
}
template <class T>
static __device__ __forceinline__ T texCubemap(cudaTextureObject_t object, float x, float y, float z) {
    __halfwarp::texel<typename __halfwarp::texel_of<T>::element> t;
    __halfwarp::fetch_cube(t, object, x, y, z);
    return __halfwarp::texel_of<T>::pick(t);
}
template <class T>
static __device__ __forceinline__ T texCubemapLayered(cudaTextureObject_t object, float x, float y, float z,
                                                      int layer) {
    __halfwarp::texel<typename __halfwarp::texel_of<T>::element> t;
    __halfwarp::fetch_cube(t, object, layer, x, y, z);
    return __halfwarp::texel_of<T>::pick(t);
}

#endif
