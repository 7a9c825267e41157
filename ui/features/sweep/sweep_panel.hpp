// The Sweeps panel shows sweeps of the threshold t, of the packing and of the dataflow.
#pragma once

#include "ui/panels/panel.hpp"

#include <memory>
#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;
class QTabWidget;
class QTableWidget;

namespace spira::ui {

class ElidedLabel;
class FollowedSelection;
class SamplesPane;
class SweepChart;
class Tuning;

class SweepPanel : public Panel {
  Q_OBJECT
 public:
  SweepPanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent = nullptr);
  /// Returns the packings to measure: the default packings with 32 and 64 bits, and the valid packings that
  /// the user entered. Input errors are shown below the field.
  [[nodiscard]] std::vector<PackSpec> packs() const;
  enum class Kind { thresholds, packings, dataflows };
  void showKind(Kind kind);
  /// Shows the expected durations of the sweeps in the tooltips of the buttons and on the empty pages.
  void setDurations(const QString& thresholds, const QString& packings, const QString& dataflows);
  /// Connects the tuning profile. The panel marks the t that the profile sets for the swept layer.
  void setTuning(const Tuning* tuning);
  /// Returns by how many pixels the panel must grow so that the visible chart is readable.
  [[nodiscard]] int missingHeight() const;

 signals:
  void missingHeightChanged();

 private:
  struct Page {
    QPushButton* run;
    ElidedLabel* title;
    SweepChart* chart;
    QTableWidget* rows;
    QLabel* none;  ///< Text that replaces the chart and the table before the first sweep.
    SamplesPane* samples;
    QPushButton* use = nullptr;  ///< Applies the fastest setting. `nullptr` for packings.
  };
  static void showDuration(const Page& page, const QString& duration);
  Page makePage(QWidget* page, const QString& command, const QString& button);
  [[nodiscard]] const std::shared_ptr<const Sweep>& sweepOf(Kind kind) const;
  void followDataflows();
  void fill(const Page& page, const std::shared_ptr<const Sweep>& sweep,
            const std::shared_ptr<const Sweep>& baseline, int now);
  void follow() override;
  [[nodiscard]] int thresholdOf(int layer) const;
  [[nodiscard]] int thresholdOfAll() const;
  void connectSamples(const Page& page, Kind kind);
  void showSamples(const Page& page, const std::shared_ptr<const Sweep>& sweep, int row);
  void markOffsets();
  void markTried();
  void markTuned();
  /// Returns the current plan with the t or the dataflow of one row of a sweep.
  [[nodiscard]] Plan planOf(const Sweep& sweep, int row) const;
  void followUse(const Page& page, const std::shared_ptr<const Sweep>& sweep);
  void usePick(Kind kind);
  void checkBits();

  FollowedSelection* shown_;
  const Tuning* tuning_ = nullptr;
  QTabWidget* tabs_;
  Page thresholds_, packings_, dataflows_;
  QLineEdit* custom_;
  // Packing that the user entered. Empty if the entered widths are not valid.
  std::optional<PackSpec> custom_pack_;
  ElidedLabel* custom_fault_;
};

}  // namespace spira::ui
