#include "ui/features/layers/captured_layers.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/network/weights.hpp"
#include "engine/run/measurement.hpp"
#include "engine/tune/choice_text.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/model/notices.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/model/workspace.hpp"
#include "ui/panels/graph_panel.hpp"
#include "ui/theme/screen_number.hpp"

#include <QFileInfo>
#include <QMainWindow>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

struct ReadArgs {
  std::string file;
  std::shared_ptr<const Network> network;
  std::string layer;
  std::string weights;  // The file of the weights. Empty if they are random.
};
struct Read {
  CapturedInput input;
  std::shared_ptr<const NetworkWeights> weights;
};

void read_input(const ReadArgs& args, Job& job, const Send<Read>& send) {
  auto inputs = captured_inputs(args.file, *args.network, args.layer, !args.weights.empty(), job);
  if (inputs.empty())
    throw Error(ErrorKind::input,
                args.file + ": contains no input of layer " + args.layer + "; export the capture again");
  Read read{std::move(inputs.front()), nullptr};
  if (!args.weights.empty())
    read.weights = std::make_shared<const NetworkWeights>(captured_weights(args.weights, read.input));
  send(read);
}

struct CompareArgs {
  std::shared_ptr<const LayerResult> result;
  CapturedInput input;
};

void compare_output(const CompareArgs& args, Job& /*job*/, const Send<CaptureRow>& send) {
  send(compare_with_output(*args.result, args.input));
}

QString text(const std::string& value) {
  return QString::fromStdString(value);
}

}  // namespace

CapturedLayers::CapturedLayers(const FeatureContext& context, EngineJobs& jobs, GraphPanel& graph)
    : QObject(&context.window),
      context_(context),
      jobs_(jobs),
      comparing_(context.tasks),
      reading_(context.tasks) {
  connect(&graph, &GraphPanel::skippedLayerClicked, this, &CapturedLayers::offer);
  connect(&context.workspace.results(), &RunResults::layerChanged, this, &CapturedLayers::compare);
  // Queued, because the workspace is not yet complete when it emits this signal.
  connect(&context.workspace.scene(), &OpenScene::cloudChanged, this, &CapturedLayers::callOpened,
          Qt::QueuedConnection);
  for (const TaskSlot* slot : {&comparing_, &reading_}) {
    connect(slot, &TaskSlot::failed, this, [this](const Error& error) { context_.notices.showError(error); });
  }
}

void CapturedLayers::offer(const QString& layer) {
  const Workspace& workspace = context_.workspace;
  const auto& network = workspace.network();
  if (!network) return;
  const auto found = std::find_if(network->skipped.begin(), network->skipped.end(),
                                  [&](const SkippedLayer& one) { return text(one.layer.name) == layer; });
  if (found == network->skipped.end()) return;
  if (const std::string why = why_not_captured(*found); !why.empty()) {
    context_.notices.showNote(tr("%1 does not run").arg(layer), tr("The layer %1.").arg(text(why)));
    return;
  }
  const auto& cloud = workspace.scene().cloud();
  if (!cloud || workspace.results().report() || cloud->feature_channels == 0 ||
      !QFileInfo(text(cloud->source)).isFile()) {
    context_.notices.showNote(
        tr("%1 runs only from its captured input").arg(layer),
        tr("Open the capture of this network, for example %1.capture.safetensors.").arg(text(network->name)));
    return;
  }
  context_.notices.show({Notice::Kind::question,
                         tr("Run %1 from its captured input?").arg(layer),
                         tr("The layer is opened as a separate network, with the input that %1 contains.")
                             .arg(QFileInfo(text(cloud->source)).fileName()),
                         {{tr("Open layer"), [this, layer] { open(layer); }}}});
}

void CapturedLayers::open(const QString& layer, std::function<void()> opened) {
  const Workspace& workspace = context_.workspace;
  if (!workspace.network() || !workspace.scene().voxels()) return;
  const Whole whole{layer.toStdString(),       workspace.network(),        workspace.weights(),
                    workspace.scene().cloud(), workspace.scene().voxels(), workspace.requested().plan()};
  const std::string weights = whole.weights ? whole.weights->source : "";
  reading_.start(
      tr("Reading the captured input"), read_input,
      {whole.cloud->source, whole.network, whole.layer, weights},
      [this, whole, layer, opened = std::move(opened)](const Read& read) {
        if (context_.workspace.network() != whole.network) return;
        before_ = Before{whole, read.input, opened};
        jobs_.runs().useNetwork(read.input.network, read.weights);
        jobs_.scenes().useCloud(read.input.cloud);
        QString message = tr("The captured input of the layer is now the open scene.");
        if (read.input.without_residual)
          message +=
              " " + tr("The layer runs without its residual, because the residual is not in the capture.");
        if (read.weights && !read.input.output)
          message += " " + tr("The output of the layer is not compared with the capture: %1.")
                               .arg(text(read.input.why_not_compared));
        context_.notices.show({Notice::Kind::question,
                               tr("%1 is open as a separate network").arg(layer),
                               message,
                               {{tr("Back to %1").arg(networkText(*whole.network)), [this] { goBack(); }}}});
      });
}

void CapturedLayers::callOpened() {
  if (shown() && before_->opened && context_.workspace.scene().cloud() == before_->input.cloud)
    std::exchange(before_->opened, nullptr)();
}

bool CapturedLayers::shown() const {
  return before_ && context_.workspace.network() == before_->input.network;
}

void CapturedLayers::goBack() {
  if (!shown()) return;
  const Whole whole = std::exchange(before_, std::nullopt)->whole;
  jobs_.runs().useNetwork(whole.network, whole.weights);
  Plan plan = whole.plan;
  plan.precision = context_.workspace.requested().plan().precision;
  context_.workspace.setPlan(plan);
  jobs_.scenes().useCloud(whole.cloud);
}

void CapturedLayers::compare(int layer) {
  comparing_.cancel();
  if (!shown() || !before_->input.output) return;
  const int last = static_cast<int>(before_->input.network->layers.size()) - 1;
  if (layer != last || !context_.workspace.results().layer(last)) return;
  comparing_.start({}, compare_output, {context_.workspace.results().layer(last), before_->input},
                   [this](const CaptureRow& row) { showDifference(row); });
}

void CapturedLayers::showDifference(const CaptureRow& row) {
  if (!shown()) return;
  const QString name = text(row.layer);
  QString title = tr("The output of %1 differs from the capture by up to %2 of the largest value")
                      .arg(name, onScreen(scientific(row.max_rel)));
  QString message = tr("%1 of %2 rows were compared.")
                        .arg(onScreen(count_text(row.compared)), onScreen(count_text(row.rows)));
  if (row.compared == 0 && !row.fault.empty()) {
    title = tr("The output of %1 differs from the capture").arg(name);
    message = text(row.fault);
  } else if (!row.fault.empty()) {
    message += " " + tr("Limit exceeded: the output %1").arg(text(row.fault));
  }
  context_.workspace.addLog(title + ". " + message);
  context_.notices.show(
      {Notice::Kind::question,
       title,
       message,
       {{tr("Back to %1").arg(networkText(*before_->whole.network)), [this] { goBack(); }}}});
}

}  // namespace spira::ui
