#include "ui/panels/scene/colour_panel.hpp"

#include "engine/base/text.hpp"
#include "ui/panels/scene/range_histogram.hpp"
#include "ui/theme/screen_number.hpp"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSlider>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

constexpr int label_role = Qt::UserRole;

QColor colour(const Rgb& rgb) {
  return {rgb[0], rgb[1], rgb[2]};
}

QIcon icon_of(ColourMap map) {
  QPixmap picture(48, 12);
  QPainter painter(&picture);
  for (int x = 0; x < picture.width(); ++x)
    painter.fillRect(x, 0, 1, picture.height(), colour(colour_of(map, x / (picture.width() - 1.0))));
  return {picture};
}

QIcon swatch(const Rgb& rgb) {
  QPixmap picture(12, 12);
  picture.fill(colour(rgb));
  return {picture};
}

}  // namespace

ColourPanel::ColourPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      title_(new QLabel(body())),
      amounts_(new QWidget(body())),
      labels_(new QWidget(body())),
      maps_(new QComboBox(amounts_)),
      ranges_(new QComboBox(amounts_)),
      low_(new QDoubleSpinBox(amounts_)),
      high_(new QDoubleSpinBox(amounts_)),
      histogram_(new RangeHistogram(theme, amounts_)),
      facts_(new QLabel(amounts_)),
      points_(new QWidget(body())),
      classes_(new QTreeWidget(labels_)) {
  auto* outer = new QVBoxLayout(body());
  outer->setContentsMargins(0, 0, 0, 0);
  auto* scroll = new QScrollArea(body());  // The controls scroll in windows that are not tall enough.
  scroll->setAccessibleName(tr("Colours, range and classes"));
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  outer->addWidget(scroll);
  auto* page = new QWidget;
  scroll->setWidget(page);
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(6, 8, 6, 6);
  layout->addWidget(title_);
  layout->addWidget(amounts_);
  layout->addWidget(labels_, 1);
  layout->addWidget(points_);
  layout->addStretch(0);
  title_->setWordWrap(true);
  makeRange();
  makeClasses();
  makePoints();
  connect(&selection_->look(), &SceneLook::coloursChanged, this, &ColourPanel::follow);
  connect(&selection_->look(), &SceneLook::hiddenLabelsChanged, this, &ColourPanel::followClasses);
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &ColourPanel::follow);
  connect(&workspace_->results(), &RunResults::reportChanged, this, &ColourPanel::follow);
  follow();
}

void ColourPanel::makeRange() {
  auto* form = new QFormLayout(amounts_);
  form->setContentsMargins(0, 4, 0, 0);
  form->addRow(histogram_);
  form->addRow(facts_);
  facts_->setObjectName("valueFacts");
  facts_->setWordWrap(true);
  facts_->setForegroundRole(QPalette::PlaceholderText);
  connect(histogram_, &RangeHistogram::rangeDragged, this,
          qOverload<double, double>(&ColourPanel::takeRange));
  connect(histogram_, &RangeHistogram::resetRequested, this,
          [this] { emit commandRequested("colour.range_all"); });
  maps_->setObjectName("colourMap");
  maps_->setAccessibleName(tr("Colour map"));
  maps_->setIconSize({48, 12});
  for (const auto& [map, text] : {std::pair{ColourMap::viridis, tr("Viridis")},
                                  {ColourMap::cividis, tr("Cividis")},
                                  {ColourMap::bands, tr("Projector, 7 bands")}})
    maps_->addItem(icon_of(map), text, static_cast<int>(map));
  ranges_->setObjectName("colourRange");
  ranges_->setAccessibleName(tr("Colour range"));
  for (const auto& [mode, text] : {std::pair{RangeMode::all, tr("Middle 98 % of values")},
                                   {RangeMode::view, tr("Middle 98 % of values in view")},
                                   {RangeMode::typed, tr("Custom")}})
    ranges_->addItem(text, static_cast<int>(mode));
  form->addRow(tr("Map"), maps_);
  form->addRow(tr("Range"), ranges_);
  form->addRow(tr("From"), low_);
  form->addRow(tr("To"), high_);
  low_->setObjectName("low");
  low_->setAccessibleName(tr("Value at the lower end of the colour map"));
  high_->setAccessibleName(tr("Value at the upper end of the colour map"));
  for (QDoubleSpinBox* edit : {low_, high_}) {
    edit->setRange(-1e12, 1e12);
    edit->setKeyboardTracking(false);
    connect(edit, &QDoubleSpinBox::valueChanged, this, qOverload<>(&ColourPanel::takeRange));
  }
  connect(maps_, &QComboBox::activated, this, [this] {
    ColourLook look = selection_->look().colours();
    look.map = static_cast<ColourMap>(maps_->currentData().toInt());
    selection_->look().setColours(look);
  });
  connect(ranges_, &QComboBox::activated, this, [this] {
    const auto mode = static_cast<RangeMode>(ranges_->currentData().toInt());
    // A custom range starts with the limits of the previous range.
    if (mode == RangeMode::typed) return takeRange();
    // Run the command even if this mode is already active, because it computes the range again.
    if (mode == RangeMode::all) return emit commandRequested("colour.range_all");
    ColourLook look = selection_->look().colours();
    look.range = mode;
    selection_->look().setColours(look);
  });
}

