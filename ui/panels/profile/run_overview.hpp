// The total time of a run, its slowest layers, and the time of each kind of stage. The Summary panel shows
// all three. While a recorded run is open, the layers and stages are shown in the centre of the window
// instead.
#pragma once

#include "engine/measure/statistics.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/workspace.hpp"
#include "ui/theme/theme.hpp"

#include <QWidget>

#include <map>
#include <optional>
#include <vector>

class QLabel;
class QTableWidget;

namespace spira::ui {

struct LayerTime {
  int layer = 0;
  double ms = 0;     ///< Time of the features and, if the layer built its kernel map, of this map.
  double share = 0;  ///< Share of RunTimes::sum_ms, from 0 to 1.
  std::map<StageGroup, double> parts;  ///< In ms. The residual may be negative.
};

struct RunTimes {
  /// Wall time. Empty for single runs, and for reports that are truncated before their wall time.
  std::optional<Statistics> wall;
  /// Time of the whole network as one CUDA graph. Empty if the network was not compiled.
  std::optional<Statistics> graph;
  /// Host time of all layers in ms, one sample each. Empty if the run was measured.
  std::optional<double> single_wall_ms;
  /// Sum of all stages. It contains medians if the run was measured, otherwise one sample of each layer.
  double sum_ms = 0;
  double indexing_ms = 0;    ///< The part of `sum_ms` that builds the voxels and the levels.
  std::int64_t samples = 1;  ///< Number of samples of each stage.
  int layers_run = 0, layers = 0;
  std::vector<LayerTime> slowest;  ///< At most five layers, the slowest first.
  /// Times of all kinds of stages in ms, the longest first. Contains the residual if it is positive.
  std::vector<std::pair<StageGroup, double>> stages;
};

/// Returns an empty value if no layer of the open network has a time.
[[nodiscard]] std::optional<RunTimes> run_times(const Workspace& workspace);

/// The first number of a run in Summary, Breakdown and the page of a recorded run: the time of the network as
/// one CUDA graph. If this was not measured, it is the wall time, or the sum of the stages if there is no
/// wall time.
struct LeadingTime {
  QString title;  ///< For example "Device time of one run".
  QString
      contents;  ///< What the time contains, for example "the whole network as one CUDA graph". May be empty.
  double ms = 0;
  std::int64_t n = 1;  ///< Number of samples.
  std::optional<double> iqr_ms;
  const char* link =
      "";  ///< Link target of RunOverview::total(): "graph", "wall" or "" if there are no samples.
};
[[nodiscard]] LeadingTime leading_time(const Workspace& workspace, const RunTimes& times);
/// Returns the time of all maps and features, without the indexing, in ms.
[[nodiscard]] double maps_and_features_ms(const RunTimes& times) noexcept;
/// Returns the trust grade with its reasons and its meaning as HTML. Returns an empty string for a single
/// run, which has no grade.
[[nodiscard]] QString trustHtml(const Workspace& workspace);

/// A row of the Summary panel.
struct SummaryLine {
  QString name, value;  ///< For example "wall time" and "2.702 ms, median of 30 samples, IQR 0.049 ms".
  QString number;       ///< For example "2.702 ms". Empty if the row has no number.
  MeasuredSubject subject;
};

class RunOverview : public QWidget {
  Q_OBJECT
 public:
  enum class Parts { all, total, tables };
  RunOverview(Workspace* workspace, Theme* theme, QWidget* parent = nullptr);
  /// Must be called before follow().
  void setParts(Parts parts) noexcept { parts_ = parts; }
  /// Shows the times of the Workspace. Before the first run, explains how to get them.
  void follow();
  [[nodiscard]] QLabel* total() const noexcept { return total_; }
  [[nodiscard]] QTableWidget* slowest() const noexcept { return slowest_; }
  [[nodiscard]] QTableWidget* stages() const noexcept { return stages_; }
  /// Returns the layer of a row of slowest(), or -1 if no such row exists.
  [[nodiscard]] int layerAt(int row) const;
  /// Returns a row of slowest(), or an empty value if no such row exists.
  [[nodiscard]] std::optional<SummaryLine> lineAt(int row) const;

 signals:
  void layerWanted(int layer);                ///< Emitted when the user clicks on the name of a layer.
  void samplesWanted(int layer);              ///< Emitted when the user clicks on the time of a layer.
  void wallSamplesWanted(bool graph);         ///< Emitted when the user clicks on the total time.
  void stageWanted(spira::StageGroup stage);  ///< Emitted when the user clicks on a kind of stage.

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void alignHeadings();
  [[nodiscard]] QString totalHtml(const RunTimes& times) const;
  void fitTexts();
  [[nodiscard]] QString samplesText() const;
  void fillSlowest(const RunTimes& times);
  void fillStages(const RunTimes& times);

  Workspace* workspace_;
  Theme* theme_;
  Parts parts_ = Parts::all;
  QLabel* total_;
  QLabel *slowest_title_, *stages_title_;
  QTableWidget *slowest_, *stages_;
};

}  // namespace spira::ui
