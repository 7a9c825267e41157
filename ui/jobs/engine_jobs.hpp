// Runs the work of the engine for the window as jobs: open, voxelise, run, step, measure, sweep, tune. Jobs
// receive values and put immutable snapshots into the Workspace. The back end and the session live on the
// worker thread.
#pragma once

#include "engine/backend/registry.hpp"
#include "engine/run/voxel_scene.hpp"
#include "engine/tune/tuning_profile.hpp"
#include "engine/voxel/fit_meter.hpp"
#include "ui/jobs/job_runner.hpp"
#include "ui/model/selection.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>
#include <QStringList>

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace spira {
struct LessonRun;
}  // namespace spira

namespace spira::ui {

class FramePrefetch;

/// A request to tune the open network on the open scene, on other scenes, or on both.
struct TuneWish {
  struct Scene {
    /// A file that is read and voxelised like the open scene. Empty for the open scene itself.
    QString file;
    double weight = 1;
  };
  std::vector<Scene> scenes;
  double budget_ms = 30'000;
  std::vector<int> thresholds;  ///< If empty, all values that a layer can run are measured.
  std::vector<MapAlgorithm> algorithms{MapAlgorithm::z_delta};
  std::vector<PackSpec> packings;              ///< If empty, each scene uses its own packing.
  std::shared_ptr<const TuningProfile> known;  ///< Profile to extend. If `nullptr`, a new profile is made.
};

/// Measured times of the map searches, for one kernel size and one level of a scene.
struct SearchTiming {
  std::shared_ptr<const VoxelScene> scene;
  int kernel_size = 0, stride = 0;
  /// Holds only the search times and the device on which the searches ran.
  std::shared_ptr<const LessonRun> run;
};

class EngineJobs : public QObject {
  Q_OBJECT
 public:
  enum class Doing { scene, scene_map, running, measuring, sweeping, tuning, trial };

  EngineJobs(std::shared_ptr<const Registry> registry, Workspace* workspace, Selection* selection,
             QObject* parent = nullptr);
  ~EngineJobs() override;
  EngineJobs(const EngineJobs&) = delete;
  EngineJobs& operator=(const EngineJobs&) = delete;

  /// Opens a file, a folder of frames, a built-in scene by its name, or a report. The content decides whether
  /// a file is a report. `format` is an id of formats(); if it is empty, the format is guessed. All frames of
  /// a sequence are read in this format. `grid` is used unless the user named a grid.
  void open(const QString& scene, const QString& format = {}, const std::optional<Grid>& grid = {});
  /// Opens several files as the frames of a sequence, in the given order.
  void openSequence(const QStringList& files, const QString& format = {});
  /// Appends files to the open sequence, or to the open scene. Shows the first added frame with the current
  /// grid and crop.
  void addFrames(const QStringList& files);
  [[nodiscard]] QString whyNoFramesAdded() const;  ///< Returns why frames cannot be added; empty if they can.
  /// A scene to open again with stored settings. `files` holds a built-in scene, one file, one folder, or the
  /// files of a sequence.
  struct Reopening {
    QStringList files;
    QString format;
    std::int64_t every = 1;  ///< Read only every n-th point of the files.
    int frame = 0;
    Grid grid;
    PackSpec pack;
  };
  void reopen(const Reopening& wanted);
  /// Shows a frame. If the frame cannot be read, it stays in the sequence and the open frame stays open.
  void showFrame(int frame);
  void voxelize();  ///< Voxelises again with the grid and packing of the Workspace.
  /// Voxelises the points inside `crop`; all points if `crop` is empty.
  void crop(const std::optional<Bounds>& crop);
  void usePack(const PackSpec& pack);  ///< Voxelises the open scene with this packing.
  /// Replaces the open scene by a scene that the program made. Uses all of its points, with the voxel size
  /// and packing of the Workspace. Does not emit opened().
  void useCloud(const std::shared_ptr<const PointCloud>& cloud);
  /// Builds the kernel map again after the kernel size changed.
  void rebuildSceneMap();
  /// Chooses a network by id or from a file. failed() reports errors.
  void chooseNetwork(const QString& name_or_file);
  void useNetwork(const std::shared_ptr<const Network>& network);
  void run();  ///< Runs all layers and delivers each result as soon as it is done.
  void runLayer(int layer);
  void measure();
  void sweepThresholds();  ///< Sweeps the chosen layer, or the network if no layer is chosen.
  void sweepPackings(const std::vector<PackSpec>& packs);
  /// Times a layer with this t in a few passes and stores the result in the trials of the Workspace. Any
  /// other job may replace this one.
  void tryThreshold(int layer, int threshold);
  /// Times the four map searches with interleaved samples and emits searchesTimed(). Any other job may
  /// replace this one.
  void timeSearches(int kernel_size, int stride);
  [[nodiscard]] bool trying() const { return runner_->busy() && doing_ == Doing::trial; }
  void tune(const TuneWish& wish);
  [[nodiscard]] bool tuning() const;
  void cancel() { runner_->cancel(); }
  /// Stops the running job. Tuning keeps its results at the first call and is cancelled at the second. All
  /// other jobs are cancelled.
  void stop();

