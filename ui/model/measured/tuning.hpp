// The open tuning profile and its effect on the open scene and network.
#pragma once

#include "engine/report/advice/advice.hpp"
#include "engine/tune/apply_profile.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>
#include <QString>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace spira::ui {

/// Settings that the user picked in the matrix. The key is the index of the layer. All other layers use the
/// choices of the profile.
using PickedSettings = std::map<int, LayerPlan>;

class Tuning : public QObject {
  Q_OBJECT
 public:
  explicit Tuning(Workspace* workspace, QObject* parent = nullptr);

  [[nodiscard]] const std::shared_ptr<const TuningProfile>& profile() const noexcept { return profile_; }
  [[nodiscard]] const QString& name() const noexcept { return name_; }
  /// Returns the settings that the profile provides for the layers of the open network, with reasons. Returns
  /// an empty value if no scene exists, no network or no profile.
  [[nodiscard]] const std::optional<AppliedProfile>& applied() const noexcept { return applied_; }
  /// Returns the plan that apply() sets: the settings of applied() with the picks of the user. Returns an
  /// empty value if applied() is empty.
  [[nodiscard]] std::optional<Plan> planToApply() const;
  /// Returns true if the current plan of the workspace equals planToApply().
  [[nodiscard]] bool inUse() const;
  /// Returns true if the profile was applied and the user changed t of some layers afterwards.
  [[nodiscard]] bool setByHand() const;
  /// Returns true if the profile was measured in this window and is not saved yet.
  [[nodiscard]] bool unsaved() const noexcept { return unsaved_; }

  void setProfile(std::shared_ptr<const TuningProfile> profile, const QString& name, bool unsaved);
  [[nodiscard]] const PickedSettings& picked() const noexcept { return picked_; }
  /// Adds the picks of one click or drag and emits edited().
  void pick(const PickedSettings& more);
  /// Replaces all picks, for example to undo pick(). Discards settings that the open network cannot use.
  void setPicked(PickedSettings picked);
  /// Returns the names of the layers whose picked setting has too few samples in the profile for a verdict.
  [[nodiscard]] std::vector<std::string> undecidedPicks() const;
  /// Returns why layers do not use the applied profile, with one text for each reason. Layers for which the
  /// time limit of the tuning was too short have one text with their number. Other texts name the layers, as
  /// `shown` does. A profile must be applied.
  [[nodiscard]] QStringList notUsedTexts(const Network& shown) const;
  /// Returns the profile to save. It includes every t that the user picked, or changed after apply().
  [[nodiscard]] std::shared_ptr<const TuningProfile> toSave() const;
  /// Records that the file `name` contains `saved`, the result of toSave(). If the plan came from the
  /// profile, applies the saved profile.
  void setSaved(std::shared_ptr<const TuningProfile> saved, const QString& name);
  /// Replaces the plan with the settings of the profile. Layers without a matching setting get the default.
  void apply();
  /// Calls apply() even if the profile belongs to another device or program version. The permission ends at
  /// the next setProfile().
  void useAnyway();
  /// Returns why the profile does not apply to this device and program version. Returns an empty string if it
  /// applies, or if no profile is open.
  [[nodiscard]] QString deviceMismatch() const;
  /// Returns true if useAnyway() was called for the open profile.
  [[nodiscard]] bool deviceIgnored() const noexcept { return ignore_device_; }

 signals:
  void changed();
  void taken();  ///< Emitted after apply() has set the plan.
  void pickedChanged();
  /// Emitted after pick(). `what` names the change for the Undo menu, and `before` contains the former picks.
  void edited(const QString& what, const spira::ui::PickedSettings& before);

 private:
  void follow();
  void followDensities();
  [[nodiscard]] const TunedShape* choiceOf(int layer) const;

  Workspace* workspace_;
  std::shared_ptr<const TuningProfile> profile_;
  QString name_;
  std::optional<AppliedProfile> applied_;
  PickedSettings picked_;
  bool unsaved_ = false, ignore_device_ = false;
};

/// Returns the index of the open scene in the profile, or -1 if the profile does not contain it. Compares the
/// numbers of voxels of all levels, because computing a fingerprint of a large scene takes too long.
[[nodiscard]] int scene_in(const TuningProfile& profile, const Workspace& workspace);

/// The times of the layers in a profile, with the settings of the current plan.
struct TunedTimes {
  struct Layer {
    double features_ms = 0, iqr_ms = 0;  ///< Median and IQR, without the kernel map.
    std::int64_t n = 0;                  ///< Number of samples.
    std::int64_t voxels = 0;             ///< Number of outputs.
  };
  QString profile;  ///< For example "profile room.tune.json".
  /// One entry per layer. An entry is empty if the profile has no time of the layer with its current t.
  std::vector<std::optional<Layer>> layers;
};
/// Returns the times of the open scene in the open profile. Returns an empty value if the profile was
/// measured with other scenes, or with a different network.
[[nodiscard]] std::optional<TunedTimes> tuned_times(const Tuning& tuning, const Workspace& workspace);

/// Returns a function that computes advice about the open run and scene, and about the plan of the next run.
/// The function is slow, because it computes bootstrap intervals. It owns its data, so it may run on any
/// thread.
[[nodiscard]] std::function<std::vector<Advice>()> advice_on(const Workspace& workspace,
                                                             const Tuning& tuning);

}  // namespace spira::ui
