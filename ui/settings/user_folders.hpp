// Folders for files of the user, as defined by the XDG base directories. Choices of the user are stored in
// config, records of past use in state.
#pragma once

#include <QString>

namespace spira::ui {

[[nodiscard]] QString config_folder();  ///< settings and keys: XDG_CONFIG_HOME, else ~/.config
[[nodiscard]] QString
state_folder();  ///< recent files, window, recovery: XDG_STATE_HOME, else ~/.local/state

}  // namespace spira::ui
