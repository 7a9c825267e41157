#include "ui/panels/scene/view_part_items.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/run/voxel_scene.hpp"
#include "ui/model/class_labels.hpp"
#include "ui/model/selection.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/theme/theme.hpp"

#include <QColor>
#include <QIcon>
#include <QMenu>
#include <QPainter>
#include <QPainterPath>
#include <QPixmap>
#include <QTreeWidget>

namespace spira::ui {
namespace {

QIcon eye_icon(bool open, const QColor& colour, double pixel_ratio) {
  constexpr int side = 16;
  QPixmap picture(QSize(side, side) * pixel_ratio);
  picture.setDevicePixelRatio(pixel_ratio);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(colour, 1.3, Qt::SolidLine, Qt::RoundCap));
  QPainterPath lid(QPointF(1.5, 8));
  lid.quadTo(8, 0.5, 14.5, 8);
  if (open) lid.quadTo(8, 15.5, 1.5, 8);
  painter.drawPath(lid);
  if (open) {
    painter.setBrush(colour);
    painter.drawEllipse(QPointF(8, 8), 2.2, 2.2);
  } else {
    painter.drawLine(QPointF(2.5, 13.5), QPointF(13.5, 2.5));
  }
  return {picture};
}

constexpr int part_role = Qt::UserRole + 10, label_role = Qt::UserRole + 11;

bool is_part(const QTreeWidgetItem* item) {
  return item->data(0, part_role).isValid();
}
bool is_class(const QTreeWidgetItem* item) {
  return item->data(0, label_role).isValid();
}
ViewPart part_of(const QTreeWidgetItem* item) {
  return static_cast<ViewPart>(item->data(0, part_role).toInt());
}

}  // namespace

ViewPartItems::ViewPartItems(Workspace* workspace, Selection* selection, ViewParts* parts, Theme* theme,
                             QTreeWidget* tree)
    : QObject(tree), workspace_(workspace), selection_(selection), parts_(parts), theme_(theme), tree_(tree) {
  connect(parts_, &ViewParts::changed, this, &ViewPartItems::refresh);
  connect(&selection_->look(), &SceneLook::hiddenLabelsChanged, this, &ViewPartItems::refresh);
  connect(selection_, &Selection::strideChanged, this, &ViewPartItems::refresh);
  connect(theme_, &Theme::changed, this, &ViewPartItems::refresh);
}

void ViewPartItems::forEach(const std::function<void(QTreeWidgetItem*)>& visit) const {
  for (int row = 0; top_ != nullptr && row < top_->childCount(); ++row) {
    visit(top_->child(row));
    for (int inner = 0; inner < top_->child(row)->childCount(); ++inner)
      visit(top_->child(row)->child(inner));
  }
}

void ViewPartItems::forget() {
  current_ = -1;
  int at = 0;
  forEach([&](QTreeWidgetItem* item) {
    if (item == tree_->currentItem()) current_ = at;
    if (is_part(item) && part_of(item) == ViewPart::voxels) classes_open_ = item->isExpanded();
    ++at;
  });
  if (top_ != nullptr) open_ = top_->isExpanded();
  top_ = nullptr;
}

/// Returns true if this part exists now. Points of voxels exist only if the scene has positions, points
/// outside the crop only if there is a crop, and the baseline only during a comparison.
bool ViewPartItems::there(ViewPart part) const {
  if (part == ViewPart::points) return !workspace_->scene().voxels()->positions.empty();
  if (part == ViewPart::outside) return workspace_->scene().voxels()->grid.crop_m.has_value();
  return part != ViewPart::baseline || workspace_->baseline().voxels() != nullptr;
}

void ViewPartItems::add(int row) {
  if (!workspace_->scene().voxels()) return;
  top_ = new QTreeWidgetItem({tr("In the 3D view")});
  tree_->insertTopLevelItem(row, top_);
  top_->setToolTip(0, tr("Click an eye to hide or show an item. Alt+click shows only this item."));
  for (const ViewPart part : view_parts) {
    if (!there(part)) continue;
    auto* item = new QTreeWidgetItem(top_);
    item->setData(0, part_role, static_cast<int>(part));
    if (part == ViewPart::voxels) addClasses();
  }
  top_->setExpanded(open_);
  refresh();
  int at = 0;
  forEach([&](QTreeWidgetItem* item) {
    if (at++ == current_) tree_->setCurrentItem(item);
  });
}

