// What is open: immutable snapshots of the engine's results, and signals. No logic; jobs put results in,
// views read.
#pragma once

#include "engine/map/densities.hpp"
#include "engine/report/report.hpp"
#include "ui/model/file_list.hpp"
#include "ui/model/follow_ups.hpp"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spira::ui {

/// The kernel map that densities and highlights are drawn from: of the chosen layer, or of the scene alone.
struct ShownMap {
  std::shared_ptr<const KernelMap> map;  ///< null of a recorded run, which has the densities only
  std::shared_ptr<const Densities> densities;
  int stride_in = 1, stride_out = 1;
  QString title;  ///< "stage1.down 2x2x2, stride 1 to 2" or "scene, 3x3x3, stride 1"
};

/// A layer with a t that is not the one of the run, measured beside it.
struct ThresholdTrial {
  int layer = 0;
  LayerPlan setting;
  StageTree stages;  ///< of its map and features in isolated passes, a sample a pass
};

class Workspace : public QObject {
  Q_OBJECT
 public:
  /// What was asked for and all results that there are; views read it by the functions below.
  struct Contents {
    Grid grid;
    PackSpec pack;
    Plan plan;
    int scene_kernel_size = 3;
    std::shared_ptr<const PointCloud> cloud;
    FileList frames;
    int frame = 0;
    bool frame_refused = false;
    std::shared_ptr<const VoxelScene> voxels;
    ShownMap scene_map;
    std::optional<SceneFacts> scene_facts;
    std::shared_ptr<const Report> report;
    std::shared_ptr<const Network> network;
    std::vector<std::shared_ptr<const LayerResult>> layers;
    std::shared_ptr<const Measurement> measurement;
    std::shared_ptr<const Sweep> threshold_sweep, pack_sweep;
    std::vector<ThresholdTrial> trials;
  };

  explicit Workspace(QObject* parent = nullptr);

  // What the user asked for: jobs are made from these.
  [[nodiscard]] const Grid& grid() const noexcept { return now_.grid; }
  [[nodiscard]] const PackSpec& pack() const noexcept { return now_.pack; }
  [[nodiscard]] const Plan& plan() const noexcept { return now_.plan; }
  [[nodiscard]] int sceneKernelSize() const noexcept {
    return now_.scene_kernel_size;
  }  ///< of the map shown without a layer
  void setGrid(const Grid& grid);
  void setPack(const PackSpec& pack);
  void setGridAndPack(const Grid& grid, const PackSpec& pack);
  void setPlan(const Plan& plan);
  /// That the user or a session chose; empty: fp16 on a GPU, whose units are made for it, fp32 on a CPU.
  [[nodiscard]] const std::optional<Precision>& chosenPrecision() const noexcept { return chosen_precision_; }
  void choosePrecision(std::optional<Precision> precision);
  void setSceneKernelSize(int kernel_size);
  /// The back end that shall compute: "auto", or one of the registry. That in force is device().
  [[nodiscard]] const std::string& chosenDevice() const noexcept { return chosen_device_; }
  void chooseDevice(const std::string& name);

