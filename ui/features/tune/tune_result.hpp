// Shows a tuning profile: the matrix of layers and settings, the regret (the cost of using the settings of
// one scene for another scene), and the gain of the whole network.
#pragma once

#include "engine/tune/tuning_profile.hpp"

#include <QTabWidget>

#include <memory>

class QLabel;
class QTableWidget;

namespace spira::ui {

class MatrixPane;

class TuneResult : public QTabWidget {
  Q_OBJECT
 public:
  /// Takes ownership of `matrix`.
  explicit TuneResult(MatrixPane* matrix, QWidget* parent = nullptr);
  void setProfile(std::shared_ptr<const TuningProfile> profile);
  [[nodiscard]] QTableWidget* regret() const noexcept { return regret_; }
  [[nodiscard]] QString checks() const;

 private:
  void fillRegret();
  [[nodiscard]] QString checksHtml() const;

  std::shared_ptr<const TuningProfile> profile_;
  QTableWidget* regret_;
  QLabel *regret_text_, *checks_;
};

}  // namespace spira::ui
