// Shows details of the selected row of a comparison: its samples in both runs, and the densities of its
// layer.
#pragma once

#include "engine/report/compare/compare.hpp"

#include <QWidget>

class QLabel;
class QTabWidget;

namespace spira::ui {

class DensityChart;
class HistogramChart;
class Theme;

class ComparedPane : public QWidget {
  Q_OBJECT
 public:
  explicit ComparedPane(Theme* theme, QWidget* parent = nullptr);
  void setRow(const ComparedRow& row, const Report& baseline, const Report& current);
  void clear();
  [[nodiscard]] HistogramChart* histogram() const noexcept { return histogram_; }
  [[nodiscard]] DensityChart* densities() const noexcept { return densities_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  [[nodiscard]] QWidget* makeSamples();
  [[nodiscard]] QWidget* makeDensities();
  void showDensities(const std::string& layer, const Report& baseline, const Report& current);

  Theme* theme_;
  QLabel *text_, *density_text_;
  HistogramChart* histogram_;
  DensityChart* densities_;
  QTabWidget* tabs_;
  QWidget* switches_ = nullptr;  // Container of the buttons below the histogram of samples.
};

}  // namespace spira::ui
