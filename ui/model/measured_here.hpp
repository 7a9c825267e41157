// The run that is open as a report: recorded, or what was measured in this window; and the commands that
// measure its numbers again.
#pragma once

#include "engine/report/reproduce.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>
#include <QStringList>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace spira::ui {

/// What the commands need to know of what is open; empty: nothing is.
[[nodiscard]] std::optional<MeasuredWith> measured_with(const Workspace& workspace);

class OpenRun : public QObject {
  Q_OBJECT
 public:
  explicit OpenRun(Workspace* workspace, QObject* parent = nullptr);

  /// Null: nothing was measured yet.
  [[nodiscard]] std::shared_ptr<const Report> report() const;
  /// Lines that say where, when, by what and on which scene, for captions of pictures.
  [[nodiscard]] QStringList caption() const;
  /// The same as metadata.
  [[nodiscard]] std::vector<std::pair<QString, QString>> tags() const;

 private:
  [[nodiscard]] Report made() const;

  Workspace* workspace_;
  std::string measured_at_;                      // ISO 8601, UTC
  mutable std::shared_ptr<const Report> known_;  // of the measurement of now; made when it is asked for
};

}  // namespace spira::ui
