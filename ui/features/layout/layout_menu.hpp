// The menu of named layouts of the user: save, apply, rename and delete.
#pragma once

#include "ui/settings/named_layouts.hpp"

#include <QList>
#include <QObject>

class QAction;
class QMenu;

namespace spira::ui {

class MainWindow;

class LayoutMenu : public QObject {
  Q_OBJECT
 public:
  LayoutMenu(MainWindow* window, const QString& state_folder);

  [[nodiscard]] QMenu* menu() const noexcept { return menu_; }
  /// Returns one action for each layout.
  [[nodiscard]] const QList<QAction*>& actions() const noexcept { return actions_; }
  [[nodiscard]] const NamedLayouts& layouts() const noexcept { return layouts_; }
  void bindCommands();
  void saveAs(const QString& name);  ///< Saves the current layout of the window.
  void apply(const QString& name);   ///< Keeps the size and position of the window.
  void rename(const QString& from, const QString& to);
  void remove(const QString& name);

 signals:
  void changed();

 private:
  void saveAsDialog();
  void follow();

  MainWindow* window_;
  NamedLayouts layouts_;
  QMenu* menu_;
  QList<QAction*> actions_;
};

}  // namespace spira::ui
