// The settings that the user requested for the open scene and its runs. Jobs are created from them.
#pragma once

#include "engine/backend/plan.hpp"
#include "engine/voxel/grid.hpp"
#include "engine/voxel/pack_spec.hpp"

#include <QObject>

#include <optional>
#include <string>

namespace spira::ui {

class RequestedSettings : public QObject {
  Q_OBJECT
 public:
  struct GridAndPack {
    Grid grid;
    PackSpec pack;
    bool pack_automatic = true;
  };
  /// The settings that undo restores.
  struct Contents {
    GridAndPack voxels;
    Plan plan;
    int scene_kernel_size = 3;
  };

  using QObject::QObject;

  [[nodiscard]] const Grid& grid() const noexcept { return now_.voxels.grid; }
  [[nodiscard]] const PackSpec& pack() const noexcept { return now_.voxels.pack; }
  /// Returns true if the program chooses the packing for the open scene. It chooses the first packing of
  /// packings_that_fit().
  [[nodiscard]] bool packAutomatic() const noexcept { return now_.voxels.pack_automatic; }
  void setGrid(const Grid& grid);
  /// Sets a packing that is not automatic.
  void setPack(const PackSpec& pack);
  void setGridAndPack(const Grid& grid, const PackSpec& pack);  ///< Combines setGrid() and setPack().
  void setPackAutomatic(bool automatic);

  /// Workspace::setPlan() changes the plan, because this also removes results.
  [[nodiscard]] const Plan& plan() const noexcept { return now_.plan; }
  /// Returns the precision that the user or a session set. An empty value means automatic: fp16 on a GPU,
  /// because GPUs have special units for fp16, and fp32 on a CPU. Workspace::choosePrecision() changes it,
  /// because this also changes the plan.
  [[nodiscard]] const std::optional<Precision>& chosenPrecision() const noexcept { return chosen_precision_; }

  /// Returns the kernel size for the map of the scene, which is displayed if no layer is selected.
  [[nodiscard]] int sceneKernelSize() const noexcept { return now_.scene_kernel_size; }
  void setSceneKernelSize(int kernel_size);
  /// Returns the requested back end: "auto" or a registered name. Workspace::device() returns the back end in
  /// use.
  [[nodiscard]] const std::string& chosenDevice() const noexcept { return chosen_device_; }
  void chooseDevice(const std::string& name);

 signals:
  /// Emitted after the requested grid changed. OpenScene::voxelsChanged() follows when the voxels are ready.
  void gridChanged();
  void packChanged();  ///< Emitted after the requested packing or packAutomatic() changed.
  void planChanged();  ///< Emitted after the plan or its precision changed.
  void precisionChoiceChanged();
  void deviceChoiceChanged();
  void sceneKernelChanged();

 private:
  friend class Workspace;
  /// Emits the signals of the values that differ from `former`.
  void announce(const GridAndPack& former);

  Contents now_;
  std::optional<Precision> chosen_precision_;
  std::string chosen_device_ = "auto";
};

}  // namespace spira::ui
