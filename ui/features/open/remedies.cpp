#include "ui/features/open/remedies.hpp"

#include "engine/scene/reader.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/open/open_as_dialog.hpp"
#include "ui/features/open/opening.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/model/crop_box.hpp"
#include "ui/panels/scene/fit_meter.hpp"
#include "ui/theme/screen_number.hpp"

#include <QFile>
#include <QFileInfo>
#include <QMainWindow>

#include <algorithm>
#include <span>

namespace spira::ui {
namespace {

/// Returns true if the format of the file is uncertain. This is the case if the file can be read, but has
/// neither the signature of a scene format nor the first character of JSON.
bool format_in_doubt(const QString& name) {
  constexpr qint64 head_bytes = 4096;
  QFile file(name);
  if (!QFileInfo(name).isFile() || !file.open(QIODevice::ReadOnly)) return false;
  const QByteArray head = file.read(head_bytes);
  if (head.trimmed().startsWith('{')) return false;
  const auto bytes = std::as_bytes(std::span(head.constData(), static_cast<std::size_t>(head.size())));
  const auto all = formats();
  return std::none_of(all.begin(), all.end(), [&](const FormatFacts& format) {
    return format.reader != nullptr && format.reader->guess(bytes, name.toStdString()).confidence >= 1;
  });
}

}  // namespace

Remedies::Remedies(const FeatureContext& context, EngineJobs& jobs, CropBox& crop, Opening& opening)
    : QObject(&context.window), context_(context), jobs_(jobs), crop_(crop), opening_(opening) {
  connect(&jobs.lane(), &EngineLane::failed, this, &Remedies::show);
  connect(&opening, &Opening::failed, this, &Remedies::show);
  connect(&context.commands, &CommandSet::failed, this, &Remedies::showFault);
}

void Remedies::show(const Error& error) {
  context_.workspace.addLog(tr("error: %1").arg(QString::fromStdString(error.what())));
  std::vector<NoticeAction> actions;
  QString title;
  if (error.kind() == ErrorKind::does_not_fit) {
    actions = forMisfit();
  } else if (error.kind() == ErrorKind::input && jobs_.scenes().refusal().with_crop) {
    title = tr("The crop contains no points");
    actions = forEmptyCrop();
  } else if (error.kind() == ErrorKind::input) {
    actions = forInput();
  } else if (error.kind() == ErrorKind::memory) {
    actions = forMemory();
  } else if (error.kind() == ErrorKind::device_memory) {
    title = tr("Not enough memory");
    actions = forDeviceMemory();
  }
  context_.notices.showError(error, std::move(actions), title);
}

void Remedies::showFault(const Error& error) {
  context_.workspace.addLog(tr("error: %1").arg(QString::fromStdString(error.what())));
  std::vector<NoticeAction> actions;
  if (error.kind() == ErrorKind::internal)
    actions.push_back({tr("Copy diagnostics..."), [this] { context_.commands.trigger("help.diagnostics"); }});
  context_.notices.showError(error, std::move(actions));
}

std::vector<NoticeAction> Remedies::forMisfit() {
  const auto& misfit = jobs_.scenes().refusal().misfit;
  const auto use = [this](const PackSpec& pack) {
    return NoticeAction{FitMeter::packText(pack), [this, pack] { jobs_.scenes().againWith(pack); }};
  };
  if (!misfit) return {use(PackSpec::bits64())};
  std::vector<NoticeAction> actions;
  if (misfit->pack) actions.push_back(use(*misfit->pack));
  if (misfit->voxel_m)
    actions.push_back({tr("Use voxels of %1").arg(withUnit(gridOnScreen(*misfit->voxel_m), misfit->unit)),
                       [this, size = *misfit->voxel_m] { jobs_.scenes().againWithVoxels(size); }});
  if (misfit->crop)
    actions.push_back({misfit->crop->axes.size() == 1
                           ? tr("Crop %1").arg(QString::fromStdString(misfit->crop->text()))
                           : FitMeter::shortCropText(*misfit->crop),
                       [this] { jobs_.scenes().againWithFittingCrop(); }});
  return actions;
}

std::vector<NoticeAction> Remedies::forEmptyCrop() {
  return {{tr("Remove crop"), [this] { jobs_.scenes().againWithoutCrop(); }},
          {tr("Show box"), [this] { crop_.setEditing(true); }}};
}

std::vector<NoticeAction> Remedies::forInput() {
  const Workspace& workspace = context_.workspace;
  QString file = opening_.askedFor();
  // Standard input cannot be read again, so omit the actions that read the file again.
  const bool piped = is_standard_input(file.toStdString());
  if (workspace.scene().frameRefused())
    file = QString::fromStdString(
        workspace.scene().frames().at(static_cast<std::size_t>(workspace.scene().frame())).string());
  std::vector<NoticeAction> actions;
  if (!piped && format_in_doubt(file))
    actions.push_back({tr("Open as..."), [this, file] { opening_.openAs(file); }});
  if (!piped && QFileInfo(file).isFile() && QFile(file).open(QIODevice::ReadOnly))
    actions.push_back(
        {tr("Show first bytes"), [this, file] { FirstBytesDialog(file, &context_.window).exec(); }});
  actions.push_back({tr("Open another file..."), [this] { opening_.openDialog(); }});
  return actions;
}

std::vector<NoticeAction> Remedies::forMemory() {
  std::vector<NoticeAction> actions;
  if (jobs_.scenes().refusal().after_reading) actions.push_back(largerVoxels());
  const bool piped = is_standard_input(opening_.askedFor().toStdString());
  if (const std::int64_t every = jobs_.scenes().refusal().fitting_every; every > 1 && !piped)
    actions.push_back(fewerPoints(every));
  return actions;
}

std::vector<NoticeAction> Remedies::forDeviceMemory() {
  std::vector<NoticeAction> actions{largerVoxels()};
  const auto& cloud = context_.workspace.scene().cloud();
  if (cloud && QFileInfo(QString::fromStdString(cloud->source)).isFile())
    actions.push_back(fewerPoints(2 * jobs_.scenes().source().every));
  return actions;
}

NoticeAction Remedies::largerVoxels() {
  return {tr("Use voxels twice as large"), [this] { jobs_.scenes().againWithLargerVoxels(2.0); }};
}

NoticeAction Remedies::fewerPoints(std::int64_t every) {
  return {tr("Read %1 point").arg(QString::fromStdString(every_text(every))),
          [this, every] { jobs_.scenes().againWithEvery(every); }};
}

}  // namespace spira::ui
