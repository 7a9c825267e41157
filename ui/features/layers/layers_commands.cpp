#include "ui/features/layers/layers.hpp"

#include <QtGlobal>

#include <array>

namespace spira::ui {
namespace {

constexpr auto layers_table = std::to_array<CommandFacts>({
    {"network.resn21", QT_TRANSLATE_NOOP("Command", "SparseResNet-21"), "", "", 940, Menu::network, 1},
    {"network.minkunet42", QT_TRANSLATE_NOOP("Command", "MinkUNet-42"), "", "", 950, Menu::network, 1},
    {"network.resnl20", QT_TRANSLATE_NOOP("Command", "CenterPoint-Large-like, 20 layers"), "", "", 960,
     Menu::network, 1},
    {"network.file", QT_TRANSLATE_NOOP("Command", "Network from file..."), "", "", 970, Menu::network, 1,
     Opens::dialog},
    {"layer.next", QT_TRANSLATE_NOOP("Command", "Next layer"), "]", "", 980, Menu::network, 2},
    {"layer.previous", QT_TRANSLATE_NOOP("Command", "Previous layer"), "[", "", 990, Menu::network, 2},
    {"layer.copy_name", QT_TRANSLATE_NOOP("Command", "Copy layer name"), "",
     QT_TRANSLATE_NOOP("Command", "Copy the name of the chosen layer"), 995, Menu::network, 2},
    {"t.down", QT_TRANSLATE_NOOP("Command", "Threshold down"), "-", "", 1000, Menu::network, 3},
    {"t.up", QT_TRANSLATE_NOOP("Command", "Threshold up"), "=", "", 1010, Menu::network, 3},
});

}  // namespace

std::span<const CommandFacts> layers_commands() noexcept {
  return layers_table;
}

}  // namespace spira::ui
