// What is to be tuned: scenes with their weights, the time for it, thresholds, mapping algorithms and
// packings.
#pragma once

#include "ui/jobs/engine_jobs.hpp"
#include "ui/model/workspace.hpp"

#include <QStringList>
#include <QWidget>

#include <utility>
#include <vector>

class QCheckBox;
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

  /// All but the profile that is to be added to.
  [[nodiscard]] TuneWish wish() const;
  void addScenes(const QStringList& files);
  [[nodiscard]] QTableWidget* scenes() const noexcept { return scenes_; }
  [[nodiscard]] QDoubleSpinBox* budget() const noexcept { return budget_; }
  [[nodiscard]] QCheckBox* threshold(int t) const;        ///< null: no layer has it
  [[nodiscard]] QCheckBox* packing(PackSpec pack) const;  ///< null: it is not offered

 signals:
  void changed();
  void addRequested();  ///< scenes of files that are still to be chosen

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
  void fillPackings();

  Workspace* workspace_;
  QTableWidget* scenes_;
  QDoubleSpinBox* budget_;
  QScrollArea* choices_;
  QCheckBox* all_algorithms_;
  QGridLayout* threshold_grid_;
  QVBoxLayout* packing_rows_;
  std::vector<std::pair<int, QCheckBox*>> thresholds_;  // ascending; the last one is measured always
  std::vector<std::pair<PackSpec, QCheckBox*>> packings_;
};

}  // namespace spira::ui
