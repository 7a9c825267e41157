#include "kernels/cpu/panel.hpp"

#include <array>

namespace spira::cpu {

extern const PanelKernels panel_baseline;
#if defined(__x86_64__)
extern const PanelKernels panel_avx2;
extern const PanelKernels panel_avx512;
#endif

namespace {

struct Runnable {
  std::array<const PanelKernels*, 3> sets{};
  int count = 0;

  Runnable() {
    sets.at(static_cast<std::size_t>(count++)) = &panel_baseline;
#if defined(__x86_64__)
    __builtin_cpu_init();
    // All processors with AVX2 also have F16C. F16C is not checked separately, because clang 14 has no name
    // for it.
    const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    const bool avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                        __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                        __builtin_cpu_supports("avx512vl") != 0;
    if (avx2) sets.at(static_cast<std::size_t>(count++)) = &panel_avx2;
    if (avx2 && avx512) sets.at(static_cast<std::size_t>(count++)) = &panel_avx512;
#endif
  }
};

const Runnable& runnable() {
  static const Runnable found;
  return found;
}

}  // namespace

std::string panels_name(const PanelKernels& kernels) {
  return std::string(kernels.instructions) + " panels";
}

const PanelKernels& panel_kernels() {
  return *runnable().sets.at(static_cast<std::size_t>(runnable().count - 1));
}

const PanelKernels* const* runnable_panel_kernels(int& count) {
  count = runnable().count;
  return runnable().sets.data();
}

}  // namespace spira::cpu
