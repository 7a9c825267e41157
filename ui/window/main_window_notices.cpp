// Messages of the window: errors with suggested fixes, and reports that are incomplete.
#include "engine/scene/read_limits.hpp"
#include "engine/scene/reader.hpp"
#include "engine/scene/standard_input.hpp"
#include "ui/features/open/first_bytes_dialog.hpp"
#include "ui/panels/scene/fit_meter.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/window/banner.hpp"
#include "ui/window/main_window.hpp"

#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <span>
#include <string_view>

namespace spira::ui {
namespace {

/// Returns true if the back end ran out of memory, which is not a fault of its device. Its memory pools use
/// these words.
bool ran_out_of_memory(const Error& error) {
  const std::string_view text = error.what();
  return error.kind() == ErrorKind::device && (text.find("memory limit: ") != std::string_view::npos ||
                                               text.find("out of memory") != std::string_view::npos ||
                                               text.find("out of GPU memory") != std::string_view::npos);
}

/// Returns true if the file can be read, but has neither the signature of a scene format nor the first
/// character of JSON. Then its format is uncertain.
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

void MainWindow::showError(const Error& error) {
  workspace_->addLog(tr("error: %1").arg(QString::fromStdString(error.what())));
  const bool piped = is_standard_input(asked_for_.toStdString());  // Standard input cannot be read again.
  std::vector<Banner::WayOut> ways;
  QString title, file = asked_for_;
  if (workspace_->frameRefused())
    file = QString::fromStdString(
        workspace_->frames().at(static_cast<std::size_t>(workspace_->frame())).string());
  if (error.kind() == ErrorKind::does_not_fit) {
    const auto& misfit = jobs_->scenes().refusal().misfit;
    if (misfit && misfit->fits_64_bits)
      ways.push_back({tr("Use 64 bits"), [this] { jobs_->scenes().againWith(PackSpec::bits64()); }});
    if (misfit && misfit->voxel_m)
      ways.push_back({tr("Voxels of %1 m").arg(gridOnScreen(*misfit->voxel_m)),
                      [this, size = *misfit->voxel_m] { jobs_->scenes().againWithVoxels(size); }});
    if (misfit && misfit->crop)
      ways.push_back({misfit->crop->axes.size() == 1
                          ? tr("Crop %1").arg(QString::fromStdString(misfit->crop->text()))
                          : FitMeter::shortCropText(*misfit->crop),
                      [this] { jobs_->scenes().againWithFittingCrop(); }});
    if (!misfit)
      ways.push_back({tr("Use 64 bits"), [this] { jobs_->scenes().againWith(PackSpec::bits64()); }});
  } else if (error.kind() == ErrorKind::input && jobs_->scenes().refusal().with_crop) {
    title = tr("The crop contains no points");
    ways.push_back({tr("Remove crop"), [this] { jobs_->scenes().againWithoutCrop(); }});
    ways.push_back({tr("Show box"), [this] { crop_->setEditing(true); }});
  } else if (error.kind() == ErrorKind::input) {
    if (!piped && format_in_doubt(file)) ways.push_back({tr("Open as..."), [this, file] { openAs(file); }});
    if (!piped && QFileInfo(file).isFile() && QFile(file).open(QIODevice::ReadOnly))
      ways.push_back({tr("Show first bytes"), [this, file] { FirstBytesDialog(file, this).exec(); }});
    ways.push_back({tr("Open another..."), [this] { openDialog(); }});
  } else if (error.kind() == ErrorKind::memory) {
    if (jobs_->scenes().refusal().after_reading)
      ways.push_back({tr("Preview at stride 2"), [this] { jobs_->scenes().againWithLargerVoxels(2.0); }});
    if (const std::int64_t every = jobs_->scenes().refusal().fitting_every; every > 1 && !piped)
      ways.push_back({tr("Read %1 point").arg(QString::fromStdString(every_text(every))),
                      [this, every] { jobs_->scenes().againWithEvery(every); }});
  } else if (ran_out_of_memory(error) && !jobs_->lane().busy()) {  // Otherwise the CPU continues the job.
    title = tr("Not enough memory");
    ways.push_back({tr("Preview at stride 2"), [this] { jobs_->scenes().againWithLargerVoxels(2.0); }});
    const auto& cloud = workspace_->cloud();
    const bool of_file = cloud && QFileInfo(QString::fromStdString(cloud->source)).isFile();
    if (const std::int64_t every = 2 * jobs_->scenes().source().every; of_file)
      ways.push_back({tr("Read %1 point").arg(QString::fromStdString(every_text(every))),
                      [this, every] { jobs_->scenes().againWithEvery(every); }});
  }
  banner_->showError(error, ways, title);
}

void MainWindow::showFault(const Error& error) {
  workspace_->addLog(tr("error: %1").arg(QString::fromStdString(error.what())));
  std::vector<Banner::WayOut> ways;
  if (error.kind() == ErrorKind::internal)
    ways.push_back({tr("Copy diagnostics..."), [this] { commands_->trigger("help.diagnostics"); }});
  banner_->showError(error, ways);
}

/// Shows which parts of a report are missing, because the report is cut off or because a later version wrote
/// it.
void MainWindow::saySparedParts() {
  const auto& report = workspace_->report();
  if (!report) return;
  const QString name = QFileInfo(reopen_).fileName();
  const auto listed = [](const std::vector<std::string>& parts, std::size_t most) {
    QStringList shown;
    for (std::size_t at = 0; at < std::min(parts.size(), most); ++at)
      shown += QString::fromStdString(parts[at]);
    QString text = shown.join("; ");
    if (parts.size() > most) text += tr("; and %1 more (see Log)").arg(parts.size() - most);
    return text;
  };
  constexpr std::size_t most_fields = 8;
  QString title, text;
  if (!report->lost.empty()) {
    title = tr("The report is cut off");
    text = tr("%1 ends too early. Complete parts are shown. Missing: %2.")
               .arg(name, listed(report->lost, report->lost.size()));
  }
  if (!report->notes.empty()) {  // A later minor version wrote the report.
    if (title.isEmpty()) title = tr("The report has a newer version");
    if (!text.isEmpty()) text += "\n";
    text += report->ignored.empty()
                ? tr("%1 has a newer version. All its fields are shown.").arg(name)
                : tr("Unknown fields of %1 are ignored: %2.").arg(name, listed(report->ignored, most_fields));
  }
  if (!title.isEmpty()) banner_->showNotice(title, text);
}

}  // namespace spira::ui
