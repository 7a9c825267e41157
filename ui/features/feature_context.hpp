// The objects that every feature may use. What a feature needs in addition is an argument of its constructor.
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
