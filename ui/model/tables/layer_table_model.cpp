#include "ui/model/tables/layer_table_model.hpp"

#include "engine/base/text.hpp"
#include "engine/map/kernel_offsets.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/network/network.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/measured/threshold_times.hpp"
#include "ui/theme/screen_number.hpp"

#include <QApplication>
#include <QPalette>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace spira::ui {
namespace {

/// Returns a text that names the origin of a t. `source` is the origin in the form that plans and reports
/// store.
QString source_text(const std::string& source) {
  constexpr std::string_view profile = "profile:";
  if (source == "default") return LayerTableModel::tr("default");
  if (source == "user") return LayerTableModel::tr("set by hand");
  if (source.starts_with(profile))
    return LayerTableModel::tr("from the tuning profile %1")
        .arg(QString::fromStdString(source.substr(profile.size())));
  return QString::fromStdString(source);
}

/// Returns the kernel size, such as "3" or "max pool 2", or the operation of a layer without a kernel. For a
/// layer that changes the resolution, appends an arrow (down or up) and the factor.
QString kernelText(const Layer& layer) {
  if (!layer.has_map()) return operationText(layer);
  QString text = QString::fromStdString(text_of(layer.kernel_size));
  if (!layer.convolution()) text = operationText(layer) + " " + text;
  if (layer.stride != PerAxis(1))
    text += QString(" %1%2")
                .arg(QChar(layer.transposed ? 0x2191 : 0x2193))
                .arg(QString::fromStdString(text_of(layer.stride)));
  return text;
}

/// Returns the count in a form that needs at most four letters, such as "619", "6.5k" or "147k". Returns an
/// empty string for a negative count.
QString fourLetters(double count) {
  if (count < 0) return {};
  const std::array<std::pair<double, const char*>, 4> units{{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}};
  for (const auto& [unit, letter] : units) {
    constexpr double rounds_up = 0.9995;
    if (count < rounds_up * unit && unit > 1) continue;
    constexpr double ten = 9.95;
    const double value = count / unit;
    return onScreen(value, 'f', unit > 1 && value < ten ? 1 : 0) + letter;
  }
  return {};
}

/// Returns the count in a short form, such as "619" or "346k". Returns an empty string for a negative count.
QString shortCount(double count) {
  if (count < 0) return {};
  constexpr double exact = 1000;
  return onScreen(count < exact ? count_text(static_cast<std::int64_t>(count)) : scaled_text(count, ""))
      .remove(' ');
}

QString threeDigits(double value) {
  constexpr double ten = 9.995, hundred = 99.95;
  return onScreen(value, 'f', value < ten ? 2 : value < hundred ? 1 : 0);
}

/// Shortens each part of a layer name to its first `letters` letters and keeps all digits.
QString shortened(const QString& name, int letters) {
  QStringList parts;
  for (const QString& part : name.split('.')) {
    QString kept = part.left(letters);
    for (const QChar letter : part.mid(letters)) {
      if (letter.isDigit()) kept += letter;
    }
    parts.append(kept);
  }
  return parts.join('.');
}

}  // namespace

QStringList shortLayerNames(const QStringList& names) {
  constexpr qsizetype short_enough = 8;  // Names of up to 8 letters fit everywhere.
  if (std::all_of(names.begin(), names.end(),
                  [](const QString& name) { return name.size() <= short_enough; }))
    return names;
  QList<int> letters(names.size(), 1);
  QStringList brief;
  for (bool longer = true; longer;) {
    brief.clear();
    std::map<QString, int> how_many;
    for (qsizetype at = 0; at < names.size(); ++at) {
      brief += shortened(names[at], letters[at]);
      ++how_many[brief.back()];
    }
    longer = false;
    for (qsizetype at = 0; at < names.size(); ++at) {
      if (how_many[brief[at]] < 2 || brief[at].size() == names[at].size()) continue;
      ++letters[at];
      longer = true;
    }
  }
  return brief;
}

QStringList shortLayerNames(const Network& network) {
  QStringList names;
  for (const Layer& layer : network.layers)
    names += QString::fromStdString(layer.name);
  return shortLayerNames(names);
}

QString bothNames(const QString& short_name, const std::string& name) {
  const QString full = QString::fromStdString(name);
  return short_name == full ? full : QString("%1 (%2)").arg(short_name, full);
}

QString strideText(const std::string& in, const std::string& out) {
  return in == out ? LayerTableModel::tr("stride %1").arg(QString::fromStdString(in))
                   : LayerTableModel::tr("stride %1 to %2")
                         .arg(QString::fromStdString(in), QString::fromStdString(out));
}

