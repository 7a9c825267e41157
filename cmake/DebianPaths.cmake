# CPack runs this script on the tree to pack. Debian's zsh looks for the completions of packages in vendor-completions.
set(zsh "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/zsh")
if(CPACK_GENERATOR STREQUAL "DEB" AND EXISTS "${zsh}/site-functions")
  file(RENAME "${zsh}/site-functions" "${zsh}/vendor-completions")
endif()