void ColourPanel::makePoints() {
  auto* form = new QFormLayout(points_);
  form->setContentsMargins(0, 2, 0, 0);
  auto* size = new QSlider(Qt::Horizontal, points_);
  size->setObjectName("pointSize");
  size->setAccessibleName(tr("Point size"));
  size->setToolTip(tr("Size of voxels that are drawn as points, in percent of the usual size"));
  size->setRange(SceneLook::min_point_percent, SceneLook::max_point_percent);
  size->setSingleStep(10);
  size->setPageStep(50);
  form->addRow(tr("Point size"), size);
  const auto show = [this, size] { size->setValue(selection_->look().pointPercent()); };
  connect(size, &QSlider::valueChanged, &selection_->look(), &SceneLook::setPointPercent);
  connect(&selection_->look(), &SceneLook::pointPercentChanged, size, show);
  show();
}

void ColourPanel::makeClasses() {
  auto* layout = new QVBoxLayout(labels_);
  layout->setContentsMargins(0, 4, 0, 0);
  layout->addWidget(classes_, 1);
  hiding_ = new QWidget(labels_);
  auto* buttons = new QHBoxLayout(hiding_);
  buttons->setContentsMargins(0, 0, 0, 0);
  auto* all = new QPushButton(tr("Show all"), labels_);
  auto* none = new QPushButton(tr("Hide all"), labels_);
  buttons->addWidget(all);
  buttons->addWidget(none);
  buttons->addStretch(1);
  layout->addWidget(hiding_);
  classes_->setObjectName("classes");
  classes_->setAccessibleName(tr("Classes"));
  classes_->setHeaderLabels({tr("Class"), tr("Voxels")});
  classes_->header()->setStretchLastSection(false);
  classes_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  classes_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  classes_->setRootIsDecorated(false);
  connect(classes_, &QTreeWidget::itemChanged, this, &ColourPanel::takeClass);
  connect(classes_, &QTreeWidget::itemActivated, this, &ColourPanel::solo);
  connect(all, &QPushButton::clicked, this, [this] { emit commandRequested("colour.show_classes"); });
  connect(none, &QPushButton::clicked, this, [this] {
    std::set<std::uint32_t> hidden;
    for (const auto& one : legend_.classes)
      hidden.insert(one.label);
    selection_->look().setHiddenLabels(hidden);
  });
}

void ColourPanel::setLegend(const ColourLegend& legend) {
  legend_ = legend;
  follow();
}