QString thresholdText(const KernelShape& kernel, int threshold) {
  return threshold >= KernelOffsets(kernel, 1).max_threshold()
             ? LayerTableModel::tr("t = max (%1)").arg(threshold)
             : LayerTableModel::tr("t = %1").arg(threshold);
}

QString networkText(const std::string& name, const std::string& title) {
  for (const PresetFacts& preset : network_presets()) {
    if (preset.id == name) return QString::fromUtf8(preset.title.data(), std::ssize(preset.title));
  }
  return QString::fromStdString(title);
}

QString networkText(const Network& network) {
  const QString name = networkText(network.name, network.title);
  const auto run = std::ssize(network.layers), skipped = std::ssize(network.skipped);
  return skipped == 0
             ? name
             : LayerTableModel::tr("%1 (partial: %2 of %3 layers)").arg(name).arg(run).arg(run + skipped);
}

QString operationText(const Layer& layer) {
  if (layer.op == LayerOp::pool)
    return LayerTableModel::tr("%1 pool").arg(
        QString::fromStdString(std::string(text_of(layer.reduction))).replace('_', ' '));
  return QString::fromStdString(std::string(text_of(layer.op))).replace('_', ' ');
}

QString rowOperationText(const Layer& layer, bool on_points) {
  const QString name = layer.convolution() ? LayerTableModel::tr("linear") : operationText(layer);
  switch (layer.op) {
    case LayerOp::union_add:
      return LayerTableModel::tr(
                 "Operation %1: joins the voxels of all inputs and adds the features of voxels that several "
                 "inputs contain")
          .arg(name);
    case LayerOp::drop_axis:
      return LayerTableModel::tr("Operation %1: adds the features of all voxels with the same x and y")
          .arg(name);
    case LayerOp::to_points:
      return layer.mode == PointMode::nearest
                 ? LayerTableModel::tr(
                       "Operation %1: for each point, reads the voxel that contains the point")
                       .arg(name)
                 : LayerTableModel::tr(
                       "Operation %1: reads the 8 cells around each point, weighted by distance")
                       .arg(name);
    case LayerOp::to_voxels:
      return LayerTableModel::tr("Operation %1: computes the mean of the points in each voxel of %2")
          .arg(name, QString::fromStdString(layer.voxels_of));
    case LayerOp::instance_norm:
      if (!on_points)
        return LayerTableModel::tr(
                   "Operation %1: uses the mean and the variance of all voxels, so its output depends on the "
                   "whole scene")
            .arg(name);
      break;
    default:
      break;
  }
  return on_points ? LayerTableModel::tr(
                         "Operation %1: computes each output point from the same point of the inputs")
                         .arg(name)
                   : LayerTableModel::tr(
                         "Operation %1: computes each output voxel from the same voxel of the inputs")
                         .arg(name);
}

QString dataflowText(const std::string& name) {
  QString text = QString::fromStdString(name);
  if (name == "os") return LayerTableModel::tr("OS");
  if (name == "ws") return LayerTableModel::tr("WS");
  const QString kind = text.section(':', 0, 0), number = text.section(':', 1);
  if (kind == "hybrid") return LayerTableModel::tr("hybrid t=%1").arg(number);
  if (kind == "mask-sorted")
    return counted(number.toLongLong(), LayerTableModel::tr("mask-sorted, 1 split"),
                   LayerTableModel::tr("mask-sorted, %1 splits"));
  return text;  // The names "unsorted", "gather" and "gather-fp16" are also their texts.
}

QString shortDataflowText(const std::string& name) {
  const QString number = QString::fromStdString(name).section(':', 1);
  if (name.starts_with("hybrid")) return LayerTableModel::tr("t = %1").arg(number);
  return name.starts_with("mask-sorted") ? LayerTableModel::tr("sorted %1").arg(number) : dataflowText(name);
}

QString dataflowText(const Layer& layer, const LayerPlan& plan) {
  return dataflowText(dataflow_text(layer, plan));
}

QString settingText(const Layer& layer, const LayerPlan& plan) {
  return divides_at_threshold(layer, plan) ? thresholdText(layer.kernel(), plan.threshold)
                                           : dataflowText(layer, plan);
}

