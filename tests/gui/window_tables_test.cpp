// Tests charts that are shown as tables, in a real window and with the keyboard.
#include "engine/report/report_exports.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "ui/charts/chart.hpp"
#include "ui/panels/density_panel.hpp"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QTabWidget>
#include <QTemporaryDir>

namespace spira::ui {
namespace {

class WindowTablesTest : public WindowTest {
 protected:
  /// Selects the tab of the view and all tabs that contain it.
  static void bringToFront(QWidget* view) {
    for (QWidget* at = view; at->parentWidget() != nullptr; at = at->parentWidget()) {
      if (auto* tabs = qobject_cast<QTabWidget*>(at->parentWidget()->parentWidget()))
        tabs->setCurrentWidget(at);
    }
  }
};

TEST_F(WindowTablesTest, TheVisibleChartBecomesATableAndBack) {
  EXPECT_FALSE(app.commands().unavailableReason("view.table").isEmpty());
  open("street");
  auto* box = child<DensityPanel>(window).findChild<QCheckBox*>("asTable");
  ASSERT_TRUE(app.commands().trigger("view.table"));
  EXPECT_TRUE(box->isChecked());
  ASSERT_TRUE(app.commands().trigger("view.table"));
  EXPECT_FALSE(box->isChecked());
}

/// The test uses only the keyboard, on every chart of a recorded run.
TEST_F(WindowTablesTest, EveryChartOfARunIsATableWithTheSameNumbers) {
  QTemporaryDir folder;
  write_report(folder.filePath("far.json").toStdString(), test::recorded_report());
  app.opening().open(folder.filePath("far.json"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  window.activateWindow();
  int charts = 0;
  for (Chart* chart : window.findChildren<Chart*>()) {
    if (!chart->hasContent()) continue;
    ++charts;
    SCOPED_TRACE(chart->name().toStdString());
    bringToFront(chart);
    chart->setFocus();
    ASSERT_TRUE(app.commands().trigger("view.table"));
    ASSERT_TRUE(chart->tableShown());
    ChartTableView& view = *chart->findChild<ChartTableView*>();
    ASSERT_TRUE(waitFor([&] { return view.hasFocus(); })) << "the table must take the focus of its chart";
    EXPECT_EQ(view.model()->rowCount(), static_cast<int>(chart->table().rows.size()));
    EXPECT_GT(view.model()->rowCount(), 0);
    QTest::keySequence(&view, QKeySequence::Copy);
    const QStringList lines = QApplication::clipboard()->text().trimmed().split('\n');
    EXPECT_EQ(lines.size(), view.model()->rowCount() + 1);
    EXPECT_EQ(lines.front(), chart->table().header.join('\t'));
    ASSERT_TRUE(app.commands().trigger("view.table"));
    EXPECT_FALSE(chart->tableShown());
    EXPECT_TRUE(chart->hasFocus());
  }
  EXPECT_GE(charts, 5);
}

}  // namespace
}  // namespace spira::ui
