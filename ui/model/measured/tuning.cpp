#include "ui/model/measured/tuning.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/tune/apply_profile.hpp"
#include "engine/tune/choice_text.hpp"
#include "ui/theme/screen_number.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace spira::ui {
namespace {

/// Returns the densities from an existing map of the scene or of a layer. Returns an empty value if no map
/// exists yet.
std::optional<SceneDensities> known_densities(const Workspace& workspace) {
  const auto shown = workspace.shownMap(-1).densities;
  if (auto known = shown ? scene_densities(*shown) : std::nullopt) return known;
  const std::size_t layers = workspace.network() ? workspace.network()->layers.size() : 0;
  for (std::size_t at = 0; at < layers; ++at) {
    const auto& layer = workspace.results().layer(static_cast<int>(at));
    const bool finest = layer && layer->levels.stride_in == 1 && layer->levels.stride_out == 1;
    if (auto known = finest ? scene_densities(layer->densities) : std::nullopt) return known;
  }
  return std::nullopt;
}

}  // namespace

Tuning::Tuning(Workspace* workspace, QObject* parent) : QObject(parent), workspace_(workspace) {
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &Tuning::follow);
  connect(workspace_, &Workspace::networkChanged, this, [this] {
    applied_.reset();
    setPicked({});
    follow();
  });
  connect(workspace_, &Workspace::deviceChanged, this, &Tuning::follow);
  connect(&workspace_->scene(), &OpenScene::mapsChanged, this, &Tuning::followDensities);
  connect(&workspace_->results(), &RunResults::layerChanged, this, &Tuning::followDensities);
  connect(&workspace_->requested(), &RequestedSettings::planChanged, this, &Tuning::changed);
}

void Tuning::setProfile(std::shared_ptr<const TuningProfile> profile, const QString& name, bool unsaved) {
  profile_ = std::move(profile);
  name_ = name;
  unsaved_ = unsaved;
  ignore_device_ = false;
  if (!unsaved) setPicked({});  // Picks that were made during the tuning stay.
  follow();
}

std::optional<Plan> Tuning::planToApply() const {
  if (!applied_) return std::nullopt;
  Plan plan = applied_->plan;
  for (const auto& [layer, setting] : picked_) {
    const auto at = static_cast<std::size_t>(layer);
    // Record the t of the profile as the source first. The different t of the pick then counts as set by the
    // user.
    const TunedShape* tuned = choiceOf(layer);
    if (tuned != nullptr && !applied_->why_not[at].empty()) {
      plan.layers[at].set(tuned->choice.setting);
      note_threshold_source(plan, at, "profile:" + name_.toStdString());
    }
    plan.layers[at].set(setting.dataflow());
    plan.layers[at].algorithm = setting.algorithm;
  }
  return plan;
}

const TunedShape* Tuning::choiceOf(int layer) const {
  const Network& network = *workspace_->network();
  const Levels levels = levels_of(network);
  const auto at = static_cast<std::size_t>(layer);
  return choice_for(*profile_, network.layers.at(at).name, shape_of(network.layers[at], levels.layers.at(at)),
                    levels.sets);
}

void Tuning::pick(const PickedSettings& more) {
  PickedSettings now = picked_;
  for (const auto& [layer, setting] : more)
    now.insert_or_assign(layer, setting);
  if (now == picked_ || more.empty() || !workspace_->network()) return;
  const PickedSettings before = picked_;
  setPicked(std::move(now));
  const auto first = static_cast<std::size_t>(more.begin()->first);
  emit edited(more.size() == 1
                  ? tr("choose setting for %1")
                        .arg(QString::fromStdString(workspace_->network()->layers.at(first).name))
                  : tr("choose settings for %1 layers").arg(more.size()),
              before);
}

void Tuning::setPicked(PickedSettings picked) {
  const auto& network = workspace_->network();
  std::erase_if(picked, [&](const auto& one) {
    const auto layer = static_cast<std::size_t>(one.first);
    return !network || layer >= network->layers.size() ||
           !why_not_plan(network->layers[layer], one.second).empty();
  });
  if (picked == picked_) return;
  picked_ = std::move(picked);
  emit pickedChanged();
}

std::vector<std::string> Tuning::undecidedPicks() const {
  std::vector<std::string> names;
  if (!profile_ || !workspace_->network()) return names;
  for (const auto& [layer, setting] : picked_) {
    const std::string& name = workspace_->network()->layers[static_cast<std::size_t>(layer)].name;
    const TunedShape* tuned = choiceOf(layer);
    const MeasuredCost* cost = tuned == nullptr ? nullptr : measured_cost(*tuned, setting.dataflow());
    if (cost == nullptr || cost->n < static_cast<std::int64_t>(fewest_samples_for_verdict))
      names.push_back(name);
  }
  return names;
}

