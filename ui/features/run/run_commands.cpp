#include "ui/features/run/runs.hpp"

#include <QtGlobal>

#include <array>

namespace spira::ui {
namespace {

constexpr auto run_table = std::to_array<CommandFacts>({
    {"view.in_situ", QT_TRANSLATE_NOOP("Command", "Switch between in-situ and isolated times"), "",
     QT_TRANSLATE_NOOP("Command", "Switch Breakdown between in-situ and isolated stage times"), 920,
     Menu::view, 1},
    {"run.run", QT_TRANSLATE_NOOP("Command", "Run network"), "F5",
     QT_TRANSLATE_NOOP("Command", "Run all layers once"), 1020, Menu::run, 1},
    {"run.step_forward", QT_TRANSLATE_NOOP("Command", "Step forward"), "F10",
     QT_TRANSLATE_NOOP("Command", "Run the next layer"), 1030, Menu::run, 1},
    {"run.step_back", QT_TRANSLATE_NOOP("Command", "Step back"), "Shift+F10",
     QT_TRANSLATE_NOOP("Command", "Go to the previous layer"), 1040, Menu::run, 1},
    {"run.measure", QT_TRANSLATE_NOOP("Command", "Measure"), "Ctrl+M",
     QT_TRANSLATE_NOOP("Command", "Run the network repeatedly to get medians and spread"), 1050, Menu::run,
     1},
    {"run.map", QT_TRANSLATE_NOOP("Command", "Build the kernel map"), "",
     QT_TRANSLATE_NOOP("Command", "Build the kernel map of the open scene if you stopped this job before"),
     1060, Menu::run, 1},
    {"run.stop", QT_TRANSLATE_NOOP("Command", "Stop"), "Shift+F5",
     QT_TRANSLATE_NOOP("Command", "Cancel the running job"), 1070, Menu::run, 1},
    {"precision.auto", QT_TRANSLATE_NOOP("Command", "Precision: automatic"), "",
     QT_TRANSLATE_NOOP("Command", "Use fp16 on a GPU and fp32 on a CPU"), 1080, Menu::run, 3},
    {"precision.fp16", QT_TRANSLATE_NOOP("Command", "Precision: fp16"), "",
     QT_TRANSLATE_NOOP("Command", "Use 16-bit features and weights with 32-bit accumulation"), 1090,
     Menu::run, 3},
    {"precision.fp32", QT_TRANSLATE_NOOP("Command", "Precision: fp32"), "",
     QT_TRANSLATE_NOOP("Command", "Use 32-bit features and weights"), 1100, Menu::run, 3},
    {"sweep.thresholds", QT_TRANSLATE_NOOP("Command", "Sweep t"), "",
     QT_TRANSLATE_NOOP("Command", "Measure every setting of t for the chosen layer"), 1170, Menu::run, 4},
    {"sweep.network", QT_TRANSLATE_NOOP("Command", "Sweep t of the network"), "",
     QT_TRANSLATE_NOOP("Command", "Measure every setting of t, with the same t in all layers"), 1180,
     Menu::run, 4},
    {"sweep.packings", QT_TRANSLATE_NOOP("Command", "Sweep packings"), "",
     QT_TRANSLATE_NOOP("Command", "Measure packings with 32 bits, 64 bits and custom widths"), 1190,
     Menu::run, 4},
});

}  // namespace

std::span<const CommandFacts> run_commands() noexcept {
  return run_table;
}

}  // namespace spira::ui
