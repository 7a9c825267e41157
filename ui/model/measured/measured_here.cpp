#include "ui/model/measured/measured_here.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/base/hash64.hpp"
#include "engine/base/text.hpp"
#include "engine/run/trust.hpp"
#include "ui/model/measured/measured_text.hpp"
#include "ui/theme/screen_number.hpp"

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
  const auto& measured = workspace.measurement();
  const auto& network = workspace.network();
  const bool same = measured && network && measured->layers.size() == network->layers.size();
  return same ? measured.get() : nullptr;
}

/// Returns the number of CPU threads. Returns 0 for a GPU, which has no thread setting.
int threads_of(const DeviceFacts& device) {
  return device.kind == BackendKind::cuda ? 0 : device.threads;
}

QString text(const std::string& value) {
  return QString::fromStdString(value);
}

}  // namespace

std::optional<MeasuredWith> measured_with(const Workspace& workspace) {
  if (workspace.report()) return spira::measured_with(*workspace.report());
  if (!workspace.sceneFacts() || !workspace.cloud()) return std::nullopt;
  MeasuredWith how;
  how.scene = scene_argument(*workspace.cloud());
  if (workspace.cloud()->format != "generated") how.format = workspace.cloud()->format;
  how.facts = *workspace.sceneFacts();
  how.backend = workspace.device().kind;
  how.weights = weights_of_window;
  how.threads = threads_of(workspace.device());
  if (const auto& network = workspace.network()) {
    how.network = preset_of(*network);
    if (how.network.empty()) how.network = network->name + ".json";
    how.layers = *network;
    how.plan = workspace.plan();
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
  connect(workspace_, &Workspace::measurementChanged, this, [this] {
    measured_at_ = utc_text_now();
    known_.reset();
  });
  connect(workspace_, &Workspace::layerChanged, this, [this] { known_.reset(); });
  connect(workspace_, &Workspace::sweepsChanged, this, [this] { known_.reset(); });
}

Report OpenRun::made() const {
  const MeasuredWith how = *measured_with(*workspace_);
  Report report;
  report.created = measured_at_;
  report.tool_version = SPIRA_VERSION;
  report.command = command_of_layer(how, -1);
  report.scene = *workspace_->sceneFacts();
  const CoordSet& level0 = workspace_->voxels()->level(1);
  report.scene.fingerprint = hash64(level0.keys.host_span<std::byte>().first(key_bytes(level0)));
  report.network = *workspace_->network();
  report.weights = how.weights;
  report.measurement = *workspace_->measurement();
  for (int layer = 0; layer < static_cast<int>(report.network.layers.size()); ++layer) {
    const auto& result = workspace_->layer(layer);
    report.layer_densities.push_back(result ? result->densities : Densities{});
  }
  report.threshold_sweep = workspace_->thresholdSweep();
  report.pack_sweep = workspace_->packSweep();
  return report;
}

std::shared_ptr<const Report> OpenRun::report() const {
  if (workspace_->report()) return workspace_->report();
  if (measured_of(*workspace_) == nullptr || !workspace_->voxels()) return nullptr;
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
  if (workspace_->network()) where += text(workspace_->network()->title);
  QStringList lines;
  if (const auto& scene = workspace_->sceneFacts()) {
    QString words = tr("%1, %2 of %3 m, packing %4")
                        .arg(text(scene->name), counted(scene->voxels, tr("1 voxel"), tr("%1 voxels")),
                             gridOnScreen(scene->voxel_m), text(scene->pack.text()));
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
  if (const auto& scene = workspace_->sceneFacts()) add("Scene", scene->name);
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
  if (!workspace.measurement()) return std::nullopt;
  return workspace.report() ? trust_of(*workspace.report()) : trust_of(*workspace.measurement());
}

bool times_are_void(const Workspace& workspace) {
  const auto trust = trust_here(workspace);
  return trust && trust->grade == TrustGrade::x;
}

}  // namespace spira::ui
