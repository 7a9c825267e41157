#include "ui/jobs/engine/scene_work.hpp"

#include "engine/backend/backend.hpp"
#include "engine/base/file.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/report/validate.hpp"
#include "engine/run/level_build.hpp"
#include "engine/run/memory_forecast.hpp"
#include "engine/run/relation_run.hpp"
#include "engine/scene/batch.hpp"
#include "engine/scene/generate/generate.hpp"
#include "engine/scene/reader.hpp"
#include "engine/scene/sequence.hpp"
#include "engine/voxel/grid.hpp"
#include "ui/jobs/engine/engine_lane.hpp"
#include "ui/model/neighbours.hpp"

#include <QFileInfo>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace spira::ui {
namespace {

// The view and the lessons need these values even if no network is open: the coarsest stride, and the kernel
// size that a packing must support.
constexpr int view_strides = 16, view_kernel = 5;

using SendScene = Send<SceneEvent>;

/// If the request names a folder or several files, returns a request with the list of their frames and the
/// index of the frame to open.
OpenRequest with_frames(OpenRequest wanted, Job& job, const SendScene& send) {
  if (!wanted.picked.empty()) {
    const PickedFrames picked = pick_frames(std::exchange(wanted.picked, {}).files(), job);
    FileList::Files all = wanted.frames.files();
    all.insert(all.end(), picked.frames.begin(), picked.frames.end());
    wanted.frames = FileList(std::move(all));
    // Use the first frame as the name of the sequence. The folder would not be a suitable name, because
    // opening it again would also open the files that were left out.
    wanted.reopen = QString::fromStdString(wanted.frames.front().string());
    wanted.toFrame();
    LeftOut left_out;
    for (const auto& one : picked.left_out) {
      left_out.files += QString::fromStdString(one.file.filename().string());
      left_out.why += QString::fromStdString(one.why);
    }
    send(FramesListed{wanted.frames, wanted.reopen, left_out});
    return wanted;
  }
  std::error_code ignored;
  const std::filesystem::path path = wanted.scene.toStdString();
  if (!wanted.frames.empty() || is_standard_input(path) || !std::filesystem::is_directory(path, ignored))
    return wanted;
  wanted.frames = FileList(list_frames(path));
  wanted.toFrame();
  return wanted;
}

/// Calls `read`. If the memory is not sufficient, finds the smallest n for which every n-th point would fit,
/// sends n, and throws the error.
template <class Read> auto offer_fewer(const SendScene& send, const Read& read) {
  try {
    return read();
  } catch (const NotEnoughMemory& error) {
    send(FewerFit{error.every()});
    throw;
  }
}

/// Reads the scene. If `any_frame` is true, reads the first readable frame. The unreadable frames before it
/// stay in the sequence.
template <class Read>
std::shared_ptr<const PointCloud> first_readable(OpenRequest& wanted, bool any_frame, LeftOut& left_out,
                                                 const Read& read) {
  for (;;) {
    try {
      return read();
    } catch (const Error& error) {
      const bool more = any_frame && wanted.frame + 1 < static_cast<int>(wanted.frames.size());
      if (!more || error.kind() != ErrorKind::input) throw;
      left_out.files += QFileInfo(wanted.scene).fileName();
      left_out.why += QString::fromStdString(error.what());
      ++wanted.frame;
      wanted.toFrame();
    }
  }
}

/// Returns the first packing that fits: 12/12/8 if possible, so that most scenes share one packing and their
/// times can be compared. Returns 12/12/8 if no packing fits.
PackSpec automatic_pack(const PointCloud& cloud, const Grid& grid, int kernel_size, const Network* network,
                        Job& job) {
  const PackNeeds needs =
      needs_of_view(std::max(kernel_size, view_kernel), network).with_batch(cloud.batch());
  const auto packs = packings_that_fit(voxel_range(cloud, grid, job).extent(needs.levels), needs);
  return packs.empty() ? PackSpec::bits32() : packs.front().with_batch(1);
}

/// Returns the levels of the view and the levels of the network, in ascending order of their numbers.
std::vector<SceneLevel> levels_to_build(const std::vector<SceneLevel>& of_network) {
  std::vector<SceneLevel> levels;
  for (int stride = 1; stride <= view_strides; stride *= 2)
    levels.emplace_back(stride);
  levels.insert(levels.end(), of_network.begin(), of_network.end());
  return levels;
}

/// Returns the automatic packing for the levels of the view and of the network. If the network adds no
/// levels, returns the packing for the levels of the view alone.
PackSpec chosen_pack(const VoxelizeArgs& args, Job& job) {
  const bool own = !own_levels(*args.cloud, args.network.get()).empty();
  return automatic_pack(*args.cloud, args.grid, args.kernel, own ? args.network.get() : nullptr, job);
}

/// Voxelises a cloud, or all frames of a batch. If the scene does not fit the packing, sends the changes that
/// would make it fit through `send`, then throws Error(does_not_fit).
std::shared_ptr<const VoxelScene> voxelize_whole(Backend& backend, const VoxelizeArgs& args, Job& job,
                                                 const SendScene& send) {
  if (const auto levels = own_levels(*args.cloud, args.network.get()); !levels.empty()) {
    const PackSpec pack = args.pack ? *args.pack : chosen_pack(args, job);
    try {
      return voxelize_scene(backend, args.cloud, args.grid, pack,
                            needs_of_view(args.kernel, args.network.get()), job, levels_to_build(levels),
                            native_strides(args.network.get()));
    } catch (const Error& error) {
      // The scene may fit without the levels of the network, so try again without them. RepairFinder then
      // reports that the scene does not fit the network.
      if (error.kind() != ErrorKind::does_not_fit) throw;
    }
  }
  const PackSpec pack =
      args.pack ? *args.pack : automatic_pack(*args.cloud, args.grid, args.kernel, nullptr, job);
  try {
    return voxelize_scene(backend, args.cloud, args.grid, pack, {args.kernel, view_strides}, job, {},
                          native_strides(args.network.get()));
  } catch (const Error& error) {
    const int batch = args.cloud->batch();
    const PackNeeds needs = PackNeeds(args.kernel, view_strides).with_batch(batch);
    if (error.kind() == ErrorKind::does_not_fit)
      send(misfit_of(*args.cloud, {args.grid, pack.with_batch(batch), needs}, job));
    throw;
  }
}

/// Voxelises a cloud and returns the voxels to show. For a batch, these are the voxels of the wanted frame,
/// or of the first frame with voxels if the wanted frame has no voxels.
std::shared_ptr<const VoxelScene> voxelize(Backend& backend, const VoxelizeArgs& args, Job& job,
                                           const SendScene& send) {
  const auto whole = voxelize_whole(backend, args, job, send);
  const std::vector<std::int64_t> voxels = voxels_of_frames(*whole);
  auto frame = static_cast<std::size_t>(std::clamp<std::int64_t>(args.frame, 0, std::ssize(voxels) - 1));
  if (voxels[frame] == 0) {
    const auto found =
        std::find_if(voxels.begin(), voxels.end(), [](std::int64_t count) { return count > 0; });
    frame = static_cast<std::size_t>(found - voxels.begin());
  }
  return frame_scene(whole, static_cast<int>(frame));
}

/// Replaces a scan by the points and features that the library of the network uses. Returns the scan, or null
/// if nothing was replaced.
std::shared_ptr<const PointCloud> use_input_grid(VoxelizeArgs& args, Job& job) {
  if (!voxelises_scans(args.network.get()) || args.cloud->feature_channels > 0) return nullptr;
  std::shared_ptr<const PointCloud> scan = args.cloud;
  args.cloud = gridded_cloud(scan, args.grid, *args.network, job);
  return scan;
}

void check_memory(const VoxelizeArgs& args, Job& job, const SendScene& send) {
  const int voxels = args.map_kernel.size.largest() * args.map_kernel.neighbourhood.cell;
  offer_fewer(send, [&] {
    require_memory(*args.cloud, args.grid, {voxels, true, native_strides(args.network.get()) > 0},
                   args.memory_limit, job);
  });
}

/// Opens a report. Other documents are refused.
void open_document(const OpenRequest& wanted, Job& job, const SendScene& send) {
  constexpr std::uint64_t max_bytes = 128ULL << 20U;
  const std::string name = wanted.scene.toStdString();
  job.checkpoint({"reading the file", 0, 0});
  const std::string text = read_text_file(name, max_bytes);
  const DocumentKind kind = document_kind(text, name);
  if (kind == DocumentKind::report)
    return send(
        ReportOpened{wanted, std::make_shared<const Report>(parse_report(text, name, IfTruncated::open))});
  throw Error(ErrorKind::input,
              name + ": this file is not a scene (its kind is: " + std::string(text_of(kind)) + "). " +
                  (kind == DocumentKind::session  ? "Rename it to *.spirasession"
                   : kind == DocumentKind::lesson ? "To open it, use Learn > Open lesson file..."
                   : kind == DocumentKind::survey ? "Open each survey alone"
                                                  : "This window opens scenes, reports, "
                                                    "networks, sessions, surveys and tuning profiles"));
}

/// Returns the command that measures the triples of a file in the same way.
std::vector<std::string> command_of(const RelationChoice& choice, const std::string& file) {
  const RelationSettings& settings = choice.settings;
  std::string layers;
  for (const int channels : settings.channels)
    layers += (layers.empty() ? "" : ",") + std::to_string(channels);
  std::vector<std::string> words{"spira",
                                 "relations",
                                 std::filesystem::absolute(file).string(),
                                 "--layers",
                                 layers,
                                 "--dataflow",
                                 settings.method == FeatureMethod::by_layout ? "ws" : "gather",
                                 "--normalise",
                                 settings.normalise == Normalise::mean ? "mean" : "sum",
                                 "--precision",
                                 std::string(text_of(settings.precision))};
  if (choice.inverse) words.emplace_back("--inverse");
  return words;
}

/// Reads the triples of a graph, and measures relational convolutions on them.
void open_triples(EngineHost& host, const OpenRequest& wanted, Job& job, const SendScene& send) {
  const std::string name = wanted.scene.toStdString();
  job.checkpoint({"reading the triples", 0, 0});
  const RelationChoice& choice = wanted.relations;
  Triples read = read_triples(name, {}, job);
  if (choice.inverse) read = with_inverses(std::move(read));
  const auto triples = std::make_shared<const Triples>(std::move(read));
  std::shared_ptr<Backend> backend = host.sharedDevice();
  if (backend->extensions().relations == nullptr) backend = host.make("cpu");
  const RelationRun run(backend, triples, choice.settings, job);
  const Measurement measured = run.measure(SamplingProtocol{}, job);
  auto report = std::make_shared<Report>(make_report(run, measured, command_of(choice, name)));
  report->tool_version = SPIRA_VERSION;
  send(ReportOpened{wanted, std::move(report)});
}

}  // namespace

