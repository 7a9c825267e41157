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
  /// It was applied, and a person set another t for some of its layers.
  [[nodiscard]] bool setByHand() const;
  /// Measured here and not written to a file yet.
  [[nodiscard]] bool unsaved() const noexcept { return unsaved_; }

  void setProfile(std::shared_ptr<const TuningProfile> profile, const QString& name, bool unsaved);
  /// The profile with each t that a person set over it since it was applied: what a file is to hold.
  [[nodiscard]] std::shared_ptr<const TuningProfile> toSave() const;
  /// What toSave() returned is in this file; where its choices are the plan they stay so.
  void setSaved(std::shared_ptr<const TuningProfile> saved, const QString& name);
  void apply();  ///< its choices become the plan; layers that do not match stay as by default
  /// As apply(), though it was measured on another device or by another version; until the next profile.
  void useAnyway();
  /// Why the profile is not of this device and version; empty: it is, or there is none.
  [[nodiscard]] QString whyNotDevice() const;
  /// useAnyway() was asked for.
  [[nodiscard]] bool deviceIgnored() const noexcept { return ignore_device_; }

 signals:
  void changed();
  void taken();  ///< its choices became the plan

 private:
  void follow();
  void followDensities();

  Workspace* workspace_;
  std::shared_ptr<const TuningProfile> profile_;
  QString name_;
  std::optional<AppliedProfile> applied_;
  bool unsaved_ = false, ignore_device_ = false;
};

/// Finds what the rules say about the open run and scene, with the plan of the next run. It bootstraps, which
/// takes a while: what it returns holds all that it needs and may run on any thread.
[[nodiscard]] std::function<std::vector<Advice>()> advice_on(const Workspace& workspace,
                                                             const Tuning& tuning);

}  // namespace spira::ui