void ColourPanel::follow() {
  if (workspace_->results().report()) return showEmpty(tr("A recorded run has no voxels to colour."));
  if (!workspace_->scene().voxels())
    return showEmpty(tr("Open a scene to change its colours."), "file.open", tr("Open scene..."));
  showBody();
  QString text = "<b>" + legend_.title.toHtmlEscaped() + "</b>";
  if (!legend_.note.isEmpty()) text += "<br>" + legend_.note.toHtmlEscaped();
  if (!legend_.bar && legend_.classes.empty()) text += tr("<br>The points have their own colours.");
  title_->setText(text);
  amounts_->setVisible(legend_.bar && legend_.scale.empty());
  histogram_->setLegend(legend_);
  facts_->setText(histogram_->facts());
  labels_->setVisible(!legend_.classes.empty());
  hiding_->setVisible(legend_.labels);
  classes_->setToolTip(legend_.labels ? tr("Tick a class to show it. Double-click or press Enter to show "
                                           "only this class; repeat to show all classes.")
                                      : QString());
  const ColourLook& look = selection_->look().colours();
  maps_->setCurrentIndex(maps_->findData(static_cast<int>(look.map)));
  const bool typed = look.typed.count(selection_->look().colourBy()) > 0;
  const RangeMode mode = look.range == RangeMode::typed && !typed ? RangeMode::all : look.range;
  ranges_->setCurrentIndex(ranges_->findData(static_cast<int>(mode)));
  const double width = legend_.range.high - legend_.range.low;
  const int decimals = width > 0 ? std::clamp(2 - static_cast<int>(std::floor(std::log10(width))), 0, 9) : 3;
  for (const auto& [edit, value] : {std::pair{low_, legend_.range.low}, {high_, legend_.range.high}}) {
    const QSignalBlocker quiet(edit);
    edit->setDecimals(decimals);
    edit->setSingleStep(width > 0 ? width / 20 : 1);
    edit->setValue(value);
  }
  followClasses();
}

void ColourPanel::followClasses() {
  const QSignalBlocker quiet(classes_);
  if (classes_->topLevelItemCount() != static_cast<int>(legend_.classes.size())) classes_->clear();
  for (int row = 0; row < static_cast<int>(legend_.classes.size()); ++row) {
    const auto& one = legend_.classes[static_cast<std::size_t>(row)];
    QTreeWidgetItem* item = classes_->topLevelItem(row);
    if (item == nullptr) item = new QTreeWidgetItem(classes_);
    item->setText(0, one.text);
    item->setText(1, onScreen(count_text(one.voxels)));
    item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
    item->setIcon(0, swatch(one.colour));
    item->setData(0, label_role, one.label);
    const auto shown = selection_->look().hiddenLabels().count(one.label) > 0 ? Qt::Unchecked : Qt::Checked;
    item->setData(0, Qt::CheckStateRole, legend_.labels ? QVariant(shown) : QVariant());
  }
}

void ColourPanel::takeRange() {
  takeRange(low_->value(), high_->value());
}

void ColourPanel::takeRange(double low, double high) {
  ColourLook look = selection_->look().colours();
  look.range = RangeMode::typed;
  look.typed[selection_->look().colourBy()] = std::minmax({low, high});
  selection_->look().setColours(look);
}

void ColourPanel::takeClass(QTreeWidgetItem* item) {
  if (!legend_.labels) return;
  std::set<std::uint32_t> hidden = selection_->look().hiddenLabels();
  const std::uint32_t label = item->data(0, label_role).toUInt();
  if (item->checkState(0) == Qt::Checked) {
    hidden.erase(label);
  } else {
    hidden.insert(label);
  }
  selection_->look().setHiddenLabels(hidden);
}

void ColourPanel::solo(QTreeWidgetItem* item) {
  if (!legend_.labels) return;
  std::set<std::uint32_t> all;
  for (const auto& one : legend_.classes)
    all.insert(one.label);
  solo_.toggle(selection_->look(), item->data(0, label_role).toUInt(), all);
}

}  // namespace spira::ui
