// Tests the window in other languages. Displayed numbers must follow the locale of the user, files must use a
// decimal point, and longer translated texts must fit.
#include "engine/report/report_exports.hpp"
#include "tests/gui/pseudo_translator.hpp"
#include "tests/gui/whole_texts.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "ui/charts/chart_table.hpp"
#include "ui/features/settings/settings_dialog.hpp"
#include "ui/features/settings/shortcuts_dialog.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/settings/settings.hpp"
#include "ui/theme/screen_number.hpp"

#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLineEdit>
#include <QLocale>
#include <QMenuBar>
#include <QStatusBar>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTreeView>

#include <gmock/gmock.h>

namespace spira::ui {
namespace {

using testing::HasSubstr;

/// Sets the German locale during its lifetime. It must be created before the window and destroyed after the
/// window.
class German {
 public:
  German() { QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany)); }
  ~German() { QLocale::setDefault(before_); }
  German(const German&) = delete;
  German& operator=(const German&) = delete;

 private:
  QLocale before_;
};

TEST(ScreenNumber, FollowsTheLocaleOfTheUser) {
  const German german;
  EXPECT_EQ(onScreen("1,124,668"), "1.124.668");
  EXPECT_EQ(onScreen("0.412 ms"), "0,412 ms");
  EXPECT_EQ(onScreen("22.7 %"), "22,7 %");
  EXPECT_EQ(onScreen("-1.5"), "-1,5");
  EXPECT_EQ(onScreen("1, 2."), "1, 2.") << "only separators inside a number must change";
  EXPECT_EQ(onScreen(12345.678, 'f', 2), "12345,68");
  EXPECT_EQ(gridOnScreen({0.05, 0.05, 0.05}), "0,05");
  EXPECT_EQ(gridOnScreen({0.05, 0.05, 0.1}), "0,05, 0,05, 0,1");
}

TEST(ScreenNumber, HasADecimalPointWithoutALanguage) {
  QLocale::setDefault(QLocale::c());
  EXPECT_EQ(onScreen("124,668"), "124,668");
  EXPECT_EQ(onScreen(0.25, 'f', 2), "0.25");
}

class GermanWindow : private German, public WindowTest {};

TEST_F(GermanWindow, NumbersAreGermanOnScreenAndFilesKeepTheDecimalPoint) {
  QTemporaryDir folder;
  const QString file = folder.filePath("far.spira.json");
  write_report(file.toStdString(), test::recorded_report());
  app.opening().open(file);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  QString said;
  for (const QLabel* label : window.findChild<SummaryPanel*>()->findChildren<QLabel*>())
    said += label->text();
  EXPECT_THAT(QString(said).replace(QChar::Nbsp, ' ').toStdString(), HasSubstr("2,500 ms"))
      << "the wall time must have a decimal comma";
  EXPECT_THAT(QString(said).replace(QChar::Nbsp, ' ').toStdString(), testing::Not(HasSubstr("2.500 ms")));
  const Report& report = *app.workspace().results().report();
  EXPECT_THAT(measurements_csv(report), HasSubstr("2.500000"));
  EXPECT_THAT(report_json(report), HasSubstr("2.5"));
  const ChartTable table{{"a", "b"}, {{1234, 2.5}}};
  ChartTableModel model;
  model.setTable(table);
  EXPECT_EQ(model.index(0, 0).data().toString(), "1.234");
  EXPECT_EQ(model.index(0, 1).data().toString(), "2,5");
  EXPECT_EQ(model.text({0}), "a\tb\n1234\t2.5\n")
      << "copied numbers must have a decimal point, because programs read them";
}

class PseudoWindow : private InPseudoLanguage, public WindowTest {
 protected:
  /// Returns true if the text contains words but did not pass through tr().
  static bool plain(const QString& text) {
    static const QRegularExpression word("[A-Za-z]{3,}");
    return !text.contains('[') && word.match(text).hasMatch();
  }
  /// Returns true if the texts of the widget come from Qt's translations and not from ours.
  static bool ofQt(const QObject* widget) {
    static const QRegularExpression names("^(qt_|ScrollLeftButton$|ScrollRightButton$)");
    return names.match(widget->objectName()).hasMatch();
  }
  static bool isName(const QString& text) {
    const auto networks = network_presets();
    return std::any_of(networks.begin(), networks.end(),
                       [&](const PresetFacts& one) { return text.toStdString() == one.title; });
  }
  static void collect(const QString& text, const QObject* of, QStringList& found) {
    if (plain(text) && !ofQt(of) && !isName(text))
      found += QString("%1 %2: %3").arg(of->metaObject()->className(), of->objectName(), text.left(90));
  }
};

TEST_F(PseudoWindow, EveryTextIsTranslatable) {
  open("street");
  runNetwork("resn21");
  QStringList found;
  for (const QWidget* widget : window.findChildren<QWidget*>()) {
    collect(widget->toolTip(), widget, found);
    collect(widget->accessibleName(), widget, found);
    collect(widget->windowTitle(), widget, found);
    if (const auto* label = qobject_cast<const QLabel*>(widget)) collect(label->text(), label, found);
    if (const auto* button = qobject_cast<const QAbstractButton*>(widget))
      collect(button->text(), button, found);
    if (const auto* edit = qobject_cast<const QLineEdit*>(widget))
      collect(edit->placeholderText(), edit, found);
    if (const auto* tabs = qobject_cast<const QTabBar*>(widget)) {
      for (int tab = 0; tab < tabs->count(); ++tab)
        collect(tabs->tabText(tab), tabs, found);
    }
    if (const auto* box = qobject_cast<const QComboBox*>(widget)) {
      for (int item = 0; item < box->count(); ++item)
        collect(box->itemText(item), box, found);
    }
    if (const auto* head = qobject_cast<const QHeaderView*>(widget);
        head != nullptr && head->model() != nullptr) {
      for (int section = 0; section < head->count(); ++section)
        collect(head->model()->headerData(section, head->orientation()).toString(), head, found);
    }
  }
  for (const QAction* action : window.findChildren<QAction*>())
    collect(action->text(), action, found);
  EXPECT_EQ(found.join('\n').toStdString(), "");
}

TEST_F(PseudoWindow, LongerTextsAreNotCut) {
  open("street");
  runNetwork("resn21");
  window.resize(1024, 700);
  ASSERT_TRUE(app.commands().trigger("layout.profile"));
  expectWholeInAllTabs(
      window, {&app.docks().tabs(DockLayout::Side::right), &app.docks().tabs(DockLayout::Side::bottom)},
      "1024x700");
  EXPECT_EQ(window.size(), QSize(1024, 700)) << "longer texts must not enlarge the window";
  SettingsDialog settings(&app.settings(), &window);
  settings.show();
  expectWhole(settings, "settings");
  ShortcutsDialog keys(&app.commands(), &window);
  keys.show();
  expectWhole(keys, "keys");
}

}  // namespace
}  // namespace spira::ui
