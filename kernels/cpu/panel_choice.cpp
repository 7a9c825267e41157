#include "kernels/cpu/cells.hpp"
#include "kernels/cpu/panel.hpp"

#include <array>

namespace spira::cpu {

extern const PanelKernels panel_baseline;
extern const CellKernels cells_panel_baseline;
#if defined(__x86_64__)
extern const PanelKernels panel_avx2;
extern const PanelKernels panel_avx512;
extern const CellKernels cells_panel_avx2;
extern const CellKernels cells_panel_avx512;
#endif

namespace {

struct Runnable {
  std::array<const PanelKernels*, 3> sets{};
  std::array<const CellKernels*, 3> cells{};
  int count = 0;

  Runnable() {
    add(panel_baseline, cells_panel_baseline);
#if defined(__x86_64__)
    __builtin_cpu_init();
    // All processors with AVX2 also have F16C. F16C is not checked separately, because clang 14 has no name
    // for it.
    const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    const bool avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                        __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                        __builtin_cpu_supports("avx512vl") != 0;
    if (avx2) add(panel_avx2, cells_panel_avx2);
    if (avx2 && avx512) add(panel_avx512, cells_panel_avx512);
#endif
  }
  void add(const PanelKernels& panels, const CellKernels& of_cells) {
    sets.at(static_cast<std::size_t>(count)) = &panels;
    cells.at(static_cast<std::size_t>(count)) = &of_cells;
    ++count;
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

const CellKernels& cell_kernels() {
  return *runnable().cells.at(static_cast<std::size_t>(runnable().count - 1));
}

const CellKernels* const* runnable_cell_kernels() {
  return runnable().cells.data();
}

}  // namespace spira::cpu
