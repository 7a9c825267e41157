// Tests that no text is cut off and no button is outside its bar, in a small window and in a window of the
// default size. CTest also runs this program at other screen scales (QT_SCALE_FACTOR).
#include "app/common/backends.hpp"
#include "engine/report/report_exports.hpp"
#include "tests/gui/whole_texts.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "ui/features/settings/settings_dialog.hpp"
#include "ui/features/settings/shortcuts_dialog.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/settings/settings.hpp"

#include <QHeaderView>
#include <QScreen>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolBar>

#include <algorithm>
#include <set>

namespace spira::ui {
namespace {

class ScaleTest : public WindowTest {
 protected:
  void expectAllWhole(const char* where) {
    expectWholeInAllTabs(
        window, {&app.docks().tabs(DockLayout::Side::right), &app.docks().tabs(DockLayout::Side::bottom)},
        where);
  }
};

TEST_F(ScaleTest, NoTextOfTheWindowIsCutOffAtAnySize) {
  open("street");
  runNetwork("resn21");
  for (const QSize size : {QSize(1440, 900), QSize(1024, 700)}) {
    window.resize(size);
    ASSERT_TRUE(app.commands().trigger("layout.profile"));
    expectAllWhole(size.width() == 1024 ? "1024x700" : "1440x900");
    auto* bar = window.findChild<QToolBar*>("toolbar");
    for (QAction* action : bar->actions())
      // A narrow window hides the labels of the network and of its neighbours.
      EXPECT_EQ(bar->widgetForAction(action)->isVisible(), action->isVisible())
          << action->text().toStdString();
  }
}

/// Users distinguish layers by their names, so there must be space for the short form of each name.
TEST_F(ScaleTest, AllLayersAreDistinctInTheSmallestWindow) {
  QTemporaryDir folder;
  QFile file(folder.filePath("few.xyz"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("0 0 0\n1 0 0\n1 1 0\n1 1 1\n");
  file.close();
  open(file.fileName());
  runNetwork("minkunet42");
  window.resize(1024, 700);
  ASSERT_TRUE(app.commands().trigger("layout.profile"));
  ASSERT_TRUE(app.commands().trigger("window.show_network"));
  ASSERT_TRUE(waitFor([&] { return window.width() == 1024; }));
  QApplication::processEvents();
  const auto* table = window.findChild<QTableView*>("layers");
  std::set<QString> names;
  QFont compact = table->font();  // The list is compact in this window, and has a smaller font.
  compact.setPointSizeF(compact.pointSizeF() * 0.9);
  const QFontMetrics metrics(compact);
  ASSERT_FALSE(table->isColumnHidden(LayerTableModel::pairs));
  for (int row = 0; row < table->model()->rowCount(); ++row) {
    const QModelIndex index = table->model()->index(row, LayerTableModel::name);
    const QString shown = metrics.elidedText(index.data(LayerTableModel::short_name_role).toString(),
                                             Qt::ElideMiddle, table->visualRect(index).width() - 8);
    EXPECT_TRUE(names.insert(shown).second) << shown.toStdString();
  }
  EXPECT_GE(table->columnWidth(LayerTableModel::name),
            table->horizontalHeader()->sectionSizeHint(LayerTableModel::name))
      << "the heading must not be cut off";
}

TEST_F(ScaleTest, NoTextOfARecordedRunAndItsDialogsIsCutOff) {
  QTemporaryDir folder;
  write_report(folder.filePath("far.json").toStdString(), test::recorded_report());
  app.opening().open(folder.filePath("far.json"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  window.resize(1024, 700);
  expectAllWhole("a report at 1024x700");
  SettingsDialog settings(&app.settings(), &window);
  settings.show();
  expectWhole(settings, "settings");
  ShortcutsDialog keys(&app.commands(), &window);
  keys.show();
  expectWhole(keys, "keys");
}

/// At a scale of 1.25 or more, the screen of these tests is smaller than 1440x900.
TEST_F(ScaleTest, ANewWindowFitsOnTheScreen) {
  Application fresh(std::make_shared<const Registry>(app::make_registry()), QString());
  const QSize available = fresh.window().screen()->availableSize(), least = fresh.window().minimumSize();
  EXPECT_LE(fresh.window().width(), std::max(least.width(), available.width()));
  EXPECT_LE(fresh.window().height(), std::max(least.height(), available.height()));
}

}  // namespace
}  // namespace spira::ui
