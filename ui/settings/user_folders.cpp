#include "ui/settings/user_folders.hpp"

#include <QDir>

namespace spira::ui {
namespace {

/// A variable that is not an absolute path is to be ignored, says the specification.
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