LayerTableModel::LayerTableModel(Workspace* workspace, QObject* parent)
    : QAbstractTableModel(parent), workspace_(workspace) {
  const auto restart = [this] {
    beginResetModel();
    void_times_ = times_are_void(*workspace_);
    forgetTimes();
    levels_ = workspace_->network() ? levels_of(*workspace_->network()) : Levels{};
    short_names_ = workspace_->network() ? shortLayerNames(*workspace_->network()) : QStringList();
    markMaps();
    endResetModel();
  };
  const auto refresh = [this] {
    first_changed_ = 0;
    last_changed_ = rowCount() - 1;
    announceChanged();
  };
  constexpr int rows_come_together_ms = 50;
  soon_.setSingleShot(true);
  soon_.setInterval(rows_come_together_ms);
  connect(&soon_, &QTimer::timeout, this, &LayerTableModel::announceChanged);
  restart();
  connect(workspace_, &Workspace::networkChanged, this, restart);
  connect(&workspace_->results(), &RunResults::layerChanged, this,
          [this, refresh](int layer) { layer < 0 ? refresh() : markChanged(layer); });
  connect(&workspace_->results(), &RunResults::measurementChanged, this, refresh);
  connect(&workspace_->requested(), &RequestedSettings::planChanged, this, refresh);
}

/// Emits one signal for all changed rows, a few times per second, because layers finish faster than the user
/// can read their results.
void LayerTableModel::markChanged(int row) {
  forgetTimes();
  first_changed_ = last_changed_ < 0 ? row : std::min(first_changed_, row);
  last_changed_ = std::max(last_changed_, row);
  if (!soon_.isActive()) soon_.start();
}

void LayerTableModel::announceChanged() {
  soon_.stop();
  forgetTimes();
  void_times_ = times_are_void(*workspace_);
  const int first = first_changed_, last = std::min(std::exchange(last_changed_, -1), rowCount() - 1);
  if (first <= last) emit dataChanged(index(first, 0), index(last, column_count - 1));
}

void LayerTableModel::forgetTimes() {
  slowest_ms_.reset();
  works_.clear();
}

int LayerTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(levels_.layers.size());
}

int LayerTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

const LayerMeasurement* LayerTableModel::measured(int row) const {
  const auto& run = workspace_->results().measurement();
  const auto at = static_cast<std::size_t>(row);
  return run && at < run->layers.size() ? &run->layers[at] : nullptr;
}

bool LayerTableModel::lost(int row) const {
  return workspace_->results().report() && !workspace_->results().wasRun(row);
}

std::optional<LayerPlan> LayerTableModel::formerPlan(int row) const {
  if (workspace_->results().report()) return std::nullopt;
  const auto run = plan_of_run(*workspace_, row);
  const auto at = static_cast<std::size_t>(row);
  const Layer& layer = workspace_->network()->layers[at];
  if (!run ||
      dataflow_text(layer, *run) == dataflow_text(layer, workspace_->requested().plan().layers.at(at)))
    return std::nullopt;
  return run;
}

void LayerTableModel::setTuned(std::optional<TunedTimes> times) {
  tuned_ = std::move(times);
  forgetTimes();
  // The signal is sent later, because the rows may still belong to the previous network.
  first_changed_ = 0;
  last_changed_ = rowCount() - 1;
  soon_.start();
}

const std::optional<TunedTimes>& LayerTableModel::tuned() const {
  static const std::optional<TunedTimes> none;
  return workspace_->results().layersRun() > 0 || workspace_->results().report() ? none : tuned_;
}

const TunedTimes::Layer* LayerTableModel::tunedLayer(int row) const {
  const auto at = static_cast<std::size_t>(row);
  const auto& times = tuned();
  return times && at < times->layers.size() && times->layers[at] ? &*times->layers[at] : nullptr;
}

bool LayerTableModel::hasValues(int column) const {
  if (workspace_->results().layersRun() > 0 || workspace_->results().report()) return true;
  if (column == time || column == voxels) return tuned().has_value();
  return column != pairs && column != peak && column < flops;
}

double LayerTableModel::timeOf(int row) const {
  if (const TunedTimes::Layer* layer = tunedLayer(row)) return layer->features_ms;
  if (const LayerMeasurement* layer = measured(row)) return layer->stages.sum_of_tops_ms();
  const auto& result = workspace_->results().layer(row);
  if (!result) return -1.0;
  return result->stages.nodes.empty() ? result->wall_ms : result->stages.sum_of_tops_ms();
}

double LayerTableModel::voxelsOf(int row) const {
  if (const TunedTimes::Layer* layer = tunedLayer(row)) return static_cast<double>(layer->voxels);
  if (const LayerMeasurement* layer = measured(row)) return static_cast<double>(layer->outputs);
  const auto& result = workspace_->results().layer(row);
  return result ? static_cast<double>(result->features->rows) : -1.0;
}

double LayerTableModel::pairsOf(int row) const {
  if (!workspace_->network()->layers[static_cast<std::size_t>(row)].has_map()) return -1;
  if (const LayerMeasurement* layer = measured(row)) return static_cast<double>(layer->pairs);
  const auto& result = workspace_->results().layer(row);
  return result ? static_cast<double>(result->densities.triplets) : -1.0;
}

