// The context menus of charts, tables and summary lines. They offer the command line that repeats the
// measurement of the clicked number.
#pragma once

#include "ui/features/feature_context.hpp"
#include "ui/model/measured/measured_here.hpp"

#include <QObject>

#include <functional>
#include <string>

class QAbstractItemView;
class QMenu;
class QModelIndex;
class QPoint;

namespace spira::ui {

class Chart;
class ChartExports;
class ComparePanel;
class ExportFiles;
class MapPanel;
class SummaryPanel;
struct SummaryLine;
class SurveyJob;
class SurveyPanel;
class SweepPanel;

class NumberMenus : public QObject {
  Q_OBJECT
 public:
  /// The charts and panels whose numbers have context menus.
  struct Sources {
    ChartExports& charts;
    SummaryPanel& summary;
    SweepPanel& sweep;
    ComparePanel& compare;
    MapPanel& map;
    const SurveyPanel& survey_panel;
    const SurveyJob& survey;
  };
  /// Must be created after all panels and charts of the window.
  NumberMenus(const FeatureContext& context, ExportFiles& files, const Sources& sources);

 private:
  void bindCommands();
  void followCharts();
  void followPanels();
  void followStatistics();
  void followSurvey();
  void followTable(QAbstractItemView* table, std::function<MeasuredSubject(const QModelIndex& row)> subject);
  /// Returns the subject for the selected layer, or for the whole run if no layer is selected. Returns the
  /// scene if nothing has been run yet.
  [[nodiscard]] MeasuredSubject chosenSubject() const;
  /// Returns the subject for the layer with this name. If the open network has no such layer, returns the
  /// whole network as the subject.
  [[nodiscard]] MeasuredSubject subjectOf(const std::string& layer) const;
  void show(const QPoint& global, Chart* chart, const MeasuredSubject& subject);
  void showLine(const QPoint& global, const SummaryLine& line);
  void showSurvey(const QPoint& global, Chart* chart, bool densities);
  void addCommands(QMenu& menu, const MeasuredSubject& subject);
  void copy(const QString& command);
  void copyCommand(const MeasuredSubject& subject);
  void showCommand(const MeasuredSubject& subject);

  FeatureContext context_;
  ExportFiles& files_;
  Sources sources_;
};

}  // namespace spira::ui
