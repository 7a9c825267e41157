// The Timeline panel shows the start and end of each stage. If the network was compiled, the times are
// in-situ times. Otherwise, the stages ran one after another.
#pragma once

#include "ui/panels/panel.hpp"

class QBoxLayout;
class QLabel;
class QSplitter;
class QTableView;
class QToolButton;

namespace spira::ui {

class CommandSet;
class TimelineAreaModel;
class FollowedSelection;
class SamplesPane;
class TimelineChart;

class TimelinePanel : public Panel {
  Q_OBJECT
 public:
  TimelinePanel(Workspace* workspace, Selection* selection, Theme* theme, QWidget* parent = nullptr);
  /// Sets the commands. Their state shows whether a GPU is available.
  void addCommands(const CommandSet& commands);
  [[nodiscard]] QString headline() const;
  [[nodiscard]] SamplesPane* samples() const noexcept { return samples_; }
  [[nodiscard]] TimelineChart* chart() const noexcept { return chart_; }
  [[nodiscard]] TimelineAreaModel* sums() const noexcept { return sums_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  [[nodiscard]] QWidget* makeSums();
  [[nodiscard]] QToolButton* makeButton(const QString& text, const QString& tip);
  void follow() override;
  void followComparedReport();
  void followArea();
  void tint();
  void followSamples();
  void showSamplesOfRow(int row);
  void shareRoom(bool anew);
  void makeRoomForSamples();
  void nameColours();
  void placeLegend(bool own_row);
  [[nodiscard]] QString headlineOf(const Measurement& measured) const;
  [[nodiscard]] QString wayInSitu(const Measurement& measured) const;

  FollowedSelection* shown_;
  const CommandSet* commands_ = nullptr;
  SamplesPane* samples_;
  QToolButton* samples_shown_ = nullptr;
  QLabel *headline_, *legend_, *area_text_;
  TimelineChart* chart_;
  TimelineAreaModel* sums_;
  QTableView* table_;
  QSplitter* halves_;
  QWidget* area_page_;
  QBoxLayout* tools_ = nullptr;
  bool legend_below_ = false;  // True if the legend is below the tool buttons.
};

}  // namespace spira::ui
