# CPack runs this script before it builds a package. For a Debian package, the script moves the zsh completions to the folder
# vendor-completions, because zsh on Debian searches this folder for the completions of packages.
# Each component has its own folder.
set(zsh "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/programs/usr/share/zsh")
if(CPACK_GENERATOR STREQUAL "DEB" AND EXISTS "${zsh}/site-functions")
  file(RENAME "${zsh}/site-functions" "${zsh}/vendor-completions")
endif()
