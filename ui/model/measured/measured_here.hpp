// The open run as a report, either loaded from a file or measured in this window, and the facts that commands
// need to measure it again.
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

/// Returns what the commands need to know about the open scene and network. Empty if no scene is open.
[[nodiscard]] std::optional<MeasuredWith> measured_with(const Workspace& workspace);

class OpenRun : public QObject {
  Q_OBJECT
 public:
  explicit OpenRun(Workspace* workspace, QObject* parent = nullptr);

  /// Returns `nullptr` if nothing is measured yet.
  [[nodiscard]] std::shared_ptr<const Report> report() const;
  /// Lines for captions of pictures: device, network, scene, date, version and report.
  [[nodiscard]] QStringList caption() const;
  /// The same facts as key-value metadata.
  [[nodiscard]] std::vector<std::pair<QString, QString>> tags() const;

 private:
  [[nodiscard]] Report made() const;

  Workspace* workspace_;
  std::string measured_at_;                      // ISO 8601, UTC
  mutable std::shared_ptr<const Report> known_;  // Report of the current measurement, created on demand.
};

/// Returns the trust in the open report, else in the measurement of this window. Empty if nothing is
/// measured.
[[nodiscard]] std::optional<Trust> trust_here(const Workspace& workspace);
/// True if the trust grade is X. Views then show the times in grey.
[[nodiscard]] bool times_are_void(const Workspace& workspace);

}  // namespace spira::ui
