# Finds a CUDA toolkit and chooses the GPU architectures to compile for. Sets SPIRA_HAS_CUDA and prints one line with the reason.
#
# SPIRA_CUDA=AUTO (default): compiles for the GPUs of this machine. Without a GPU, the CUDA back end is not built, because
#                            compiling it takes several minutes and it cannot run here.
# SPIRA_CUDA=ALL:            compiles for all supported architectures if a toolkit is installed. Use this for packages.
# SPIRA_CUDA=ON:             fails without a toolkit. Compiles for the GPUs of this machine, or for all architectures without one.
# SPIRA_CUDA=OFF:            builds no CUDA back end.
# CMAKE_CUDA_ARCHITECTURES or the environment variable CUDAARCHS override these rules.
set(SPIRA_HAS_CUDA OFF)

# Stores the architectures of this machine's GPUs in `result`, for example 75-real;89-real. The list is empty if there is no GPU or no driver.
function(spira_native_architectures result)
  set(${result} "" PARENT_SCOPE)
  find_program(SPIRA_NVIDIA_SMI nvidia-smi)
  if(NOT SPIRA_NVIDIA_SMI)
    return()
  endif()
  execute_process(COMMAND "${SPIRA_NVIDIA_SMI}" --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE capabilities RESULT_VARIABLE status ERROR_QUIET)
  if(NOT status EQUAL 0)
    return()
  endif()
  string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${capabilities}")
  set(architectures "")
  foreach(capability IN LISTS capabilities)
    string(REPLACE "." "" capability "${capability}")
    if(capability STREQUAL "90")
      set(capability 90a)  # Warpgroup matrix products exist only in sm_90a.
    endif()
    list(APPEND architectures ${capability}-real)
  endforeach()
  list(REMOVE_DUPLICATES architectures)
  set(${result} "${architectures}" PARENT_SCOPE)
endfunction()

if(SPIRA_CUDA STREQUAL "OFF")
  message(STATUS "CUDA back end: no (SPIRA_CUDA=OFF)")
  return()
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(SPIRA_CUDA STREQUAL "ON")
    message(FATAL_ERROR "SPIRA_CUDA=ON, but no CUDA compiler was found. Install the CUDA toolkit or put nvcc on the PATH.")
  endif()
  message(STATUS "CUDA back end: no (nvcc was not found); everything runs on the CPU back end")
  return()
endif()

set(spira_why "as requested")
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  set(CMAKE_CUDA_ARCHITECTURES "")
  if(NOT SPIRA_CUDA STREQUAL "ALL")
    spira_native_architectures(CMAKE_CUDA_ARCHITECTURES)
    set(spira_why "the GPUs of this machine")
  endif()
  if(NOT CMAKE_CUDA_ARCHITECTURES AND SPIRA_CUDA STREQUAL "AUTO")
    message(STATUS "CUDA back end: no (this machine has no GPU); everything runs on the CPU back end. "
                   "-DSPIRA_CUDA=ALL builds it for all GPUs.")
    return()
  endif()
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90a-real 90-virtual)
    set(spira_why "all supported GPUs")
  endif()
endif()
enable_language(CUDA)
# CMake 3.25 does not know the C++20 flag of nvcc and would use C++17 without a warning.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
endif()
find_package(CUDAToolkit REQUIRED)
set(SPIRA_HAS_CUDA ON)
message(STATUS "CUDA back end: yes, toolkit ${CUDAToolkit_VERSION}, for ${CMAKE_CUDA_ARCHITECTURES} (${spira_why})")
