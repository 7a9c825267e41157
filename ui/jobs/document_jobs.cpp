// Jobs of EngineJobs that open JSON documents: reports, and networks for the open scene.
#include "engine/base/file.hpp"
#include "engine/report/report_file.hpp"
#include "engine/report/validate.hpp"
#include "ui/jobs/engine_jobs.hpp"

#include <QFileInfo>

namespace spira::ui {

/// Runs on the worker. Opens a report, or a network for the open scene.
void EngineJobs::openDocument(const OpenRequest& wanted, Job& job, const JobRunner::Post& post) {
  constexpr std::uint64_t max_bytes = 128ULL << 20U;
  const std::string name = wanted.scene.toStdString();
  job.checkpoint({"reading the file", 0, 0});
  const std::string text = read_text_file(name, max_bytes);
  const DocumentKind kind = document_kind(text, name);
  if (kind == DocumentKind::report) {
    const auto report = std::make_shared<const Report>(parse_report(text, name, IfTorn::open));
    return post([this, wanted, report] { deliverReport(wanted, report); });
  }
  if (kind == DocumentKind::network) {
    const auto network = std::make_shared<const Network>(parse_network(text, name));
    return post([this, network, name] { deliverNetwork(network, name); });
  }
  throw Error(ErrorKind::input,
              name + ": this file is a " + std::string(text_of(kind)) + ". " +
                  (kind == DocumentKind::session  ? "Rename it to *.spirasession"
                   : kind == DocumentKind::lesson ? "Learn > Open lesson file... opens it"
                                                  : "This window opens scenes, reports, "
                                                    "networks, sessions and tuning profiles"));
}

void EngineJobs::deliverNetwork(const std::shared_ptr<const Network>& network, const std::string& file) {
  opening_.reset();
  if (workspace_->report())
    return emit failed(Error(
        ErrorKind::usage,
        file + ": the open report is a run of another network. Open a scene before you open a network"));
  useNetwork(network);
}

void EngineJobs::deliverReport(const OpenRequest& wanted, const std::shared_ptr<const Report>& report) {
  opening_.reset();
  tried_.reset();
  sequence_ = {};
  setMisfit(std::nullopt);
  selection_->clear();
  workspace_->setReport(report);
  selection_->setLayer(0);  // A report contains densities only of layers, not of the scene.
  const QString name = QFileInfo(wanted.scene).fileName();
  workspace_->addLog(tr("%1: recorded on %2, %3")
                         .arg(name, QString::fromStdString(report->measurement.device.name),
                              QString::fromStdString(report->created)));
  for (const auto& note : report->notes)
    workspace_->addLog(tr("%1: %2").arg(name, QString::fromStdString(note)));
  for (const auto& lost : report->lost)
    workspace_->addLog(tr("%1 is cut off; missing: %2").arg(name, QString::fromStdString(lost)));
  for (const auto& field : report->ignored)
    workspace_->addLog(tr("%1: unknown field ignored: %2").arg(name, QString::fromStdString(field)));
  emit opened(wanted.scene, wanted.reopen);
}

}  // namespace spira::ui
