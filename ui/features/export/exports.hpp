// Exports of the window: charts as pictures, the run as a PDF report, as a JSON report and as tables, and the
// commands that measure its numbers again. Binds these commands and the context menus of charts and tables.
#pragma once

#include "ui/charts/chart_picture.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/measured/measured_subject.hpp"

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

[[nodiscard]] std::span<const CommandFacts> export_commands() noexcept;

class Exports : public QObject {
  Q_OBJECT
 public:
  /// Must be created after the panels and the commands of the window.
  explicit Exports(MainWindow* window);

  /// Returns the charts that have content, in the order of the tabs.
  [[nodiscard]] std::vector<const Chart*> charts() const;
  /// Returns `nullptr` if charts() does not contain this name.
  [[nodiscard]] const Chart* chartNamed(const QString& name) const;
  [[nodiscard]] const OpenRun& run() const noexcept { return *run_; }
  /// Returns the command line that measures `subject` again; empty if nothing is open.
  [[nodiscard]] QString commandOf(const MeasuredSubject& subject) const;

  // These functions write immediately. They throw Error(input) if the file cannot be written.
  void saveChart(const Chart& chart, const PictureRequest& how, const QString& file) const;
  void savePdf(const QString& file) const;
  /// Paints the report in steps, with a progress bar and a cancel button, and then writes it on the writer
  /// thread.
  void writePdf(const QString& file);
  /// Returns the writer that runs on its own thread. The window shows its messages in the log and its errors
  /// in the banner.
  [[nodiscard]] FileWriter& files() noexcept { return *files_; }
  void addTo(QMenu* menu) const;  ///< Adds the export commands to the File menu.

 private:
  void bind();
  void bindFiles();
  void bindOutputs();
  [[nodiscard]] bool anyChart();
  void bindTables();
  void bindPanels();
  void bindSurvey();
  void followTable(QAbstractItemView* table, std::function<MeasuredSubject(const QModelIndex& row)> subject);
  /// Shows the menu of a number that does not belong to the open run. `chart` can be exported too, or is
  /// `nullptr`.
  void showMenuOfCommand(const QPoint& global, Chart* chart, const QString& command, const QString& what);
  void addChart(QMenu& menu, Chart* chart);
  void showMenu(const QPoint& global, Chart* chart, const MeasuredSubject& subject);
  void showLineMenu(const QPoint& global, const SummaryLine& line);
  void addCommands(QMenu& menu, const MeasuredSubject& subject);
  void exportChart(const Chart* chosen);
  /// Asks for a file name. Then `bytes` runs on the writer thread, which writes the file.
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
  // Reports of measurements that are being written, by file name.
  std::map<QString, std::shared_ptr<const Report>> reports_on_their_way_;
  QPointer<const Chart> shown_;  // A chart with content, as found by the last anyChart().
  PictureRequest last_;          // The last request of the user.
};

}  // namespace spira::ui
