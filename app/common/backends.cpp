#include "app/common/backends.hpp"

#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/reference/reference_backend.hpp"
#if SPIRA_HAS_CUDA
#include "kernels/cuda/cuda_backend.hpp"
#endif

namespace spira::app {

Registry make_registry() {
  std::vector<Registry::Entry> entries;
#if SPIRA_HAS_CUDA
  entries.push_back(cuda_backend());
#endif
  entries.push_back(cpu_backend());
  entries.push_back(reference_backend());
  return Registry(std::move(entries));
}

}  // namespace spira::app
