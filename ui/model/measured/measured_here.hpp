// Provides the open run as a report, which was loaded from a file or measured in this window. Also provides
// the facts that a command line needs to measure the run again.
#pragma once

#include "engine/report/reproduce.hpp"
#include "engine/run/trust.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>
#include <QStringList>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace spira::ui {

/// Returns the facts about the open scene and network that the command line needs. Returns an empty value if
/// no scene is open.
[[nodiscard]] std::optional<MeasuredWith> measured_with(const Workspace& workspace);

class OpenRun : public QObject {
  Q_OBJECT
 public:
  explicit OpenRun(Workspace* workspace, QObject* parent = nullptr);

  /// Returns the open report, or a report of the measurement in this window. Returns `nullptr` if there is
  /// neither.
  [[nodiscard]] std::shared_ptr<const Report> report() const;
  /// Returns the lines for picture captions: device, network, scene, date, version and report.
  [[nodiscard]] QStringList caption() const;
  /// Returns the facts of caption() as key-value metadata.
  [[nodiscard]] std::vector<std::pair<QString, QString>> tags() const;

 private:
  [[nodiscard]] Report made() const;

  Workspace* workspace_;
  std::string measured_at_;  // Date in ISO 8601 format, UTC.
  // Report of the current measurement, made when it is first requested.
  mutable std::shared_ptr<const Report> known_;
};

/// Returns the trust grade of the open report. If no report is open, returns the grade of the measurement in
/// this window. Returns an empty value if there is neither.
[[nodiscard]] std::optional<Trust> trust_here(const Workspace& workspace);
/// Returns true if the trust grade is X. Views then display the times in grey.
[[nodiscard]] bool times_are_void(const Workspace& workspace);

}  // namespace spira::ui
