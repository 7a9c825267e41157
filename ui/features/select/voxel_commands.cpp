#include "ui/features/select/voxel_commands.hpp"

#include "engine/backend/host_read.hpp"
#include "ui/view3d/scene/scene_pointer.hpp"

#include <QCoreApplication>
#include <QInputDialog>
#include <QRegularExpression>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace spira::ui {
namespace {

class VoxelCommands : public QObject {
  Q_DECLARE_TR_FUNCTIONS(spira::ui::VoxelCommands)
 public:
  VoxelCommands(CommandSet& commands, VoxelChoosing with) : QObject(&commands), with_(std::move(with)) {
    commands.bind(
        "select.voxel", [view = with_.view] { view->pointer().chooseInMiddle(); }, with_.why_not);
    commands.bind(
        "select.next_voxel", [this] { step(1); }, with_.why_not);
    commands.bind(
        "select.previous_voxel", [this] { step(-1); }, with_.why_not);
    commands.bind(
        "select.voxel_at", [this] { ask(); }, with_.why_not);
    commands.bind(
        "select.grow", [this] { grow(); }, [this] { return growth_unavailable_reason(); });
    connect(with_.selection, &Selection::voxelChanged, &commands, &CommandSet::refreshSoon);
  }

 private:
  void step(int by) {
    const auto& chosen = with_.selection->voxel();
    if (!chosen) return with_.view->pointer().chooseInMiddle();
    const CoordSet& level = with_.workspace->scene().voxels()->level(chosen->stride);
    const auto row = row_of_voxel(level, chosen->voxel);
    if (!row || *row + by < 0 || *row + by >= level.size) return;
    with_.selection->setVoxel(ChosenVoxel{voxel_at(level, *row + by), chosen->stride});
  }

  void ask() {
    const int stride = with_.selection->stride();
    const CoordSet& level = with_.workspace->scene().voxels()->level(stride);
    const auto& chosen = with_.selection->voxel();
    QString text;
    if (chosen) text = QString("%1 %2 %3").arg(chosen->voxel[0]).arg(chosen->voxel[1]).arg(chosen->voxel[2]);
    const auto name = QString::fromStdString(level_text(*with_.workspace->scene().voxels(), stride));
    QString label = tr("x, y and z of a voxel at stride %1, in cells").arg(name);
    for (;;) {
      bool ok = false;
      text = QInputDialog::getText(with_.view, tr("Choose a voxel"), label, QLineEdit::Normal, text, &ok);
      if (!ok) return;
      const auto voxel = voxel_from(text);
      if (voxel && row_of_voxel(level, *voxel)) return with_.selection->setVoxel(ChosenVoxel{*voxel, stride});
      label = voxel ? tr("Voxel %1 at stride %2 is empty. Enter another voxel:").arg(text.trimmed(), name)
                    : tr("Enter three whole numbers, such as 12 40 3:");
    }
  }

  void grow() {
    const auto& chosen = with_.selection->voxel();
    if (with_.selection->rows() || !chosen) return with_.jobs->grow();
    const auto row = row_of_voxel(with_.workspace->scene().voxels()->level(chosen->stride), chosen->voxel);
    if (!row) return;
    std::vector<std::int32_t> only{static_cast<std::int32_t>(*row)};
    with_.jobs->choose(
        chosen->stride, [only = std::move(only)](const std::stop_token&) { return only; }, Combine::replace);
  }
  [[nodiscard]] QString growth_unavailable_reason() const {
    QString why = with_.why_not();
    if (!why.isEmpty() || with_.selection->rows() || with_.selection->voxel()) return why;
    return tr("select some voxels or choose one voxel first");
  }

  VoxelChoosing with_;
};

}  // namespace

std::optional<Voxel> voxel_from(const QString& text) {
  static const QRegularExpression between("[\\s,;]+");
  const QStringList parts = text.trimmed().split(between, Qt::SkipEmptyParts);
  if (parts.size() != 3) return std::nullopt;
  std::array<int, 3> numbers{};
  for (qsizetype axis = 0; axis < 3; ++axis) {
    bool whole = false;
    numbers.at(static_cast<std::size_t>(axis)) = parts[axis].toInt(&whole);
    if (!whole) return std::nullopt;
  }
  return Voxel{numbers[0], numbers[1], numbers[2]};
}

void bind_voxel_commands(CommandSet& commands, const VoxelChoosing& with) {
  new VoxelCommands(commands, with);
}

}  // namespace spira::ui
