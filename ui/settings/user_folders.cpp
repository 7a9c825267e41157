#include "ui/settings/user_folders.hpp"

#include <QDir>

namespace spira::ui {
namespace {

/// The XDG specification requires that a variable is ignored if it is not an absolute path.
QString folder(const char* variable, const char* otherwise) {
  const QString named = qEnvironmentVariable(variable);
  return (QDir::isAbsolutePath(named) ? named : QDir::homePath() + "/" + otherwise) + "/spirascope";
}

}  // namespace

QString config_folder() {
  return folder("XDG_CONFIG_HOME", ".config");
}

QString state_folder() {
  return folder("XDG_STATE_HOME", ".local/state");
}

}  // namespace spira::ui
