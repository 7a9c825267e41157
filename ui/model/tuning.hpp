// The tuning profile that is open, and what it says about the open scene and network.
#pragma once

#include "engine/report/advice.hpp"
#include "engine/tune/apply_profile.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace spira::ui {

class Tuning : public QObject {
  Q_OBJECT
 public:
  explicit Tuning(Workspace* workspace, QObject* parent = nullptr);

  [[nodiscard]] const std::shared_ptr<const TuningProfile>& profile() const noexcept { return profile_; }
  [[nodiscard]] const QString& name() const noexcept { return name_; }
  /// Layers and reasons on the open scene; empty where there is no scene, no network or no profile.
  [[nodiscard]] const std::optional<AppliedProfile>& applied() const noexcept { return applied_; }
  /// The plan of the workspace is the one of apply().
  [[nodiscard]] bool inUse() const;
  /// Measured here and not written to a file yet.
  [[nodiscard]] bool unsaved() const noexcept { return unsaved_; }

  void setProfile(std::shared_ptr<const TuningProfile> profile, const QString& name, bool unsaved);
  void setSaved(const QString& name);
  void apply();  ///< its choices become the plan; layers that do not match stay as by default

 signals:
  void changed();

 private:
  void follow();

  Workspace* workspace_;
  std::shared_ptr<const TuningProfile> profile_;
  QString name_;
  std::optional<AppliedProfile> applied_;
  bool unsaved_ = false;
};

/// Finds what the rules say about the open run and scene, with the plan of the next run. It bootstraps, which
/// takes a while: what it returns holds all that it needs and may run on any thread.
[[nodiscard]] std::function<std::vector<Advice>()> advice_on(const Workspace& workspace,
                                                             const Tuning& tuning);

}  // namespace spira::ui
