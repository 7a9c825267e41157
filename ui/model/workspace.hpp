// The open data: immutable snapshots of the engine's results, with change signals. Jobs store their results
// here, and views read them. This class contains no logic.
#pragma once

#include "engine/map/kernel_map.hpp"
#include "engine/report/report.hpp"
#include "engine/run/measurement.hpp"
#include "engine/run/voxel_scene.hpp"
#include "engine/voxel/grid.hpp"
#include "ui/model/open_document.hpp"
#include "ui/model/view_update_queue.hpp"

#include <QObject>
#include <QString>
#include <QStringList>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spira {
struct NetworkWeights;
}  // namespace spira

namespace spira::ui {

/// The kernel map of the selected layer or of the scene. Views draw densities and highlights from it.
struct ShownMap {
  /// `nullptr` for a recorded run, which stores only the densities. The map of a layer of a batch contains
  /// the rows of the shown frame; it is `nullptr` until this part of the result was set.
  std::shared_ptr<const KernelMap> map;
  /// The densities of a layer of a batch count all frames.
  std::shared_ptr<const Densities> densities;
  int stride_in = 1, stride_out = 1;
  int layer = -1;  ///< Layer of the map, or -1 for a map of the scene.
  QString title;   ///< For example "s1.d (stage1.down), 2x2x2, stride 1 to 2" or "scene, 3x3x3, stride 1".
  /// Title of the densities: for a layer of a batch, it ends with "all frames" instead of the frame.
  QString densities_title;
};

/// Result of a separate measurement that compares two settings of one layer.
struct ThresholdTrial {
  int layer = 0;
  LayerPlan baseline, setting;
  /// Stages of the map and the features, measured with each of the two settings in interleaved, isolated
  /// passes. Each pass gives one sample.
  StageTree baseline_stages, stages;
  /// Ratio of the feature times: time with the setting, divided by time with the baseline setting. Empty if
  /// there are too few samples.
  std::optional<MedianRatio> ratio;
};

/// This class has more than 25 public methods, because each value has its own getter, setter and signal.
class Workspace : public QObject {
  Q_OBJECT
 public:
  /// All requested settings and all available results. Views read them through the functions below.
  struct Contents {
    Grid grid;
    PackSpec pack;
    bool pack_automatic = true;
    Plan plan;
    int scene_kernel_size = 3;
    std::shared_ptr<const PointCloud> cloud;
    FileList frames;
    int frame = 0;
    bool frame_refused = false;
    std::shared_ptr<const VoxelScene> voxels;
    /// Maps of the scene by stride, all with the same kernel size. The map of a coarser stride is built when
    /// the user selects this stride.
    std::map<int, ShownMap> scene_maps;
    std::optional<SceneFacts> scene_facts;
    std::shared_ptr<const Report> report;
    std::shared_ptr<const Network> network;
    std::shared_ptr<const NetworkWeights> weights;
    std::vector<std::shared_ptr<const LayerResult>> layers;
    /// Parts of the results in `layers` that belong to the shown frame of a batch, by layer.
    std::map<int, std::shared_ptr<const LayerResult>> frame_layers;
    std::shared_ptr<const Measurement> measurement;
    std::shared_ptr<const Sweep> threshold_sweep, pack_sweep, dataflow_sweep;
    std::vector<ThresholdTrial> trials;
  };

  explicit Workspace(QObject* parent = nullptr);

  // These getters return the settings that the user requested. Jobs are created from them.
  [[nodiscard]] const Grid& grid() const noexcept { return now_.grid; }
  [[nodiscard]] const PackSpec& pack() const noexcept { return now_.pack; }
  /// Returns true if the program chooses the packing for the open scene. It chooses the first packing of
  /// packings_that_fit().
  [[nodiscard]] bool packAutomatic() const noexcept { return now_.pack_automatic; }
  [[nodiscard]] const Plan& plan() const noexcept { return now_.plan; }
  /// Returns the kernel size for the map of the scene, which is displayed if no layer is selected.
  [[nodiscard]] int sceneKernelSize() const noexcept { return now_.scene_kernel_size; }
  void setGrid(const Grid& grid);
  /// Sets a packing that is not automatic.
  void setPack(const PackSpec& pack);
  void setGridAndPack(const Grid& grid, const PackSpec& pack);  ///< Combines setGrid() and setPack().
  void setPackAutomatic(bool automatic);
  void setPlan(const Plan& plan);
  /// Returns the precision that the user or a session set. An empty value means automatic: fp16 on a GPU,
  /// because GPUs have special units for fp16, and fp32 on a CPU.
  [[nodiscard]] const std::optional<Precision>& chosenPrecision() const noexcept { return chosen_precision_; }
  void choosePrecision(std::optional<Precision> precision);
  void setSceneKernelSize(int kernel_size);
  /// Returns the requested back end: "auto" or a registered name. device() returns the back end in use.
  [[nodiscard]] const std::string& chosenDevice() const noexcept { return chosen_device_; }
  void chooseDevice(const std::string& name);

