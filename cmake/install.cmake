# What is installed beside the command and the libraries, and what is done when all of it lies in its place. Everything
# finds the rest relative to itself, so that the tree can be moved.

install(DIRECTORY include/cuda DESTINATION share/halfwarp/include)
install(DIRECTORY bench/cases bench/peers DESTINATION share/halfwarp/bench PATTERN __pycache__ EXCLUDE
  PATTERN kinds EXCLUDE)
file(GLOB manuals_1 CONFIGURE_DEPENDS man/*.1)
file(GLOB manuals_3 CONFIGURE_DEPENDS man/*.3)
file(GLOB manuals_7 CONFIGURE_DEPENDS man/*.7)
install(FILES ${manuals_1} DESTINATION share/man/man1)
install(FILES ${manuals_3} DESTINATION share/man/man3)
install(FILES ${manuals_7} DESTINATION share/man/man7)

install(FILES ${CMAKE_BINARY_DIR}/completions.bash DESTINATION share/bash-completion/completions RENAME halfwarp)
# Where zsh looks: of packages in vendor-completions (Debian's policy for zsh), of /usr/local in site-functions.
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(zsh_functions share/zsh/vendor-completions)
else()
  set(zsh_functions share/zsh/site-functions)
endif()
install(FILES ${CMAKE_BINARY_DIR}/completions.zsh DESTINATION ${zsh_functions} RENAME _halfwarp)
install(FILES ${CMAKE_BINARY_DIR}/completions.fish DESTINATION share/fish/vendor_completions.d RENAME halfwarp.fish)

# What texts call docs/X, examples/X and kernels/X.
install(FILES README.md LICENSE DESTINATION share/doc/halfwarp)
install(DIRECTORY docs kernels DESTINATION share/doc/halfwarp)
install(DIRECTORY examples DESTINATION share/doc/halfwarp USE_SOURCE_PERMISSIONS)

# CMake does not strip archives.
if(strip_installed)
  install(CODE "execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-debug
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/libhalfwarp.a\")")
endif()
install(SCRIPT cmake/refresh_ldconfig.cmake)
