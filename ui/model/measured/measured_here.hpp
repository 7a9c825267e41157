// Provides the open run as a report. The run was either loaded from a file or measured in this window. Also
// provides the facts that are needed to build a command line that measures the run again.
#pragma once

#include "engine/report/report.hpp"
#include "engine/report/reproduce.hpp"
#include "engine/run/layer_work.hpp"
#include "engine/run/replay/search_counters.hpp"
#include "engine/run/trust.hpp"
#include "ui/model/workspace.hpp"

#include <QObject>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace spira::ui {

/// Returns the facts about the open scene and network that a command line needs to measure them again.
/// Returns an empty value if no scene is open.
[[nodiscard]] std::optional<MeasuredWith> measured_with(const Workspace& workspace);

class OpenRun : public QObject {
  Q_OBJECT
 public:
  explicit OpenRun(Workspace* workspace, QObject* parent = nullptr);

  /// Returns the open report, or a report of the measurement in this window. Returns `nullptr` if there is no
  /// report and no measurement.
  [[nodiscard]] std::shared_ptr<const Report> report() const;
  /// Returns the lines for picture captions: device, network, scene, date, version and report.
  [[nodiscard]] QStringList caption() const;
  /// Returns the facts of caption() as key-value metadata.
  [[nodiscard]] std::vector<std::pair<QString, QString>> tags() const;

 private:
  [[nodiscard]] Report made() const;

  Workspace* workspace_;
  std::string measured_at_;    // Date in ISO 8601 format, UTC.
  std::vector<double> dated_;  // Wall times of the measurement that was made at `measured_at_`.
  // Report of the current measurement. It is created at the first request.
  mutable std::shared_ptr<const Report> known_;
};

/// Returns the trust grade of the open report. If no report is open, returns the grade of the measurement in
/// this window. Returns an empty value if nothing was measured either.
[[nodiscard]] std::optional<Trust> trust_here(const Workspace& workspace);
/// Returns the facts from which the work of a layer is computed. They refer to objects of the workspace and
/// to `levels`, the levels of its network. Returns an empty value if the layer was not run. Without a
/// measurement, the times come from the last run, one sample each.
[[nodiscard]] std::optional<MeasuredLayer> measured_layer(const Workspace& workspace, const Levels& levels,
                                                          int layer);
/// Returns true if the trust grade is X, or if the run and the plan have different precisions. Views then
/// display the times in grey.
[[nodiscard]] bool times_are_void(const Workspace& workspace);
/// Returns how the times of the layers were measured: "last run, n = 1" or "median of 15 isolated runs".
/// Views with times of layers show it, because both kinds of times differ.
[[nodiscard]] QString layerTimesText(const Workspace& workspace);
/// Returns a time of `samples` samples. The time of a single sample has two significant digits, because its
/// spread is not known.
[[nodiscard]] QString msOnScreen(double ms, std::int64_t samples);
/// Returns why the times of the run do not belong to the current plan, such as "measured in fp32; the
/// precision is now fp16" or "3 layers were measured with different settings". Returns an empty string if the
/// times belong to the plan, or if no layer was run in this window.
[[nodiscard]] QString formerSettingsText(const Workspace& workspace);

/// Identifies what a displayed number describes, and builds the command that measures it again.
struct MeasuredSubject {
  enum class Kind { run, layer, threshold, packing, densities, scene };
  Kind kind = Kind::run;
  /// Index of the layer. -1 means the whole network. For densities, -1 means a map of the scene.
  int layer = -1;
  int threshold = -1;  ///< The threshold t, if `kind` is `threshold`.
  PackSpec pack;       ///< Used only if `kind` is `packing`.
  /// Number of repetitions. If it is 0, the command uses the number of repetitions of the run.
  int repetitions = 0;
  /// Kernel size and level number of the map of the scene. Used for densities if `layer` is -1.
  int kernel_size = 3, stride = 1;
};

[[nodiscard]] std::vector<std::string> command_of(MeasuredWith how, const MeasuredSubject& subject);
/// Returns the display name of the subject, such as "layer conv1" or "layer conv1 with t = 2".
[[nodiscard]] QString textOf(const MeasuredWith& how, const MeasuredSubject& subject);

// Texts about devices, reports and samples. Several views use them.

/// Returns the size and type of a device, for example "2 threads, AVX-512" or "132 SMs, sm_90".
[[nodiscard]] QString unitsText(const DeviceFacts& device);
/// Converts an ISO 8601 date to a form such as "21 Nov 2026, 22:28 UTC".
[[nodiscard]] QString dateText(const std::string& created);
/// Returns the origin of a report, for example "Recorded on NVIDIA H200 (132 SMs, sm_90), driver 580.1, 21
/// Nov 2026, 22:28 UTC, CUDA events".
[[nodiscard]] QString recordedText(const Report& report);

/// Returns the percentiles, for example "p90 1.20 ms, p95 -, p99 -". A dash means that the number of samples
/// is too small.
[[nodiscard]] QString percentilesText(std::span<const double> samples_ms);
/// Returns a tooltip that shows how many samples the missing percentiles require. Returns an empty string if
/// no percentile is missing.
[[nodiscard]] QString missingPercentilesText(std::span<const double> samples_ms);

/// Returns the work of the searches, for example "4.95 comparisons and 0.31 sectors per query with z-delta,
/// ...", for each search algorithm. The numbers cover all kernel maps. The decimal separator is a point in
/// every locale, as in files.
[[nodiscard]] QString searchesText(const SearchCounters& counters);

}  // namespace spira::ui
