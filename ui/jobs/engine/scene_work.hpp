// The work that SceneJobs starts on the thread of the engine lane: reading and voxelising scenes, and opening
// reports and networks. Each step sends an event.
#pragma once

#include "engine/run/relation_run.hpp"
#include "engine/scene/reader.hpp"
#include "engine/voxel/fit_meter.hpp"
#include "ui/jobs/engine/engine_host.hpp"
#include "ui/jobs/engine/network_files.hpp"
#include "ui/model/open_document.hpp"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace spira::ui {

/// A request to open a scene. If the grid or the packing is empty, a suitable grid or packing is chosen for
/// the scene.
struct OpenRequest {
  QString scene, format;  ///< `scene` is a folder until the frames of the folder are listed.
  /// Name under which the user can open this scene again: the folder of a sequence, or the scene itself.
  QString reopen;
  FileList frames;      ///< Frames of the sequence; empty for a single scene.
  FileList batch;       ///< Scenes that are joined to one batch. `scene` is then the first one.
  int batch_frame = 0;  ///< The frame of a batch that the views show first.
  std::int64_t every = 1;
  int frame = 0;
  std::optional<Grid> grid;
  std::optional<PackSpec> pack;
  /// True if `pack` was stored in a session. If it equals the automatic packing of the scene, it counts as
  /// automatic.
  bool stored_pack = false;
  bool network_only = false;  ///< True if files without a network are refused.
  StoredFile weights;         ///< The weights of a session, for the open network.
  /// True if the cloud of the open scene was made from a scan, for a network that voxelises scans itself.
  bool scan = false;
  std::uint64_t scene_fingerprint = 0;  ///< voxels_fingerprint() in a session. 0 if it is not known.
  /// Files that the user chose. They are appended to the frames, except for files that are not scenes.
  FileList picked;
  RelationChoice relations;                 ///< Used if the file contains triples.
  bool read = false;                        ///< True if the scene was read but a later step failed.
  std::shared_ptr<const PointCloud> ahead;  ///< Prefetched cloud; `nullptr` if the file must be read now.

  void toFrame();  ///< Clamps `frame` to the list of frames and sets `scene` to this frame.
};

/// Files that are not opened as frames. `why` has one line for each file.
struct LeftOut {
  QStringList files, why;
};

/// Event: the chosen files were checked and appended to the frames.
struct FramesListed {
  FileList frames;
  QString reopen;
  LeftOut left_out;
};
/// Event: the memory is not sufficient for the whole file, but every n-th point would fit.
struct FewerFit {
  std::int64_t every = 0;
};
struct SceneRead {
  Grid grid;
  std::shared_ptr<const PointCloud> cloud;
  bool piped = false;  ///< True if the scene comes from standard input, which can be read only once.
  QString scene;
  int frame = 0;
};
struct SceneOpened {
  OpenRequest wanted;
  std::shared_ptr<const VoxelScene> voxels;
  bool pack_automatic = false;
  LeftOut left_out;  ///< Frames at the start of the sequence that cannot be read.
  DeviceFacts device;
  std::string why_no_gpu;
  std::shared_ptr<const NetworkWeights> stored_weights = nullptr;  ///< The weights of a session.
  QStringList stored_faults = {};  ///< Files of the session that are missing or have changed.
  /// The cloud that was read, if the network voxelises scans itself. Otherwise null.
  std::shared_ptr<const PointCloud> scan = nullptr;
};
struct Voxelized {
  std::shared_ptr<const VoxelScene> voxels;
  bool new_cloud = false;
  DeviceFacts device;
  std::shared_ptr<const PointCloud> scan = nullptr;  ///< See SceneOpened::scan.
};
struct ReportOpened {
  OpenRequest wanted;
  std::shared_ptr<const Report> report;
};
using SceneEvent = std::variant<FramesListed, FewerFit, SceneRead, std::optional<Misfit>, SceneOpened,
                                Voxelized, SceneMap, ReportOpened, OpenedNetwork>;

/// A scene that was read: its cloud, the frame of the sequence, and the unreadable frames before it.
struct HeldScene {
  std::shared_ptr<const PointCloud> cloud;
  int frame = 0;
  LeftOut left_out;
};

struct OpenArgs {
  OpenRequest asked;
  /// Keeps the points of the scene after reading. The CPU may have to repeat the job, and standard input can
  /// be read only once.
  std::shared_ptr<HeldScene> held;
  KernelShape map_kernel = 3;  ///< Kernel of the kernel map of the scene.
  int kernel = 0;              ///< Largest kernel size that the packing must support.
  std::optional<std::uint64_t> memory_limit;
  /// The open network, whose levels are also built. May be `nullptr`.
  std::shared_ptr<const Network> network;
  /// The positions if the request has no grid: those of the open scene, as its neighbours stay too.
  PositionKind positions = PositionKind::nearest;
};
/// Opens a scene, a report, or a network with its weights and a scene. If one of these is refused, nothing is
/// opened.
void open_scene(EngineHost& host, const OpenArgs& args, Job& job, const Send<SceneEvent>& send);

/// Reads only the weights of a session, because its scene is missing.
void open_stored_weights(EngineHost& host, const OpenArgs& args, Job& job, const Send<SceneEvent>& send);

struct VoxelizeArgs {
  std::shared_ptr<const PointCloud> cloud;
  Grid grid;
  std::optional<PackSpec> pack;  ///< If empty, the first packing that fits is used.
  bool new_cloud = false;        ///< True if the cloud replaces the open scene.
  KernelShape map_kernel = 3;
  int kernel = 0;
  std::optional<std::uint64_t> memory_limit;
  std::shared_ptr<const Network> network;
  int frame = 0;  ///< The frame of a batch that the views show. If it is empty, they show another frame.
};
/// If the file of the network describes how scans are voxelised (`input.grid`) and the cloud is a scan, the
/// scene has the voxels and features that the library of the network would compute.
void voxelize_cloud(EngineHost& host, const VoxelizeArgs& args, Job& job, const Send<SceneEvent>& send);

/// Returns true if the file of the network describes how scans are voxelised.
[[nodiscard]] bool voxelises_scans(const Network* network);
/// Returns the levels of a network that are not made by rounding down to the strides 1, 2, 4, 8 and 16, so
/// that the view must build them for this network. Returns an empty list if no network exists, or if its
/// limits belong to a voxel file and `cloud` is none.
[[nodiscard]] std::vector<SceneLevel> own_levels(const PointCloud& cloud, const Network* network);
/// Returns what a packing must support: kernels of this size on the levels of the view and, if `network` is
/// not null, on the levels of the network.
[[nodiscard]] PackNeeds needs_of_view(int kernel_size, const Network* network);
/// Returns the largest searched_kernel_size() of the network and of the kernel map of the scene. If there is
/// no network, uses the kernel size of the view instead.
[[nodiscard]] int largest_kernel(const EngineRequest& now);

}  // namespace spira::ui
