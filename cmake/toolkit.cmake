# The compiler driver as build systems look for it: bin/halfwarp-nvcc, and a folder laid out as a CUDA toolkit is, for
# CUDA_HOME, CUDA_PATH and find_package(CUDAToolkit). The program under other names knows by them what it is to do.
# In place of the static libraries are linker scripts that name the shared runtime: a program with the runtime inside
# could not be given another GPU.
set(toolkit ${CMAKE_BINARY_DIR}/cuda)
file(MAKE_DIRECTORY ${toolkit}/bin ${toolkit}/lib64)
file(CREATE_LINK halfwarp ${CMAKE_BINARY_DIR}/halfwarp-nvcc SYMBOLIC)
file(CREATE_LINK ../../halfwarp ${toolkit}/bin/nvcc SYMBOLIC)
file(CREATE_LINK ../include/cuda ${toolkit}/include SYMBOLIC)
file(CREATE_LINK ../../lib/libcudart.so.13 ${toolkit}/lib64/libcudart.so SYMBOLIC)
# The linker looks for what the runtime needs beside the name that it was given.
file(CREATE_LINK ../../lib/libhalfwarp.so.0 ${toolkit}/lib64/libhalfwarp.so.0 SYMBOLIC)
# Makefiles link -lcuda, with and without a need of it: where there is no driver it is the one that has no device.
file(MAKE_DIRECTORY ${toolkit}/lib64/stubs)
file(CREATE_LINK ../../lib/driver/libcuda.so.1 ${toolkit}/lib64/libcuda.so SYMBOLIC)
file(CREATE_LINK ../libcuda.so ${toolkit}/lib64/stubs/libcuda.so SYMBOLIC)
foreach(library cudart_static cudadevrt)
  file(WRITE ${toolkit}/lib64/lib${library}.a "INPUT(-lcudart)\n")
endforeach()

install(FILES ${toolkit}/lib64/libcudart_static.a ${toolkit}/lib64/libcudadevrt.a DESTINATION lib/halfwarp/cuda/lib64)
install(CODE "
  set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  foreach(folder bin lib/halfwarp/cuda/bin lib/halfwarp/cuda/lib64/stubs)
    file(MAKE_DIRECTORY \"\${prefix}/\${folder}\")
  endforeach()
  file(CREATE_LINK halfwarp \"\${prefix}/bin/halfwarp-nvcc\" SYMBOLIC)
  file(CREATE_LINK ../../../../bin/halfwarp \"\${prefix}/lib/halfwarp/cuda/bin/nvcc\" SYMBOLIC)
  file(CREATE_LINK ../../../share/halfwarp/include/cuda \"\${prefix}/lib/halfwarp/cuda/include\" SYMBOLIC)
  file(CREATE_LINK ../../libcudart.so.13 \"\${prefix}/lib/halfwarp/cuda/lib64/libcudart.so\" SYMBOLIC)
  file(CREATE_LINK ../../driver/libcuda.so.1 \"\${prefix}/lib/halfwarp/cuda/lib64/libcuda.so\" SYMBOLIC)
  file(CREATE_LINK ../libcuda.so \"\${prefix}/lib/halfwarp/cuda/lib64/stubs/libcuda.so\" SYMBOLIC)
  file(CREATE_LINK ../../../libhalfwarp.so.0 \"\${prefix}/lib/halfwarp/cuda/lib64/libhalfwarp.so.0\" SYMBOLIC)")
