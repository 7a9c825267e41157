// The menu of the layouts that the user named. Its actions save, apply, rename and delete layouts.
#pragma once

#include "ui/features/feature_context.hpp"
#include "ui/settings/named_layouts.hpp"

#include <QList>
#include <QObject>

class QAction;
class QMenu;

namespace spira::ui {

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
