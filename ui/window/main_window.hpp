// The main window with its menus, its toolbar, and the banner over the centre. It does not depend on
// features. The class Application passes the widgets for the centre, the toolbar and the menus to this
// class.
#pragma once

#include "ui/commands/command_set.hpp"

#include <QMainWindow>

#include <vector>

class QMenu;
class QToolBar;
class QToolButton;

namespace spira::ui {

class Banner;
class Notices;
class OpenDocument;
class Theme;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  MainWindow(CommandSet& commands, Notices& notices, const OpenDocument& document, Theme& theme);

  /// Sets the widget in the centre. `view` is the part of this widget over which messages are shown.
  void setCentre(QWidget* centre, QWidget* view);
  /// Fills the toolbar. The widgets select the network, its neighbours and the device.
  void fillToolBar(QWidget* network, QWidget* neighbours, QWidget* device);
  /// A menu that a feature fills. It is inserted below the command `after`.
  struct Submenu {
    QMenu* menu;
    QString after;
  };
  void fillMenus(const std::vector<Submenu>& submenus);

 signals:
  void resized();
  void firstShown();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void retheme();
  void followWidth();
  [[nodiscard]] QToolButton* toolButton(const char* command) const;
  void fillMenu(QMenu& menu, Menu of);
  [[nodiscard]] QMenu* submenuOf(Menu menu, const QString& title);

  CommandSet& commands_;
  Theme& theme_;
  Banner* banner_;
  QToolBar* tools_;
  std::vector<QAction*> wide_labels_;  // Labels that only a wide window shows.
  bool shown_ = false;
};

}  // namespace spira::ui
