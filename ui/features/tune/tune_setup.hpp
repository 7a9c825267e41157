// The form with the settings of a tuning: scenes with their weights, the time limit, thresholds, mapping
// algorithms and packings, and whether training steps are tuned.
#pragma once

#include "ui/jobs/engine/engine_jobs.hpp"
#include "ui/model/workspace.hpp"

#include <QCheckBox>
#include <QStringList>
#include <QWidget>

#include <memory>
#include <utility>
#include <vector>

class QDoubleSpinBox;
class QGridLayout;
class QLayout;
class QScrollArea;
class QTableWidget;
class QVBoxLayout;

namespace spira::ui {

class TuneSetup : public QWidget {
  Q_OBJECT
 public:
  explicit TuneSetup(Workspace* workspace, QWidget* parent = nullptr);

  /// Returns the tuning request, without the profile to continue.
  [[nodiscard]] TuneWish wish() const;
  void addScenes(const QStringList& files);
  [[nodiscard]] QTableWidget* scenes() const noexcept { return scenes_; }
  [[nodiscard]] QDoubleSpinBox* budget() const noexcept { return budget_; }
  [[nodiscard]] QCheckBox* training() const noexcept { return training_; }
  /// Returns the check box of a threshold, or `nullptr` if no layer can use it.
  [[nodiscard]] QCheckBox* threshold(int t) const;
  /// Returns the check box of a packing, or `nullptr` if the packing is not offered.
  [[nodiscard]] QCheckBox* packing(PackSpec pack) const;

 signals:
  void changed();
  void addRequested();  ///< Requests a dialog to select more scene files.

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  [[nodiscard]] QWidget* makeSceneHead();
  void makeChoices();
  void makeRoomForChoices();
  [[nodiscard]] QLayout* makeTime();
  void addScene(const QString& file, const QString& name, bool tick, bool by_hand, double weight);
  void fillScenes();
  void fillThresholds();
  void followNetwork();
  void fillPackings();

  Workspace* workspace_;
  QTableWidget* scenes_;
  QDoubleSpinBox* budget_;
  QScrollArea* choices_;
  QCheckBox* all_algorithms_;
  QCheckBox* other_dataflows_;
  QCheckBox* training_;
  QGridLayout* threshold_grid_;
  QVBoxLayout* packing_rows_;
  // Check boxes in ascending order of t. The last check box is disabled, because the largest t is always
  // measured.
  std::vector<std::pair<int, std::unique_ptr<QCheckBox>>> thresholds_;
  std::vector<std::pair<PackSpec, std::unique_ptr<QCheckBox>>> packings_;
};

}  // namespace spira::ui