const StageWork* LayerTableModel::workOf(int row) const {
  if (works_.empty()) {
    for (int layer = 0; layer < rowCount(); ++layer) {
      const auto facts = measured_layer(*workspace_, levels_, layer);
      works_.push_back(facts ? std::optional(features_work(*facts)) : std::nullopt);
    }
  }
  const auto& work = works_.at(static_cast<std::size_t>(row));
  return work && work->median_ms() > 0 ? &*work : nullptr;
}

std::optional<DeviceRates> LayerTableModel::ratesOfRun() const {
  const auto& measured = workspace_->results().measurement();
  return measured ? measured->rates : std::nullopt;
}

std::optional<double> LayerTableModel::efficiency(int row, int column) const {
  const StageWork* work = workOf(row);
  if (work == nullptr) return std::nullopt;
  constexpr double mega = 1e6, giga = 1e9;
  switch (column) {
    case flops:
      return work->work.flops / giga;
    case bytes:
      return work->work.bytes / mega;
    case intensity:
      return work->work.intensity();
    case flop_rate:
      return work->flops_per_s() / giga;
    case byte_rate:
      return work->bytes_per_s() / giga;
    default:
      return work->times_floor(ratesOfRun());
  }
}

QVariant LayerTableModel::compactText(int row, int column) const {
  if (column == pairs) return fourLetters(pairsOf(row));
  if (column == dataflow && !lost(row)) {
    const auto at = static_cast<std::size_t>(row);
    return shortDataflowText(
        dataflow_text(workspace_->network()->layers[at], workspace_->requested().plan().layers.at(at)));
  }
  return column == voxels ? QVariant(fourLetters(voxelsOf(row))) : QVariant();
}

/// Returns the value by which a column is sorted. Returns an invalid value if the cell is empty.
QVariant LayerTableModel::sortKey(int row, int column) const {
  const Layer& layer = workspace_->network()->layers[static_cast<std::size_t>(row)];
  const auto known = [](double value) { return value < 0 ? QVariant() : QVariant(value); };
  const LayerMeasurement* run = measured(row);
  const auto peak_bytes = run != nullptr ? run->stages.peak_bytes() : std::nullopt;
  switch (column) {
    case name:
      return QString::fromStdString(layer.name);
    case stride:
      return levels_.set(levels_.layers[static_cast<std::size_t>(row)].stride_in).rule.stride().largest();
    case kernel:
      return layer.kernel_size.product();
    case channels:
      return layer.in_channels * static_cast<qint64>(layer.out_channels);  // Number of weights per offset.
    case pairs:
      return known(pairsOf(row));
    case voxels:
      return known(voxelsOf(row));
    case time:
      return lost(row) ? QVariant() : known(timeOf(row));
    case peak:
      return peak_bytes ? QVariant(static_cast<double>(*peak_bytes)) : QVariant();
    case dataflow:
      return workspace_->requested().plan().layers.at(static_cast<std::size_t>(row)).threshold;
    default: {
      const auto value = efficiency(row, column);
      return value ? QVariant(*value) : QVariant();
    }
  }
}

QString LayerTableModel::peakText(int row) const {
  const LayerMeasurement* layer = measured(row);
  if (layer == nullptr && !workspace_->results().layer(row)) return {};
  const auto bytes = layer != nullptr ? layer->stages.peak_bytes() : std::nullopt;
  return bytes ? onScreen(static_cast<double>(*bytes) / 1e6, 'f', 1) : QString(QChar(0x2013));
}

QString LayerTableModel::peakTip(int row) const {
  const LayerMeasurement* layer = measured(row);
  if (layer == nullptr)
    return workspace_->results().layer(row) ? tr("Peak memory: not measured yet. Press Measure.")
                                            : tr("not run yet");
  if (!layer->stages.peak_bytes()) return tr("Peak memory: not recorded in this report");
  return tr("Peak memory: the largest total size of all buffers while the map and the features of this layer "
            "were computed. Buffers from before the run are not counted. Whole run: %1")
      .arg(onScreen(bytes_text(workspace_->results().measurement()->peak_bytes)));
}

/// Returns the time with three digits, or with fewer digits if it is a single sample.
QString LayerTableModel::timeText(int row) const {
  const double ms = timeOf(row);
  const LayerMeasurement* layer = measured(row);
  const bool single = tunedLayer(row) == nullptr &&
                      (layer == nullptr || workspace_->results().measurement()->repetitions() == 1);
  const int decimals = ms < 1 ? 3 : ms < 10 ? 2 : 1;
  return onScreen(ms, 'f', single ? decimals - 1 : decimals);
}