void ViewPartItems::addClasses() {
  const auto& cloud = workspace_->scene().cloud();
  if (!cloud || cloud->label.empty()) return;
  if (labels_of_ != cloud) {
    labels_of_ = cloud;
    labels_.clear();
    // Label of the previous point, because consecutive points of a file usually have the same label.
    std::optional<std::uint32_t> last;
    for (const std::uint32_t label : cloud->label) {
      if (label != last) labels_.insert(label);
      last = label;
    }
  }
  QTreeWidgetItem* voxels = top_->child(top_->childCount() - 1);
  for (const std::uint32_t label : labels_)
    (new QTreeWidgetItem(voxels))->setData(0, label_role, label);
  voxels->setExpanded(classes_open_);
}

QString ViewPartItems::textOf(ViewPart part) const {
  if (part != ViewPart::voxels) return text_of(part);
  const int stride = selection_->stride();
  if (!has_level(*workspace_->scene().voxels(), stride)) return text_of(part);
  return tr("%1, stride %2: %3")
      .arg(text_of(part))
      .arg(QString::fromStdString(level_text(*workspace_->scene().voxels(), stride)))
      .arg(onScreen(count_text(size_of(workspace_->scene().voxels()->level(stride)))));
}

void ViewPartItems::refresh() {
  if (top_ == nullptr || !workspace_->scene().voxels()) return;
  forEach([this](QTreeWidgetItem* item) {
    if (is_class(item)) {
      const auto label = item->data(0, label_role).toUInt();
      return show(item, label_text(workspace_->scene().voxels()->cloud->format, label), {});
    }
    QString tip;
    if (part_of(item) == ViewPart::points)
      tip = tr("Points of near voxels: filled if kept, hollow if merged with it");
    if (part_of(item) == ViewPart::outside) tip = tr("Visible while the crop box is shown");
    if (part_of(item) == ViewPart::baseline) tip = tr("Shown next to the open scene while runs are compared");
    show(item, textOf(part_of(item)), tip);
  });
}

void ViewPartItems::show(QTreeWidgetItem* item, const QString& text, const QString& tip) {
  const bool shown = shows(item);
  const QColor colour = shown ? theme_->palette().text : theme_->palette().faint_text;
  item->setText(0, text);
  item->setForeground(0, colour);
  item->setIcon(eye_column, eye_icon(shown, colour, tree_->devicePixelRatioF()));
  const QString state = shown ? tr("%1 (shown)").arg(text) : tr("%1 (hidden)").arg(text);
  item->setData(0, Qt::AccessibleTextRole, state);
  item->setToolTip(0, tip.isEmpty() ? state : state + "\n" + tip);
  item->setToolTip(eye_column, shown ? tr("Hide this item; Alt+click shows only this item")
                                     : tr("Show this item; Alt+click shows only this item"));
}

bool ViewPartItems::hasEye(const QTreeWidgetItem* item) const {
  return top_ != nullptr && item != nullptr && (is_part(item) || is_class(item));
}

bool ViewPartItems::shows(const QTreeWidgetItem* item) const {
  if (is_class(item)) return selection_->look().hiddenLabels().count(item->data(0, label_role).toUInt()) == 0;
  return parts_->shows(part_of(item));
}

void ViewPartItems::toggle(const QTreeWidgetItem* item) {
  if (is_part(item)) return parts_->toggle(part_of(item));
  std::set<std::uint32_t> hidden = selection_->look().hiddenLabels();
  const std::uint32_t label = item->data(0, label_role).toUInt();
  if (hidden.erase(label) == 0) hidden.insert(label);
  selection_->look().setHiddenLabels(hidden);
}

void ViewPartItems::toggleAlone(const QTreeWidgetItem* item) {
  if (is_part(item)) return parts_->toggleAlone(part_of(item));
  solo_.toggle(selection_->look(), item->data(0, label_role).toUInt(), labels_);
}

void ViewPartItems::fillMenu(QMenu* menu, const QTreeWidgetItem* item) {
  menu->addAction(shows(item) ? tr("Hide") : tr("Show"), this, [this, item] { toggle(item); });
  const bool alone = is_part(item) && parts_->shown().alone == part_of(item);
  menu->addAction(alone ? tr("Show the other items again") : tr("Show only this item"), this,
                  [this, item] { toggleAlone(item); });
}

}  // namespace spira::ui
