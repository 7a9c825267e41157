# Run by CPack on the tree to pack: Debian's zsh looks for what packages bring in a folder of its own.
set(zsh "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/zsh")
if(CPACK_GENERATOR STREQUAL "DEB" AND EXISTS "${zsh}/site-functions")
  file(RENAME "${zsh}/site-functions" "${zsh}/vendor-completions")
endif()