QStringList Tuning::notUsedTexts(const Network& shown) const {
  QStringList texts;
  AppliedProfile rest = *applied_;
  if (profile_->stopped == "budget") {
    const std::set<std::size_t> short_of_time(rest.unmeasured.begin(), rest.unmeasured.end());
    std::set<std::size_t> all = short_of_time;
    all.insert(rest.undecided.begin(), rest.undecided.end());
    for (const std::size_t layer : all)
      rest.why_not[layer].clear();
    rest.undecided.clear();
    texts += all.empty() ? tr("stopped at the time limit")
                         : counted(std::ssize(all),
                                   tr("the time limit was reached before the last layer was decided"),
                                   tr("the time limit was reached before the other %1 layers were decided"));
  }
  const std::vector<std::string> lines = rest.lines(shown);
  for (std::size_t line = 1; line < lines.size(); ++line)
    texts += QString::fromStdString(lines[line]).trimmed();
  return texts;
}

std::shared_ptr<const TuningProfile> Tuning::toSave() const {
  if (!setByHand() && picked_.empty()) return profile_;
  std::optional<Plan> plan = planToApply();
  if (!plan) return profile_;
  if (setByHand()) {
    // Layers without a pick keep the t that the user set in the plan.
    for (std::size_t at = 0; at < plan->layers.size(); ++at) {
      if (!picked_.contains(static_cast<int>(at)))
        plan->layers[at] = workspace_->requested().plan().layers[at];
    }
  }
  return std::make_shared<const TuningProfile>(
      with_user_choices(*profile_, *workspace_->network(), *plan, name_.toStdString()));
}

void Tuning::setSaved(std::shared_ptr<const TuningProfile> saved, const QString& name) {
  const bool taken = inUse() || setByHand();
  profile_ = std::move(saved);
  if (applied_) setPicked({});  // The saved choices already contain the picks.
  name_ = name;
  unsaved_ = false;
  follow();
  if (taken) apply();
}

bool Tuning::setByHand() const {
  return profile_ && workspace_->network() && !workspace_->results().report() &&
         has_user_choices(workspace_->requested().plan(), name_.toStdString());
}

/// Updates the settings that the profile provides, because they depend on the densities of the kernel map
/// that has arrived.
void Tuning::followDensities() {
  if (applied_ && !applied_->density && known_densities(*workspace_)) follow();
}

void Tuning::follow() {
  applied_.reset();
  const auto& voxels = workspace_->scene().voxels();
  const auto& network = workspace_->network();
  const Levels levels = network ? levels_of(*network) : Levels{};
  // If the scene lacks a level of the network, the next run voxelises the scene again. Do not apply the
  // profile before that.
  const bool known =
      voxels && std::all_of(levels.sets.begin(), levels.sets.end(),
                            [&](const SceneLevel& set) { return has_level(*voxels, set.number); });
  if (profile_ && known && !workspace_->results().report()) {
    ProfileUse use;
    use.network = network.get();
    use.scene = voxels.get();
    use.device = workspace_->device();
    use.precision = workspace_->requested().plan().precision;
    use.tool_version = SPIRA_VERSION;
    use.ignore_device = ignore_device_;
    use.densities = known_densities(*workspace_);
    applied_ = apply_profile(*profile_, use, default_plan(*network), name_.toStdString());
  }
  emit changed();
}

bool Tuning::inUse() const {
  const auto plan = planToApply();
  return plan && (applied_->matched() > 0 || !picked_.empty()) &&
         workspace_->requested().plan().source == plan->source &&
         workspace_->requested().plan().layers == plan->layers;
}

void Tuning::apply() {
  std::optional<Plan> plan = planToApply();
  if (!plan) return;
  plan->precision = workspace_->requested().plan().precision;
  workspace_->setPlan(*plan);
  emit taken();
}

void Tuning::useAnyway() {
  ignore_device_ = true;
  follow();
  apply();
}

QString Tuning::deviceMismatch() const {
  return profile_ ? QString::fromStdString(why_not_device(*profile_, workspace_->device(), SPIRA_VERSION))
                  : QString();
}

