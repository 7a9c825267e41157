// What leaves the window: charts as pictures, the run as a PDF, as a report and as tables, and the commands
// that measure its numbers again. It binds the commands for them, and the menus of charts and tables.
#pragma once

#include "ui/charts/chart_picture.hpp"
#include "ui/model/measured_here.hpp"
#include "ui/model/measured_subject.hpp"

#include <QObject>
#include <QPointer>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

class QAbstractItemView;
class QMenu;

namespace spira::ui {

class FileWriter;
class MainWindow;

struct SummaryLine;

class Exports : public QObject {
  Q_OBJECT
 public:
  /// The window has its panels and commands.
  explicit Exports(MainWindow* window);

  /// Charts that have something to show, in the order of the tabs.
  [[nodiscard]] std::vector<const Chart*> charts() const;
  [[nodiscard]] const Chart* chartNamed(const QString& name) const;  ///< among those; null: none
  [[nodiscard]] const OpenRun& run() const noexcept { return *run_; }
  /// The one line; empty: nothing is open.
  [[nodiscard]] QString commandOf(const MeasuredSubject& subject) const;

  // At once. Each throws Error(input) for a file that cannot be written.
  void saveChart(const Chart& chart, const PictureRequest& how, const QString& file) const;
  void savePdf(const QString& file) const;
  /// Painted in steps, with a bar that can be cancelled.
  void writePdf(const QString& file);
  /// What writes beside the window; what it says reaches the log and the banner.
  [[nodiscard]] FileWriter& files() noexcept { return *files_; }
  void addTo(QMenu* menu) const;  ///< the menu of File

 private:
  void bind();
  void bindFiles();
  void bindOutputs();
  [[nodiscard]] bool anyChart();
  void bindTables();
  void bindPanels();
  void bindSurvey();
  void followTable(QAbstractItemView* table, std::function<MeasuredSubject(const QModelIndex& row)> subject);
  /// The command of what is no number of the open run; `chart`: null, or what can be exported too.
  void showMenuOfCommand(const QPoint& global, Chart* chart, const QString& command, const QString& what);
  void addChart(QMenu& menu, Chart* chart);
  void showMenu(const QPoint& global, Chart* chart, const MeasuredSubject& subject);
  void showLineMenu(const QPoint& global, const SummaryLine& line);
  void addCommands(QMenu& menu, const MeasuredSubject& subject);
  void exportChart(const Chart* chosen);
  /// Asks for a name and writes beside the window what `bytes` makes.
  void saveAs(const QString& title, const QString& name, const QString& filter,
              std::function<std::string()> bytes);
  [[nodiscard]] QString askFile(const QString& title, const QString& name, const QString& filter);
  void copyCommand(const MeasuredSubject& subject);
  void showCommand(const MeasuredSubject& subject);
  [[nodiscard]] MeasuredSubject chosenSubject() const;
  [[nodiscard]] QString fileName(const QString& what) const;
  [[nodiscard]] QString whyNoRun() const;
  [[nodiscard]] QString whyNoSweeps() const;
  [[nodiscard]] QString whyNoDensities() const;
  [[nodiscard]] QString whyNoComparison() const;
  [[nodiscard]] QString whyNoOutputs() const;

  MainWindow* window_;
  OpenRun* run_;
  FileWriter* files_;
  std::map<QString, std::shared_ptr<const Report>> reports_on_their_way_;  // measured here, by file
  QPointer<const Chart> shown_;  // has something to show, when it was asked last
  PictureRequest last_;          // as it was asked for last
};

}  // namespace spira::ui
