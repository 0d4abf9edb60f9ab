// Reading texture objects: tex1Dfetch, tex1D, tex2D and tex3D, of float, int, unsigned int and their vectors.
#ifndef __HALFWARP_TEXTURE_FETCH_H__
#define __HALFWARP_TEXTURE_FETCH_H__

#include "texture_types.h"

namespace __halfwarp {

// Four components in the registers that PTX gives them in, and what a kernel wants of them.
template <class Element> struct texel {
    Element x, y, z, w;
};

template <class T> struct texel_of;
template <> struct texel_of<float> {
    typedef float element;
    static __device__ float pick(const texel<float> &t) { return t.x; }
};
template <> struct texel_of<float2> {
    typedef float element;
    static __device__ float2 pick(const texel<float> &t) { return make_float2(t.x, t.y); }
};
template <> struct texel_of<float4> {
    typedef float element;
    static __device__ float4 pick(const texel<float> &t) { return make_float4(t.x, t.y, t.z, t.w); }
};
template <> struct texel_of<int> {
    typedef int element;
    static __device__ int pick(const texel<int> &t) { return t.x; }
};
template <> struct texel_of<int2> {
    typedef int element;
    static __device__ int2 pick(const texel<int> &t) { return make_int2(t.x, t.y); }
};
template <> struct texel_of<int4> {
    typedef int element;
    static __device__ int4 pick(const texel<int> &t) { return make_int4(t.x, t.y, t.z, t.w); }
};
template <> struct texel_of<unsigned int> {
    typedef unsigned int element;
    static __device__ unsigned int pick(const texel<unsigned int> &t) { return t.x; }
};
template <> struct texel_of<unsigned char> {
    typedef unsigned int element;
    static __device__ unsigned char pick(const texel<unsigned int> &t) { return (unsigned char)t.x; }
};
template <> struct texel_of<uchar4> {
    typedef unsigned int element;
    static __device__ uchar4 pick(const texel<unsigned int> &t) {
        return make_uchar4((unsigned char)t.x, (unsigned char)t.y, (unsigned char)t.z, (unsigned char)t.w);
    }
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

#endif
