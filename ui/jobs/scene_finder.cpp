#include "ui/jobs/scene_finder.hpp"

#include "engine/backend/backend.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/network/network.hpp"
#include "engine/run/session.hpp"
#include "engine/scene/generate/generate.hpp"
#include "engine/scene/reader.hpp"
#include "engine/voxel/fit_meter.hpp"
#include "ui/model/neighbours.hpp"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

constexpr int view_strides = 16;

std::uint64_t fingerprint_of(const VoxelScene& scene) {
  const CoordSet& level0 = scene.level(1);
  return hash64(level0.keys.host_span<std::byte>().first(key_bytes(level0)));
}

/// Voxelises a cloud with the settings of a recorded run. The origin, and therefore the keys, depend on the
/// coarsest stride. Tries three sets of levels: the coarsest stride of the view, the coarsest stride of the
/// network, and all levels of the network.
std::shared_ptr<const VoxelScene> voxels_of(const Report& report, Backend& backend,
                                            const std::shared_ptr<const PointCloud>& cloud, Job& job) {
  const Levels levels = levels_of(report.network);
  Grid grid{report.scene.voxel_m, report.scene.crop_m};
  if (report.scene.positions) grid.positions = report.scene.positions->kind;
  const int kernel_size = searched_kernel_size(levels);
  std::vector<PackNeeds> tried{{kernel_size, view_strides}};
  if (levels.max_stride != view_strides) tried.emplace_back(kernel_size, levels.max_stride);
  if (levels.sets.back().number >= first_numbered_level) tried.push_back(levels.needs);
  for (const PackNeeds& needs : tried) {
    try {
      const bool of_network = levels.sets.back().number >= first_numbered_level && &needs == &tried.back();
      auto voxels = voxelize_scene(backend, cloud, grid, report.scene.pack, needs, job,
                                   of_network ? levels.sets : std::vector<SceneLevel>{},
                                   native_strides(&report.network));
      if (fingerprint_of(*voxels) == report.scene.fingerprint) return voxels;
    } catch (const Error& error) {
      // With a coarser stride, the origin is lower and more cells must fit. Another set of levels may still
      // fit.
      if (&needs == &tried.back() || error.kind() != ErrorKind::does_not_fit) throw;
    }
  }
  return nullptr;
}

std::shared_ptr<const PointCloud> read(const Report& report, const QString& file, Job& job) {
  if (file.isEmpty()) return generate_scene(report.scene.name, 0, 1, job);
  LoadOptions options;
  options.format = report.scene.format;
  options.limits.every = report.scene.every;
  return load_scene(file.toStdString(), options, job);
}

struct LookArgs {
  std::shared_ptr<const Registry> registry;
  std::shared_ptr<const Report> report;
  QStringList files;
};

/// The scene of a report, or the reason why the last file is not the scene.
struct Look {
  std::shared_ptr<const VoxelScene> voxels;
  QString why_not;
};

/// Sends the first scene that has the fingerprint of the report. Skips files that cannot be read or
/// voxelised.
void look_for(const LookArgs& args, Job& job, const Send<Look>& send) {
  const auto backend = args.registry->make("cpu");
  Look look;
  for (const QString& file : args.files) {
    try {
      look.voxels = voxels_of(*args.report, *backend, read(*args.report, file, job), job);
      if (look.voxels) return send(std::move(look));
      look.why_not = SceneFinder::tr("%1 has different voxels; it is not the scene of this run")
                         .arg(QFileInfo(file).fileName());
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled) throw;
      look.why_not = QString::fromStdString(error.what());
    }
  }
  send(std::move(look));
}

}  // namespace

SceneKey scene_key(const Report& report) {
  const auto& positions = report.scene.positions;
  return {report.scene.fingerprint, positions ? std::optional(positions->kind) : std::nullopt};
}

SceneFinder::SceneFinder(Tasks& tasks, std::shared_ptr<const Registry> registry, QObject* parent)
    : QObject(parent), registry_(std::move(registry)), task_(tasks) {
  connect(&task_, &TaskSlot::finished, this, [this] {
    at_work_.reset();
    next();
    emit changed();
  });
}

