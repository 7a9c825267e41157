#include "ui/jobs/engine/run_jobs.hpp"

#include "engine/backend/backend.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/measure/duration_estimate.hpp"
#include "engine/network/weights.hpp"
#include "engine/run/backward.hpp"
#include "engine/run/memory_forecast.hpp"
#include "ui/jobs/engine/engine_host.hpp"
#include "ui/jobs/engine/scene_jobs.hpp"
#include "ui/model/neighbours.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/theme/screen_number.hpp"

#include <utility>
#include <variant>

namespace spira::ui {
namespace {

using Doing = EngineLane::Doing;
using SharedLayer = std::shared_ptr<const LayerResult>;

struct Measured {
  std::shared_ptr<const Measurement> measurement;
  std::shared_ptr<const Report> report;
};
using RunEvent = std::variant<SceneMap, SharedLayer, Measured, StepForecast>;

/// Sends the memory forecast of a training step, if the network can be trained on the device.
void send_forecast(Session& session, const EngineRequest& now, const Send<RunEvent>& send) {
  if (session.backend().extensions().gradients == nullptr || !why_not_training(*now.network).empty()) return;
  send(StepForecast{training_forecast(session, now.plan).run(), now.voxels, now.network, now.plan});
}

void run_all(EngineHost& host, const EngineRequest& now, Job& job, const Send<RunEvent>& send) {
  Session& session = session_with_map(host, now, job, send);
  session.run_all(now.plan, job, [&](SharedLayer result) { send(std::move(result)); });
  send_forecast(session, now, send);
}

struct LayerArgs {
  EngineRequest now;
  int layer = 0;
};

/// Runs one layer. If the outputs of earlier layers are missing, runs these layers first. Sends the results
/// of the layer and of all earlier layers.
void run_layer(EngineHost& host, const LayerArgs& args, Job& job, const Send<RunEvent>& send) {
  Session& session = session_with_map(host, args.now, job, send);
  auto result = session.run_layer(args.layer, args.now.plan, job);
  for (int before = 0; before < args.layer; ++before) {
    if (auto input = session.result(before)) send(std::move(input));
  }
  send(std::move(result));
}

struct MeasureArgs {
  EngineRequest now;
  SamplingProtocol how;
  std::optional<KnownRates> rates;
  bool training = false;  // True if training steps are measured after the network.
};

void measure_network(EngineHost& host, const MeasureArgs& args, Job& job, const Send<RunEvent>& send) {
  Session& session = session_with_map(host, args.now, job, send);
  if (args.training) require_training(session.backend(), *args.now.network);
  send_forecast(session, args.now, send);
  SamplingProtocol how = args.how;
  how.max_time_ms *= measured_passes_per_round;
  const auto measurement = std::make_shared<Measurement>(*session.measure(args.now.plan, how, job));
  if (args.training) {
    TrainingRequest training;
    if (args.now.plan.precision == Precision::fp16) training.loss_scale = usual_loss_scale;
    measure_training(session, training, how, *measurement, job);
  }
  if (args.rates && args.rates->fit(*measurement)) measurement->rates = args.rates->rates;
  measurement->rendering_paused = session.backend().facts().kind == BackendKind::cuda;
  for (int layer = 0; layer < static_cast<int>(args.now.network->layers.size()); ++layer) {
    if (auto result = session.result(layer)) send(std::move(result));
  }
  Report made = make_report(session, *measurement, {"spirascope"});
  made.tool_version = SPIRA_VERSION;
  send(Measured{measurement, std::make_shared<const Report>(std::move(made))});
}

/// Takes a result that several jobs send. Returns false for a measurement.
bool take(const RunEvent& event, Workspace& workspace, std::optional<StepForecast>& forecast) {
  if (const auto* map = std::get_if<SceneMap>(&event)) map->showIn(workspace);
  if (const auto* layer = std::get_if<SharedLayer>(&event)) workspace.setLayer(*layer);
  if (const auto* step = std::get_if<StepForecast>(&event)) forecast = *step;
  return !std::holds_alternative<Measured>(event);
}

void measure_rates(EngineHost& host, const Precision& precision, Job& job, const Send<KnownRates>& send) {
  Backend& backend = host.device();
  send({backend.facts(), precision, backend.measure_rates(precision, job)});
}

}  // namespace

RunJobs::RunJobs(EngineLane* lane, SceneJobs* scenes, Workspace* workspace, Selection* selection,
                 QObject* parent)
    : QObject(parent), lane_(lane), scenes_(scenes), workspace_(workspace), selection_(selection) {
  connect(scenes_, &SceneJobs::networkOpened, this,
          [this](const OpenedNetwork& opened) { useNetwork(opened.network, opened.weights); });
}

void RunJobs::chooseNetwork(const QString& name_or_file, const Neighbourhood& neighbourhood) {
  try {
    Network network = network_by_name_or_file(name_or_file.toStdString());
    if (neighbourhood.native()) set_neighbourhood(network, neighbourhood);
    useNetwork(std::make_shared<const Network>(std::move(network)));
  } catch (...) {
    emit lane_->failed(current_error());
  }
}

void RunJobs::setNeighbourhood(const Neighbourhood& neighbourhood) {
  try {
    Network network = *workspace_->network();
    set_neighbourhood(network, neighbourhood);
    useNetwork(std::make_shared<const Network>(std::move(network)), workspace_->weights());
  } catch (...) {
    emit lane_->failed(current_error());
  }
}

void RunJobs::useNetwork(const std::shared_ptr<const Network>& network,
                         const std::shared_ptr<const NetworkWeights>& weights) {
  static_cast<void>(levels_of(*network));
  const auto doing = lane_->doing();
  const bool stale = doing && doing != Doing::scene && doing != Doing::scene_map;
  if (stale) lane_->cancel();  // Cancel the running job, because it uses the former network.
  const auto& before = workspace_->network();
  const bool neighbours = before && differ_in_neighbours(*before, *network);
  if (network != before && !neighbours) selection_->setLayer(-1);
  workspace_->setNetwork(network, weights);
  if (stale && !workspace_->shownMap(-1).map) scenes_->rebuildSceneMap();
  if (neighbours) {
    const auto common = common_neighbourhood(*network);
    return workspace_->addLog(tr("network %1: neighbours: %2")
                                  .arg(networkText(*network), common
                                                                  ? QString::fromStdString(text_of(*common))
                                                                  : tr("as in its file")));
  }
  workspace_->addLog(tr("network %1: %2, %3")
                         .arg(networkText(*network),
                              counted(std::ssize(network->layers), tr("1 layer"), tr("%1 layers")),
                              weights ? tr("weights from %1").arg(QString::fromStdString(weights->source))
                                      : tr("random weights")));
}

void RunJobs::run() {
  workspace_->results().clearLayers();
  lane_->start(
      tr("Running the network"), Doing::running, run_all, EngineRequest(*workspace_),
      [this](const RunEvent& event) { static_cast<void>(take(event, *workspace_, step_forecast_)); });
}

void RunJobs::runLayer(int layer) {
  lane_->start(tr("Running a layer"), Doing::running, run_layer, {EngineRequest(*workspace_), layer},
               [this, layer](const RunEvent& event) {
                 if (const auto* map = std::get_if<SceneMap>(&event)) return map->showIn(*workspace_);
                 const auto& result = std::get<SharedLayer>(event);
                 workspace_->setLayer(result);
                 if (result->layer == layer) selection_->setLayer(layer);
               });
}

void RunJobs::measure(bool training) {
  lane_->start(training ? tr("Measuring training steps") : tr("Measuring the network"), Doing::measuring,
               measure_network, {EngineRequest(*workspace_), lane_->protocol(), known_rates_, training},
               [this](const RunEvent& event) {
                 if (take(event, *workspace_, step_forecast_)) return;
                 const auto& [measurement, report] = std::get<Measured>(event);
                 workspace_->results().setMeasurement(measurement);
                 emit measured(report);
                 const Statistics wall = measurement->wall.stats();
                 workspace_->addLog(tr("measured: median wall time %1 (n = %2, IQR %3)")
                                        .arg(onScreen(ms_text(wall.median)))
                                        .arg(wall.n)
                                        .arg(onScreen(ms_text(wall.iqr()))));
               });
}

std::optional<std::size_t> RunJobs::stepBytes() const {
  const EngineRequest now(*workspace_);
  const bool current =
      step_forecast_ && step_forecast_->scene == now.voxels && step_forecast_->network == now.network &&
      step_forecast_->plan.precision == now.plan.precision &&
      step_forecast_->plan.layers == now.plan.layers && step_forecast_->plan.backward == now.plan.backward;
  return current ? std::optional(step_forecast_->bytes) : std::nullopt;
}

void RunJobs::measureRates() {
  const auto run = workspace_->results().measurement();
  if (!run) return;
  lane_->start(tr("Measuring the device rates"), Doing::measuring, measure_rates, run->plan.precision,
               [this, run](const KnownRates& found) {
                 known_rates_ = found;
                 // If the device of the run was lost in the meantime, the rates belong to a different device.
                 if (workspace_->results().measurement() != run || !found.fit(*run)) return;
                 auto with_rates = std::make_shared<Measurement>(*run);
                 with_rates->rates = found.rates;
                 workspace_->results().setMeasurement(std::move(with_rates));
               });
}

}  // namespace spira::ui
