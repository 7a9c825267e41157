// The commands for layouts, docks and tabs. Also stores the state of the window until the next start of the
// program.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/settings/json_file.hpp"
#include "ui/settings/named_layouts.hpp"

#include <QDialog>
#include <QList>
#include <QObject>

#include <span>

class QLabel;
class QListWidget;
class QListWidgetItem;
class QPushButton;

namespace spira::ui {

class Chart;
class DockLayout;
class LayoutMenu;

[[nodiscard]] std::span<const CommandFacts> layout_commands() noexcept;

class WindowLayouts : public QObject {
  Q_OBJECT
 public:
  /// If `state_folder` is empty, the window state is not stored.
  WindowLayouts(const FeatureContext& context, DockLayout& docks, const QString& state_folder);

  /// Restores the state of the window from the last run of the program.
  void restore();
  void keep();
  /// Arranges the docks after the first show event, because the window has no size before this event.
  void arrangeShown();
  /// Returns the description of a problem with the state file. Returns an empty string if there is no
  /// problem.
  [[nodiscard]] const QString& notice() const noexcept { return file_.notice(); }

 private:
  void bindLayouts();
  void bindLeftSide();
  void bindCharts();
  [[nodiscard]] Chart* chartInSight() const;

  FeatureContext context_;
  DockLayout& docks_;
  JsonFile file_;
  bool restored_ = false;  // True if the docks were restored from the last run of the program.
};

/// A dialog to apply, rename and delete named layouts.
class LayoutsDialog : public QDialog {
  Q_OBJECT
 public:
  explicit LayoutsDialog(LayoutMenu* layouts, QWidget* parent = nullptr);

 private:
  void fill();
  void renamed(const QListWidgetItem* item);
  [[nodiscard]] QString chosen() const;

  LayoutMenu* layouts_;
  QListWidget* list_;
  QLabel* word_;
  QPushButton *apply_, *rename_, *remove_;
  bool filling_ = false;
};

}  // namespace spira::ui

class QAction;
class QMenu;

namespace spira::ui {

// The menu of the layouts that the user saved. Its actions save, apply, rename and delete layouts.

class DockLayout;

class LayoutMenu : public QObject {
  Q_OBJECT
 public:
  LayoutMenu(const FeatureContext& context, DockLayout& docks, const QString& state_folder);

  [[nodiscard]] QMenu* menu() const noexcept { return menu_; }
  /// Returns one action per layout.
  [[nodiscard]] const QList<QAction*>& actions() const noexcept { return actions_; }
  [[nodiscard]] const NamedLayouts& layouts() const noexcept { return layouts_; }
  void saveAs(const QString& name);
  /// Applies the layout without changing the size and position of the window.
  void apply(const QString& name);
  void rename(const QString& from, const QString& to);
  void remove(const QString& name);

 signals:
  void changed();

 private:
  void saveAsDialog();
  void follow();

  FeatureContext context_;
  DockLayout& docks_;
  NamedLayouts layouts_;
  QMenu* menu_;
  QList<QAction*> actions_;
};

}  // namespace spira::ui
