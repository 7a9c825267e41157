// The Breakdown panel shows the stages of each kernel map and layer as stacked bars, with their sum and the
// wall time. After a training run, it shows the passes of each layer. A click on a bar shows its samples.
#pragma once

#include "ui/panels/panel.hpp"

#include <cstddef>
#include <memory>

class QCheckBox;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QPushButton;

namespace spira::ui {

class FollowedSelection;
class SamplesPane;
class StageChart;
struct StageBar;

class BreakdownPanel : public Panel {
  Q_OBJECT
 public:
  BreakdownPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent = nullptr);
  [[nodiscard]] QString headline() const;
  [[nodiscard]] StageChart* chart() const noexcept { return chart_; }
  [[nodiscard]] SamplesPane* samples() const noexcept { return samples_; }
  [[nodiscard]] QCheckBox* inSitu() const noexcept { return in_situ_; }
  [[nodiscard]] QCheckBox* logarithmic() const noexcept { return logarithmic_; }
  /// Returns the list that chooses bars by pass or by stage. Visible if a training step was measured.
  [[nodiscard]] QComboBox* division() const noexcept { return division_; }
  /// Returns the button that measures training steps. Visible if none was measured.
  [[nodiscard]] QPushButton* measurePasses() const noexcept { return measure_passes_; }
  /// Returns by how many pixels the panel must grow so that its chart is readable.
  [[nodiscard]] int missingHeight() const;

 signals:
  void missingHeightChanged();

 private:
  void follow() override;
  void fillHeadline();
  void fillTrainingHeadline();
  void makeTools(QHBoxLayout& head);
  [[nodiscard]] bool byPass() const;
  [[nodiscard]] QString totalText() const;
  void fillInSituHeadline(const Timeline& timeline);
  [[nodiscard]] QString deviceText(const QString& clock) const;
  void showSamples(int bar);
  void showWall();
  void tint();

  FollowedSelection* shown_;
  QLabel* headline_;
  QComboBox* division_;
  QPushButton* measure_passes_;
  QCheckBox *in_situ_, *logarithmic_;
  StageChart* chart_;
  SamplesPane* samples_;
  // The measurement that the bars show, or `nullptr` if they show single runs.
  std::shared_ptr<const Measurement> bars_of_;
  bool were_in_situ_ = false, were_by_pass_ = false;
  std::size_t shown_bars_ = 0;
};

}  // namespace spira::ui
