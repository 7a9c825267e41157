// Opens and voxelises scenes, sequences of frames, reports and networks. If a request is refused, offers
// remedies.
#pragma once

#include "ui/jobs/engine/engine_lane.hpp"
#include "ui/jobs/engine/frame_prefetch.hpp"
#include "ui/jobs/engine/scene_work.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>
#include <QStringList>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace spira::ui {

/// Options for scenes that will be opened.
struct OpeningOptions {
  // True if the user set the grid or the packing. New scenes then use this grid or packing. Otherwise, a
  // suitable grid or packing is chosen for each scene.
  bool keep_grid = false, keep_pack = false;
  std::int64_t every = 1;    ///< Read only every n-th point of files.
  RelationChoice relations;  ///< How triples are measured.
};

/// Describes the last refused request. The window derives suggested remedies from these facts.
struct Refusal {
  /// Reason why the scene does not fit the packing, and the changes that would make it fit. Empty if the
  /// request failed for another reason, or if a later request succeeded.
  std::optional<Misfit> misfit;
  /// True if `misfit` describes the open scene with a different voxel size or packing.
  bool of_open_scene = false;
  /// Smallest n for which every n-th point of the scene would fit into memory. 0 if no such n exists, or if
  /// the request failed for another reason.
  std::int64_t fitting_every = 0;
  /// True if the refused scene had been read. Its points then fit into memory, so larger voxels may help.
  bool after_reading = false;
  bool with_crop = false;  ///< True if the refused scene had been read and had a crop.
};

class SceneJobs : public QObject {
  Q_OBJECT
 public:
  SceneJobs(Tasks& tasks, EngineLane* lane, Workspace* workspace, Selection* selection,
            QObject* parent = nullptr);

  /// Opens a file, a folder of frames, a built-in scene by its name, or a report. A file is a report if its
  /// content shows it. `format` is an id of formats(). If it is empty, the format is detected. All frames of
  /// a sequence are read in the same format. `grid` is used unless the user set a grid.
  void open(const QString& scene, const QString& format = {}, const std::optional<Grid>& grid = {});
  enum class Together {
    frames,   ///< The frames of a sequence, or a network with its weights and its scene.
    network,  ///< Like `frames`, but files that contain no network are refused.
    batch     ///< The frames of one batch, which runs as a whole.
  };
  /// Opens several files, in the given order.
  void openSequence(const QStringList& files, const QString& format = QString(),
                    Together how = Together::frames);
  /// Appends files to the open sequence, or to the open scene. Shows the first added frame with the current
  /// grid and crop.
  void addFrames(const QStringList& files);
  /// Returns why frames cannot be added. Returns an empty string if they can be added.
  [[nodiscard]] QString whyNoFramesAdded() const;
  /// A scene to open again with stored settings. `files` is a built-in scene, one file, one folder, or the
  /// files of a sequence.
  struct Reopening {
    QStringList files;
    QString format;
    std::int64_t every = 1;  ///< Read only every n-th point of the files.
    int frame = 0;
    Grid grid;
    PackSpec pack;
    StoredFile weights = {};  ///< Weights for the open network.
    std::uint64_t scene_fingerprint = 0;
    bool batch = false;  ///< True if `files` were joined to one batch.
  };
  /// If `files` is empty, reads only the weights.
  void reopen(const Reopening& wanted);
  /// Shows a frame of the sequence or of the batch. If the frame cannot be read, it stays in the sequence and
  /// the open frame stays open.
  void showFrame(int frame);
  /// Returns the frame that is open or is being opened.
  [[nodiscard]] int wantedFrame() const;
  void voxelize();  ///< Voxelises again with the grid and packing of the Workspace.
  /// Voxelises the points inside `crop`, or all points if `crop` is empty.
  void crop(const std::optional<Bounds>& crop);
  /// Voxelises the open scene with this packing, or with the automatic packing if `pack` is empty.
  void usePack(const std::optional<PackSpec>& pack);
  /// Replaces the open scene by a scene that the program created. Uses all of its points, and the voxel size
  /// and packing of the Workspace. Does not emit opened().
  void useCloud(const std::shared_ptr<const PointCloud>& cloud);
  /// Builds the kernel maps of stride 1 and of the selected stride for the current kernel size.
  void rebuildSceneMap();

  // Remedies after a refusal. Each function repeats the refused request with one change.
  void againWith(const PackSpec& pack);
  void againWithLargerVoxels(double factor);
  void againWithVoxels(const std::array<double, 3>& voxel_m);
  void againWithoutCrop();
  void againWithFittingCrop();
  /// Reads the scene again, but only every n-th point (n = `every`). 1 reads all points.
  void againWithEvery(std::int64_t every);
  [[nodiscard]] Refusal refusal() const;
  /// Sets the reason why the open scene does not fit the chosen network. An empty value means that it fits.
  void setNetworkMisfit(const std::optional<Misfit>& misfit);

