#include "ui/model/measured/measured_here.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/base/text.hpp"
#include "engine/measure/statistics.hpp"
#include "engine/network/weights.hpp"
#include "engine/run/trust.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

constexpr const char* weights_of_window = "seeded He, seed 1";

/// Converts "generated:street seed 7" to the command-line form "street:7".
std::string scene_argument(const PointCloud& cloud) {
  constexpr std::string_view start = "generated:", seed = " seed ";
  if (!cloud.source.starts_with(start)) return cloud.source;
  std::string text = cloud.source.substr(start.size());
  if (const auto at = text.find(seed); at != std::string::npos) text.replace(at, seed.size(), ":");
  return text;
}

/// Returns the measurement of the workspace. Returns `nullptr` if nothing has been measured, or if the
/// measurement belongs to another network.
const Measurement* measured_of(const Workspace& workspace) {
  const auto& measured = workspace.results().measurement();
  const auto& network = workspace.network();
  const bool same = measured && network && measured->layers.size() == network->layers.size();
  return same ? measured.get() : nullptr;
}

/// Returns the number of CPU threads. Returns 0 for a GPU, because a GPU has no thread setting.
int threads_of(const DeviceFacts& device) {
  return device.kind == BackendKind::cuda ? 0 : device.threads;
}

QString text(const std::string& value) {
  return QString::fromStdString(value);
}

}  // namespace

std::optional<MeasuredWith> measured_with(const Workspace& workspace) {
  if (workspace.results().report()) return spira::measured_with(*workspace.results().report());
  if (!workspace.scene().facts() || !workspace.scene().cloud()) return std::nullopt;
  MeasuredWith how;
  how.scene = scene_argument(*workspace.scene().cloud());
  if (workspace.scene().cloud()->format != "generated") how.format = workspace.scene().cloud()->format;
  if (const auto& sources = workspace.scene().cloud()->frame_sources; !sources.empty()) {
    how.scene = sources.front();
    how.batch.assign(sources.begin() + 1, sources.end());
    how.format.clear();  // The scenes of a batch can have different formats.
  }
  how.facts = *workspace.scene().facts();
  if (workspace.scene().voxels()) how.positions = workspace.scene().voxels()->grid.positions;
  how.backend = workspace.device().kind;
  how.weights = workspace.weights() ? workspace.weights()->source : weights_of_window;
  how.threads = threads_of(workspace.device());
  if (const auto& network = workspace.network()) {
    how.network = network_argument(*network);
    how.layers = *network;
    how.plan = workspace.requested().plan();
  }
  if (const Measurement* measured = measured_of(workspace)) {
    how.plan = measured->plan;
    how.backend = measured->device.kind;
    how.threads = threads_of(measured->device);
    how.repetitions = static_cast<int>(measured->wall.ms.size());
    how.warmup = measured->protocol.warmup;
  }
  return how;
}

OpenRun::OpenRun(Workspace* workspace, QObject* parent) : QObject(parent), workspace_(workspace) {
  connect(&workspace_->results(), &RunResults::measurementChanged, this, [this] {
    known_.reset();
    // The report id depends on the date of the measurement. If device rates are added later, the date and the
    // id must not change.
    const auto& run = workspace_->results().measurement();
    if (run && !dated_.empty() && run->wall.ms == dated_) return;
    dated_ = run ? run->wall.ms : std::vector<double>();
    measured_at_ = utc_text_now();
  });
  connect(&workspace_->results(), &RunResults::layerChanged, this, [this] { known_.reset(); });
  connect(&workspace_->results(), &RunResults::sweepsChanged, this, [this] { known_.reset(); });
}

Report OpenRun::made() const {
  const MeasuredWith how = *measured_with(*workspace_);
  Report report;
  report.created = measured_at_;
  report.tool_version = SPIRA_VERSION;
  report.command = command_of_layer(how, -1);
  report.scene = *workspace_->scene().facts();
  const CoordSet& level0 = whole_scene(workspace_->scene().voxels())->level(1);
  report.scene.fingerprint = hash64(level0.keys.host_span<std::byte>().first(key_bytes(level0)));
  report.network = *workspace_->network();
  report.weights = how.weights;
  report.measurement = *workspace_->results().measurement();
  for (int layer = 0; layer < static_cast<int>(report.network.layers.size()); ++layer) {
    const auto& result = workspace_->results().layer(layer);
    report.layer_densities.push_back(result ? result->densities : Densities{});
  }
  report.threshold_sweep = workspace_->results().thresholdSweep();
  report.pack_sweep = workspace_->results().packSweep();
  return report;
}

