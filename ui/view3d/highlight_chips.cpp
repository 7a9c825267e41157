#include "ui/view3d/highlight_chips.hpp"

#include "engine/base/text.hpp"
#include "engine/scene/reader.hpp"
#include "engine/voxel/grid.hpp"
#include "ui/model/tables/chosen_rows.hpp"
#include "ui/model/tables/timeline_area.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <set>
#include <utility>

namespace spira::ui {
namespace {

QString count(std::int64_t value) {
  return onScreen(count_text(value));
}

/// Returns the L1 norms, such as "L1 = 2" or "L1 = 0 to 2", if the columns are exactly all offsets with these
/// L1 norms. Otherwise, returns an empty string.
QString l1_group_text(const Densities& densities, const std::vector<int>& columns) {
  const std::set<int> chosen(columns.begin(), columns.end());
  std::set<int> norms;
  for (const ColumnDensity& column : densities.columns) {
    if (chosen.contains(column.column)) norms.insert(column.l1);
  }
  if (norms.empty() || *norms.rbegin() - *norms.begin() + 1 != std::ssize(norms)) return {};
  const bool whole = std::all_of(densities.columns.begin(), densities.columns.end(), [&](const auto& column) {
    return norms.contains(column.l1) == chosen.contains(column.column);
  });
  if (!whole) return {};
  return norms.size() == 1 ? HighlightChips::tr("L1 = %1").arg(*norms.begin())
                           : HighlightChips::tr("L1 = %1 to %2").arg(*norms.begin()).arg(*norms.rbegin());
}

}  // namespace

QString slab_text(const std::pair<double, double>& slab_m, const VoxelScene& scene) {
  const int decimals = metre_decimals(scene.grid.voxel_m[2]);
  return QCoreApplication::translate("spira::ui::HighlightChips", "z %1 to %2")
      .arg(onScreen(slab_m.first, 'f', decimals),
           withUnit(onScreen(slab_m.second, 'f', decimals), scene.cloud->unit()));
}

HighlightChips::HighlightChips(Workspace* workspace, Selection* selection, ViewParts* parts, QWidget* canvas)
    : QWidget(canvas), workspace_(workspace), selection_(selection), parts_(parts) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  for (const auto changed : {&Selection::columnsChanged, &Selection::voxelChanged, &Selection::rowsChanged,
                             &Selection::phaseChanged})
    connect(selection_, changed, this, &HighlightChips::fill);
  for (const auto changed : {&SceneLook::slabChanged, &SceneLook::hiddenLabelsChanged})
    connect(&selection_->look(), changed, this, &HighlightChips::fill);
  connect(parts_, &ViewParts::changed, this, &HighlightChips::fill);
  connect(selection_, &Selection::layerChanged, this, &HighlightChips::fill);
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &HighlightChips::fill);
  connect(workspace_, &Workspace::networkChanged, this, &HighlightChips::fill);
  connect(&workspace_->scene(), &OpenScene::mapsChanged, this, &HighlightChips::fill);
  fill();
}

void HighlightChips::add(const QString& text, std::function<void()> remove, const QString& tip) {
  auto* chip = new QToolButton(this);
  chip->setObjectName("chip");
  chip->setText(text + QStringLiteral("  \u00d7"));
  chip->setToolTip(tip);
  chip->setAccessibleName(tip + QStringLiteral(": ") + text);
  chip->setCursor(Qt::ArrowCursor);
  connect(chip, &QToolButton::clicked, this, [remove = std::move(remove)] { remove(); });
  layout()->addWidget(chip);
  layout()->setAlignment(chip, Qt::AlignRight);
  // Show the chip immediately, because sizeHint() ignores hidden chips.
  chip->show();
}

