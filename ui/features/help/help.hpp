// Contains the help features: the command palette, the help window, the diagnostics for a bug report, and the
// About dialog.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"

#include <QDialog>
#include <QList>
#include <QObject>
#include <QString>

#include <functional>
#include <span>

class QCheckBox;
class QPlainTextEdit;

namespace spira::ui {

struct Diagnostics;
class DockLayout;
class HelpWindow;
class LogPanel;
class OpenDocument;
struct PaletteItem;
class RecentFiles;
class SceneView;

[[nodiscard]] std::span<const CommandFacts> help_commands() noexcept;

class Help : public QObject {
  Q_OBJECT
 public:
  struct Sources {
    const DockLayout& docks;
    const SceneView& view;
    const OpenDocument& document;
    const RecentFiles& recent;
    const LogPanel& log;
    /// Returns further actions, which the palette lists below the commands.
    std::function<QList<QAction*>()> more_actions;
  };
  Help(const FeatureContext& context, Sources sources);
  [[nodiscard]] Diagnostics diagnostics() const;

 signals:
  void openRequested(const QString& file);
  /// Requests that the settings dialog shows the setting.
  void settingRequested(const QString& id);

 private:
  void showPalette();
  [[nodiscard]] std::vector<PaletteItem> layerItems();
  [[nodiscard]] std::vector<PaletteItem> controlItems();
  [[nodiscard]] std::vector<PaletteItem> settingItems();
  [[nodiscard]] std::vector<PaletteItem> fileItems();
  void showHelp();
  void showAbout();

  FeatureContext context_;
  Sources sources_;
  HelpWindow* window_ = nullptr;
};

// A dialog with facts about the machine and the program, to copy into a bug report. File names and paths are
// included only if the user ticks a box. The names of the user and of the machine are never included.

struct Diagnostics {
  QString facts;  ///< Text without file names.
  QString files;  ///< Paths of the open file and of the recent files, and the log.
};

class DiagnosticsDialog : public QDialog {
  Q_OBJECT
 public:
  DiagnosticsDialog(Diagnostics what, QWidget* parent);

 private:
  void fill();

  Diagnostics what_;
  QPlainTextEdit* text_;
  QCheckBox* with_files_;
};

}  // namespace spira::ui
