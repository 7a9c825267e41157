// What the window asks of the engine, as jobs: open, voxelise, run, step, measure, sweep. Values go in,
// snapshots come out into the Workspace. The back end and the session live on the worker thread.
#pragma once

#include "engine/backend/registry.hpp"
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

/// What is to be tuned: the open network on the open scene, on others, or on both.
struct TuneWish {
  struct Scene {
    QString file;  ///< read and voxelised as the open scene is; empty: the open one itself
    double weight = 1;
  };
  std::vector<Scene> scenes;
  double budget_ms = 30'000;
  std::vector<int> thresholds;  ///< empty: every one that a layer can run
  std::vector<MapAlgorithm> algorithms{MapAlgorithm::z_delta};
  std::vector<PackSpec> packings;              ///< empty: each scene's own
  std::shared_ptr<const TuningProfile> known;  ///< to be added to; null: begin anew
};

/// The searches of a map of this size on one level of a scene, timed.
struct SearchTiming {
  std::shared_ptr<const VoxelScene> scene;
  int kernel_size = 0, stride = 0;
  std::shared_ptr<const LessonRun> run;  ///< with nothing but the searches, and where they ran
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

  /// A file, a folder of frames or a built-in scene by its name; or a report, by its content. `format`: id of
  /// formats(), empty: guess; the frames of a sequence are all read as it.
  /// `grid`: taken where the user named none.
  void open(const QString& scene, const QString& format = {}, const std::optional<Grid>& grid = {});
  /// Several files are the frames of a sequence, in this order.
  void openSequence(const QStringList& files, const QString& format = {});
  /// After the frames of the open sequence, or after the open scene; the first of them is shown, with the
  /// grid and the crop of what is open.
  void addFrames(const QStringList& files);
  [[nodiscard]] QString whyNoFramesAdded() const;  ///< empty: they can be
  /// As it was before: a built-in scene, a file, a folder or the files of a sequence, with all that else
  /// would be chosen for it.
  struct Reopening {
    QStringList files;
    QString format;
    std::int64_t every = 1;  ///< only every n-th point of the files
    int frame = 0;
    Grid grid;
    PackSpec pack;
  };
  void reopen(const Reopening& wanted);
  void showFrame(int frame);  ///< one that cannot be read keeps its place, what is open stays
  void voxelize();            ///< again, with the grid and packing of the Workspace
  void crop(const std::optional<Bounds>& crop);  ///< voxelises the points inside; empty: all points
  void usePack(const PackSpec& pack);            ///< voxelises the open scene with it
  /// A scene that the program made, in the place of the open one: all of its points, with the voxel size and
  /// the packing of the Workspace. Nobody is told that it was opened.
  void useCloud(const std::shared_ptr<const PointCloud>& cloud);
  void rebuildSceneMap();                           ///< another kernel size
  void chooseNetwork(const QString& name_or_file);  ///< by id or from a file; failed() says what is wrong
  void useNetwork(const std::shared_ptr<const Network>& network);
  void run();  ///< all layers, each delivered as it is done
  void runLayer(int layer);
  void measure();
  void sweepThresholds();  ///< of the chosen layer, or of the network
  void sweepPackings(const std::vector<PackSpec>& packs);
  /// Few passes of a layer with this t, into the trials of the Workspace; anything else may take its place.
  void tryThreshold(int layer, int threshold);
  /// The four searches of a map in turns, for searchesTimed(); anything else may take its place.
  void timeSearches(int kernel_size, int stride);
  [[nodiscard]] bool trying() const { return runner_->busy() && doing_ == Doing::trial; }
  void tune(const TuneWish& wish);
  [[nodiscard]] bool tuning() const;
  void cancel() { runner_->cancel(); }
  void stop();  ///< tuning ends and keeps what it has; all else, and tuning at the second time, is cancelled

  // The ways out when something was refused: the same once more, with one thing changed.
  void againWith(const PackSpec& pack);
  void againWithLargerVoxels(double factor);
  void againWithVoxels(const std::array<double, 3>& voxel_m);
  void againWithoutCrop();
  /// Why what was refused last does not fit its packing, and what would; empty: something else was wrong, or
  /// nothing since.
  [[nodiscard]] const std::optional<Misfit>& misfit() const noexcept { return misfit_; }
  /// It is of the open scene: of other voxels of it, or of another packing.
  [[nodiscard]] bool misfitIsOfOpenScene() const { return misfit_ && !opening_; }
  /// The open scene fits, the chosen network does not; empty: it does.
  void setNetworkMisfit(const std::optional<Misfit>& misfit);
  void againWithFittingCrop();
  /// Every n-th point of the file, which would have fitted into the memory there is; 0: none would, or
  /// something else was wrong.
  [[nodiscard]] std::int64_t fittingEvery() const noexcept { return fitting_every_; }
  /// What was refused last had been read: fewer voxels may fit where the points did.
  [[nodiscard]] bool refusedAfterReading() const { return !opening_ || opening_->read; }
  void againWithEvery(std::int64_t every);  ///< 1: all points
  /// What was refused last had been read, and had a crop.
  [[nodiscard]] bool refusedWithCrop() const;

