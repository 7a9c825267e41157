#include "ui/panels/graph_panel.hpp"

#include "engine/base/text.hpp"
#include "engine/run/verify/capture.hpp"
#include "ui/charts/graph/graph_chart.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

using Model = LayerTableModel;

QString cell(const LayerTableModel& layers, int layer, int column) {
  return layers.index(layer, column).data().toString();
}

/// Returns the operation of a layer, such as "3x3x3, down 2" for a convolution.
QString operation_text(const Layer& layer) {
  if (!layer.has_map()) return operationText(layer);
  const QString kernel = QString::fromStdString(cells_text(layer.kernel_size));
  if (!layer.convolution()) return operationText(layer) + " " + kernel;
  if (layer.kernel_size == PerAxis(1) && layer.stride == PerAxis(1)) return GraphPanel::tr("linear");
  const QString factor = QString::fromStdString(text_of(layer.stride));
  if (layer.transposed) return GraphPanel::tr("%1, up %2").arg(kernel, factor);
  return layer.stride == PerAxis(1) ? kernel : GraphPanel::tr("%1, down %2").arg(kernel, factor);
}

/// Returns the output rule of a layer. `on_points` is true if its rows are points. The outputs of a
/// transposed layer are the inputs of the layer whose map it uses.
QString rule_text(const Layer& layer, bool on_points) {
  if (layer.op == LayerOp::union_add) return GraphPanel::tr("union");
  if (layer.op == LayerOp::drop_axis) return GraphPanel::tr("without z");
  if (layer.op == LayerOp::to_points)
    return layer.mode == PointMode::nearest ? GraphPanel::tr("nearest voxel") : GraphPanel::tr("trilinear");
  if (layer.op == LayerOp::to_voxels) return GraphPanel::tr("mean of points");
  if (on_points) return GraphPanel::tr("same points");
  if (!layer.has_map()) return GraphPanel::tr("same voxels");
  if (layer.submanifold()) return GraphPanel::tr("submanifold");
  if (layer.transposed) return GraphPanel::tr("transposed");
  return layer.rule == OutputRule::floor ? GraphPanel::tr("floor") : GraphPanel::tr("reached");
}

/// Returns the steps after the sums of a layer in their order, such as "batch norm, residual, ReLU".
QString steps_text(const Layer& layer) {
  QStringList steps;
  for (const LayerStep step : layer.steps()) {
    if (step == LayerStep::norm)
      steps += layer.op == LayerOp::affine ? GraphPanel::tr("scale and shift") : GraphPanel::tr("batch norm");
    if (step == LayerStep::add) steps += GraphPanel::tr("residual");
    if (step == LayerStep::activation)
      steps += QString::fromStdString(std::string(text_of(layer.activation)));
  }
  return steps.join(", ");
}

GraphNode input_node(const Network& network) {
  const QString name = GraphPanel::tr("input");
  QStringList features;
  for (const InputFeature& feature : network.features)
    features += QString::fromStdString(std::string(text_of(feature.value)));
  const QString what = network.features_from_file ? GraphPanel::tr("features from the voxel file")
                       : features.isEmpty()       ? GraphPanel::tr("x, y, z, intensity")
                                                  : features.join(", ");
  return {name,
          name,
          {{what, {}},
           {counted(network.in_channels, GraphPanel::tr("1 channel"), GraphPanel::tr("%1 channels")), {}}}};
}

/// Returns the share of a layer in the multiply-adds that the network file gives.
QString work_text(const Network& network, const Layer& layer) {
  if (layer.multiply_adds < 0) return GraphPanel::tr("work unknown");
  const KnownWork work = known_work(network);
  if (work.run + work.skipped == 0) return GraphPanel::tr("no work");
  const QString share = onScreen(percent_text(work.share(layer.multiply_adds)));
  return work.unknown == 0 ? GraphPanel::tr("%1 of the work").arg(share)
                           : GraphPanel::tr("%1 of the known work").arg(share);
}

GraphNode skipped_node(const Network& network, const SkippedLayer& skipped) {
  const QString name = QString::fromStdString(skipped.layer.name);
  const QString operation = QString::fromStdString(skipped.operation);
  const QString what = !skipped.opaque       ? operation_text(skipped.layer)
                       : operation.isEmpty() ? GraphPanel::tr("opaque")
                                             : GraphPanel::tr("opaque: %1").arg(operation);
  return {name,
          name.section('.', -1),
          {{what, {}}, {GraphPanel::tr("does not run"), {}}, {work_text(network, skipped.layer), {}}},
          true};
}

NetworkGraph graph_from(const Network& network, const LayerTableModel& layers) {
  NetworkGraph graph{networkText(network), graph_of(network), {input_node(network)}, {}, {}, {}};
  const QStringList short_names = shortLayerNames(network);
  for (int layer = 0; layer < static_cast<int>(network.layers.size()); ++layer) {
    const Layer& own = network.layers[static_cast<std::size_t>(layer)];
    const bool on_points = layers.onPoints(layer);
    const QString stride = cell(layers, layer, Model::stride).remove(" (reached)");
    const bool from_stride = own.op == LayerOp::to_points || (!on_points && own.op != LayerOp::to_voxels);
    graph.nodes.push_back(
        {QString::fromStdString(own.name),
         short_names[layer],
         {{operation_text(own), cell(layers, layer, Model::channels)},
          {from_stride ? GraphPanel::tr("stride %1").arg(stride) : stride, rule_text(own, on_points)}}});
  }
  for (const SkippedLayer& skipped : network.skipped)
    graph.nodes.push_back(skipped_node(network, skipped));
  graph.values.resize(graph.nodes.size());
  return graph;
}

