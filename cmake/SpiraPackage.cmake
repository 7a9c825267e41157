# Makes archives and Debian packages of the installed files (scripts/package).
set(CPACK_GENERATOR "TGZ;DEB")
set(CPACK_PACKAGE_NAME spirascope)
set(CPACK_PACKAGE_VENDOR "SpiraScope")
set(CPACK_PACKAGE_CONTACT "SpiraScope maintainers <maintainers@spirascope.invalid>")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS qt6-wayland)  # Qt loads its Wayland plugin at run time, so SHLIBDEPS does not find it.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS bash-completion)  # bash-completion loads the bash completions.
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/DebianPaths.cmake")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
include(CPack)
