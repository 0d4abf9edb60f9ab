// cudaCreateChannelDesc<float4>(): how an element of an array is made up.
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__
#ifdef __clang__
#pragma clang system_header
#endif

#include "cuda_runtime_api.h"

#ifdef __cplusplus

namespace __halfwarp {

// Of a number: its kind. Vectors have their number of components as well.
template <class T> struct channel {
    static const int count = 0;
    static const cudaChannelFormatKind kind = cudaChannelFormatKindNone;
    static const int bits = 0;
};

#define __HALFWARP_CHANNEL__(type, components, element, format)                                                        \
    template <> struct channel<type> {                                                                                 \
        static const int count = components;                                                                           \
        static const cudaChannelFormatKind kind = cudaChannelFormatKind##format;                                       \
        static const int bits = 8 * sizeof(element);                                                                   \
    };
#define __HALFWARP_CHANNELS__(name, element, format)                                                                   \
    __HALFWARP_CHANNEL__(element, 1, element, format)                                                                  \
    __HALFWARP_CHANNEL__(name##1, 1, element, format)                                                                  \
    __HALFWARP_CHANNEL__(name##2, 2, element, format)                                                                  \
    __HALFWARP_CHANNEL__(name##4, 4, element, format)

__HALFWARP_CHANNEL__(char, 1, char, Signed)
__HALFWARP_CHANNELS__(char, signed char, Signed)
__HALFWARP_CHANNELS__(uchar, unsigned char, Unsigned)
__HALFWARP_CHANNELS__(short, short, Signed)
__HALFWARP_CHANNELS__(ushort, unsigned short, Unsigned)
__HALFWARP_CHANNELS__(int, int, Signed)
__HALFWARP_CHANNELS__(uint, unsigned int, Unsigned)
__HALFWARP_CHANNELS__(float, float, Float)

#undef __HALFWARP_CHANNEL__
#undef __HALFWARP_CHANNELS__

}

template <class T> static inline __host__ cudaChannelFormatDesc cudaCreateChannelDesc() {
    typedef __halfwarp::channel<T> c;
    cudaChannelFormatDesc desc = {c::count > 0 ? c::bits : 0, c::count > 1 ? c::bits : 0, c::count > 2 ? c::bits : 0,
                                  c::count > 3 ? c::bits : 0, c::kind};
    return desc;
}

#endif

#endif
