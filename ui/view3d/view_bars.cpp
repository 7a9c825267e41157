#include "ui/view3d/view_bars.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "ui/theme/labels.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/view3d/voxels/scene_colours.hpp"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QSignalBlocker>
#include <QSlider>
#include <QStandardItemModel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <utility>

namespace spira::ui {
namespace {

constexpr std::array<std::pair<ColourBy, const char*>, colourings> colouring_names{{
    {ColourBy::height, QT_TRANSLATE_NOOP("spira::ui::ViewTopBar", "Height")},
    {ColourBy::intensity, QT_TRANSLATE_NOOP("spira::ui::ViewTopBar", "Intensity")},
    {ColourBy::colour, QT_TRANSLATE_NOOP("spira::ui::ViewTopBar", "Colour")},
    {ColourBy::label, QT_TRANSLATE_NOOP("spira::ui::ViewTopBar", "Label")},
    {ColourBy::points_per_voxel, QT_TRANSLATE_NOOP("spira::ui::ViewTopBar", "Points per voxel")},
    {ColourBy::match_count, QT_TRANSLATE_NOOP("spira::ui::ViewTopBar", "Pair count")},
    {ColourBy::feature_norm, QT_TRANSLATE_NOOP("spira::ui::ViewTopBar", "Feature norm")},
    {ColourBy::threshold_sides, QT_TRANSLATE_NOOP("spira::ui::ViewTopBar", "Dataflow at t")},
    {ColourBy::density, QT_TRANSLATE_NOOP("spira::ui::ViewTopBar", "Density")},
    {ColourBy::offset_match, QT_TRANSLATE_NOOP("spira::ui::ViewTopBar", "Pairs at offsets")},
    {ColourBy::changed, QT_TRANSLATE_NOOP("spira::ui::ViewTopBar", "Changes from baseline")},
    {ColourBy::centre_distance, QT_TRANSLATE_NOOP("spira::ui::ViewTopBar", "Distance to centre")},
    {ColourBy::changed_neighbours, QT_TRANSLATE_NOOP("spira::ui::ViewTopBar", "Changed neighbours")},
}};

// In pixels: margins of the bar with the gaps between its parts, and minimum width of the list of colourings.
constexpr int margins = 50, min_colours = 84;

/// Returns an icon with a triangle or two bars. The icons of the Qt style are not used, because they are dark
/// even in a dark theme.
QIcon play_icon(bool playing, const QColor& colour, double ratio) {
  constexpr int side = 14;
  QPixmap picture(QSize(side, side) * ratio);
  picture.setDevicePixelRatio(ratio);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  if (playing) {
    painter.drawRect(QRectF(3, 2, 3, 10));
    painter.drawRect(QRectF(8, 2, 3, 10));
  } else {
    painter.drawPolygon(QPolygonF({{3, 1.5}, {12, 7}, {3, 12.5}}));
  }
  return {picture};
}

/// The list of colourings. It may become narrower than its longest text.
class ColourBox : public ElidedComboBox {
 public:
  using ElidedComboBox::ElidedComboBox;
  [[nodiscard]] QSize minimumSizeHint() const override {
    return {min_colours, ElidedComboBox::minimumSizeHint().height()};
  }
};

/// Returns the name of a level for a button, shortened if the view is narrow.
QString level_name(const QWidget& button, const QString& name, int view_width) {
  constexpr int narrow = 560, short_text = 64;
  return button.fontMetrics().elidedText(name, Qt::ElideRight, view_width < narrow ? short_text : view_width);
}

QWidget* empty_row(QWidget* parent) {
  auto* row = new QWidget(parent);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(3);
  return row;
}

}  // namespace

ViewTopBar::ViewTopBar(Workspace* workspace, Selection* selection, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      selection_(selection),
      strides_(empty_row(this)),
      modes_(empty_row(this)),
      mode_menu_(new QToolButton(this)),
      colours_(new ColourBox(this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(8, 4, 8, 4);
  stride_label_ = new QLabel(tr("Stride"), this);
  colour_label_ = new QLabel(tr("Colour by"), this);
  layout->addWidget(stride_label_);
  layout->addWidget(strides_);
  layout->addSpacing(4);
  layout->addWidget(colour_label_);
  constexpr int first = 100;  // The list gets all free space, up to its maximum width.
  layout->addWidget(colours_, first);
  layout->addStretch(1);
  layout->addWidget(modes_);
  layout->addWidget(mode_menu_);
  mode_menu_->setObjectName("modeMenu");
  mode_menu_->setText(tr("Select"));
  mode_menu_->setAccessibleName(tr("Select voxels"));
  mode_menu_->setPopupMode(QToolButton::InstantPopup);
  mode_menu_->setMenu(new QMenu(mode_menu_));
  mode_menu_->menu()->setToolTipsVisible(true);
  strides_->setStyleSheet("QToolButton { padding: 4px 3px; }");
  level_menu_ = makeLevelMenu();
  colours_->setObjectName("colourBy");
  for (QWidget* whole : {strides_, modes_})
    // The groups of strides and modes keep their width, so that the list of colourings shrinks first.
    whole->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Preferred);
  colours_->setAccessibleName(tr("Colour voxels by"));
  for (const auto& [colour_by, text] : colouring_names)
    colours_->addItem(tr(text), static_cast<int>(colour_by));
  colours_->setMaximumWidth(colours_->sizeHint().width());
  constexpr int min_letters = 5;
  colours_->setMinimumContentsLength(min_letters);
  colours_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  connect(colours_, &QComboBox::activated, this, [this](int index) {
    selection_->look().setColourBy(static_cast<ColourBy>(colours_->itemData(index).toInt()));
  });
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, [this] {
    fillStrides();
    fillColours();
  });
  connect(&workspace_->scene(), &OpenScene::mapsChanged, this, &ViewTopBar::fillColours);
  connect(&workspace_->baseline(), &BaselineRun::voxelsChanged, this, &ViewTopBar::fillColours);
  connect(&workspace_->results(), &RunResults::layerChanged, this, [this](int layer) {
    if (layer < 0 || layer == selection_->layer()) fillColours();
  });
  connect(selection_, &Selection::layerChanged, this, &ViewTopBar::fillColours);
  connect(selection_, &Selection::strideChanged, this, [this] {
    fillStrides();
    fillColours();
  });
  connect(&selection_->look(), &SceneLook::colourByChanged, this, &ViewTopBar::fillColours);
  connect(selection_, &Selection::triedChanged, this, &ViewTopBar::fillColours);
  fillStrides();
  fillColours();
}

int ViewTopBar::fixedWidth() const {
  return strides_->sizeHint().width() + margins;
}

QSize ViewTopBar::minimumSizeHint() const {
  return {fixedWidth() + min_colours + mode_menu_->sizeHint().width(), QWidget::minimumSizeHint().height()};
}

void ViewTopBar::addMode(QAction* action) {
  auto* button = new QToolButton(modes_);
  button->setDefaultAction(action);
  button->setAccessibleName(action->text());
  modes_->layout()->addWidget(button);
  mode_menu_->menu()->addAction(action);
}

/// In a narrow view, shortens the list of colourings first, because its tooltip has the whole text. Then
/// hides the label of the colourings. In an even narrower view, one button with a menu replaces the mode
/// buttons. It is hidden if it does not fit because texts are long in the user's language. The modes remain
/// available by shortcuts, in a menu and in the Points panel. The label of the strides is hidden last,
/// because the numbers on the buttons do not explain themselves.
void ViewTopBar::resizeEvent(QResizeEvent* event) {
  const int label = stride_label_->sizeHint().width() + layout()->spacing();
  const bool labelled = width() >= minimumSizeHint().width() + label;
  stride_label_->setVisible(labelled);
  const int with_modes = fixedWidth() + min_colours + modes_->sizeHint().width() + (labelled ? label : 0);
  modes_->setVisible(labelled && width() >= with_modes);
  mode_menu_->setVisible(modes_->isHidden() && width() >= minimumSizeHint().width() &&
                         !mode_menu_->menu()->isEmpty());
  colour_label_->setVisible(labelled && width() >= with_modes + colour_label_->sizeHint().width());
  QWidget::resizeEvent(event);
}

void ViewTopBar::fillStrides() {
  std::vector<int> strides;
  const auto& voxels = workspace_->scene().voxels();
  if (voxels) {
    for (const auto& level : voxels->levels) {
      if (level->stride < first_numbered_level) strides.push_back(level->stride);
    }
  }
  const bool same = std::equal(strides.begin(), strides.end(), chips_.begin(), chips_.end(),
                               [](int stride, const auto& chip) { return stride == chip.first; });
  if (!same) makeStrides(strides);
  for (const int stride : strides) {
    QToolButton* chip = chips_.at(stride);
    chip->setChecked(stride == selection_->stride());
    chip->setToolTip(tr("Stride %1: %2")
                         .arg(stride)
                         .arg(counted(size_of(voxels->level(stride)), tr("1 voxel"), tr("%1 voxels"))));
  }
  fillLevelMenu();
}

/// Creates the button for the levels of the network, with an empty menu.
QToolButton* ViewTopBar::makeLevelMenu() {
  auto* button = new QToolButton(strides_);
  button->setObjectName("levelMenu");
  button->setStyleSheet("QToolButton { padding: 4px 16px 4px 6px; }");  // The arrow is on the right.
  button->setAccessibleName(tr("Level of the network"));
  button->setCheckable(true);
  button->setPopupMode(QToolButton::InstantPopup);
  button->setMenu(new QMenu(button));
  strides_->layout()->addWidget(button);
  return button;
}

/// Lists the levels of the network that do not use the floor rule. The button shows the selected level.
void ViewTopBar::fillLevelMenu() {
  const auto& voxels = workspace_->scene().voxels();
  const int shown = selection_->stride();
  std::vector<const CoordSet*> levels;
  for (std::size_t at = 0; voxels && at < voxels->levels.size(); ++at) {
    const int number = voxels->levels[at]->stride;
    if (number >= first_numbered_level && has_level(*voxels, number))
      levels.push_back(voxels->levels[at].get());
  }
  QMenu* menu = level_menu_->menu();
  const bool same =
      std::equal(levels.begin(), levels.end(), menu->actions().begin(), menu->actions().end(),
                 [](const CoordSet* level, QAction* action) { return action->data() == level->stride; });
  if (!same) {
    menu->clear();
    for (const CoordSet* level : levels) {
      QAction* action = menu->addAction(QString(), this, [this, number = level->stride] {
        selection_->setStride(number);
        fillStrides();
      });
      action->setObjectName(QString("level%1").arg(level->stride));
      action->setData(level->stride);
      action->setCheckable(true);
    }
  }
  const bool chosen = shown >= first_numbered_level && voxels && has_level(*voxels, shown);
  for (std::size_t at = 0; at < levels.size(); ++at) {
    QAction* action = menu->actions().at(static_cast<qsizetype>(at));
    action->setText(tr("Stride %1: %2")
                        .arg(QString::fromStdString(level_text(*voxels, levels[at]->stride)),
                             counted(size_of(*levels[at]), tr("1 voxel"), tr("%1 voxels"))));
    action->setChecked(levels[at]->stride == shown);
  }
  const QString name = chosen ? QString::fromStdString(level_text(*voxels, shown)) : tr("Network");
  level_menu_->setText(level_name(*level_menu_, name, width()));
  level_menu_->setToolTip(tr("%1: levels of the network that do not use the floor rule").arg(name));
  level_menu_->setChecked(chosen);
  level_menu_->setVisible(!levels.empty());
}

/// Creates one button for each stride. The buttons are kept while the frame of a sequence changes.
void ViewTopBar::makeStrides(const std::vector<int>& strides) {
  for (const auto& [stride, chip] : chips_) {
    strides_->layout()->removeWidget(chip);
    chip->hide();
    chip->deleteLater();
  }
  chips_.clear();
  for (const int stride : strides) {
    auto* chip = new QToolButton(strides_);
    chips_[stride] = chip;
    chip->setObjectName(QString("stride%1").arg(stride));
    chip->setText(QString::number(stride));
    chip->setAccessibleName(tr("Stride %1").arg(stride));
    chip->setCheckable(true);
    chip->setMinimumWidth(24);
    connect(chip, &QToolButton::clicked, this, [this, stride] {
      selection_->setStride(stride);
      fillStrides();
    });
    static_cast<QHBoxLayout*>(strides_->layout())->insertWidget(static_cast<int>(chips_.size()) - 1, chip);
  }
}

/// Selects the current colouring in the list. Disables colourings that are not available at this stride;
/// their tooltips explain why.
void ViewTopBar::fillColours() {
  const QSignalBlocker quiet(colours_);
  auto* items = qobject_cast<QStandardItemModel*>(colours_->model());
  int used = 0;
  const ColourBy wanted = colouring_now(*workspace_, *selection_);
  for (int row = 0; row < colours_->count(); ++row) {
    const auto colour_by = static_cast<ColourBy>(colours_->itemData(row).toInt());
    const QString why = colouring_unavailable_reason(colour_by, *workspace_, *selection_);
    QFont font = colours_->font();
    font.setItalic(!why.isEmpty());
    items->item(row)->setEnabled(why.isEmpty());
    items->item(row)->setFont(font);
    items->item(row)->setToolTip(why);
    if (colour_by == wanted && why.isEmpty()) used = row;
  }
  colours_->setCurrentIndex(used);  // The first colouring, height, is always available.
  const QString why =
      workspace_->scene().voxels()
          ? colouring_unavailable_reason(selection_->look().colourBy(), *workspace_, *selection_)
          : QString();
  colours_->setToolTip(why.isEmpty() ? tr("Colour voxels by: %1").arg(colours_->currentText()) : why);
}

FrameBar::FrameBar(Workspace* workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      slider_(new QSlider(Qt::Horizontal, this)),
      play_(new QToolButton(this)),
      rate_(new QComboBox(this)),
      label_(new ElidedLabel(this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(8, 2, 8, 2);
  auto* previous = new QToolButton(this);
  auto* next = new QToolButton(this);
  previous->setArrowType(Qt::LeftArrow);
  next->setArrowType(Qt::RightArrow);
  previous->setAccessibleName(tr("Previous frame"));
  next->setAccessibleName(tr("Next frame"));
  play_->setObjectName("play");
  rate_->setObjectName("frameRate");
  rate_->setAccessibleName(tr("Frames per second"));
  rate_->setToolTip(tr("Maximum frames per second; no frame is skipped"));
  for (const int rate : {1, 2, 5, 10, 20, 30})
    rate_->addItem(tr("%1 / s").arg(rate), rate);
  rate_->setCurrentIndex(rate_->findData(5));
  layout->addWidget(previous);
  layout->addWidget(play_);
  layout->addWidget(next);
  layout->addWidget(slider_, 1);
  layout->addWidget(rate_);
  layout->addWidget(label_, 1);
  connect(play_, &QToolButton::clicked, this, &FrameBar::playRequested);
  connect(rate_, &QComboBox::activated, this, [this] { emit rateRequested(rate_->currentData().toInt()); });
  setPlaying(false);
  slider_->setObjectName("frameSlider");
  slider_->setAccessibleName(tr("Frame"));
  slider_->setTracking(false);
  connect(previous, &QToolButton::clicked, this, [this] { emit frameRequested(frame() - 1); });
  connect(next, &QToolButton::clicked, this, [this] { emit frameRequested(frame() + 1); });
  connect(slider_, &QSlider::valueChanged, this, &FrameBar::frameRequested);
  connect(&workspace_->scene(), &OpenScene::framesChanged, this, &FrameBar::follow);
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &FrameBar::follow);
  follow();
}

void FrameBar::setPlaying(bool playing) {
  playing_ = playing;
  play_->setIcon(play_icon(playing, palette().color(QPalette::WindowText), devicePixelRatioF()));
  const QString text = playing ? tr("Pause") : tr("Play");
  play_->setAccessibleName(text);
  play_->setToolTip(tr("%1 (Space)").arg(text));
}

void FrameBar::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) setPlaying(playing_);
  QWidget::changeEvent(event);
}

