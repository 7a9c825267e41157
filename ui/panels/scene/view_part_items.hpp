// Manages the rows of the Scenes tree that have an eye icon: the parts that the 3D view draws, and the
// classes of its voxels.
#pragma once

#include "ui/model/class_labels.hpp"
#include "ui/model/view_parts.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>

#include <functional>
#include <memory>
#include <set>

class QMenu;
class QTreeWidget;
class QTreeWidgetItem;

namespace spira::ui {

class Selection;
class Theme;

class ViewPartItems : public QObject {
  Q_OBJECT
 public:
  static constexpr int eye_column = 1;

  ViewPartItems(Workspace* workspace, Selection* selection, ViewParts* parts, Theme* theme,
                QTreeWidget* tree);

  /// Must be called before the rows of the tree are deleted. Stores the expanded rows and the current row for
  /// add().
  void forget();
  void add(int row);  ///< Inserts the top row at index `row` of the tree. Does nothing if no scene is open.
  [[nodiscard]] bool hasEye(const QTreeWidgetItem* item) const;
  [[nodiscard]] bool shows(const QTreeWidgetItem* item) const;
  void toggle(const QTreeWidgetItem* item);
  void toggleAlone(const QTreeWidgetItem* item);
  void fillMenu(QMenu* menu, const QTreeWidgetItem* item);

 private:
  void refresh();
  void addClasses();
  [[nodiscard]] bool there(ViewPart part) const;
  [[nodiscard]] QString textOf(ViewPart part) const;
  void show(QTreeWidgetItem* item, const QString& text, const QString& tip);
  void forEach(const std::function<void(QTreeWidgetItem*)>& visit) const;

  Workspace* workspace_;
  Selection* selection_;
  ViewParts* parts_;
  Theme* theme_;
  QTreeWidget* tree_;
  QTreeWidgetItem* top_ = nullptr;  // Top row of this group. `nullptr` if the row is not in the tree.
  ClassSolo solo_;
  std::shared_ptr<const PointCloud> labels_of_;
  std::set<std::uint32_t> labels_;
  bool open_ = true, classes_open_ = false;
  // Index of the current row among all rows of this group, including children. -1 if the current row is not
  // in this group.
  int current_ = -1;
};

}  // namespace spira::ui
