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

/// Returns the facts about the open scene and network that the commands need. Returns an empty value if no
/// scene is open.
[[nodiscard]] std::optional<MeasuredWith> measured_with(const Workspace& workspace);

class OpenRun : public QObject {
  Q_OBJECT
 public:
  explicit OpenRun(Workspace* workspace, QObject* parent = nullptr);

  /// Returns `nullptr` if no report is open and nothing has been measured in this window.
  [[nodiscard]] std::shared_ptr<const Report> report() const;
  /// Returns the lines for captions of pictures: device, network, scene, date, version and report.
  [[nodiscard]] QStringList caption() const;
  /// Returns the same facts as key-value metadata.
  [[nodiscard]] std::vector<std::pair<QString, QString>> tags() const;

 private:
  [[nodiscard]] Report made() const;

  Workspace* workspace_;
  std::string measured_at_;                      // ISO 8601, UTC
  mutable std::shared_ptr<const Report> known_;  // Report of the current measurement, created on demand.
};

/// Returns the trust grade of the open report, else of the measurement in this window. Returns an empty value
/// if there is neither.
[[nodiscard]] std::optional<Trust> trust_here(const Workspace& workspace);
/// Returns true if the trust grade is X. Views then show the times in grey.
[[nodiscard]] bool times_are_void(const Workspace& workspace);

}  // namespace spira::ui