  // Remedies after a refusal: each repeats the refused request with one change.
  void againWith(const PackSpec& pack);
  void againWithLargerVoxels(double factor);
  void againWithVoxels(const std::array<double, 3>& voxel_m);
  void againWithoutCrop();
  /// Returns why the refused request does not fit its packing, and what would fit. Empty if there was another
  /// error, or if a later request succeeded.
  [[nodiscard]] const std::optional<Misfit>& misfit() const noexcept { return misfit_; }
  /// Returns true if misfit() belongs to the open scene, with another voxel size or another packing.
  [[nodiscard]] bool misfitIsOfOpenScene() const { return misfit_ && !opening_; }
  /// Sets why the open scene does not fit the chosen network. Empty if it fits.
  void setNetworkMisfit(const std::optional<Misfit>& misfit);
  void againWithFittingCrop();
  /// Returns the smallest n for which every n-th point of the file would have fitted into memory. Returns 0
  /// if there is none or if there was another error.
  [[nodiscard]] std::int64_t fittingEvery() const noexcept { return fitting_every_; }
  /// Returns true if the refused scene had been read. Then fewer voxels may fit, because the points did.
  [[nodiscard]] bool refusedAfterReading() const { return !opening_ || opening_->read; }
  /// Reads the scene again with every n-th point; 1 reads all points.
  void againWithEvery(std::int64_t every);
  /// Returns true if the refused scene had been read and had a crop.
  [[nodiscard]] bool refusedWithCrop() const;

  /// Returns true if a run may start: no job runs, or only a trial of a t or the job for the kernel map of
  /// the scene. The run then builds that map.
  [[nodiscard]] bool readyToRun() const {
    return !runner_->busy() || doing_ == Doing::scene_map || doing_ == Doing::trial;
  }
  /// Returns true while a GPU is being timed. Views that draw with this GPU must pause, or their work would
  /// be timed too.
  [[nodiscard]] bool viewsWait() const noexcept { return views_wait_; }
  /// Returns true if a job runs that the user started. The kernel map of the scene and trials do not count.
  [[nodiscard]] bool askedFor() const { return runner_->busy() && !readyToRun(); }
  /// Returns the frame that is open or is being opened.
  [[nodiscard]] int wantedFrame() const;
  /// Returns the format that the user named for the open scene; empty if it was guessed.
  [[nodiscard]] const QString& format() const noexcept { return sequence_.format; }
  /// Returns n if only every n-th point of the files was read, or 1 if all points were read.
  [[nodiscard]] std::int64_t every() const noexcept { return sequence_.every; }
  /// Returns true while a scene is being read or voxelised. The former scene is still open then.
  [[nodiscard]] bool opening() const { return runner_->busy() && doing_ == Doing::scene; }
  [[nodiscard]] const FramePrefetch& prefetch() const noexcept { return *prefetch_; }

  /// Returns the kind of the running job; empty if no job runs.
  [[nodiscard]] std::optional<Doing> doing() const {
    return runner_->busy() ? std::optional(doing_) : std::nullopt;
  }
  [[nodiscard]] JobRunner* runner() const noexcept { return runner_; }
  /// If `keep` is true, uses the grid or packing that the user named, and chooses no other for the scene.
  /// Must be called before the first scene is opened.
  void keepGrid(bool keep) { keep_grid_ = keep; }
  void keepPack(bool keep) { keep_pack_ = keep; }
  /// Reads only every n-th point of files that are opened from now on.
  void setEvery(std::int64_t every) { every_ = every; }
  [[nodiscard]] bool readsPart() const noexcept { return every_ > 1; }
  /// Limits the memory of one scene to `bytes`, even if more is free. 0 disables the limit.
  void limitMemory(std::uint64_t bytes);
  /// Sets how runs and sweeps take samples from now on. Trials of a t and tuning have their own time limits.
  void setProtocol(const SamplingProtocol& protocol) { protocol_ = protocol; }
  [[nodiscard]] const SamplingProtocol& protocol() const noexcept { return protocol_; }
  [[nodiscard]] static SamplingProtocol usualProtocol();
  [[nodiscard]] const std::shared_ptr<const Registry>& registry() const noexcept { return registry_; }

