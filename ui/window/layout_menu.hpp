// The layouts that a person has named: saved from the window, applied to it, renamed and deleted.
#pragma once

#include "ui/settings/named_layouts.hpp"

#include <QList>
#include <QObject>

class QAction;
class QMenu;

namespace spira::ui {

class MainWindow;

/// Of the state of the docks: that of another version is not restored.
inline constexpr int docks_version = 1;

class LayoutMenu : public QObject {
  Q_OBJECT
 public:
  LayoutMenu(MainWindow* window, const QString& state_folder);

  [[nodiscard]] QMenu* menu() const noexcept { return menu_; }
  [[nodiscard]] const QList<QAction*>& actions() const noexcept { return actions_; }  ///< one a layout
  [[nodiscard]] const NamedLayouts& layouts() const noexcept { return layouts_; }
  void bindCommands();
  void saveAs(const QString& name);  ///< the window as it is now
  void apply(const QString& name);   ///< size and place of the window stay
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