void HighlightChips::fill() {
  const auto former = findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
  for (QWidget* chip : former) {
    layout()->removeWidget(chip);
    chip->hide();
    chip->deleteLater();
  }
  if (const auto& scene = workspace_->scene().voxels(); scene && scene->grid.crop_m) {
    add(
        tr("crop: %1 of %2")
            .arg(count(scene->kept), counted(scene->cloud->size(), tr("1 point"), tr("%1 points"))),
        [this] { emit cropResetRequested(); }, tr("Remove the crop"));
  }
  if (const auto& cloud = workspace_->scene().cloud();
      workspace_->scene().voxels() && cloud && cloud->every > 1) {
    add(
        tr("%1 point: %2 of %3")
            .arg(QString::fromStdString(every_text(cloud->every)), count(cloud->size()),
                 count(cloud->in_file)),
        [this] { emit allPointsRequested(); },
        tr("Only a part of the file was read. Click to read all points."));
  }
  if (const auto& slab = selection_->look().slab(); slab && workspace_->scene().voxels()) {
    add(
        slab_text(*slab, *workspace_->scene().voxels()), [this] { selection_->look().setSlab(std::nullopt); },
        tr("Remove the z slab"));
  }
  if (const auto hidden = static_cast<int>(selection_->look().hiddenLabels().size()); hidden > 0) {
    add(
        counted(hidden, tr("1 class hidden"), tr("%1 classes hidden")),
        [this] { selection_->look().setHiddenLabels({}); }, tr("Show all classes"));
  }
  addParts();
  addHighlights();
  setVisible(layout()->count() > 0);
  place();
}

/// Adds a chip if only one part of the view is shown, and a chip if the highlights are hidden. Without the
/// second chip, the view would look as if nothing were selected.
void HighlightChips::addParts() {
  if (const auto alone = parts_->shown().alone; alone && workspace_->scene().voxels()) {
    return add(
        tr("only: %1").arg(text_of(*alone)), [this, alone] { parts_->toggleAlone(*alone); },
        tr("Show the other items"));
  }
  const bool any = selection_->voxel() || selection_->rows() || !selection_->columns().empty();
  if (!any || parts_->shows(ViewPart::highlights)) return;
  add(
      tr("highlights hidden"), [this] { parts_->show(ViewPart::highlights, true); }, tr("Show highlights"));
}

void HighlightChips::addHighlights() {
  const QString tip = tr("Stop highlighting");
  const auto& network = workspace_->network();
  const int layer = selection_->layer();
  if (network && layer >= 0 && layer < static_cast<int>(network->layers.size())) {
    add(
        tr("layer %1").arg(QString::fromStdString(network->layers[static_cast<std::size_t>(layer)].name)),
        [this] { selection_->setLayer(-1); }, tr("Deselect the layer"));
  }
  if (const auto& phase = selection_->phase()) {
    add(
        tr("phase %1").arg(stageGroupText(*phase)), [this] { selection_->setPhase(std::nullopt); },
        tr("Deselect the phase"));
  }
  if (!selection_->columns().empty()) {
    add(
        offsetsText(), [this] { selection_->setColumns({}); }, tip);
  }
  if (const auto& rows = selection_->rows()) {
    const std::int64_t count = std::ssize(rows->rows);
    add(
        rows->past
            ? counted(count, tr("1 voxel does not fit packing %1"), tr("%1 voxels do not fit packing %2"))
                  .arg(QString::fromStdString(rows->past->text()))
            : tr("Selection: %1").arg(counted(count, tr("1 voxel"), tr("%1 voxels"))),
        [this] { selection_->setRows(nullptr); }, tip);
  }
  if (const auto& chosen = selection_->voxel()) {
    const Voxel v = chosen->voxel;
    add(
        tr("voxel %1, %2, %3").arg(v[0]).arg(v[1]).arg(v[2]), [this] { selection_->setVoxel(std::nullopt); },
        tip);
  }
}

QString HighlightChips::offsetsText() const {
  const auto& columns = selection_->columns();
  const auto shown = shown_map(*workspace_, *selection_);
  if (columns.size() > 1) {
    const QString count = tr("%n offsets", nullptr, static_cast<int>(columns.size()));
    const QString group = shown.densities ? l1_group_text(*shown.densities, columns) : QString();
    return group.isEmpty() ? count : tr("%1 (%2)").arg(group, count);
  }
  if (!shown.densities || columns.front() >= static_cast<int>(shown.densities->columns.size()))
    return tr("offset %1").arg(columns.front());
  const Voxel d = shown.densities->columns[static_cast<std::size_t>(columns.front())].offset;
  return QString("\u03b4 = (%1, %2, %3)").arg(d[0]).arg(d[1]).arg(d[2]);
}

void HighlightChips::place() {
  constexpr int margin = 8;
  layout()->activate();
  const QSize size = sizeHint();
  setGeometry(parentWidget()->width() - size.width() - margin, margin, size.width(), size.height());
  emit placed();
}

}  // namespace spira::ui
