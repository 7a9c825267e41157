// Tests journey J4: the user compares a remote baseline with a new build. The user types two commands in a
// terminal, and makes four gestures in the window.
#include "tests/gui/journeys/journey.hpp"
#include "tests/support/real_scenes.hpp"
#include "tests/support/run_program.hpp"
#include "ui/features/compare/compare_panel.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/model/tables/compare_model.hpp"

#include <QMenu>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>

namespace spira::ui {
namespace {

class CompareJourney : public Journey {
 protected:
  [[nodiscard]] ComparePanel& panel() { return *app.profileTools().comparePanel(); }
  [[nodiscard]] Comparing& comparing() { return *app.profileTools().comparing(); }
  /// Runs a command that the user types in a terminal of the server.
  void onServer(const std::vector<std::string>& words) {
    const test::Finished done = test::Program(SPIRA_PROGRAM, words, folder.path().toStdString()).finish();
    ASSERT_EQ(done.code, 0) << done.err;
  }
  void compareAndExport(const std::string& scan, const std::string& grid) {
    onServer(
        {"run", scan, "--grid", grid, "--network", "resn21", "--repeat", "10", "-o", "before.spira.json"});
    onServer({"run", scan, "--grid", grid, "--network", "resn21", "--repeat", "10", "--threshold", "0", "-o",
              "after.spira.json"});
    hands.drop(window, {folder.filePath("before.spira.json"), folder.filePath("after.spira.json")});
    ASSERT_TRUE(waitFor([&] { return comparing().comparison() && idle(); }));
    ASSERT_TRUE(panel().isVisible()) << "dropping two reports must show Compare";
    clickWorstLayer();
    picture(app, "compare-row");
    auto* button = buttonNamed("Export");
    ASSERT_NE(button, nullptr);
    // The menu blocks until it closes, so the test schedules the action in the menu first.
    QTimer::singleShot(200, &window, [this] { choosePdf(); });
    Hands::inNextFileDialog([this](QFileDialog& dialog) {
      dialog.setDirectory(folder.path());  // It would otherwise start in the documents folder of the user.
      EXPECT_TRUE(dialog.selectedFiles().front().endsWith("report.pdf"));
      static_cast<QDialog&>(dialog).accept();  // accepts the proposed name
    });
    hands.click(*button);
    ASSERT_TRUE(waitFor([&] { return !QDir(folder.path()).entryList({"*.pdf"}).isEmpty(); }));
    EXPECT_EQ(hands.count(), (Count{4, 0}));
  }

 private:
  [[nodiscard]] QToolButton* buttonNamed(const QString& text) {
    for (auto* button : panel().findChildren<QToolButton*>()) {
      if (button->text() == text) return button;
    }
    return nullptr;
  }
  void choosePdf() {
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    ASSERT_NE(menu, nullptr);
    ASSERT_TRUE(menu->actions().front()->text().contains("PDF"));
    hands.click(*menu, menu->actionGeometry(menu->actions().front()).center());
  }
  /// The rows are sorted, so the first row of a layer is the row with the largest change.
  void clickWorstLayer() {
    QTableView& table = *panel().table();
    const auto* model = table.model();
    int row = 0;
    while (row < model->rowCount() &&
           app.workspace().network()->index_of(
               model->index(row, 0).data(CompareModel::layer_role).toString().toStdString()) < 0)
      ++row;
    ASSERT_LT(row, model->rowCount());
    const QRect cell = table.visualRect(model->index(row, CompareModel::layer));
    ASSERT_TRUE(table.viewport()->rect().contains(cell.center()))
        << "the worst row must be visible without scrolling";
    hands.click(*table.viewport(), cell.center());
    EXPECT_GE(app.selection().layer(), 0) << "selecting a row must select its layer in all views";
  }
};

TEST_F(CompareJourney, TwoReportsAWorstRowAndAPdfAreFourGestures) {
  compareAndExport(file("room", 8000, "scan.ply").toStdString(), "0.08");
}

TEST_F(CompareJourney, TwoReportsOfARealSweep) {
  SPIRA_NEED_REAL_SCENES();
  compareAndExport((test::data_folder() / "kitti/object_000008_front.bin").string(), "0.1");
}

}  // namespace
}  // namespace spira::ui