void OpenRequest::toFrame() {
  frame = std::clamp(frame, 0, static_cast<int>(frames.size()) - 1);
  scene = QString::fromStdString(frames[static_cast<std::size_t>(frame)].string());
}

PackNeeds needs_of_view(int kernel_size, const Network* network) {
  if (network == nullptr) return {kernel_size, view_strides};
  const Levels levels = levels_of(*network);
  PackNeeds needs(kernel_size, std::max(view_strides, levels.max_stride));
  // The guard cells of the network suffice for its own kernels. The kernel of the map of the scene has an odd
  // size.
  const PerAxis half = (kernel_size - 1) / 2;
  for (const SceneLevel& set : levels.sets) {
    needs.levels.add(set.rule);
    const auto guard = guard_cells(half, half, set.rule.stride());
    for (std::size_t axis = 0; axis < 3; ++axis)
      needs.guard.at(axis) = std::max({needs.guard.at(axis), levels.needs.guard.at(axis), guard.at(axis)});
  }
  return needs;
}

bool voxelises_scans(const Network* network) {
  return network != nullptr && network->grid && !network->features_from_file;
}

std::vector<SceneLevel> own_levels(const PointCloud& cloud, const Network* network) {
  if (network == nullptr || (cloud.feature_channels == 0 && has_limits(*network))) return {};
  std::vector<SceneLevel> levels = levels_of(*network).sets;
  if (levels.back().number < first_numbered_level) return {};
  std::erase_if(levels, [](const SceneLevel& level) { return level.number <= view_strides; });
  return levels;
}

