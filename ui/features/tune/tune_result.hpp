// Shows a tuning profile as tables. They contain the settings of each layer shape with the reasons, the
// regret if the settings of one scene are used for another scene, and the gain of the whole network.
#pragma once

#include "engine/tune/tuning_profile.hpp"

#include <QTabWidget>

#include <memory>

class QLabel;
class QTableWidget;

namespace spira::ui {

class SamplesPane;
class Theme;

class TuneResult : public QTabWidget {
  Q_OBJECT
 public:
  explicit TuneResult(Theme* theme, QWidget* parent = nullptr);
  void setProfile(std::shared_ptr<const TuningProfile> profile);
  [[nodiscard]] QTableWidget* choices() const noexcept { return choices_; }
  [[nodiscard]] QTableWidget* regret() const noexcept { return regret_; }
  [[nodiscard]] SamplesPane* samples() const noexcept { return samples_; }
  [[nodiscard]] QString checks() const;

 signals:
  void layerChosen(const QString& layer);  ///< Emitted with the first layer of the row.

 private:
  void fillChoices();
  void showSamples(int row);
  void fillRegret();
  [[nodiscard]] QString checksHtml() const;

  std::shared_ptr<const TuningProfile> profile_;
  QTableWidget *choices_, *regret_;
  QLabel *regret_text_, *checks_;
  SamplesPane* samples_;
};

}  // namespace spira::ui