QString voxels_text(double count) {
  return counted(static_cast<std::int64_t>(count), GraphPanel::tr("1 voxel"), GraphPanel::tr("%1 voxels"));
}

QString outputs_text(double count) {
  return counted(static_cast<std::int64_t>(count), GraphPanel::tr("1 output"), GraphPanel::tr("%1 outputs"));
}

QString points_text(double count) {
  return counted(static_cast<std::int64_t>(count), GraphPanel::tr("1 point"), GraphPanel::tr("%1 points"));
}

std::vector<GraphValue> values_of(const Workspace& workspace, const LayerTableModel& layers) {
  std::vector<GraphValue> values(static_cast<std::size_t>(layers.rowCount()) + 1 +
                                 workspace.network()->skipped.size());
  if (const auto& scene = workspace.scene().voxels(); scene && has_level(*scene, 1)) {
    values[0].voxels = static_cast<double>(scene->level(1).size.value());
    values[0].voxels_text = voxels_text(values[0].voxels);
  }
  for (int layer = 0; layer < layers.rowCount(); ++layer) {
    GraphValue& value = values[static_cast<std::size_t>(layer) + 1];
    const QModelIndex voxels = layers.index(layer, Model::voxels), time = layers.index(layer, Model::time);
    const QVariant count = voxels.data(Model::sort_role), ms = time.data(Model::sort_role);
    if (count.isValid()) {
      value.voxels = count.toDouble();
      value.voxels_text = layers.onPoints(layer) ? points_text(value.voxels) : outputs_text(value.voxels);
    }
    const QString text = time.data().toString();
    if (ms.isValid()) {
      value.ms = ms.toDouble();
      value.time_text = GraphPanel::tr("%1 ms").arg(text);
    } else {
      value.time_text = text;
    }
    value.outdated = time.data(Qt::ForegroundRole).isValid();
  }
  return values;
}

}  // namespace

GraphPanel::GraphPanel(Workspace* workspace, Selection* selection, Theme* theme,
                       const LayerTableModel* layers, QWidget* parent)
    : Panel(workspace, selection, theme, parent),
      layers_(layers),
      search_(new QLineEdit(body())),
      found_(new QLabel(body())),
      colour_(new QComboBox(body())),
      chart_(new GraphChart(theme, body())) {
  makeTools();
  connect(chart_, &GraphChart::layerClicked, selection_, &Selection::setLayer);
  connect(chart_, &GraphChart::skippedClicked, this, [this](int row) {
    const auto at = static_cast<std::size_t>(row) - network_->layers.size();
    if (at < network_->skipped.size())
      emit skippedLayerClicked(QString::fromStdString(network_->skipped[at].layer.name));
  });
  connect(chart_, &GraphChart::layerHovered, this, [this](int layer) {
    Hover hover;
    hover.layer = layer;
    selection_->setHover(hover);
  });
  chart_->setTips([this](int layer) { return tipOf(layer); });
  connect(selection_, &Selection::layerChanged, chart_, &GraphChart::setChosenLayer);
  connect(selection_, &Selection::hoverChanged, chart_,
          [this] { chart_->setHoveredLayer(selection_->hover().layer); });
  connect(workspace_, &Workspace::networkChanged, this, &GraphPanel::followSoon);
  for (const auto changed : {&RunResults::reportChanged, &RunResults::measurementChanged})
    connect(&workspace_->results(), changed, this, &GraphPanel::followSoon);
  connect(&workspace_->scene(), &OpenScene::voxelsChanged, this, &GraphPanel::followSoon);
  connect(layers_, &QAbstractItemModel::dataChanged, this, &GraphPanel::followSoon);
  follow();
}