  // These getters return the available results. A result is `nullptr` or empty until it has been computed.
  // If the open scene is a batch, voxels() is the frame that the views show. Runs, measurements, cloud() and
  // sceneFacts() are of all frames: whole_scene() returns their voxels.
  [[nodiscard]] const std::shared_ptr<const PointCloud>& cloud() const noexcept { return now_.cloud; }
  [[nodiscard]] const FileList& frames() const noexcept { return now_.frames; }
  /// Returns the index of the open frame in the sequence. 0 for a batch; VoxelScene::frame is its frame.
  [[nodiscard]] int frame() const noexcept { return now_.frame; }
  /// Returns true if the frame with the index frame() could not be opened. In this case, cloud() belongs to
  /// another frame.
  [[nodiscard]] bool frameRefused() const noexcept { return now_.frame_refused; }
  [[nodiscard]] const std::shared_ptr<const VoxelScene>& voxels() const noexcept { return now_.voxels; }
  [[nodiscard]] const std::shared_ptr<const Network>& network() const noexcept { return now_.network; }
  /// Returns the weights that were read from a file. Returns `nullptr` if the weights are random.
  [[nodiscard]] const std::shared_ptr<const NetworkWeights>& weights() const noexcept { return now_.weights; }
  enum class Rows { all, shown };
  /// Returns the result of a layer, or `nullptr` if the layer was not run. With Rows::shown, returns the part
  /// of the result that belongs to the shown frame of a batch, or `nullptr` if this part was not set yet.
  [[nodiscard]] const std::shared_ptr<const LayerResult>& layer(int index, Rows rows = Rows::all) const;
  /// Returns true if the layer was run in this window or in the open report.
  [[nodiscard]] bool wasRun(int layer) const;
  [[nodiscard]] int layersRun() const;
  [[nodiscard]] const std::shared_ptr<const Measurement>& measurement() const noexcept {
    return now_.measurement;
  }
  [[nodiscard]] const std::shared_ptr<const Sweep>& thresholdSweep() const noexcept {
    return now_.threshold_sweep;
  }
  [[nodiscard]] const std::shared_ptr<const Sweep>& packSweep() const noexcept { return now_.pack_sweep; }
  [[nodiscard]] const std::shared_ptr<const Sweep>& dataflowSweep() const noexcept {
    return now_.dataflow_sweep;
  }
  /// Returns the newest trial that compares this setting of the layer with another setting. Returns `nullptr`
  /// if there is no such trial for the open scene.
  [[nodiscard]] const ThresholdTrial* trial(int layer, const LayerPlan& setting) const noexcept;
  [[nodiscard]] const DeviceFacts& device() const noexcept { return device_; }
  /// Returns the facts about the open scene or the open report. Returns an empty value if nothing is open.
  [[nodiscard]] const std::optional<SceneFacts>& sceneFacts() const noexcept { return now_.scene_facts; }
  /// Returns the open report, which then provides the network, plan, measurement, sweeps and densities.
  /// Returns `nullptr` if these come from this window.
  [[nodiscard]] const std::shared_ptr<const Report>& report() const noexcept { return now_.report; }
  /// Returns the baseline report that views show next to the open run. It is set when the user selects a row
  /// of the comparison. Returns `nullptr` if views show no baseline.
  [[nodiscard]] const std::shared_ptr<const Report>& comparedReport() const noexcept {
    return compared_report_;
  }
  void setComparedReport(std::shared_ptr<const Report> report);
  /// Returns the voxels of the baseline run. Returns `nullptr` if there is no baseline run or if its scene is
  /// unknown.
  [[nodiscard]] const std::shared_ptr<const VoxelScene>& otherVoxels() const noexcept {
    return other_voxels_;
  }
  void setOtherVoxels(std::shared_ptr<const VoxelScene> voxels);
  /// Returns the map of layer `layer` if the layer was run, otherwise the map of the scene at stride 1. If
  /// neither map exists, `densities` is `nullptr`.
  [[nodiscard]] ShownMap shownMap(int layer) const;
  /// Returns the map of the scene at this stride. If the map was not built, `densities` is `nullptr`.
  [[nodiscard]] ShownMap sceneMap(int stride) const;

