// Shows the groups of layers that share a kernel map as a heat map, with the time of the network if each
// group has one setting, and the samples of a cell. The times come from the profile of the Tune panel.
#pragma once

#include "engine/tune/group_table.hpp"
#include "ui/charts/group_chart.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/jobs/tasks.hpp"
#include "ui/model/workspace.hpp"

#include <QWidget>

#include <memory>
#include <string>

class QCheckBox;
class QLabel;

namespace spira::ui {

class ElidedLabel;
class MatrixPane;
class SamplesPane;
class WrappedLabel;

/// Input of the task that computes the table of groups on a thread of the thread pool.
struct GroupsArgs {
  std::shared_ptr<const TuningProfile> profile;
  std::shared_ptr<const Network> network;
  Plan picks;
};

class GroupsPane : public QWidget {
  Q_OBJECT
 public:
  /// Shows the profile and the picks of `matrix`, which must outlive this pane.
  GroupsPane(const FeatureContext& context, const MatrixPane* matrix, QWidget* parent = nullptr);

  [[nodiscard]] GroupChart* chart() const noexcept { return chart_; }
  [[nodiscard]] SamplesPane* samples() const noexcept { return samples_; }
  [[nodiscard]] QCheckBox* samplesSwitch() const noexcept { return samples_switch_; }
  /// Returns the text with the sums over all groups.
  [[nodiscard]] QString totalText() const;
  /// Returns the text about the current cell.
  [[nodiscard]] QString cellText() const;
  /// Returns why no groups are shown. Returns an empty string if groups are shown.
  [[nodiscard]] QString whyNone() const;
  /// Returns the table of groups as CSV with the current picks. whyNone() must be empty.
  [[nodiscard]] std::string csv() const;
  [[nodiscard]] bool busy() const noexcept { return making_.busy(); }

 signals:
  void shown();  ///< Emitted when the chart shows other groups.

 private:
  void connectSignals();
  void follow();
  void show(const std::shared_ptr<const GroupTable>& table);
  void showTotal();
  void showCell();
  void showSamples();
  void chooseLayerOf(int row);
  [[nodiscard]] GroupsArgs args() const;

  FeatureContext context_;
  const MatrixPane* matrix_;
  GroupChart* chart_;
  SamplesPane* samples_;
  QCheckBox* samples_switch_;
  WrappedLabel* total_;
  ElidedLabel* cell_;
  QLabel* none_;
  QWidget* tools_;  // The check boxes of the chart.
  TaskSlot making_;
};

}  // namespace spira::ui