 signals:
  /// Emitted after a scene or a report was opened. `reopen` is the folder of a sequence, else equal to
  /// `scene`.
  void opened(const QString& scene, const QString& reopen);
  void failed(const spira::Error& error);
  void misfitChanged();
  /// Emitted if some files that the user chose as frames are not scenes. `why` has one line for each file.
  void leftOut(const QStringList& files, const QStringList& why);
  /// Emitted once if there is a GPU or a driver that cannot be used. `why` is the reason why the CPU is used
  /// instead.
  void gpuRefused(const QString& why);
  /// Emitted after a measurement. The report also holds the scene, so that it can be compared and stored.
  void measured(const std::shared_ptr<const spira::Report>& report);
  void tuned(const std::shared_ptr<const spira::TuningProfile>& profile);
  void searchesTimed(const spira::ui::SearchTiming& timing);
  void viewsWaitChanged(bool wait);

 private:
  struct Host;
  struct SceneRequest;

  /// A scene to open. If the grid or the packing is empty, a suitable one is chosen.
  struct OpenRequest {
    QString scene, format;  // `scene` is a folder until its frames are listed.
    // Name that the user opens to return to this scene: the folder of a sequence, else the scene.
    QString reopen;
    FileList frames;  // Frames of the sequence; empty for a single scene.
    std::int64_t every = 1;
    int frame = 0;
    std::optional<Grid> grid;
    std::optional<PackSpec> pack;
    // Files that the user chose, to append to the frames. Files that are not scenes are left out.
    FileList picked;
    bool read = false;                        // The scene was read; a later step failed.
    std::shared_ptr<const PointCloud> ahead;  // Cloud that was prefetched; `nullptr` if it must be read now.
  };
  [[nodiscard]] static FileList pathsOf(const QStringList& files);
  static void toFrame(OpenRequest& wanted);
  [[nodiscard]] OpenRequest withFrames(OpenRequest wanted, Job& job, const JobRunner::Post& post);
  [[nodiscard]] FileList openFrames() const;
  void load(const OpenRequest& asked);
  template <class Read> auto offerFewer(const JobRunner::Post& post, const Read& read);
  /// Repeats the refused opening, else voxelises the open scene again. If the scene was not read yet, the
  /// grid and packing are empty unless the user named them.
  void again(const std::function<void(std::optional<Grid>&, std::optional<PackSpec>&)>& change);
  void openDocument(const OpenRequest& wanted, Job& job, const JobRunner::Post& post);
  void deliverNetwork(const std::shared_ptr<const Network>& network, const std::string& file);
  void deliverReport(const OpenRequest& wanted, const std::shared_ptr<const Report>& report);
  void deliverScene(const OpenRequest& wanted, const std::shared_ptr<const VoxelScene>& voxels,
                    const DeviceFacts& facts);
  [[nodiscard]] SceneRequest request() const;
  [[nodiscard]] static int largestKernel(const SceneRequest& now);
  void start(const QString& title, JobRunner::Work work);
  void setViewsWait(bool wait);
  template <class Use> void withSession(const QString& title, Use use, Doing doing);
  void refuse(const Error& error);
  void followDevice();
  void reportDevice(const DeviceFacts& facts);
  void keepWhatIsOpen();
  std::shared_ptr<const VoxelScene> voxelizeOrSayMisfit(Backend& backend,
                                                        const std::shared_ptr<const PointCloud>& cloud,
                                                        const Grid& grid, PackSpec pack, int kernel, Job& job,
                                                        const JobRunner::Post& post);
  void setMisfit(const std::optional<Misfit>& misfit);
  void buildSceneMap(Backend& backend, const VoxelScene& voxels, int kernel_size, Job& job,
                     const JobRunner::Post& post);

  std::shared_ptr<const Registry> registry_;
  std::shared_ptr<Host> host_;  // Accessed on the worker only.
  Workspace* workspace_;
  Selection* selection_;
  JobRunner* runner_;
  FramePrefetch* prefetch_;
  // The scene that is being loaded or was refused; empty after it was opened.
  std::optional<OpenRequest> opening_;
  OpenRequest sequence_;  // Settings that all frames of the open sequence share.
  struct Setting {
    Grid grid;
    PackSpec pack;
  };
  std::optional<Setting> tried_;  // Settings with which the open scene is being voxelised or was refused.
  std::optional<Misfit> misfit_, network_misfit_;
  std::int64_t fitting_every_ = 0;
  std::int64_t every_ = 1;
  std::optional<std::uint64_t> memory_limit_;
  Doing doing_ = Doing::scene;
  std::string device_ = "auto";  // Device that the next job uses.
  SamplingProtocol protocol_ = usualProtocol();
  std::weak_ptr<std::stop_source> keep_best_;  // Stops the tuning job but keeps its results.
  bool keep_grid_ = false, keep_pack_ = false, views_wait_ = false;
};

}  // namespace spira::ui