int FrameBar::frame() const {
  const auto& voxels = workspace_->scene().voxels();
  return voxels && voxels->batch ? voxels->frame : workspace_->scene().frame();
}

/// Shows the frame of the open batch. A batch is not played, because its frames run together.
void FrameBar::followBatch() {
  const VoxelScene& shown = *workspace_->scene().voxels();
  const int frames = workspace_->scene().cloud()->batch();
  show();
  slider_->setRange(0, frames - 1);
  slider_->setValue(shown.frame);
  const bool named = !workspace_->scene().cloud()->frame_sources.empty();
  const QString text = tr("frame %1, batch of %2").arg(shown.frame).arg(frames);
  label_->setText(named ? tr("%1, %2").arg(text, QString::fromStdString(shown.cloud->name)) : text);
  label_->setToolTip(tr("The view shows this frame. Runs and their times cover all %1 frames.").arg(frames));
}

void FrameBar::follow() {
  const QSignalBlocker quiet(slider_);
  const bool batch = workspace_->scene().voxels() && workspace_->scene().voxels()->batch;
  play_->setVisible(!batch);
  rate_->setVisible(!batch);
  if (batch) return followBatch();
  label_->setToolTip({});
  const int frames = static_cast<int>(workspace_->scene().frames().size());
  setVisible(frames > 1);
  if (frames < 2) return;
  slider_->setRange(0, frames - 1);
  slider_->setValue(workspace_->scene().frame());
  const auto& path = workspace_->scene().frames()[static_cast<std::size_t>(workspace_->scene().frame())];
  label_->setText(tr("%1 of %2: %3")
                      .arg(workspace_->scene().frame() + 1)
                      .arg(frames)
                      .arg(QString::fromStdString(path.filename().string())) +
                  (workspace_->scene().frameRefused() ? tr(" (cannot be shown)") : QString()));
}

}  // namespace spira::ui
