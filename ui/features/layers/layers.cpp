#include "ui/features/layers/layers.hpp"

#include "engine/backend/dataflow.hpp"
#include "engine/network/weights.hpp"
#include "engine/run/voxel_scene.hpp"
#include "ui/features/file_dialogs.hpp"
#include "ui/features/reasons.hpp"
#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/model/neighbours.hpp"
#include "ui/model/notices.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/network_panel.hpp"
#include "ui/settings/settings.hpp"
#include "ui/theme/labels.hpp"

#include <QApplication>
#include <QClipboard>
#include <QMainWindow>
#include <QSignalBlocker>
#include <QtGlobal>

#include <algorithm>
#include <array>

namespace spira::ui {
namespace {

/// The network box stores this text with its entry that opens a file. No network has this name.
constexpr auto from_file = "/file";

constexpr auto layers_table = std::to_array<CommandFacts>({
    {"network.resn21", QT_TRANSLATE_NOOP("Command", "SparseResNet-21"), "", "", 940, Menu::network, 1},
    {"network.minkunet42", QT_TRANSLATE_NOOP("Command", "MinkUNet-42"), "", "", 950, Menu::network, 1},
    {"network.resnl20", QT_TRANSLATE_NOOP("Command", "CenterPoint-Large-like, 20 layers"), "", "", 960,
     Menu::network, 1},
    {"network.fcgf", QT_TRANSLATE_NOOP("Command", "FCGF, ResUNetBN2C"), "", "", 965, Menu::network, 1},
    {"network.file", QT_TRANSLATE_NOOP("Command", "Network from file..."), "", "", 970, Menu::network, 1,
     Opens::dialog},
    {"layer.next", QT_TRANSLATE_NOOP("Command", "Next layer"), "]", "", 980, Menu::network, 2},
    {"layer.previous", QT_TRANSLATE_NOOP("Command", "Previous layer"), "[", "", 990, Menu::network, 2},
    {"layer.copy_name", QT_TRANSLATE_NOOP("Command", "Copy layer name"), "",
     QT_TRANSLATE_NOOP("Command", "Copy the name of the selected layer"), 995, Menu::network, 2},
    {"layer.full_names", QT_TRANSLATE_NOOP("Command", "Full layer names"), "",
     QT_TRANSLATE_NOOP("Command", "Show full names in the layer list"), 996, Menu::network, 2},
    {"t.down", QT_TRANSLATE_NOOP("Command", "Decrease threshold t"), "-", "", 1000, Menu::network, 3},
    {"t.up", QT_TRANSLATE_NOOP("Command", "Increase threshold t"), "=", "", 1010, Menu::network, 3},
});

}  // namespace

std::span<const CommandFacts> layers_commands() noexcept {
  return layers_table;
}

Layers::Layers(const FeatureContext& context, EngineJobs& jobs, NetworkPanel& list, GraphPanel& graph)
    : QObject(&context.window),
      context_(context),
      jobs_(jobs),
      box_(new ElidedComboBox(&context.window)),
      neighbours_(context, jobs),
      captured_(context, jobs, graph) {
  makeNetworkBox();
  bindNetworks();
  bindLayers();
  bindList(list);
  const Workspace* workspace = &context.workspace;
  connect(workspace, &Workspace::networkChanged, this, &Layers::followNetwork);
  connect(&workspace->results(), &RunResults::reportChanged, this, [this, workspace] {
    box_->setEnabled(workspace->results().report() == nullptr);
    showTip();
  });
  connect(workspace, &Workspace::weightsChanged, this, &Layers::showTip);
  connect(&context.selection, &Selection::layerChanged, this, &Layers::showLayer);
  connect(&workspace->results(), &RunResults::layerChanged, this, [this](int layer) {
    if (layer >= 0 && layer == context_.selection.layer()) showLayer(layer);
    context_.commands.refreshSoon();
  });
  connect(&workspace->scene(), &OpenScene::voxelsChanged, this,
          [this] { context_.selection.setColumns({}); });
}

void Layers::makeNetworkBox() {
  box_->setObjectName("network");
  box_->setAccessibleName(tr("Network"));
  for (const PresetFacts& preset : network_presets()) {
    if (network_preset(preset.id).space != NetworkSpace::voxels) continue;
    box_->addItem(QString::fromUtf8(preset.title.data(), static_cast<qsizetype>(preset.title.size())),
                  QString::fromLatin1(preset.id.data(), static_cast<qsizetype>(preset.id.size())));
  }
  box_->insertSeparator(box_->count());
  box_->addItem(tr("From file..."), from_file);
  box_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box_->setMinimumContentsLength(13);
  connect(box_, &QComboBox::activated, this, [this] {
    const QString chosen = box_->currentData().toString();
    if (chosen != from_file) return chooseNetwork(chosen);
    followNetwork();  // Shows the open network until the selected file is open.
    context_.commands.trigger("network.file");
  });
}

/// The neighbours that the user chose stay, because they are a choice of their own in the toolbar. If the
/// chosen network cannot have them, it opens with voxels.
void Layers::chooseNetwork(const QString& id) {
  const auto& open = context_.workspace.network();
  const auto chosen = open ? common_neighbourhood(*open).value_or(Neighbourhood{}) : Neighbourhood{};
  const QString why = why_no_neighbours(network_preset(id.toStdString()), chosen);
  jobs_.runs().chooseNetwork(id, why.isEmpty() ? chosen : Neighbourhood{});
  if (!why.isEmpty())
    context_.notices.showNote(tr("The layers read voxels"),
                              tr("The network cannot have the chosen neighbours: %1").arg(why));
}

void Layers::followNetwork() {
  const QSignalBlocker quiet(box_);
  if (const auto& network = context_.workspace.network()) {
    const int at = box_->findData(QString::fromStdString(network->name));
    // The title of a network that is not in the list is shortened. Otherwise, a long title would make the box
    // so wide that buttons no longer fit on the toolbar.
    box_->setPlaceholderText(at >= 0 ? QString()
                                     : box_->fontMetrics().elidedText(QString::fromStdString(network->title),
                                                                      Qt::ElideRight, box_->width() - 30));
    box_->setCurrentIndex(at);
  }
  showTip();
  context_.commands.refreshSoon();
}

/// Shows in the tooltip why no other network can be chosen, or which weights and which origin the network
/// has.
void Layers::showTip() {
  const auto& network = context_.workspace.network();
  const auto& weights = context_.workspace.weights();
  QString tip = why_no_other_network(context_.workspace);
  if (tip.isEmpty()) {
    tip = weights
              ? tr("Weights: %1").arg(QString::fromStdString(weights->source))
              : tr("Random weights. To use weights from a file, open the file together with the network.");
    if (network && !network->origin.empty())
      tip += "\n" + tr("Origin: %1").arg(QString::fromStdString(origin_text(*network)));
  }
  box_->setToolTip(tip);
}

void Layers::bindNetworks() {
  CommandSet& commands = context_.commands;
  const auto why_not = [&workspace = context_.workspace] { return why_no_other_network(workspace); };
  for (const PresetFacts& preset : network_presets()) {
    if (network_preset(preset.id).space != NetworkSpace::voxels) continue;
    const QString id = QString::fromLatin1(preset.id.data(), static_cast<qsizetype>(preset.id.size()));
    commands.bind(
        "network." + id, [this, id] { chooseNetwork(id); }, why_not);
  }
  commands.bind(
      "network.file",
      [this] {
        const QStringList files =
            context_.dialogs.openFiles(&context_.window, tr("Open a network with its weights and voxels"),
                                       tr("Networks (*.json *.safetensors);;All files (*)"));
        if (!files.isEmpty()) jobs_.scenes().openSequence(files, {}, SceneJobs::Together::network);
      },
      why_not);
}

void Layers::bindLayers() {
  CommandSet& commands = context_.commands;
  Selection& selection = context_.selection;
  const Workspace& workspace = context_.workspace;
  const auto has_network = [&workspace] {
    return workspace.network() ? QString() : tr("choose a network first");
  };
  commands.bind(
      "layer.next",
      [&selection, &workspace] {
        selection.setLayer(
            std::min(selection.layer() + 1, static_cast<int>(workspace.network()->layers.size()) - 1));
      },
      has_network);
  commands.bind(
      "layer.previous", [&selection] { selection.setLayer(std::max(0, selection.layer() - 1)); },
      has_network);
  commands.bind(
      "layer.copy_name",
      [&selection, &workspace] {
        const auto layer = static_cast<std::size_t>(selection.layer());
        QApplication::clipboard()->setText(QString::fromStdString(workspace.network()->layers[layer].name));
      },
      [&selection] { return selection.layer() >= 0 ? QString() : tr("select a layer first"); });
  const auto has_layer = [&selection, &workspace] {
    if (workspace.results().report()) return tr("the values of t of a recorded run cannot be changed");
    if (selection.layer() < 0) return tr("select a layer first");
    const auto at = static_cast<std::size_t>(selection.layer());
    const Layer& layer = workspace.network()->layers[at];
    const LayerPlan& plan = workspace.requested().plan().layers.at(at);
    if (layer.neighbourhood.native()) return QString::fromStdString(why_not_threshold(layer, 1));
    return !layer.convolution() || divides_at_threshold(layer, plan)
               ? QString()
               : tr("the dataflow of this layer has no t: %1").arg(dataflowText(layer, plan));
  };
  commands.bind(
      "t.up", [this] { changeThreshold(1); }, has_layer);
  commands.bind(
      "t.down", [this] { changeThreshold(-1); }, has_layer);
  connect(&selection, &Selection::layerChanged, &commands, &CommandSet::refreshSoon);
}

void Layers::bindList(NetworkPanel& list) {
  Settings& settings = context_.settings;
  const auto follow_mark = context_.commands.bindMark(
      "layer.full_names",
      [&settings] { settings.set("layers.full_names", !settings.truth("layers.full_names")); },
      [&settings] { return settings.truth("layers.full_names"); });
  const auto follow = [&settings, &list, follow_mark] {
    list.setFullNames(settings.truth("layers.full_names"));
    list.setColumns(settings.whole("layers.columns"));
    follow_mark();
  };
  follow();
  connect(&settings, &Settings::changed, &list, follow);
  connect(&list, &NetworkPanel::fullNamesChosen, this,
          [&settings](bool full) { settings.set("layers.full_names", full); });
  connect(&list, &NetworkPanel::columnsChosen, this,
          [&settings](int columns) { settings.set("layers.columns", columns); });
}

void Layers::showLayer(int layer) {
  const Workspace& workspace = context_.workspace;
  if (layer < 0 || !workspace.network() || !workspace.scene().voxels()) return;
  context_.selection.setColumns({});
  // The network determines the output stride of a layer, so the stride is known before a run. The stride is
  // selected only if the scene has a level with this stride.
  const int stride = levels_of(*workspace.network()).layers.at(static_cast<std::size_t>(layer)).stride_out;
  if (has_level(*workspace.scene().voxels(), stride)) context_.selection.setStride(stride);
}

void Layers::changeThreshold(int step) {
  Workspace& workspace = context_.workspace;
  const auto layer = static_cast<std::size_t>(context_.selection.layer());
  const auto feasible = feasible_thresholds(workspace.network()->layers[layer]);
  Plan plan = workspace.requested().plan();
  LayerPlan& own = plan.layers.at(layer);
  auto at = std::find(feasible.begin(), feasible.end(), own.threshold) - feasible.begin();
  at = std::clamp<std::ptrdiff_t>(at + step, 0, std::ssize(feasible) - 1);
  own.set_threshold(feasible[static_cast<std::size_t>(at)]);
  plan.source = "window";
  workspace.setPlan(plan);
}

}  // namespace spira::ui
