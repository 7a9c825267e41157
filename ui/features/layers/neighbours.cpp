#include "ui/features/layers/neighbours.hpp"

#include "engine/network/network.hpp"
#include "ui/features/reasons.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/model/neighbours.hpp"
#include "ui/model/notices.hpp"
#include "ui/theme/screen_number.hpp"

#include <QFormLayout>
#include <QLineEdit>
#include <QLocale>
#include <QMainWindow>
#include <QMenu>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>
#include <QWidgetAction>
#include <QtGlobal>

#include <algorithm>
#include <array>

namespace spira::ui {
namespace {

constexpr auto neighbours_table = std::to_array<CommandFacts>({
    {"neighbours.voxels", QT_TRANSLATE_NOOP("Command", "Neighbours: voxels"), "",
     QT_TRANSLATE_NOOP("Command", "The inputs of an output are the voxels at the offsets of the kernel"), 972,
     Menu::neighbours, 1},
    {"neighbours.cube", QT_TRANSLATE_NOOP("Command", "Neighbours: cube"), "",
     QT_TRANSLATE_NOOP("Command",
                       "The inputs of an output are the points in a cube around its exact position"),
     973, Menu::neighbours, 1},
    {"neighbours.ball", QT_TRANSLATE_NOOP("Command", "Neighbours: ball"), "",
     QT_TRANSLATE_NOOP("Command",
                       "The inputs of an output are the points in a ball around its exact position"),
     974, Menu::neighbours, 1},
    {"neighbours.nearest", QT_TRANSLATE_NOOP("Command", "Positions: nearest point"), "",
     QT_TRANSLATE_NOOP("Command", "The position of a voxel is its point nearest to its centre"), 975,
     Menu::neighbours, 2},
    {"neighbours.grid", QT_TRANSLATE_NOOP("Command", "Positions: grid"), "",
     QT_TRANSLATE_NOOP("Command",
                       "The position of a voxel is its corner: cubes with cell 1 then find the same inputs "
                       "as voxels"),
     976, Menu::neighbours, 2},
});

constexpr std::array shapes{NeighbourShape::voxels, NeighbourShape::cube, NeighbourShape::ball};
constexpr std::array kinds{PositionKind::nearest, PositionKind::grid};

QString command_of(NeighbourShape shape) {
  return "neighbours." + QString::fromStdString(std::string(text_of(shape)));
}
QString command_of(PositionKind kind) {
  return "neighbours." + QString::fromStdString(std::string(text_of(kind)));
}

/// Returns the sizes of the odd kernels of the network, in ascending order.
std::vector<int> native_kernels(const Network& network) {
  std::vector<int> sizes;
  for (const Layer& layer : network.layers) {
    const int size = layer.kernel_size.largest();
    if (layer.convolution() && size > 1 && size % 2 == 1) sizes.push_back(size);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

/// Returns the default radii of the kernels of the network, such as "1.861" or "1.861, 3.102".
QString default_radii(const Network& network) {
  QStringList radii;
  for (const int size : native_kernels(network))
    radii += onScreen(Neighbourhood{}.radius_of(size), 'f', 3);
  return radii.join(", ");
}

}  // namespace

std::span<const CommandFacts> neighbours_commands() noexcept {
  return neighbours_table;
}

Neighbours::Neighbours(const FeatureContext& context, EngineJobs& jobs)
    : QObject(&context.window),
      context_(context),
      jobs_(jobs),
      compared_(context.tasks, jobs.lane().registry(), &context.workspace, &context.selection),
      button_(new QToolButton(&context.window)),
      cell_(new QSpinBox(button_)),
      radius_(new QLineEdit(button_)) {
  bind();
  makeButton();
  const Workspace* workspace = &context.workspace;
  connect(workspace, &Workspace::networkChanged, this, &Neighbours::follow);
  connect(&workspace->results(), &RunResults::reportChanged, this, &Neighbours::follow);
  connect(&workspace->requested(), &RequestedSettings::gridChanged, this, &Neighbours::follow);
  follow();
}

Neighbourhood Neighbours::current() const {
  const auto& network = context_.workspace.network();
  return network ? common_neighbourhood(*network).value_or(Neighbourhood{}) : Neighbourhood{};
}

Neighbourhood Neighbours::wanted(NeighbourShape shape) const {
  const Neighbourhood now = current();
  // Voxels have no cell and no radius, and a cube has no radius.
  if (shape == NeighbourShape::voxels) return {};
  return {shape, now.cell, shape == NeighbourShape::ball ? now.radius : 0};
}

void Neighbours::bind() {
  CommandSet& commands = context_.commands;
  Workspace& workspace = context_.workspace;
  for (const NeighbourShape shape : shapes) {
    const auto follow_mark = commands.bindMark(
        command_of(shape), [this, shape] { use(wanted(shape)); },
        [&workspace, shape] {
          const auto& network = workspace.network();
          const auto common = network ? common_neighbourhood(*network) : std::nullopt;
          return common && common->shape == shape;
        },
        [this, shape] { return why_not_.at(static_cast<std::size_t>(shape)); });
    connect(&workspace, &Workspace::networkChanged, this, follow_mark);
  }
  for (const PositionKind kind : kinds) {
    const auto follow_mark = commands.bindMark(
        command_of(kind), [this, kind] { usePositions(kind); },
        [&workspace, kind] { return workspace.requested().grid().positions == kind; },
        [&workspace] {
          if (workspace.results().report()) return tr("the positions of a recorded run cannot be changed");
          const bool native = workspace.network() && has_native_layers(*workspace.network());
          return native ? QString() : tr("voxels have no positions: choose Cube or Ball first");
        });
    connect(&workspace.requested(), &RequestedSettings::gridChanged, this, follow_mark);
  }
}

void Neighbours::makeButton() {
  button_->setObjectName("neighbours");
  button_->setAccessibleName(tr("Neighbours"));
  button_->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(button_);
  menu->setToolTipsVisible(true);
  for (const NeighbourShape shape : shapes)
    menu->addAction(context_.commands.action(command_of(shape)));
  menu->addSeparator();
  auto* form = new QWidget(menu);
  auto* rows = new QFormLayout(form);
  rows->setContentsMargins(28, 4, 12, 4);
  cell_->setRange(1, most_window_cells);
  cell_->setObjectName("neighbourCell");
  cell_->setKeyboardTracking(
      false);  // A typed number of two digits must not set the first digit as the cell.
  cell_->setToolTip(
      tr("Edge of a cell of the kernel, in voxels of the inputs. Larger cells collect several "
         "points each"));
  radius_->setObjectName("neighbourRadius");
  radius_->setToolTip(
      tr("Radius of the ball, in cells. Empty: the ball has the volume of the K\u00b3 cells"));
  rows->addRow(tr("Cell"), cell_);
  rows->addRow(tr("Radius"), radius_);
  auto* action = new QWidgetAction(menu);
  action->setDefaultWidget(form);
  menu->addAction(action);
  menu->addSeparator();
  for (const PositionKind kind : kinds)
    menu->addAction(context_.commands.action(command_of(kind)));
  button_->setMenu(menu);
  connect(cell_, &QSpinBox::valueChanged, this, &Neighbours::useCell);
  connect(radius_, &QLineEdit::editingFinished, this, &Neighbours::useRadius);
}

void Neighbours::follow() {
  const auto& network = context_.workspace.network();
  const auto common = network ? common_neighbourhood(*network) : std::nullopt;
  const Neighbourhood now = common.value_or(Neighbourhood{});
  const bool mixed = network && !common && has_native_layers(*network);
  button_->setText(mixed ? tr("Mixed") : neighbour_text(now.shape));
  const bool fixed = context_.workspace.results().report() != nullptr;
  QString tip =
      tr("Which inputs a layer reads: voxels at the offsets of the kernel, or points around the "
         "exact position");
  if (mixed) tip = tr("The layers of this network have different neighbours");
  if (now.native()) tip = tr("Neighbours: %1").arg(QString::fromStdString(text_of(now)));
  for (const NeighbourShape shape : shapes)
    why_not_.at(static_cast<std::size_t>(shape)) = why_no_neighbours(context_.workspace, wanted(shape));
  const QString& why = why_not_.at(static_cast<std::size_t>(NeighbourShape::ball));
  if (!why.isEmpty() && !now.native()) tip = why;
  button_->setToolTip(tip);
  const QSignalBlocker quiet_cell(cell_), quiet_radius(radius_);
  cell_->setEnabled(now.native() && !fixed);
  cell_->setValue(now.cell);
  cell_->setSuffix(now.cell == 1 ? tr(" voxel") : tr(" voxels"));
  radius_->setEnabled(now.shape == NeighbourShape::ball && !fixed);
  radius_->setText(now.radius > 0 ? onScreen(now.radius, 'g', 6) : QString());
  radius_->setPlaceholderText(network ? default_radii(*network) : QString());
  context_.commands.refreshSoon();
}

void Neighbours::use(const Neighbourhood& wanted) {
  const auto& network = context_.workspace.network();
  if (network && common_neighbourhood(*network) != wanted) jobs_.runs().setNeighbourhood(wanted);
}

void Neighbours::useCell(int cell) {
  Neighbourhood wanted = current();
  wanted.cell = cell;
  use(wanted);
  follow();  // Shows the former cell if the network cannot have this one.
}

void Neighbours::useRadius() {
  // The field shows a rounded radius, so an unchanged field must not set it.
  if (!radius_->isModified()) return;
  Neighbourhood wanted = current();
  const QString text = radius_->text().trimmed();
  bool number = true;
  wanted.radius = text.isEmpty() ? 0 : QLocale().toDouble(text, &number);
  if (!number) wanted.radius = QLocale::c().toDouble(text, &number);
  if (number) {
    use(wanted);
  } else {
    context_.notices.showNote(
        tr("The radius was not changed"),
        tr("\"%1\" is not a radius. Enter a number of cells, such as 1.5, or nothing for the default.")
            .arg(text));
  }
  follow();
}

/// The points of the scene are voxelised again, because each level stores the positions of its rows.
void Neighbours::usePositions(PositionKind kind) {
  Grid grid = context_.workspace.requested().grid();
  if (grid.positions == kind) return;
  grid.positions = kind;
  context_.workspace.requested().setGrid(grid);
  jobs_.scenes().voxelize();
}

}  // namespace spira::ui