QString LayerTableModel::text(int row, int column) const {
  const Layer& layer = workspace_->network()->layers[static_cast<std::size_t>(row)];
  const LayerLevels& levels = levels_.layers[static_cast<std::size_t>(row)];
  switch (column) {
    case name:
      return QString::fromStdString(layer.name);
    case stride:
      return levels.stride_in == levels.stride_out
                 ? QString::fromStdString(level_text(levels_, levels.stride_in))
                 : QString("%1\u2192%2")
                       .arg(QString::fromStdString(level_text(levels_, levels.stride_in)),
                            QString::fromStdString(level_text(levels_, levels.stride_out)));
    case kernel:
      return kernelText(layer);
    case channels:
      return QString("%1\u2192%2").arg(layer.in_channels).arg(layer.out_channels);
    case voxels:
      return shortCount(voxelsOf(row));
    case time:
      if (lost(row)) return tr("missing");
      return timeOf(row) < 0 ? QString() : (formerPlan(row) ? "*" : "") + timeText(row);
    case peak:
      return peakText(row);
    case pairs:
      return shortCount(pairsOf(row));
    case dataflow:
      return lost(row) ? QString()
                       : dataflowText(
                             layer, workspace_->requested().plan().layers.at(static_cast<std::size_t>(row)));
    default: {
      const auto value = efficiency(row, column);
      return value ? threeDigits(*value) : QString();
    }
  }
}

bool LayerTableModel::onPoints(int row) const {
  return levels_.set(levels_.layers[static_cast<std::size_t>(row)].stride_out).rule.is_points();
}

QString LayerTableModel::kernelTip(int row) const {
  const Layer& layer = workspace_->network()->layers[static_cast<std::size_t>(row)];
  const LayerLevels& levels = levels_.layers[static_cast<std::size_t>(row)];
  // The width of the voxels of a level.
  const auto width = [this](int level) {
    const PerAxis stride = levels_.set(level).rule.stride();
    return stride.equal() ? counted(stride[0], tr("1 cell"), tr("%1 cells"))
                          : tr("%1 cells").arg(QString::fromStdString(cells_text(stride)));
  };
  if (!layer.has_map() || onPoints(row)) return rowOperationText(layer, onPoints(row));
  const QString size = QString::fromStdString(cells_text(layer.kernel_size)),
                factor = QString::fromStdString(text_of(layer.stride));
  if (levels.stride_in == levels.stride_out)
    return tr("Kernel %1, stride 1: the voxels of this layer are %2 wide")
        .arg(size, width(levels.stride_out));
  const QString text = layer.transposed
                           ? tr("Kernel %1, up-samples by %2: input voxels are %3 wide, output voxels %4")
                           : tr("Kernel %1, stride %2: input voxels are %3 wide, output voxels %4");
  return text.arg(size, factor, width(levels.stride_in), width(levels.stride_out));
}

std::vector<int> LayerTableModel::layersOfMap(int row) const {
  const MapKey& map = levels_.layers[static_cast<std::size_t>(row)].map;
  std::vector<int> sharing;
  for (int layer = 0; layer < rowCount(); ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    if (map.kernel.columns() > 1 && levels_.layers[at].map == map &&
        workspace_->network()->layers[at].has_map())
      sharing.push_back(layer);
  }
  const bool shared = sharing.size() > 1 && std::find(sharing.begin(), sharing.end(), row) != sharing.end();
  return shared ? sharing : std::vector<int>();
}

/// Marks the shared maps with A, B and so on, in the order of their first use. Z is followed by A1.
void LayerTableModel::markMaps() {
  map_marks_ = QStringList(rowCount());
  int maps = 0;
  for (int row = 0; row < rowCount(); ++row) {
    if (!map_marks_[row].isEmpty()) continue;
    constexpr int letters = 26;
    const QString mark = QString(QChar('A' + (maps % letters))) +
                         (maps < letters ? QString() : QString::number(maps / letters));
    const std::vector<int> sharing = layersOfMap(row);
    for (const int layer : sharing)
      map_marks_[layer] = mark;
    maps += sharing.empty() ? 0 : 1;
  }
}

QString LayerTableModel::mapTip(int row) const {
  constexpr int most_names = 6;
  QStringList names;
  const std::vector<int> sharing = layersOfMap(row);
  for (const int layer : sharing) {
    if (layer != row)
      names += QString::fromStdString(workspace_->network()->layers[static_cast<std::size_t>(layer)].name);
  }
  const qsizetype more = names.size() - most_names;
  return more > 1 ? tr("Kernel map %1, shared with %2 and %3 more layers")
                        .arg(map_marks_[row], names.first(most_names).join(", "))
                        .arg(more)
                  : tr("Kernel map %1, shared with %2").arg(map_marks_[row], names.join(", "));
}

