// The objects that every feature may use. Further objects that a feature needs are arguments of its
// constructor.
#pragma once

class QMainWindow;

namespace spira::ui {

class CommandSet;
class FileDialogs;
class Notices;
class Selection;
class Settings;
class Tasks;
class Theme;
class Workspace;

struct FeatureContext {
  Tasks& tasks;
  Workspace& workspace;
  Selection& selection;
  CommandSet& commands;
  Notices& notices;
  Settings& settings;
  Theme& theme;
  FileDialogs& dialogs;
  QMainWindow& window;  ///< Parent of dialogs.
};

}  // namespace spira::ui