std::shared_ptr<const Report> OpenRun::report() const {
  if (workspace_->results().report()) return workspace_->results().report();
  if (measured_of(*workspace_) == nullptr || !workspace_->scene().voxels()) return nullptr;
  if (!known_) known_ = std::make_shared<const Report>(made());
  return known_;
}

QStringList OpenRun::caption() const {
  const auto run = report();
  const DeviceFacts& device = run ? run->measurement.device : workspace_->device();
  QStringList where;
  if (!device.name.empty())
    where += tr("%1 (%2), %3")
                 .arg(text(device.name), unitsText(device), text(std::string(clocks_text(device.clock))));
  if (workspace_->network()) where += networkText(*workspace_->network());
  QStringList lines;
  if (const auto& scene = workspace_->scene().facts()) {
    QString words = tr("%1, %2, packing %3")
                        .arg(text(scene->name), voxelsOnScreen(scene->voxels, scene->voxel_m, scene->unit),
                             text(scene->pack.text()));
    if (scene->batch > 1) words += tr(", batch of %1").arg(scene->batch);
    if (scene->crop_m) words += tr(", cropped");
    where += words;
  }
  lines += where.join("; ");
  QString when = tr("%1, SpiraScope %2").arg(dateText(run ? run->created : utc_text_now()), SPIRA_VERSION);
  if (run)
    when +=
        tr(", report %1, trust grade %2").arg(text(report_id(*run)), QChar(letter_of(trust_of(*run).grade)));
  lines += when;
  return lines;
}

std::vector<std::pair<QString, QString>> OpenRun::tags() const {
  const auto run = report();
  const DeviceFacts& device = run ? run->measurement.device : workspace_->device();
  std::vector<std::pair<QString, QString>> all{{"Software", "SpiraScope " SPIRA_VERSION},
                                               {"Creation Time", text(run ? run->created : utc_text_now())}};
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) all.emplace_back(key, text(value));
  };
  add("Device", device.name);
  if (!device.name.empty()) add("Clock", std::string(clocks_text(device.clock)));
  if (const auto& scene = workspace_->scene().facts()) add("Scene", scene->name);
  if (workspace_->network()) add("Network", workspace_->network()->title);
  if (run) {
    add("Report", report_id(*run));
    add("Scene fingerprint", fingerprint_text(run->scene.fingerprint));
    add("Trust", trust_of(*run).text());
  }
  if (const auto how = measured_with(*workspace_); how && !how->network.empty())
    add("Command", shell_text(command_of_layer(*how, -1)));
  return all;
}

std::optional<Trust> trust_here(const Workspace& workspace) {
  if (!workspace.results().measurement()) return std::nullopt;
  return workspace.results().report() ? trust_of(*workspace.results().report())
                                      : trust_of(*workspace.results().measurement());
}

std::optional<MeasuredLayer> measured_layer(const Workspace& workspace, const Levels& levels, int layer) {
  const auto& measured = workspace.results().measurement();
  const auto& result = workspace.results().layer(layer);
  const auto at = static_cast<std::size_t>(layer);
  if (layer < 0 || at >= levels.layers.size()) return std::nullopt;
  const Layer& of = workspace.network()->layers.at(at);
  LayerMeasurement times;
  if (measured && at < measured->layers.size()) {
    times = measured->layers[at];
  } else if (!measured && result) {
    times = counts_of(of, *result);
  }
  if (times.stages.nodes.empty()) return std::nullopt;
  MeasuredLayer facts{of, levels.layers[at], std::move(times),
                      measured ? measured->plan.layers.at(at).threshold : result->plan.threshold,
                      measured ? measured->plan.precision : result->features->precision};
  constexpr std::size_t bits = 8;
  if (const auto& scene = workspace.scene().facts())
    facts.key_bytes = static_cast<std::size_t>(scene->pack.word_bits()) / bits;
  const auto& report = workspace.results().report();
  if (report && at < report->layer_densities.size()) facts.densities = &report->layer_densities[at];
  if (!report && result) facts.densities = &result->densities;
  return facts;
}

namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("spira::ui", text);
}