QString LayerTableModel::nameTip(int row) const {
  const auto at = static_cast<std::size_t>(row);
  const Network& network = *workspace_->network();
  QStringList lines{QString::fromStdString(network.layers[at].name), kernelTip(row),
                    tr("Input and output channels: %1").arg(text(row, channels))};
  if (!map_marks_[row].isEmpty()) lines += mapTip(row);
  if (!lost(row) && network.layers[at].convolution()) lines += settingAndSource(row);
  return lines.join("\n");
}

/// Returns the setting of a layer and who set it, for example "t = 2, set by hand". Only thresholds have a
/// recorded source.
QString LayerTableModel::settingAndSource(int row) const {
  const auto at = static_cast<std::size_t>(row);
  const Network& network = *workspace_->network();
  const LayerPlan& plan = workspace_->requested().plan().layers.at(at);
  const QString setting = settingText(network.layers[at], plan);
  return divides_at_threshold(network.layers[at], plan)
             ? tr("%1, %2").arg(setting,
                                source_text(threshold_source(workspace_->requested().plan(), network, at)))
             : setting;
}

QString LayerTableModel::tip(int row, int column) const {
  if (column != name && lost(row)) return tr("Missing: the report is truncated before the end of this layer");
  if (column == dataflow) return dataflowTipOf(row);
  if (column == name) return nameTip(row);
  if (column == pairs && pairsOf(row) >= 0)
    return counted(static_cast<std::int64_t>(pairsOf(row)), tr("1 pair of an input and an output voxel"),
                   tr("%1 pairs of an input and an output voxel"));
  if (column == voxels && voxelsOf(row) >= 0)
    return counted(static_cast<std::int64_t>(voxelsOf(row)), tr("1 output"), tr("%1 outputs"));
  if (column == kernel || column == stride) return kernelTip(row);
  const Layer& layer = workspace_->network()->layers[static_cast<std::size_t>(row)];
  const bool measures = column == time || column == peak || column >= flops;
  if (const auto former = formerPlan(row); former && measures)
    return tr("Out of date: measured with %1; the layer now has %2. Run or measure again.")
        .arg(settingText(layer, *former),
             settingText(layer, workspace_->requested().plan().layers.at(static_cast<std::size_t>(row))));
  if (column == peak) return peakTip(row);
  if (column == time) return timeTip(row);
  return column >= flops ? efficiencyTip(row, column) : QString();
}

QString dataflowTip(const Layer& layer, const LayerPlan& plan) {
  if (plan.splits > 0)
    return LayerTableModel::tr(
        "All offsets run output-stationary, with outputs sorted by bitmask (as in TorchSparse++).");
  if (plan.method != FeatureMethod::by_layout)
    return LayerTableModel::tr("Gather-GEMM-scatter: copies the inputs of each offset.");
  if (!divides_at_threshold(layer, plan))
    return LayerTableModel::tr(
        "All offsets run output-stationary, with outputs in their natural order (implicit GEMM).");
  return LayerTableModel::tr(
      "Offsets with an L1 norm below t run output-stationary (OS), the others weight-stationary (WS).");
}

QString LayerTableModel::dataflowTipOf(int row) const {
  const Layer& layer = workspace_->network()->layers[static_cast<std::size_t>(row)];
  if (!layer.convolution()) return tr("This operation has no weights, so no dataflow can be chosen");
  const LayerPlan& plan = workspace_->requested().plan().layers.at(static_cast<std::size_t>(row));
  const QString flow = dataflowText(layer, plan), setting = settingText(layer, plan);
  const QString now = (flow == setting ? setting : tr("%1, %2").arg(flow, setting)) + ". ";
  const QString how = dataflowTip(layer, plan);
  return now + how + " " +
         (workspace_->results().recorded() ? tr("The dataflow of a recorded run cannot be changed.")
          : workspace_->results().report() ? tr("Choose the dataflow of a graph above the list of scenes.")
                                           : tr("Double-click to change."));
}

