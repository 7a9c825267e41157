#include "ui/model/tuning.hpp"

#include <utility>

namespace spira::ui {

Tuning::Tuning(Workspace* workspace, QObject* parent) : QObject(parent), workspace_(workspace) {
  connect(workspace_, &Workspace::voxelsChanged, this, &Tuning::follow);
  connect(workspace_, &Workspace::networkChanged, this, &Tuning::follow);
  connect(workspace_, &Workspace::deviceChanged, this, &Tuning::follow);
  connect(workspace_, &Workspace::requestChanged, this, &Tuning::changed);
}

void Tuning::setProfile(std::shared_ptr<const TuningProfile> profile, const QString& name, bool unsaved) {
  profile_ = std::move(profile);
  name_ = name;
  unsaved_ = unsaved;
  follow();
}

void Tuning::setSaved(const QString& name) {
  name_ = name;
  unsaved_ = false;
  follow();
}

void Tuning::follow() {
  applied_.reset();
  const auto& voxels = workspace_->voxels();
  const auto& network = workspace_->network();
  const Levels levels = network ? levels_of(*network) : Levels{};
  // A network whose coarsest level the scene of the view does not have is voxelised anew when it runs.
  const bool known = voxels && levels.max_stride <= voxels->levels.back()->stride;
  if (profile_ && known && !workspace_->report()) {
    ProfileUse use;
    use.network = network.get();
    use.scene = voxels.get();
    use.device = workspace_->device();
    use.precision = workspace_->plan().precision;
    use.tool_version = SPIRA_VERSION;
    applied_ = apply_profile(*profile_, use, default_plan(*network), name_.toStdString());
  }
  emit changed();
}

bool Tuning::inUse() const {
  return applied_ && applied_->matched() > 0 && workspace_->plan().source == applied_->plan.source &&
         workspace_->plan().layers == applied_->plan.layers;
}

void Tuning::apply() {
  if (!applied_) return;
  Plan plan = applied_->plan;
  plan.precision = workspace_->plan().precision;
  workspace_->setPlan(plan);
}

namespace {

/// What AdviceFacts points to.
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
  if (const auto& report = workspace.report()) return [report] { return advise(facts_of(*report)); };
  HeldFacts held{
      workspace.sceneFacts(),     workspace.network(),   workspace.measurement(), workspace.plan(), {},
      workspace.thresholdSweep(), workspace.packSweep(), tuning.profile(),        tuning.applied()};
  const std::size_t layers = workspace.network() ? workspace.network()->layers.size() : 0;
  for (std::size_t at = 0; at < layers; ++at)
    held.layers.push_back(workspace.layer(static_cast<int>(at)));
  return [held = std::make_shared<const HeldFacts>(std::move(held))] { return advise(held->facts()); };
}

}  // namespace spira::ui