int largest_kernel(const EngineRequest& now) {
  const int of_network = now.network ? searched_kernel_size(levels_of(*now.network)) : view_kernel;
  return std::max(of_network, searched_kernel_size(now.map_kernel));
}

namespace {

/// Reads scenes and joins them to one batch.
std::shared_ptr<const PointCloud> read_batch(const OpenRequest& wanted, const LoadOptions& options,
                                             Job& job) {
  std::vector<std::shared_ptr<const PointCloud>> clouds;
  for (const auto& file : wanted.batch)
    clouds.push_back(load_scene(file.string(), options, job));
  return batch_of(clouds, wanted.grid ? wanted.grid->crop_m : std::nullopt);
}

/// Opens the parts of a network among the chosen files. Returns false if none of the files is a part of a
/// network.
bool open_network(EngineHost& host, const OpenArgs& args, Job& job, const SendScene& send) {
  const OpenRequest& asked = args.asked;
  const std::string name = asked.scene.toStdString();
  const bool no_file = asked.picked.empty() && (names_built_in_scene(name) || is_standard_input(name));
  if (no_file || !asked.format.isEmpty() || asked.frames.size() > 1 || !asked.batch.empty()) return false;
  QStringList chosen;
  for (const auto& file : asked.picked.files())
    chosen += QString::fromStdString(file.string());
  const NetworkFiles files = network_files(chosen.isEmpty() ? QStringList(asked.scene) : chosen);
  if (files.empty() && asked.network_only) throw Error(ErrorKind::input, name + ": not a network file");
  if (files.empty()) return false;
  const OpenedNetwork opened = read_network_files(files, args.network, job);
  if (!files.scene.isEmpty()) {
    OpenArgs scene = args;
    scene.asked.picked = {};
    scene.asked.scene = scene.asked.reopen = files.scene;
    scene.asked.network_only = false;
    scene.kernel = std::max(args.kernel, searched_kernel_size(levels_of(*opened.network)));
    open_scene(host, scene, job, send);
  }
  send(opened);
  return true;
}

}  // namespace