/// Returns the precision of the run in this window. Returns an empty value if no layer was run.
std::optional<Precision> precision_of_run(const Workspace& workspace) {
  if (workspace.results().report() || !workspace.network()) return std::nullopt;
  if (const auto& measured = workspace.results().measurement()) return measured->plan.precision;
  for (int layer = 0; layer < static_cast<int>(workspace.network()->layers.size()); ++layer) {
    if (const auto& result = workspace.results().layer(layer)) return result->features->precision;
  }
  return std::nullopt;
}

int layers_with_other_plan(const Workspace& workspace) {
  const Measurement* measured = measured_of(workspace);
  const auto& now = workspace.requested().plan().layers;
  int others = 0;
  for (std::size_t layer = 0; layer < now.size(); ++layer) {
    const auto& result = workspace.results().layer(static_cast<int>(layer));
    if (measured != nullptr && layer < measured->plan.layers.size()) {
      others += measured->plan.layers[layer] != now[layer];
    } else if (result) {
      others += result->plan != now[layer];
    }
  }
  return others;
}

}  // namespace

bool times_are_void(const Workspace& workspace) {
  const auto trust = trust_here(workspace);
  const auto precision = precision_of_run(workspace);
  return (trust && trust->grade == TrustGrade::x) ||
         (precision && *precision != workspace.requested().plan().precision);
}

QString layerTimesText(const Workspace& workspace) {
  const auto& run = workspace.results().measurement();
  if (!run) return tr("last run, n\u00a0=\u00a0%1").arg(1);
  return run->repetitions() == 1 ? tr("one isolated run")
                                 : tr("median of\u00a0%1 isolated runs").arg(run->repetitions());
}

QString msOnScreen(double ms, std::int64_t samples) {
  if (samples != 1) return onScreen(ms_text(ms));
  constexpr double second = 995;
  const bool in_s = ms >= second;
  const double value = in_s ? ms / 1000 : ms;
  if (!(value > 0)) return onScreen(fixed(value, 2)) + " ms";
  // Rounding can add a digit, as in 9.96 ms, so the exponent is that of the rounded value.
  const double first = std::pow(10.0, std::floor(std::log10(value)) - 1);
  const double rounded = std::round(value / first) * first;
  const int exponent = static_cast<int>(std::floor(std::log10(rounded * (1 + 1e-9))));
  return onScreen(fixed(rounded, std::max(0, 1 - exponent))) + (in_s ? " s" : " ms");
}

QString formerSettingsText(const Workspace& workspace) {
  const auto precision = precision_of_run(workspace);
  if (!precision) return {};
  const auto name = [](Precision one) { return text(std::string(text_of(one))); };
  if (*precision != workspace.requested().plan().precision)
    return tr("measured in %1; the precision is now %2")
        .arg(name(*precision), name(workspace.requested().plan().precision));
  const int others = layers_with_other_plan(workspace);
  if (others == 0) return {};
  return counted(others, tr("1 layer was measured with different settings"),
                 tr("%1 layers were measured with different settings"));
}

namespace {

QString whose(const MeasuredWith& how, int layer) {
  if (layer < 0) return tr("the whole network");
  return tr("layer %1")
      .arg(QString::fromStdString(how.layers.layers.at(static_cast<std::size_t>(layer)).name));
}

/// Returns the layer that has the map of the subject, or -1 if no layer has it. The command line can name a
/// level of a network only by one of its layers, not by its stride.
int layer_of_densities(const MeasuredWith& how, const MeasuredSubject& subject) {
  if (subject.layer >= 0 || how.network.empty()) return subject.layer;
  const Levels levels = levels_of(how.layers);
  const MapKey wanted{subject.kernel_size, subject.stride, subject.stride};
  const auto found = std::find_if(levels.layers.begin(), levels.layers.end(),
                                  [&](const LayerLevels& layer) { return layer.map == wanted; });
  return found == levels.layers.end() ? -1 : static_cast<int>(found - levels.layers.begin());
}

}  // namespace

std::vector<std::string> command_of(MeasuredWith how, const MeasuredSubject& subject) {
  if (subject.repetitions > 0) how.repetitions = subject.repetitions;
  switch (subject.kind) {
    case MeasuredSubject::Kind::threshold:
      return command_of_threshold(how, subject.layer, subject.threshold);
    case MeasuredSubject::Kind::packing:
      return command_of_packing(how, subject.pack);
    case MeasuredSubject::Kind::densities:
      if (subject.layer < 0 && subject.stride < first_numbered_level)
        return command_of_scene_densities(how, subject.kernel_size, subject.stride);
      if (const int layer = layer_of_densities(how, subject); layer >= 0)
        return command_of_densities(how, layer);
      return command_of_scene(how);
    case MeasuredSubject::Kind::scene:
      return command_of_scene(how);
    case MeasuredSubject::Kind::run:
    case MeasuredSubject::Kind::layer:
      break;
  }
  return how.network.empty() ? command_of_scene(how) : command_of_layer(how, subject.layer);
}