std::shared_ptr<const VoxelScene> SceneFinder::sceneOf(const Report& report) const {
  const auto found = found_.find(scene_key(report));
  return found == found_.end() ? nullptr : found->second;
}

bool SceneFinder::looksFor(const Report& report) const {
  const SceneKey wanted = scene_key(report);
  return at_work_ == wanted || std::any_of(waiting_.begin(), waiting_.end(), [&](const Request& one) {
           return scene_key(*one.report) == wanted;
         });
}

QString SceneFinder::unavailableReason(const Report& report) const {
  const auto why = why_not_.find(scene_key(report));
  return why == why_not_.end() ? QString() : why->second;
}

void SceneFinder::look(const std::shared_ptr<const Report>& report, const QStringList& files) {
  const SceneFacts& scene = report->scene;
  if (scene.fingerprint == 0 || !looked_for_.insert(scene_key(*report)).second) return;
  QStringList named;
  if (scene.format == "generated") named += QString();
  for (const QString& file : files) {
    const QFileInfo info(file);
    const auto name = QString::fromStdString(scene.name);
    const QString here = info.isDir() ? file + "/" + name : file;  // A folder of frames may contain the file.
    if (QFileInfo(here).fileName() == name && QFileInfo(here).isFile()) named += here;
  }
  if (named.isEmpty()) return;
  waiting_.push_back({report, named, false});
  next();
}

void SceneFinder::lookIn(const std::shared_ptr<const Report>& report, const QString& file) {
  looked_for_.insert(scene_key(*report));
  why_not_.erase(scene_key(*report));
  waiting_.push_back({report, {file}, true});
  next();
  emit changed();
}

/// Starts the next search. Stores the reason for a failure only if the user chose the file.
void SceneFinder::next() {
  if (task_.busy() || waiting_.empty()) return;
  const Request request = waiting_.front();
  waiting_.erase(waiting_.begin());
  const SceneKey wanted = scene_key(*request.report);
  at_work_ = wanted;
  task_.start(tr("Looking for %1").arg(QString::fromStdString(request.report->scene.name)), look_for,
              {registry_, request.report, request.files},
              [this, wanted, chosen = request.chosen](const Look& look) {
                if (look.voxels) {
                  found_[wanted] = look.voxels;
                } else if (chosen) {
                  why_not_[wanted] = look.why_not;
                }
              });
}

void SceneFinder::forgetAllBut(const std::set<SceneKey>& scenes) {
  std::erase_if(found_, [&](const auto& one) { return !scenes.contains(one.first); });
  std::erase_if(looked_for_, [&](const SceneKey& one) { return !scenes.contains(one); });
}

namespace {

struct FitArgs {
  std::shared_ptr<const PointCloud> cloud;
  FitQuestion question;
};

void find_misfit(const FitArgs& args, Job& job, const Send<std::optional<Misfit>>& send) {
  send(misfit_of(*args.cloud, args.question, job));
}

}  // namespace

RepairFinder::RepairFinder(Tasks& tasks, const Workspace* workspace, SceneJobs* scenes, QObject* parent)
    : QObject(parent), workspace_(workspace), scenes_(scenes), task_(tasks) {
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &RepairFinder::follow);
  connect(workspace_, &Workspace::networkChanged, this, &RepairFinder::follow);
}

void RepairFinder::follow() {
  task_.cancel();
  scenes_->setNetworkMisfit(std::nullopt);
  const auto& voxels = workspace_->scene().voxels();
  const auto& cloud = workspace_->scene().cloud();
  const auto& network = workspace_->network();
  if (!voxels || !cloud || !network) return;
  const Levels levels = levels_of(*network);
  const int kernel_size =
      std::max(searched_kernel_size(levels), searched_kernel_size(scene_kernel(*workspace_)));
  const FitQuestion question{voxels->grid, voxels->pack.with_batch(cloud->batch()),
                             needs_of_view(kernel_size, network.get()).with_batch(cloud->batch())};
  if (fit(workspace_->scene().facts()->fit_extent, question.pack, question.needs).fits()) return;
  task_.start({}, find_misfit, {cloud, question},
              [this](const std::optional<Misfit>& misfit) { scenes_->setNetworkMisfit(misfit); });
}

}  // namespace spira::ui