void open_scene(EngineHost& host, const OpenArgs& args, Job& job, const SendScene& send) {
  if (open_network(host, args, job, send)) return;
  const OpenRequest& asked = args.asked;
  if (asked.format.isEmpty() && asked.frames.empty() && asked.picked.empty() && asked.batch.empty() &&
      looks_like_triples(asked.scene.toStdString()))
    return open_triples(host, asked, job, send);
  OpenRequest wanted = with_frames(args.asked, job, send);
  const bool any_frame = args.asked.frames.empty() && wanted.frames.size() > 1;
  const std::string name = wanted.scene.toStdString();
  const bool generated = names_built_in_scene(name);
  const bool piped = is_standard_input(name);
  // If the user chose a format, or if the file is a frame of a sequence, the file must be a scene.
  const bool any_document = !generated && !piped && wanted.batch.empty();
  if (any_document && wanted.format.isEmpty() && wanted.frames.size() < 2 && looks_like_json(name))
    return open_document(wanted, job, send);
  const auto read = [&] {
    if (generated) return built_in_scene(name, job);
    LoadOptions options;
    options.format = wanted.format.toStdString();
    options.limits = {wanted.every, args.memory_limit};
    return wanted.batch.empty() ? load_scene(wanted.scene.toStdString(), options, job)
                                : read_batch(wanted, options, job);
  };
  HeldScene& held = *args.held;
  if (!held.cloud) {
    held.cloud = first_readable(wanted, any_frame, held.left_out, [&] { return offer_fewer(send, read); });
    held.frame = wanted.frame;
  } else if (any_frame) {
    wanted.frame = held.frame;
    wanted.toFrame();
  }
  VoxelizeArgs voxelized{
      held.cloud,        {}, {}, true, args.map_kernel, args.kernel, args.memory_limit, args.network,
      wanted.batch_frame};
  const bool own_grid = voxelises_scans(args.network.get()) && held.cloud->feature_channels == 0;
  voxelized.grid = wanted.grid ? *wanted.grid
                   : own_grid  ? Grid{args.network->grid->voxel_m, {}}
                               : suggest_grid(*voxelized.cloud);
  if (!wanted.grid) voxelized.grid.positions = args.positions;
  send(SceneRead{voxelized.grid, voxelized.cloud, piped, wanted.scene, wanted.frame});
  voxelized.pack = wanted.pack;
  Backend& backend = host.device();
  check_memory(voxelized, job, send);
  const auto scan = use_input_grid(voxelized, job);
  const auto voxels = voxelize(backend, voxelized, job, send);
  const bool automatic = !wanted.pack || (wanted.stored_pack && *wanted.pack == chosen_pack(voxelized, job));
  SceneOpened opened{wanted, voxels, automatic, held.left_out, backend.facts(), host.whyNoGpu()};
  const std::uint64_t before = wanted.scene_fingerprint;
  if (before != 0 && before != voxels_fingerprint(*held.cloud))
    opened.stored_faults += EngineLane::tr("%1 has changed since the session was saved").arg(wanted.scene);
  if (args.network)
    opened.stored_weights = stored_weights(wanted.weights, *args.network, opened.stored_faults);
  opened.scan = scan;
  send(opened);
  send(host.buildSceneMap(voxels, args.map_kernel, 1, job));
}

void open_stored_weights(EngineHost& /*host*/, const OpenArgs& args, Job& job, const SendScene& send) {
  job.checkpoint({"reading the weights", 0, 0});
  OpenedNetwork opened;
  opened.network = args.network;
  QStringList faults;
  opened.weights = stored_weights(args.asked.weights, *args.network, faults);
  opened.weights_fault = faults.join("; ");
  send(opened);
}

void voxelize_cloud(EngineHost& host, const VoxelizeArgs& asked, Job& job, const SendScene& send) {
  VoxelizeArgs args = asked;
  check_memory(args, job, send);
  Backend& backend = host.device();
  const auto scan = use_input_grid(args, job);
  const auto voxels = voxelize(backend, args, job, send);
  // The positions of a scan count from another origin after this step.
  send(Voxelized{voxels, args.new_cloud || scan, backend.facts(), scan});
  send(host.buildSceneMap(voxels, args.map_kernel, 1, job));
}

}  // namespace spira::ui