QString textOf(const MeasuredWith& how, const MeasuredSubject& subject) {
  switch (subject.kind) {
    case MeasuredSubject::Kind::threshold:
      return tr("%1 with t = %2").arg(whose(how, subject.layer)).arg(subject.threshold);
    case MeasuredSubject::Kind::packing:
      return tr("the whole network with packing %1").arg(QString::fromStdString(subject.pack.text()));
    case MeasuredSubject::Kind::densities:
      return subject.layer >= 0 ? tr("densities of %1").arg(whose(how, subject.layer))
                                : tr("densities of the scene, kernel size %1").arg(subject.kernel_size);
    case MeasuredSubject::Kind::scene:
      return tr("points and voxels of the scene");
    case MeasuredSubject::Kind::run:
    case MeasuredSubject::Kind::layer:
      break;
  }
  return how.network.empty() ? tr("points and voxels of the scene") : whose(how, subject.layer);
}

namespace {

QString latin(std::string_view text) {
  return QString::fromLatin1(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace

QString unitsText(const DeviceFacts& device) {
  const char* units = device.kind == BackendKind::cuda ? "%1 SMs"
                      : device.threads == 1            ? "%1 thread"
                                                       : "%1 threads";
  const QString count = tr(units).arg(device.threads);
  return device.instructions.empty() ? count : count + ", " + QString::fromStdString(device.instructions);
}

QString dateText(const std::string& created) {
  const QString text = QString::fromStdString(created);
  const QDateTime when = QDateTime::fromString(text, Qt::ISODate);
  return when.isValid() ? QLocale::c().toString(when.toUTC(), "d MMM yyyy, HH:mm") + " UTC" : text;
}

QString recordedText(const Report& report) {
  const DeviceFacts& device = report.measurement.device;
  QStringList parts{tr("Recorded on %1 (%2)").arg(QString::fromStdString(device.name), unitsText(device))};
  if (!device.driver.empty()) parts += tr("driver %1").arg(QString::fromStdString(device.driver));
  parts += dateText(report.created);
  parts += latin(clock_text(device.clock));
  return parts.join(", ");
}

namespace {

class Percentiles {
  Q_DECLARE_TR_FUNCTIONS(Percentiles)
};

QString name_of(const Percentile& one) {
  return QString::fromLatin1(one.name.data(), static_cast<qsizetype>(one.name.size()));
}

}  // namespace

QString percentilesText(std::span<const double> samples_ms) {
  QStringList parts;
  for (const Percentile& one : percentiles(samples_ms))
    parts += name_of(one) + " " + (one.ms ? onScreen(ms_text(*one.ms)) : QString(QChar(0x2013)));
  return parts.join(", ");
}

QString missingPercentilesText(std::span<const double> samples_ms) {
  QStringList parts;
  for (const Percentile& one : percentiles(samples_ms)) {
    if (!one.ms) parts += Percentiles::tr("%1 needs %2 samples").arg(name_of(one)).arg(one.least);
  }
  return parts.isEmpty() ? QString()
                         : Percentiles::tr("%1 measured. Missing percentiles: %2.")
                               .arg(counted(std::ssize(samples_ms), Percentiles::tr("1 sample"),
                                            Percentiles::tr("%1 samples")),
                                    parts.join(", "));
}

QString searchesText(const SearchCounters& counters) {
  const auto number = [](const std::string& digits) { return QString::fromStdString(digits); };
  const CountedSearches all = counters.whole();
  QString text =
      QCoreApplication::translate("spira::ui",
                                  "Comparisons and memory sectors per query: z-delta %1 and %2, binary "
                                  "search %3 and %4, hash %5 and %6 (counted for %7 of %8 queries)");
  for (const MapAlgorithm algorithm :
       {MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash}) {
    const auto at = static_cast<std::size_t>(algorithm);
    text =
        text.arg(number(fixed(all.comparisons.at(at).value, 2)), number(fixed(all.sectors.at(at).value, 2)));
  }
  return text.arg(number(count_text(all.sampled_queries)), number(count_text(all.queries)));
}

}  // namespace spira::ui