QString LayerTableModel::timeTip(int row) const {
  if (const TunedTimes::Layer* layer = tunedLayer(row))
    return tr("Not run yet. Time of the features without the kernel map, from %1: median %2, IQR %3, n = %4")
        .arg(tuned()->profile, onScreen(ms_text(layer->features_ms)), onScreen(ms_text(layer->iqr_ms)))
        .arg(layer->n);
  const auto& run = workspace_->results().measurement();
  if (!run)
    return workspace_->results().layer(row)
               ? tr("Time of map and features: single run on %1. Press Measure for medians.")
                     .arg(QString::fromStdString(workspace_->device().name))
               : tr("not run yet");
  QStringList lines{
      tr("Isolated time of map and features: %1 on %2. Click to show the samples.")
          .arg(counted(run->repetitions(), tr("one repetition"), tr("medians of %1 repetitions")),
               QString::fromStdString(run->device.name))};
  const LayerMeasurement* layer = measured(row);
  for (int node = 0; layer != nullptr && node < static_cast<int>(layer->stages.nodes.size()); ++node) {
    const StageNode& stage = layer->stages.nodes[static_cast<std::size_t>(node)];
    const bool order = layer->stages.key(node).group() == StageGroup::order;
    if (stage.parent >= 0 && !order) continue;
    const Statistics s = statistics(stage.samples_ms);
    lines += tr("%1: %2, n = %3, IQR %4")
                 .arg(order ? tr("sorting of rows (already included)")
                            : QString::fromStdString(layer->stages.key(node).phase),
                      onScreen(ms_text(s.median)))
                 .arg(s.n)
                 .arg(onScreen(ms_text(s.iqr())));
  }
  return lines.join('\n');
}

QString LayerTableModel::efficiencyTip(int row, int column) const {
  const StageWork* work = workOf(row);
  if (work == nullptr) return tr("No time yet. Press Run or Measure.");
  const Statistics s = statistics(work->samples_ms);
  QStringList lines{
      titleOf(column),
      tr("Useful work: %1; memory traffic (inputs, weights, map, outputs): at least %2; %3 FLOP per byte")
          .arg(onScreen(scaled_text(work->work.flops, "FLOP")), onScreen(scaled_text(work->work.bytes, "B")),
               threeDigits(work->work.intensity())),
      tr("Feature computation (without building the map and ordering its rows): %1, n = %2")
              .arg(onScreen(ms_text(s.median)))
              .arg(s.n) +
          (s.n > 1 ? tr(", IQR %1").arg(onScreen(ms_text(s.iqr()))) : QString())};
  const auto rates = ratesOfRun();
  if (const auto ratio = work->times_floor(rates)) {
    const Floors floors = floors_of(work->work, *rates);
    const bool memory = floors.bytes_ms && *floors.bytes_ms == *floors.larger_ms();
    lines += tr("%1 times the minimum time of %2 (set by the %3)")
                 .arg(threeDigits(*ratio), onScreen(ms_text(*floors.larger_ms())),
                      memory ? tr("memory rate") : tr("arithmetic rate"));
  } else {
    lines += workspace_->results().report()
                 ? tr("No minimum time: the report does not contain the maximum rates of its device")
             : workspace_->results().measurement()
                 ? tr("No minimum time yet: press \"Measure device rates\" in the Roofline tab")
                 : tr("No minimum time yet: press Measure");
  }
  return lines.join('\n');
}

QVariant LayerTableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const int row = index.row(), column = index.column();
  switch (role) {
    case Qt::DisplayRole:
      return text(row, column);
    case Qt::EditRole:
      return column == dataflow
                 ? QVariant(QString::fromStdString(dataflow_text(
                       workspace_->network()->layers[static_cast<std::size_t>(row)],
                       workspace_->requested().plan().layers.at(static_cast<std::size_t>(row)))))
                 : QVariant(text(row, column));
    case Qt::ToolTipRole:
      return tip(row, column);
    case Qt::TextAlignmentRole:
      return QVariant(column == name ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
    case layer_role:
      return row;
    case Qt::ForegroundRole:
      return (column == time || column == peak || column >= flop_rate) && (void_times_ || formerPlan(row))
                 ? QVariant(QApplication::palette().color(QPalette::Disabled, QPalette::Text))
                 : QVariant();
    case sort_role:
      return sortKey(row, column);
    case short_name_role:
      return short_names_[row];
    case compact_role:
      return compactText(row, column);
    case map_role:
      return map_marks_[row].isEmpty() ? QVariant() : QVariant(map_marks_[row]);
    case share_role: {
      if (lost(row)) return {};
      if (!slowest_ms_) {
        slowest_ms_ = 0;
        for (int other = 0; other < rowCount(); ++other)
          slowest_ms_ = std::max(*slowest_ms_, timeOf(other));
      }
      return *slowest_ms_ > 0 ? std::max(0.0, timeOf(row)) / *slowest_ms_ : 0.0;
    }
    case dataflows_role:
      return QVariant::fromValue(
          dataflow_choices(workspace_->network()->layers[static_cast<std::size_t>(row)]));
    default:
      return {};
  }
}