  /// Returns how the files of the open scene were read, for example their format and step. The format is
  /// empty if it was detected.
  [[nodiscard]] const OpenRequest& source() const noexcept { return sequence_; }
  [[nodiscard]] const FramePrefetch& prefetch() const noexcept { return prefetch_; }
  [[nodiscard]] OpeningOptions& options() noexcept { return options_; }
  /// Limits the memory of one scene to `bytes`, even if more is free. 0 disables the limit.
  void limitMemory(std::uint64_t bytes);
  [[nodiscard]] std::optional<std::uint64_t> memoryLimit() const noexcept { return prefetch_.memoryLimit(); }

 signals:
  /// Emitted after a scene or a report was opened. If the scene is a sequence of a folder, `reopen` is this
  /// folder. Otherwise, `reopen` is equal to `scene`.
  void opened(const QString& scene, const QString& reopen);
  /// Emitted after a network or its weights were opened. If a scene was opened together with them, it is
  /// already open.
  void networkOpened(const spira::ui::OpenedNetwork& opened);
  void misfitChanged();
  /// Emitted with one line for each file of a session that is missing or has changed.
  void storedFilesDiffer(const QStringList& faults);
  /// Emitted with files that are not opened as frames. `why` has one line for each file.
  void leftOut(const QStringList& files, const QStringList& why);
  /// Emitted once if a GPU or its driver cannot be used. `why` is the reason why the CPU is used instead.
  void gpuRefused(const QString& why);

 private:
  struct Setting {
    Grid grid;
    std::optional<PackSpec> pack;  // Empty if the packing is automatic.
    bool automatic = false;        // True if the program chose the packing.
  };
  [[nodiscard]] Setting requested() const;
  [[nodiscard]] std::optional<PackSpec> keptPack() const;
  [[nodiscard]] bool kernelNeedsOtherPack() const;
  [[nodiscard]] OpenRequest requestFor(const QString& scene, const QString& format) const;
  [[nodiscard]] FileList openFrames() const;
  void load(const OpenRequest& asked);
  /// Applies `change` to the grid and packing of the refused request, then repeats the request. If no request
  /// to open a scene was refused, voxelises the open scene again. `change` gets an empty grid and packing if
  /// the scene has not been read yet and the user did not set them.
  void again(const std::function<void(std::optional<Grid>&, std::optional<PackSpec>&)>& change);
  void showFrameOfBatch(int frame);
  void startVoxelizing(const std::shared_ptr<const PointCloud>& cloud, const Setting& setting,
                       bool new_cloud);
  void followDevice();
  void followStride();
  void followNetwork();
  void refuse(const Error& error);
  /// Returns the scan from which the cloud of the open scene was made for a network that voxelises scans
  /// itself. For other scenes, returns the open cloud.
  [[nodiscard]] std::shared_ptr<const PointCloud> scan() const;
  void keepWhatIsOpen();
  void rememberScan(const std::shared_ptr<const PointCloud>& scan, const VoxelScene& voxels);
  void setMisfit(const std::optional<Misfit>& misfit);

  void deliver(const SceneEvent& event);
  void take(const FramesListed& event);
  void take(const FewerFit& event);
  void take(const SceneRead& event);
  void take(const std::optional<Misfit>& event);
  void take(const SceneOpened& event);
  void take(const Voxelized& event);
  void take(const SceneMap& event);
  void take(const ReportOpened& event);
  void take(const OpenedNetwork& event);

  EngineLane* lane_;
  Workspace* workspace_;
  Selection* selection_;
  // The request that is being processed or was refused. Empty after its scene was opened.
  std::optional<OpenRequest> opening_;
  // Settings that all frames of the open sequence share. `pack` is empty if the packing is automatic.
  OpenRequest sequence_;
  // Settings with which the open scene is being voxelised, or with which it was refused.
  std::optional<Setting> tried_;
  struct {
    std::optional<Misfit> shown, of_network;
  } misfits_;
  std::int64_t fitting_every_ = 0;
  OpeningOptions options_;
  FramePrefetch prefetch_;
  struct {
    // The network whose levels were included in the last voxelisation of a scene.
    std::shared_ptr<const Network> network;
    // The scans of clouds that were made for a network. A lesson can show an older cloud again.
    std::map<std::weak_ptr<const PointCloud>, std::shared_ptr<const PointCloud>, std::owner_less<>> scans;
    KernelShape map_kernel;     // The kernel of the map that the last job of the scene builds.
    bool stride_waits = false;  // True if the map of the selected stride must be built after the running job.
  } followed_;
  struct {
    TaskSlot task;  // Takes the frame out of the batch.
    int frame = 0;
  } of_batch_;
};

}  // namespace spira::ui