int scene_in(const TuningProfile& profile, const Workspace& workspace) {
  const auto& voxels = workspace.scene().voxels();
  if (!voxels) return -1;
  for (std::size_t at = 0; at < profile.scenes.size(); ++at) {
    const TunedScene& scene = profile.scenes[at];
    const bool same_levels =
        std::all_of(voxels->levels.begin(), voxels->levels.end(), [&](const auto& level) {
          // The view can have levels that the tuned network does not have. A level number from
          // first_numbered_level on can stand for different levels in different networks.
          const bool tuned = level->stride < first_numbered_level &&
                             std::any_of(scene.levels.begin(), scene.levels.end(),
                                         [&](const LevelSize& one) { return one.stride == level->stride; });
          return !tuned || scene.voxels(level->stride) == size_of(*level);
        });
    if (same_levels && !scene.levels.empty() && scene.points == voxels->cloud->size() &&
        scene.batch == voxels->cloud->batch() && scene.voxel_m == voxels->grid.voxel_m &&
        scene.pack == voxels->pack.with_batch(1))
      return static_cast<int>(at);
  }
  return -1;
}

std::optional<TunedTimes> tuned_times(const Tuning& tuning, const Workspace& workspace) {
  const auto& profile = tuning.profile();
  const auto& network = workspace.network();
  if (!profile || !network || profile->network_fingerprint != fingerprint_of(*network)) return std::nullopt;
  const int scene = scene_in(*profile, workspace);
  if (scene < 0 || workspace.requested().plan().layers.size() != network->layers.size()) return std::nullopt;
  const Levels levels = levels_of(*network);
  TunedTimes times{
      tuning.unsaved() ? Tuning::tr("the unsaved profile") : Tuning::tr("profile %1").arg(tuning.name()), {}};
  bool any = false;
  for (std::size_t at = 0; at < network->layers.size(); ++at) {
    const LayerShape shape = shape_of(network->layers[at], levels.layers[at]);
    const auto record =
        std::find_if(profile->features.begin(), profile->features.end(), [&](const FeatureRecord& one) {
          return one.scene == scene && one.shape == shape && one.pass == LayerPass::forward &&
                 !one.ms.empty() &&
                 one.setting == setting_of(network->layers[at], workspace.requested().plan().layers[at]);
        });
    times.layers.emplace_back();
    if (record == profile->features.end()) continue;
    const Statistics s = statistics(record->ms);
    times.layers.back() = {s.median, s.iqr(), s.n,
                           profile->scenes[static_cast<std::size_t>(scene)].voxels(shape.stride_out)};
    any = true;
  }
  return any ? std::optional(std::move(times)) : std::nullopt;
}

namespace {

/// Owns the objects that an AdviceFacts refers to.
struct HeldFacts {
  std::optional<SceneFacts> scene;
  std::shared_ptr<const Network> network;
  std::shared_ptr<const Measurement> measurement;
  Plan plan;
  std::vector<std::shared_ptr<const LayerResult>> layers;
  std::shared_ptr<const Sweep> threshold_sweep, pack_sweep;
  std::shared_ptr<const TuningProfile> profile;
  std::optional<AppliedProfile> applied;

  [[nodiscard]] AdviceFacts facts() const {
    AdviceFacts facts;
    facts.scene = scene ? &*scene : nullptr;
    facts.network = network.get();
    facts.measurement = measurement.get();
    facts.plan = &plan;
    for (const auto& layer : layers)
      facts.densities.push_back(layer ? &layer->densities : nullptr);
    facts.threshold_sweep = threshold_sweep.get();
    facts.pack_sweep = pack_sweep.get();
    facts.profile = profile.get();
    facts.applied = applied ? &*applied : nullptr;
    return facts;
  }
};

}  // namespace

std::function<std::vector<Advice>()> advice_on(const Workspace& workspace, const Tuning& tuning) {
  if (const auto& report = workspace.results().report())
    return [report] { return advise(facts_of(*report)); };
  HeldFacts held{workspace.scene().facts(),
                 workspace.network(),
                 workspace.results().measurement(),
                 workspace.requested().plan(),
                 {},
                 workspace.results().thresholdSweep(),
                 workspace.results().packSweep(),
                 tuning.profile(),
                 tuning.applied()};
  const std::size_t layers = workspace.network() ? workspace.network()->layers.size() : 0;
  for (std::size_t at = 0; at < layers; ++at)
    held.layers.push_back(workspace.results().layer(static_cast<int>(at)));
  return [held = std::make_shared<const HeldFacts>(std::move(held))] { return advise(held->facts()); };
}

}  // namespace spira::ui