QString LayerTableModel::titleOf(int column) {
  const std::array<QString, column_count> titles{
      tr("Layer name"),
      tr("Stride of the inputs and outputs"),
      tr("Kernel size K, and the stride of a down-sampling (\u2193) or up-sampling (\u2191) layer"),
      tr("Input and output channels"),
      tr("Number of pairs of an input and an output voxel"),
      tr("Number of outputs (output voxels)"),
      tr("Time of map and features, ms (median)"),
      tr("Peak memory of each layer in a measured run, MB"),
      tr("Dataflow: OS, WS, hybrid with threshold t, or a dataflow of TorchSparse++"),
      tr("Useful work, GFLOP"),
      tr("Minimum memory traffic, MB"),
      tr("Arithmetic intensity, FLOP per byte"),
      tr("Arithmetic rate, GFLOP/s"),
      tr("Memory rate, GB/s"),
      tr("Time divided by the minimum time on this device")};
  return column >= 0 && column < column_count ? titles.at(static_cast<std::size_t>(column)) : QString();
}

QVariant LayerTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && section == name) return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole) {
    const QString what = titleOf(section);
    const QString how = tr("Click to sort. A third click restores the network order.");
    return what + "\n" + how + "\n" + tr("Right-click to choose columns.");
  }
  if (role == compact_role) return section == dataflow ? QVariant(tr("OS/WS")) : QVariant();
  if (role != Qt::DisplayRole) return {};
  const std::array<QString, column_count> titles{tr("Layer"),    tr("Stride"), tr("K"),        tr("C"),
                                                 tr("Pairs"),    tr("Out"),    tr("ms"),       tr("MB"),
                                                 tr("Dataflow"), tr("GFLOP"),  tr("MB moved"), tr("FLOP/B"),
                                                 tr("GFLOP/s"),  tr("GB/s"),   tr("x minimum")};
  return section >= 0 && section < column_count ? titles.at(static_cast<std::size_t>(section)) : QVariant();
}

Qt::ItemFlags LayerTableModel::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  if (index.column() == dataflow && !workspace_->results().report() &&
      workspace_->network()->layers[static_cast<std::size_t>(index.row())].convolution())
    flags |= Qt::ItemIsEditable;
  return flags;
}

bool LayerTableModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || index.column() != dataflow || workspace_->results().report()) return false;
  const Layer& layer = workspace_->network()->layers[static_cast<std::size_t>(index.row())];
  const std::string name = value.toString().toStdString();
  if (!can_run_dataflow(layer, name)) return false;
  Plan plan = workspace_->requested().plan();
  LayerPlan& own = plan.layers.at(static_cast<std::size_t>(index.row()));
  own = with_dataflow(layer, own, name);
  plan.source = "window";
  workspace_->setPlan(plan);
  return true;
}

LayerOrder::LayerOrder(LayerTableModel* layers, QObject* parent) : QSortFilterProxyModel(parent) {
  setSourceModel(layers);
  setSortRole(LayerTableModel::sort_role);
}

QModelIndex LayerOrder::indexOf(int layer) const {
  return mapFromSource(sourceModel()->index(layer, 0));
}

void LayerOrder::next(int column) {
  const Qt::SortOrder first = column == LayerTableModel::name ? Qt::AscendingOrder : Qt::DescendingOrder;
  if (sortColumn() != column) {
    sort(column, first);
  } else if (sortOrder() == first) {
    sort(column, first == Qt::AscendingOrder ? Qt::DescendingOrder : Qt::AscendingOrder);
  } else {
    sort(-1);
  }
  emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

void LayerOrder::setCompact(bool compact) {
  if (std::exchange(compact_, compact) == compact) return;
  emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
  if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

QVariant LayerOrder::data(const QModelIndex& index, int role) const {
  const QVariant brief = compact_ && role == Qt::DisplayRole
                             ? QSortFilterProxyModel::data(index, LayerTableModel::compact_role)
                             : QVariant();
  return brief.isValid() ? brief : QSortFilterProxyModel::data(index, role);
}

QVariant LayerOrder::headerData(int section, Qt::Orientation orientation, int role) const {
  QVariant title = QSortFilterProxyModel::headerData(section, orientation, role);
  if (compact_ && role == Qt::DisplayRole) {
    const QVariant brief =
        QSortFilterProxyModel::headerData(section, orientation, LayerTableModel::compact_role);
    if (brief.isValid()) title = brief;
  }
  if (role != Qt::DisplayRole || orientation != Qt::Horizontal || section != sortColumn()) return title;
  return title.toString() + QChar(sortOrder() == Qt::AscendingOrder ? 0x25b4 : 0x25be);
}

bool LayerOrder::lessThan(const QModelIndex& a, const QModelIndex& b) const {
  const bool knows_a = a.data(sortRole()).isValid(), knows_b = b.data(sortRole()).isValid();
  if (knows_a && knows_b) return QSortFilterProxyModel::lessThan(a, b);
  return sortOrder() == Qt::AscendingOrder ? knows_a && !knows_b : !knows_a && knows_b;
}

}  // namespace spira::ui
