// Where the files of a user are, after the XDG base directories: what was chosen is config, what happened is
// state.
#pragma once

#include <QString>

namespace spira::ui {

[[nodiscard]] QString config_folder();  ///< settings and keys: XDG_CONFIG_HOME, else ~/.config
[[nodiscard]] QString
state_folder();  ///< recent files, window, recovery: XDG_STATE_HOME, else ~/.local/state

}  // namespace spira::ui