  /// A run may start: nothing is running, or only the kernel map of the scene, which the run then builds, or
  /// a trial of a t.
  [[nodiscard]] bool readyToRun() const {
    return !runner_->busy() || doing_ == Doing::scene_map || doing_ == Doing::trial;
  }
  /// Samples are being taken on a GPU: views that draw with it hold still, or they would be measured too.
  [[nodiscard]] bool viewsWait() const noexcept { return views_wait_; }
  /// Something runs that somebody asked for: no kernel map of the scene, and no trial.
  [[nodiscard]] bool askedFor() const { return runner_->busy() && !readyToRun(); }
  /// The frame that is open, or is being opened.
  [[nodiscard]] int wantedFrame() const;
  /// What the open scene was named as; empty: guessed.
  [[nodiscard]] const QString& format() const noexcept { return sequence_.format; }
  /// Only every n-th point of its files was read.
  [[nodiscard]] std::int64_t every() const noexcept { return sequence_.every; }
  /// A scene is being read or voxelised; what is open is still the one before.
  [[nodiscard]] bool opening() const { return runner_->busy() && doing_ == Doing::scene; }
  [[nodiscard]] const FramePrefetch& prefetch() const noexcept { return *prefetch_; }

  /// What runs; empty: nothing does.
  [[nodiscard]] std::optional<Doing> doing() const {
    return runner_->busy() ? std::optional(doing_) : std::nullopt;
  }
  [[nodiscard]] JobRunner* runner() const noexcept { return runner_; }
  /// Set before the first open: the user named a grid or packing, so none is chosen for the scene.
  void keepGrid(bool keep) { keep_grid_ = keep; }
  void keepPack(bool keep) { keep_pack_ = keep; }
  /// Of files that are opened from now on, only every n-th point.
  void setEvery(std::int64_t every) { every_ = every; }
  [[nodiscard]] bool readsPart() const noexcept { return every_ > 1; }
  /// Scenes may take no more than that, whatever the system has left; 0: no such limit.
  void limitMemory(std::uint64_t bytes);
  /// How samples are taken from now on, by runs and sweeps; trials of a t and tuning have a time of their
  /// own.
  void setProtocol(const SamplingProtocol& protocol) { protocol_ = protocol; }
  [[nodiscard]] const SamplingProtocol& protocol() const noexcept { return protocol_; }
  [[nodiscard]] static SamplingProtocol usualProtocol();
  [[nodiscard]] const std::shared_ptr<const Registry>& registry() const noexcept { return registry_; }

 signals:
  /// It was read and voxelised. `reopen`: the folder of a sequence, else the scene itself.
  void opened(const QString& scene, const QString& reopen);
  void failed(const spira::Error& error);
  void misfitChanged();
  /// Among the files that were to be frames these are no scenes; a line each says why.
  void leftOut(const QStringList& files, const QStringList& why);
  /// Once: there is a GPU or a driver, and why the CPU works instead.
  void gpuRefused(const QString& why);
  /// A measurement came; the report holds it with its scene, so that it can be compared and kept.
  void measured(const std::shared_ptr<const spira::Report>& report);
  void tuned(const std::shared_ptr<const spira::TuningProfile>& profile);
  void searchesTimed(const spira::ui::SearchTiming& timing);
  void viewsWaitChanged(bool wait);

 private:
  struct Host;
  struct SceneRequest;

  /// A scene to open. Grid and packing are chosen for the scene where they are not named.
  struct OpenRequest {
    QString scene, format;  // scene: a folder until its frames are listed
    QString reopen;         // what a user names to come back: the folder of a sequence
    FileList frames;        // of its sequence; empty: a single scene
    std::int64_t every = 1;
    int frame = 0;
    std::optional<Grid> grid;
    std::optional<PackSpec> pack;
    FileList picked;    // Files chosen by hand; those that are scenes are added after `frames`.
    bool read = false;  // it was, and what went wrong came after
    std::shared_ptr<const PointCloud> ahead;  // read before it was asked for; null: read it now
  };
  [[nodiscard]] static FileList pathsOf(const QStringList& files);
  static void toFrame(OpenRequest& wanted);
  [[nodiscard]] OpenRequest withFrames(OpenRequest wanted, Job& job, const JobRunner::Post& post);
  [[nodiscard]] FileList openFrames() const;
  void load(const OpenRequest& asked);
  template <class Read> auto offerFewer(const JobRunner::Post& post, const Read& read);
  /// Opens what was refused, else voxelises the open scene again. Of a scene that was not read yet, grid and
  /// packing are empty where nobody named them.
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
  void tellDevice(const DeviceFacts& facts);
  void keepWhatIsOpen();
  std::shared_ptr<const VoxelScene> voxelizeOrSayMisfit(Backend& backend,
                                                        const std::shared_ptr<const PointCloud>& cloud,
                                                        const Grid& grid, PackSpec pack, int kernel, Job& job,
                                                        const JobRunner::Post& post);
  void setMisfit(const std::optional<Misfit>& misfit);
  void buildSceneMap(Backend& backend, const VoxelScene& voxels, int kernel_size, Job& job,
                     const JobRunner::Post& post);

  std::shared_ptr<const Registry> registry_;
  std::shared_ptr<Host> host_;  // touched on the worker only
  Workspace* workspace_;
  Selection* selection_;
  JobRunner* runner_;
  FramePrefetch* prefetch_;
  std::optional<OpenRequest> opening_;  // until it is open: what is loaded, or was refused
  OpenRequest sequence_;                // what the frames of the open sequence have in common
  struct Setting {
    Grid grid;
    PackSpec pack;
  };
  std::optional<Setting> tried_;  // what the open scene is being voxelised with, or was refused
  std::optional<Misfit> misfit_, network_misfit_;
  std::int64_t fitting_every_ = 0;
  std::int64_t every_ = 1;
  std::optional<std::uint64_t> memory_limit_;
  Doing doing_ = Doing::scene;
  std::string device_ = "auto";  // that the next job works on
  SamplingProtocol protocol_ = usualProtocol();
  std::weak_ptr<std::stop_source> keep_best_;  // of the job that tunes
  bool keep_grid_ = false, keep_pack_ = false, views_wait_ = false;
};

}  // namespace spira::ui
