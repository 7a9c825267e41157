# Writes the schemas of resources/schemas into a source file, so that the programs need no schema files at run time.
set(SPIRA_SCHEMA_ROWS "")
foreach(name IN ITEMS report tune session spira.lesson network network-2 compare survey frame table bench)
  set(file "${PROJECT_SOURCE_DIR}/resources/schemas/${name}.schema.json")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" content)
  string(APPEND SPIRA_SCHEMA_ROWS "    {\"${name}\", R\"schema(${content})schema\"},\n")
endforeach()
configure_file(engine/base/shipped_schemas.cpp.in engine/base/shipped_schemas.cpp @ONLY)
