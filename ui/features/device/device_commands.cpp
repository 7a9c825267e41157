#include "ui/features/device/devices.hpp"

#include <QtGlobal>

#include <array>

namespace spira::ui {
namespace {

constexpr auto device_table = std::to_array<CommandFacts>({
    {"device.auto", QT_TRANSLATE_NOOP("Command", "Device: automatic"), "",
     QT_TRANSLATE_NOOP("Command", "Use the GPU if available, otherwise the CPU"), 1110, Menu::run, 2},
    {"device.cpu", QT_TRANSLATE_NOOP("Command", "Device: CPU"), "",
     QT_TRANSLATE_NOOP("Command", "Use all CPU threads of this machine"), 1120, Menu::run, 2},
    {"device.cuda", QT_TRANSLATE_NOOP("Command", "Device: CUDA"), "",
     QT_TRANSLATE_NOOP("Command", "Use an NVIDIA GPU"), 1130, Menu::run, 2},
    {"device.reference", QT_TRANSLATE_NOOP("Command", "Device: reference"), "",
     QT_TRANSLATE_NOOP("Command",
                       "Use the slow double-precision implementation that checks the other devices"),
     1140, Menu::run, 2},
});

}  // namespace

std::span<const CommandFacts> device_commands() noexcept {
  return device_table;
}

}  // namespace spira::ui
