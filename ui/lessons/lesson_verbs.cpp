#include "ui/lessons/lesson_verbs.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/lesson/diagrams/diagram.hpp"
#include "engine/lesson/facts/pack_facts.hpp"
#include "engine/lesson/lesson_voxel.hpp"
#include "engine/lesson/shuffled_level.hpp"
#include "ui/model/tables/chosen_rows.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

namespace spira::ui {
namespace {

struct Verb {
  std::string_view id;
  std::size_t words;
  std::string_view takes;
};
constexpr std::array<Verb, 17> verbs{{{"choose.nothing", 0, "no arguments"},
                                      {"choose.no_offset", 0, "no arguments"},
                                      {"choose.l1", 1, "an L1 norm"},
                                      {"choose.offset", 3, "dx dy dz"},
                                      {"choose.voxel", 1, "middle, highest, lowest or moved"},
                                      {"choose.fullest", 0, "no arguments"},
                                      {"choose.shape", 1, "wall, ground, pole or scattered"},
                                      {"choose.outputs", 0, "no arguments"},
                                      {"kernel.size", 1, "3, 5 or 7"},
                                      {"voxel.scale", 1, "a factor above 0"},
                                      {"voxels.shuffle", 0, "no arguments"},
                                      {"voxels.unshuffle", 0, "no arguments"},
                                      {"voxel.thin", 1, "a number above 0"},
                                      {"pack.short", 0, "no arguments"},
                                      {"try.pack", 1, "short, or a packing such as 12/12/8"},
                                      {"channels.in", 1, "a whole number from 1 to 4096"},
                                      {"channels.out", 1, "a whole number from 1 to 4096"}}};

std::optional<Shape> shape_named(const std::string& word) {
  const auto* const found = std::find_if(told_shapes.begin(), told_shapes.end(),
                                         [&](Shape shape) { return name_of(shape) == word; });
  return found == told_shapes.end() ? std::nullopt : std::optional(*found);
}

bool is_packing(const std::string& word) {
  try {
    static_cast<void>(parse_pack_spec(word));
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool words_fit(const LessonCommand& command) {
  if (command.id == "try.pack") return command.words.front() == "short" || is_packing(command.words.front());
  if (command.id == "choose.shape") return shape_named(command.words.front()).has_value();
  if (command.id == "choose.voxel") {
    const std::string& which = command.words.front();
    return which == "middle" || which == "highest" || which == "lowest" || which == "moved";
  }
  return std::all_of(command.words.begin(), command.words.end(), [&](const std::string& word) {
    const auto number = parse_double(word);
    if (command.id == "kernel.size") return word == "3" || word == "5" || word == "7";
    if (command.id.starts_with("channels.")) {
      constexpr int most = 4096;
      const auto count = parse_int(word);
      return count && *count >= 1 && *count <= most;
    }
    return number && (!command.id.starts_with("voxel.") || (*number > 0.1 && *number < 100));
  });
}

VoxelPlace place_of(const std::string& word) {
  return word == "highest" ? VoxelPlace::highest : word == "lowest" ? VoxelPlace::lowest : VoxelPlace::middle;
}

int whole(const std::string& word) {
  return static_cast<int>(parse_int(word).value_or(0));
}

/// Returns true if a lesson page may run the command. Commands that open or close something, or that ask a
/// question, are not allowed, because the user can visit a page many times.
bool for_lessons(const CommandFacts& command) {
  constexpr std::array<std::string_view, 4> others{"lesson.", "file.", "help.", "session."};
  if (std::any_of(others.begin(), others.end(),
                  [&](std::string_view room) { return std::string_view(command.id).starts_with(room); }))
    return false;
  return command.opens != Opens::dialog;
}

using Scene = std::shared_ptr<const VoxelScene>;

struct PlaceArgs {
  Scene scene;
  int stride = 1;
  VoxelPlace place = VoxelPlace::middle;
  /// The native map in which to look for a row with a moved input. `nullptr` to use `place`.
  std::shared_ptr<const KernelMap> map;
};

void find_voxel(const PlaceArgs& args, Job& job, const Send<Voxel>& send) {
  const CoordSet& level = args.scene->level(args.stride);
  send(voxel_at(level, args.map ? row_with_moved_input(*args.scene, *args.map, args.stride, job)
                                : row_at_place(level, args.place, job)));
}

void find_short_pack(const Scene& scene, Job& /*job*/, const Send<PackSpec>& send) {
  LessonInput input;
  input.scene = scene;
  send(tried_pack(input));
}

void shuffle_cloud(const Scene& scene, Job& job, const Send<std::shared_ptr<const PointCloud>>& send) {
  send(shuffled_cloud(*scene, shuffle_seed, job));
}

}  // namespace

std::string fault_of(const LessonCommand& command, const CommandSet& commands) {
  const auto verb =
      std::find_if(verbs.begin(), verbs.end(), [&](const Verb& one) { return one.id == command.id; });
  if (verb != verbs.end()) {
    const bool fits = command.words.size() == verb->words && words_fit(command);
    return fits ? std::string() : "expects " + std::string(verb->takes);
  }
  const CommandFacts* known = commands.factsOf(QString::fromStdString(command.id));
  if (known == nullptr) return "unknown command";
  if (!for_lessons(*known)) return "not allowed in lessons";
  return command.words.empty() ? std::string() : "expects no arguments";
}

LessonVerbs::LessonVerbs(Tasks& tasks, Workspace* workspace, Selection* selection, EngineLane* lane,
                         SceneJobs* scenes, SelectionJobs* choosing, CommandSet* commands, QObject* parent)
    : QObject(parent),
      workspace_(workspace),
      selection_(selection),
      lane_(lane),
      scenes_(scenes),
      choosing_(choosing),
      commands_(commands),
      finding_(tasks) {
  connect(&lane_->task(), &TaskSlot::finished, this, &LessonVerbs::goOn, Qt::QueuedConnection);
  connect(&finding_, &TaskSlot::finished, this, &LessonVerbs::goOn, Qt::QueuedConnection);
  connect(&finding_, &TaskSlot::failed, this, &LessonVerbs::failed);
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &LessonVerbs::followBase);
}

void LessonVerbs::setBase(const Grid& grid, const PackSpec& pack) {
  kept_.reset();
  shuffled_.reset();
  grid_ = asked_grid_ = grid;
  pack_ = asked_pack_ = pack;
  automatic_pack_ = workspace_->requested().packAutomatic();
  emit baseChanged();
}

void LessonVerbs::setTrial(const LessonTrial& trial) {
  trial_ = trial;
  emit tried(trial_);
}

/// If the user has set another grid or packing since the last request, uses it as the new base.
void LessonVerbs::followBase() {
  const auto& now = workspace_->scene().voxels();
  if (!now || isShuffled()) return;
  const bool other_grid = now->grid.voxel_m != asked_grid_.voxel_m || now->grid.crop_m != asked_grid_.crop_m;
  const bool other_pack = !(now->pack == asked_pack_);
  if (other_grid) grid_ = now->grid;
  if (other_pack) {
    pack_ = now->pack;
    automatic_pack_ = workspace_->requested().packAutomatic();
  }
  asked_grid_ = now->grid;
  asked_pack_ = now->pack;
  if (other_grid) emit baseChanged();
}

void LessonVerbs::voxelize(const Grid& grid, const PackSpec& pack) {
  asked_grid_ = grid;
  asked_pack_ = pack;
  workspace_->requested().setGridAndPack(grid, pack);
  // If the packing of the base is automatic, it stays automatic. Other grids use the packing of the base,
  // which is then not automatic.
  const bool base_grid = grid.voxel_m == grid_.voxel_m && grid.crop_m == grid_.crop_m;
  workspace_->requested().setPackAutomatic(automatic_pack_ && base_grid && pack == pack_);
  const VoxelScene& now = *workspace_->scene().voxels();
  const bool same = grid.voxel_m == now.grid.voxel_m && grid.crop_m == now.grid.crop_m && pack == now.pack;
  if (!same) scenes_->voxelize();
}

void LessonVerbs::run(const std::vector<LessonCommand>& commands) {
  finding_.cancel();
  waiting_.assign(commands.begin(), commands.end());
  running_ = true;
  goOn();
}

void LessonVerbs::add(const std::vector<LessonCommand>& commands) {
  waiting_.insert(waiting_.end(), commands.begin(), commands.end());
  running_ = true;
  goOn();
}

/// Returns true if no job is opening, voxelising, mapping or searching the scene.
bool LessonVerbs::ready() const {
  return !finding_.busy() && (!lane_->busy() || lane_->trying());
}

void LessonVerbs::clear() {
  finding_.cancel();
  choosing_->stopChoosing();
  waiting_.clear();
  running_ = false;
}

void LessonVerbs::goOn() {
  if (!running_) return;
  while (!waiting_.empty() && ready() && workspace_->scene().voxels()) {
    const LessonCommand next = waiting_.front();
    waiting_.pop_front();
    perform(next);
  }
  if (!waiting_.empty() || !ready() || !workspace_->scene().voxels()) return;
  running_ = false;
  emit done();
}

void LessonVerbs::perform(const LessonCommand& command) {
  const std::string first = command.words.empty() ? std::string() : command.words.front();
  if (command.id == "choose.nothing") {
    choosing_->stopChoosing();  // Cancels a search that the previous page started.
    selection_->clear();
    selection_->setRows(nullptr);
  } else if (command.id == "choose.no_offset") {
    selection_->setColumns({});
  } else if (command.id == "choose.l1" || command.id == "choose.offset") {
    if (workspace_->shownMap(-1).densities) selection_->setColumns(columnsOf(command));
  } else if (command.id == "choose.voxel") {
    chooseVoxel(first);
  } else if (command.id == "choose.fullest") {
    chooseFullest();
  } else if (command.id == "choose.shape") {
    chooseShape(*shape_named(first));
  } else if (command.id == "choose.outputs") {
    chooseOutputs();
  } else if (command.id == "kernel.size") {
    workspace_->requested().setSceneKernelSize(whole(first));
  } else if (command.id == "voxel.scale") {
    Grid grid = grid_;
    for (double& size : grid.voxel_m)
      size *= parse_double(first).value_or(1);
    voxelize(grid, pack_);
  } else if (command.id == "voxel.thin") {
    const double factor = parse_double(first).value_or(1);
    Grid grid = grid_;
    grid.voxel_m[2] /= factor;
    // With 64 bits, the packing has enough bits for the cells along z.
    voxelize(grid, factor == 1 ? pack_ : PackSpec::bits64());
  } else if (command.id == "voxels.shuffle") {
    shuffle();
  } else if (command.id == "voxels.unshuffle") {
    unshuffle();
  } else if (command.id == "try.pack") {
    trial_.pack = first == "short" ? std::nullopt : std::optional(parse_pack_spec(first));
    emit tried(trial_);
  } else if (command.id == "channels.in" || command.id == "channels.out") {
    (command.id == "channels.in" ? trial_.c_in : trial_.c_out) = whole(first);
    emit tried(trial_);
  } else if (command.id == "pack.short") {
    packShort();
  } else {
    commands_->trigger(QString::fromStdString(command.id));
  }
}

std::vector<int> LessonVerbs::columnsOf(const LessonCommand& command) const {
  const ShownMap shown = workspace_->shownMap(-1);
  std::vector<int> columns;
  if (!shown.densities) return columns;
  for (const ColumnDensity& column : shown.densities->columns) {
    const bool wanted = command.id == "choose.l1"
                            ? column.l1 == whole(command.words[0])
                            : column.offset == Voxel{whole(command.words[0]) * shown.stride_in,
                                                     whole(command.words[1]) * shown.stride_in,
                                                     whole(command.words[2]) * shown.stride_in};
    if (wanted) columns.push_back(column.column);
  }
  return columns;
}

void LessonVerbs::chooseVoxel(const std::string& which) {
  const int stride = floor_stride(*selection_);
  auto map = which == "moved" ? workspace_->scene().map(stride).map : nullptr;
  if (map && !map->many()) map.reset();
  finding_.start(tr("Choosing a voxel"), find_voxel,
                 {workspace_->scene().voxels(), stride, place_of(which), std::move(map)},
                 [this, stride](const Voxel& voxel) {
                   selection_->setVoxel(ChosenVoxel{voxel, stride});
                 });
}

void LessonVerbs::packShort() {
  finding_.start(tr("Counting the bits of z"), find_short_pack, workspace_->scene().voxels(),
                 [this](const PackSpec& pack) {
                   asked_pack_ = pack;
                   scenes_->usePack(pack);
                 });
}

bool LessonVerbs::isShuffled() const {
  return shuffled_ && workspace_->scene().cloud() == shuffled_;
}

/// Replaces the scene with the shuffled voxels of the control experiment. The shuffled voxels form a normal
/// scene, so all views show the numbers of this scene.
void LessonVerbs::shuffle() {
  if (isShuffled()) return;
  finding_.start(tr("Shuffling the voxels"), shuffle_cloud, workspace_->scene().voxels(),
                 [this](const std::shared_ptr<const PointCloud>& cloud) {
                   kept_ = workspace_->keep();
                   shuffled_ = cloud;
                   scenes_->useCloud(cloud);
                 });
}

void LessonVerbs::unshuffle() {
  const auto kept = std::exchange(kept_, nullptr);
  if (kept && workspace_->scene().cloud() == std::exchange(shuffled_, nullptr)) {
    // Cancel the running job. Otherwise, its map of the shuffled voxels would be stored in the restored
    // scene.
    lane_->cancel();
    selection_->clear();
    selection_->setRows(nullptr);
    workspace_->restore(*kept);
  }
}

/// Selects the z layer with the most voxels, which is usually the ground or a floor.
void LessonVerbs::chooseFullest() {
  choosing_->choose(
      1,
      [scene = workspace_->scene().voxels()](const std::stop_token&) {
        const CoordSet& level = scene->level(1);
        std::map<int, std::vector<std::int32_t>> layers;
        for (std::int64_t row = 0; row < size_of(level); ++row)
          layers[voxel_at(level, row)[2]].push_back(static_cast<std::int32_t>(row));
        return std::max_element(
                   layers.begin(), layers.end(),
                   [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); })
            ->second;
      },
      Combine::replace);
}

/// Selects the voxels whose neighbourhood has the geometry of `shape`.
void LessonVerbs::chooseShape(Shape shape) {
  const int stride = floor_stride(*selection_);
  choosing_->choose(
      stride,
      [scene = workspace_->scene().voxels(), stride, shape](const std::stop_token& stop) {
        Job job(stop);
        return rows_of_shape(scene->level(stride), shape, job);
      },
      Combine::replace);
}

/// Selects the outputs that the matrix diagrams show. The first of them is the selected voxel.
void LessonVerbs::chooseOutputs() {
  LessonInput input;
  input.scene = workspace_->scene().voxels();
  input.stride = floor_stride(*selection_);
  if (selection_->voxel() && selection_->voxel()->stride == input.stride)
    input.voxel = selection_->voxel()->voxel;
  selection_->setNeighboursShown(false);
  choosing_->choose(
      input.stride,
      [input](const std::stop_token&) {
        const auto outputs = matrix_outputs(input);
        return std::vector<std::int32_t>(outputs.begin(), outputs.end());
      },
      Combine::replace);
}

}  // namespace spira::ui