  // What there is. Null or empty: not yet.
  [[nodiscard]] const std::shared_ptr<const PointCloud>& cloud() const noexcept { return now_.cloud; }
  [[nodiscard]] const FileList& frames() const noexcept { return now_.frames; }
  [[nodiscard]] int frame() const noexcept { return now_.frame; }  ///< the place in the sequence
  /// The frame at that place could not be shown; the cloud is that of another one.
  [[nodiscard]] bool frameRefused() const noexcept { return now_.frame_refused; }
  [[nodiscard]] const std::shared_ptr<const VoxelScene>& voxels() const noexcept { return now_.voxels; }
  [[nodiscard]] const std::shared_ptr<const Network>& network() const noexcept { return now_.network; }
  [[nodiscard]] const std::shared_ptr<const LayerResult>& layer(
      int index) const;                        ///< null pointer where not run
  [[nodiscard]] bool wasRun(int layer) const;  ///< here, or where the open report comes from
  [[nodiscard]] int layersRun() const;
  [[nodiscard]] const std::shared_ptr<const Measurement>& measurement() const noexcept {
    return now_.measurement;
  }
  [[nodiscard]] const std::shared_ptr<const Sweep>& thresholdSweep() const noexcept {
    return now_.threshold_sweep;
  }
  [[nodiscard]] const std::shared_ptr<const Sweep>& packSweep() const noexcept { return now_.pack_sweep; }
  /// Of a layer with this setting; null: it was not tried on the open scene.
  [[nodiscard]] const ThresholdTrial* trial(int layer, const LayerPlan& setting) const noexcept;
  [[nodiscard]] const DeviceFacts& device() const noexcept { return device_; }  ///< of this machine
  /// Of the voxels, or of the open report; empty where there is neither.
  [[nodiscard]] const std::optional<SceneFacts>& sceneFacts() const noexcept { return now_.scene_facts; }
  /// The report that network, plan, measurement, sweeps and densities come from; null: they are of this
  /// machine.
  [[nodiscard]] const std::shared_ptr<const Report>& report() const noexcept { return now_.report; }
  /// A run that views show beside the open one: that a chosen verdict is about. Null: none.
  [[nodiscard]] const std::shared_ptr<const Report>& beside() const noexcept { return beside_; }
  void setBeside(std::shared_ptr<const Report> report);
  /// Of the run that the open one is compared with; null: none, or a report without its scene.
  [[nodiscard]] const std::shared_ptr<const VoxelScene>& otherVoxels() const noexcept {
    return other_voxels_;
  }
  void setOtherVoxels(std::shared_ptr<const VoxelScene> voxels);
  /// Of layer `layer` if it was run, else of the scene alone; densities are null where there is neither.
  [[nodiscard]] ShownMap shownMap(int layer) const;

  /// A recorded run instead of a scene: cloud, frames and voxels go, all else is what the report holds.
  void setReport(std::shared_ptr<const Report> report);
  /// A new scene with its cloud; null: none is open. Layer results, measurement and sweeps of the one before
  /// go, and the report; network and plan stay.
  void setScene(std::shared_ptr<const VoxelScene> voxels);
  /// Keeps the shared list if `frames` names the same files.
  void setFrames(const FileList& frames, int frame);
  void refuseFrame(int frame);
  /// Of the open cloud, anew; drops layer results, measurement, sweeps.
  void setVoxels(std::shared_ptr<const VoxelScene> voxels);
  /// Both are made by the job: densities of a large map take longer than a frame.
  void setSceneMap(std::shared_ptr<const KernelMap> map, std::shared_ptr<const Densities> densities,
                   int stride);
  void setNetwork(
      std::shared_ptr<const Network> network);  ///< drops layer results, measurement, sweeps; default plan
  void setLayer(std::shared_ptr<const LayerResult> result);
  void clearLayers();
  void setMeasurement(std::shared_ptr<const Measurement> measurement);
  void setThresholdSweep(std::shared_ptr<const Sweep> sweep);
  void setPackSweep(std::shared_ptr<const Sweep> sweep);
  void addTrial(ThresholdTrial trial);  ///< replaces one of the same setting
  void setDevice(const DeviceFacts& device);
  /// To come back to; cheap, results are shared.
  [[nodiscard]] std::shared_ptr<const Contents> keep() const;
  void restore(const Contents& kept);
  /// Where views put what they need not do at once.
  [[nodiscard]] FollowUps& followUps() const noexcept { return *follow_ups_; }
  void addLog(const QString& line);  ///< for the Log panel; a time stamp is put before it there

 signals:
  void reportChanged();   ///< one was opened, or left for a scene
  void requestChanged();  ///< grid, pack, plan or kernel size
  void cloudChanged();
  void framesChanged();
  void voxelsChanged();
  void sceneMapChanged();
  void networkChanged();
  void layerChanged(int index);  ///< a result came; -1: all were dropped
  void measurementChanged();
  void sweepsChanged();
  void trialsChanged();
  void deviceChanged();
  void besideChanged();
  void otherVoxelsChanged();
  void logAdded(const QString& line);

 private:
  /// What a new scene or network made void, in two steps: no view is told of anything while something old is
  /// still there.
  struct Dropped {
    bool measurement = false, sweeps = false, trials = false;
  };
  Dropped dropRuns();
  void announce(const Dropped& dropped);
  void announceAll();
  [[nodiscard]] ShownMap recordedMap(int index) const;
  [[nodiscard]] Precision defaultPrecision() const;

  FollowUps* follow_ups_;
  Contents now_;
  std::optional<Precision> chosen_precision_;
  std::string chosen_device_ = "auto";
  std::shared_ptr<const Report> beside_;
  std::shared_ptr<const VoxelScene> other_voxels_;
  DeviceFacts device_;
};

}  // namespace spira::ui