  /// Opens a recorded run instead of a scene. Removes the cloud, the frames and the voxels. All other data
  /// comes from the report.
  void setReport(std::shared_ptr<const Report> report);
  /// Opens a scene and its cloud, or closes the scene if `voxels` is `nullptr`. Drops the layer results, the
  /// measurement, the sweeps and the report. Does not change the network and the plan.
  void setScene(std::shared_ptr<const VoxelScene> voxels);
  /// Sets the frames and the index of the open frame. Does not replace the shared list if `frames` contains
  /// the same files.
  /// `refused` is true if the frame could not be opened.
  void setFrames(const FileList& frames, int frame, bool refused = false);
  /// Replaces the voxels of the open cloud. Drops the layer results, the measurement and the sweeps, unless
  /// `voxels` is another frame of the open batch.
  void setVoxels(std::shared_ptr<const VoxelScene> voxels);
  /// Sets the kernel map of the scene at a stride, and its densities. Removes maps with a different kernel
  /// size. The densities must come from a job, because computing them takes too long for the GUI thread.
  void setSceneMap(std::shared_ptr<const KernelMap> map, std::shared_ptr<const Densities> densities,
                   int stride);
  /// Sets the network and its weights. If `weights` is `nullptr`, the weights are random. Drops the layer
  /// results, the measurement and the sweeps. Sets the default plan, unless only the weights change.
  void setNetwork(std::shared_ptr<const Network> network,
                  std::shared_ptr<const NetworkWeights> weights = nullptr);
  /// Sets the result of a layer, or the part of it that belongs to the shown frame of a batch
  /// (frame_result()).
  void setLayer(std::shared_ptr<const LayerResult> result);
  void clearLayers();
  void setMeasurement(std::shared_ptr<const Measurement> measurement);
  void setThresholdSweep(std::shared_ptr<const Sweep> sweep);
  void setPackSweep(std::shared_ptr<const Sweep> sweep);
  void setDataflowSweep(std::shared_ptr<const Sweep> sweep);
  void addTrial(ThresholdTrial trial);  ///< Replaces an earlier trial of the same setting.
  void setDevice(const DeviceFacts& device);
  /// Returns a snapshot for restore(). The call is cheap, because the snapshot shares the results instead of
  /// copying them.
  [[nodiscard]] std::shared_ptr<const Contents> keep() const;
  void restore(const Contents& kept);
  /// Returns the queue for view updates that can be deferred.
  [[nodiscard]] ViewUpdateQueue& viewUpdates() const noexcept { return *view_updates_; }
  void addLog(const QString& line);  ///< Adds a line to the Log panel. The panel adds the time in front.

 signals:
  void reportChanged();  ///< Emitted after a report was opened, or after a scene replaced the report.
  /// Emitted after the requested grid changed. voxelsChanged() follows when the voxels are ready.
  void gridChanged();
  void packChanged();  ///< Emitted after the requested packing or packAutomatic() changed.
  void planChanged();  ///< Emitted after the plan or its precision changed.
  void precisionChoiceChanged();
  void deviceChoiceChanged();
  void sceneKernelChanged();
  void cloudChanged();
  void framesChanged();
  void voxelsChanged();
  /// Emitted after a map of the scene changed, or the part of a layer for the shown frame of a batch.
  void sceneMapChanged();
  void networkChanged();
  void weightsChanged();  ///< Emitted after the weights changed, also together with the network.
  /// Emitted after layer `index` got a result. -1 means that all results were dropped.
  void layerChanged(int index);
  void measurementChanged();
  void sweepsChanged();
  void trialsChanged();
  void deviceChanged();
  void comparedReportChanged();
  void otherVoxelsChanged();
  void logAdded(const QString& line);

 private:
  /// Records which results were removed for a new scene or network. Their signals are emitted only after all
  /// old results are removed.
  struct Dropped {
    bool measurement = false, sweeps = false, trials = false;
  };
  Dropped dropRuns();
  void announce(const Dropped& dropped);
  void announceAll();
  [[nodiscard]] Contents gridAndPack() const;
  void announceGridAndPack(const Contents& former);
  [[nodiscard]] ShownMap recordedMap(int index) const;
  [[nodiscard]] QString mapTitle(int index, const Levels& levels, const LayerLevels& own) const;
  [[nodiscard]] Precision defaultPrecision() const;

  ViewUpdateQueue* view_updates_;
  Contents now_;
  std::optional<Precision> chosen_precision_;
  std::string chosen_device_ = "auto";
  std::shared_ptr<const Report> compared_report_;
  std::shared_ptr<const VoxelScene> other_voxels_;
  DeviceFacts device_;
  // Short layer names, and the network to which they belong. Views request titles often.
  mutable std::shared_ptr<const Network> named_network_;
  mutable QStringList short_names_;
};

/// Returns the unit of the open scene or report. Returns metres if nothing is open.
[[nodiscard]] inline LengthUnit unit_of(const Workspace& workspace) noexcept {
  return workspace.sceneFacts() ? workspace.sceneFacts()->unit : LengthUnit::metres;
}

}  // namespace spira::ui