void GraphPanel::makeTools() {
  auto* layout = new QVBoxLayout(body());
  layout->setContentsMargins(8, 4, 8, 4);
  auto* head = new QHBoxLayout;
  layout->addLayout(head);
  layout->addWidget(chart_, 1);
  search_->setPlaceholderText(tr("Find layer"));
  search_->setAccessibleName(tr("Find layer"));
  search_->setToolTip(tr("Enter selects the next layer that matches, Shift+Enter the previous one"));
  search_->setClearButtonEnabled(true);
  search_->installEventFilter(this);
  connect(search_, &QLineEdit::textChanged, this, &GraphPanel::followSearch);
  found_->setForegroundRole(QPalette::PlaceholderText);
  found_->setWordWrap(true);
  colour_->setAccessibleName(tr("Colour of the layers"));
  colour_->setToolTip(tr("Choose what the colours of the layers show"));
  colour_->addItem(tr("Colour: time"));
  colour_->addItem(tr("Colour: outputs"));
  connect(colour_, &QComboBox::currentIndexChanged, this,
          [this](int at) { chart_->setColourBy(at == 0 ? GraphColour::time : GraphColour::voxels); });
  auto* fit = new QPushButton(tr("Fit"), body());
  fit->setToolTip(tr("Show the whole graph"));
  connect(fit, &QPushButton::clicked, chart_, &GraphChart::fit);
  auto* readable = new QPushButton(tr("100 %"), body());
  readable->setToolTip(tr("Show the graph at a readable size"));
  connect(readable, &QPushButton::clicked, chart_, &GraphChart::readable);
  head->addWidget(search_);
  head->addWidget(found_, 1);
  head->addWidget(colour_);
  head->addWidget(fit);
  head->addWidget(readable);
  head->addWidget(chart_->makeTableSwitch(body()));
}

bool GraphPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched != search_ || event->type() != QEvent::KeyPress) return Panel::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  if (key->key() == Qt::Key_Escape && !search_->text().isEmpty()) {
    search_->clear();
    return true;
  }
  if (key->key() != Qt::Key_Return && key->key() != Qt::Key_Enter) return Panel::eventFilter(watched, event);
  nextMatch(key->modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1);
  return true;
}

void GraphPanel::follow() {
  const auto& network = workspace_->network();
  if (!network || network->layers.empty())
    return showEmpty(tr("Choose a network to see its layers as a graph."), "network.file",
                     tr("Network from file..."));
  if (std::exchange(network_, network) != network) chart_->setGraph(graph_from(*network, *layers_));
  const auto& measured = workspace_->results().measurement();
  chart_->setValues(values_of(*workspace_, *layers_), measured ? tr("median") : tr("single run"),
                    measured ? tr("n = %1").arg(measured->repetitions()) : QString());
  followSearch();
  chart_->setChosenLayer(selection_->layer());
  showBody();
}

void GraphPanel::followSearch() {
  chart_->setSearch(search_->text());
  const auto count = std::ssize(chart_->matches());
  const auto& values = chart_->graph().values;
  const bool timed =
      std::any_of(values.begin(), values.end(), [](const GraphValue& value) { return value.ms >= 0; });
  found_->setText(!search_->text().isEmpty() ? counted(count, tr("1 layer found"), tr("%1 layers found"))
                  : timed                    ? QString()
                                             : tr("Run the network to see its times."));
}

void GraphPanel::nextMatch(int step) {
  const std::vector<int>& matches = chart_->matches();
  if (matches.empty()) return;
  const int now = selection_->layer();
  int next = step > 0 ? matches.front() : matches.back();
  if (step > 0) {
    if (const auto after = std::upper_bound(matches.begin(), matches.end(), now); after != matches.end())
      next = *after;
  } else if (const auto here = std::lower_bound(matches.begin(), matches.end(), now);
             now >= 0 && here != matches.begin()) {
    next = *std::prev(here);
  }
  selection_->setLayer(next);
}

/// Returns all facts of a layer, from the tooltips of the layer list.
QString GraphPanel::tipOf(int layer) const {
  if (layer < 0) {
    QStringList lines;
    for (const auto& [left, right] : chart_->graph().nodes.front().lines)
      lines += left;
    return (QStringList{tr("Input of the network")} + lines).join("\n");
  }
  if (const auto run = std::ssize(network_->layers); layer >= run) {
    const SkippedLayer& skipped = network_->skipped.at(static_cast<std::size_t>(layer - run));
    QString tip = tr("%1 does not run: it %2")
                      .arg(QString::fromStdString(skipped.layer.name), QString::fromStdString(skipped.why)) +
                  "\n" + work_text(*network_, skipped.layer);
    if (why_not_captured(skipped).empty())
      tip += "\n" + tr("Click to run this layer from its captured input");
    return tip;
  }
  const Layer& own = network_->layers[static_cast<std::size_t>(layer)];
  QStringList inputs;
  for (const std::string& input : own.inputs)
    inputs += QString::fromStdString(input);
  QStringList lines{layers_->index(layer, Model::name).data(Qt::ToolTipRole).toString(),
                    tr("Inputs: %1").arg(inputs.join(", "))};
  if (!own.residual.empty()) lines += tr("Residual input: %1").arg(QString::fromStdString(own.residual));
  lines += tr("Operation: %1").arg(operation_text(own));
  if (own.folds_norm()) lines += tr("Batch norm: folded into the weights");
  const QString steps = steps_text(own);
  lines += steps.isEmpty() ? tr("No norm, residual or activation") : tr("Followed by: %1").arg(steps);
  lines += tr("Output rule: %1").arg(rule_text(own, layers_->onPoints(layer)));
  const GraphValue& value = chart_->graph().values.at(static_cast<std::size_t>(layer) + 1);
  if (value.voxels >= 0) lines += value.voxels_text;
  if (value.ms >= 0) lines += layers_->index(layer, Model::time).data(Qt::ToolTipRole).toString();
  return lines.join("\n");
}

}  // namespace spira::ui
