// The open tuning profile and its effect on the open scene and network.
#pragma once

#include "engine/report/advice/advice.hpp"
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
  /// Returns the choices for the layers of the open network, with reasons. Returns an empty value if there is
  /// no scene, no network or no profile.
  [[nodiscard]] const std::optional<AppliedProfile>& applied() const noexcept { return applied_; }
  /// Returns true if the plan of the workspace is the plan that apply() sets.
  [[nodiscard]] bool inUse() const;
  /// Returns true if the profile was applied and the user then set another t for some layers.
  [[nodiscard]] bool setByHand() const;
  /// Returns true if the profile was measured here and is not saved yet.
  [[nodiscard]] bool unsaved() const noexcept { return unsaved_; }

  void setProfile(std::shared_ptr<const TuningProfile> profile, const QString& name, bool unsaved);
  /// Returns the profile to save: it includes every t that the user changed since it was applied.
  [[nodiscard]] std::shared_ptr<const TuningProfile> toSave() const;
  /// Records that `saved`, the result of toSave(), is in the file `name`. If its choices were the plan, they
  /// are applied again.
  void setSaved(std::shared_ptr<const TuningProfile> saved, const QString& name);
  /// Uses the choices of the profile as the plan. Layers without a matching choice keep the default.
  void apply();
  /// Does the same as apply(), but accepts a profile of another device or version until the next
  /// setProfile().
  void useAnyway();
  /// Returns why the profile does not belong to this device and version. Returns an empty string if it does
  /// or if no profile is open.
  [[nodiscard]] QString deviceMismatch() const;
  /// Returns true after useAnyway().
  [[nodiscard]] bool deviceIgnored() const noexcept { return ignore_device_; }

 signals:
  void changed();
  void taken();  ///< Emitted after apply() has set the plan.

 private:
  void follow();
  void followDensities();

  Workspace* workspace_;
  std::shared_ptr<const TuningProfile> profile_;
  QString name_;
  std::optional<AppliedProfile> applied_;
  bool unsaved_ = false, ignore_device_ = false;
};

/// Returns a function that finds advice on the open run and scene with the plan of the next run. The function
/// computes bootstrap intervals, which is slow. It owns its data and may run on any thread.
[[nodiscard]] std::function<std::vector<Advice>()> advice_on(const Workspace& workspace,
                                                             const Tuning& tuning);

}  // namespace spira::ui
