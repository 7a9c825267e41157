// Tests the contrast in every theme: at least 4.5:1 for text, and at least 3:1 for bars and lines. No sign
// may depend on colour alone.
#include "ui/theme/theme.hpp"

#include "ui/charts/matrix_chart.hpp"
#include "ui/theme/colour_maps.hpp"
#include "ui/theme/focus_ring.hpp"
#include "ui/theme/labels.hpp"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QFont>
#include <QLabel>
#include <QLineEdit>
#include <QPalette>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QWidget>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace spira::ui {
namespace {

constexpr std::array themes{ThemeChoice::light, ThemeChoice::dark, ThemeChoice::contrast};

TEST(Contrast, EqualsThatOfWcag) {
  EXPECT_NEAR(contrast(Qt::black, Qt::white), 21.0, 1e-9);
  EXPECT_NEAR(contrast(Qt::white, Qt::white), 1.0, 1e-9);
  EXPECT_NEAR(contrast(QColor("#767676"), Qt::white), 4.54, 0.01);
  EXPECT_EQ(contrast(Qt::red, Qt::blue), contrast(Qt::blue, Qt::red));
}

TEST(Contrast, TextOnAnyColourIsReadable) {
  for (int red = 0; red < 256; red += 15) {
    for (int green = 0; green < 256; green += 15) {
      for (int blue = 0; blue < 256; blue += 15) {
        const QColor ground(red, green, blue);
        ASSERT_GE(contrast(text_on(ground), ground), min_text_contrast) << ground.name().toStdString();
      }
    }
  }
}

TEST(Theme, TheColourMapsAreVisibleOnTheViewsOfDarkThemes) {
  Theme theme;
  const auto lowest = [&theme](ColourMap map) {
    double least = 100;
    for (int at = 0; at <= 100; ++at) {
      const Rgb rgb = colour_of(map, at / 100.0);
      for (const QColor& ground : {theme.palette().view_top, theme.palette().view_bottom})
        least = std::min(least, contrast(QColor(rgb[0], rgb[1], rgb[2]), ground));
    }
    return least;
  };
  for (const ThemeChoice choice : {ThemeChoice::dark, ThemeChoice::contrast}) {
    theme.choose(choice);
    for (const ColourMap map : {ColourMap::viridis, ColourMap::cividis}) {
      EXPECT_LT(lowest(map), min_shape_contrast) << "the map itself would do";
      EXPECT_GE(lowest(on_dark(map)), min_shape_contrast) << static_cast<int>(choice);
      EXPECT_EQ(colour_of(on_dark(map), 1.0), colour_of(map, 1.0));
    }
    EXPECT_EQ(on_dark(ColourMap::bands), ColourMap::bands);
  }
  theme.choose(ThemeChoice::system);
}

/// The lightness alone distinguishes the colours, so users with any colour vision see the difference.
TEST(Theme, TheColoursOfTheMatrixDistinguishSmallAndLargeFactors) {
  constexpr std::array relatives{1.05, 1.5, 3.0};
  for (std::size_t at = 0; at + 1 < relatives.size(); ++at)
    EXPECT_GE(contrast(matrix_colour(relatives.at(at)), matrix_colour(relatives.at(at + 1))), 1.4)
        << relatives.at(at);
  EXPECT_NE(matrix_colour(4), matrix_colour(3)) << "the scale must not end before 4";
  for (const ThemeChoice theme_of : {ThemeChoice::light, ThemeChoice::dark}) {
    Theme theme;
    theme.choose(theme_of);
    for (const double relative : {1.05, 1.5, 3.0, 10.0})
      EXPECT_GE(contrast(matrix_colour(relative), theme.palette().panel), 1.25) << relative;
  }
}

TEST(Theme, MatchesDifferFromTheDataflows) {
  Theme theme;
  for (const ThemeChoice choice : themes) {
    theme.choose(choice);
    const Palette& p = theme.palette();
    constexpr int other_hue = 40;  // in degrees
    for (const QColor& dataflow : {p.dense, p.sparse}) {
      const int apart = std::abs(p.match.hsvHue() - dataflow.hsvHue());
      EXPECT_GE(std::min(apart, 360 - apart), other_hue) << static_cast<int>(choice);
    }
    for (const QColor& ground : {p.panel, p.view_top, p.view_bottom})
      EXPECT_GE(contrast(p.match, ground), min_shape_contrast) << static_cast<int>(choice);
  }
  theme.choose(ThemeChoice::system);
}

TEST(Theme, TextIsReadableOnEveryBackground) {
  Theme theme;
  for (const ThemeChoice choice : themes) {
    theme.choose(choice);
    const Palette& p = theme.palette();
    for (const QColor& ground : {p.window, p.panel, p.raised, p.view_top, p.view_bottom}) {
      for (const QColor& text : {p.text, p.faint_text, p.accent, p.warning, p.error}) {
        EXPECT_GE(contrast(text, ground), min_text_contrast)
            << static_cast<int>(choice) << ": " << text.name().toStdString() << " on "
            << ground.name().toStdString();
      }
    }
    const QColor chosen = theme.dark() ? p.window : p.panel;  // text of highlighted rows
    EXPECT_GE(contrast(chosen, p.accent), min_text_contrast) << static_cast<int>(choice);
  }
  theme.choose(ThemeChoice::system);
}

TEST(Theme, DisabledTextIsReadableAndDistinct) {
  constexpr double told_apart = 1.5;
  Theme theme;
  for (const ThemeChoice choice : themes) {
    theme.choose(choice);
    const QColor disabled = QApplication::palette().color(QPalette::Disabled, QPalette::Text);
    EXPECT_GE(contrast(disabled, theme.palette().text), told_apart) << static_cast<int>(choice);
    for (const QColor& ground : {theme.palette().window, theme.palette().panel, theme.palette().raised})
      EXPECT_GE(contrast(disabled, ground), min_text_contrast) << static_cast<int>(choice);
  }
  theme.choose(ThemeChoice::system);
}

/// Returns the strongest contrast with the background in a range of columns of a widget's picture.
double drawn(QWidget& widget, const QColor& ground, int left, int right) {
  const QImage picture = widget.grab().toImage();
  double strongest = 1;
  for (int x = left; x < std::min(right, picture.width()); ++x) {
    for (int y = 0; y < picture.height(); ++y)
      strongest = std::max(strongest, contrast(picture.pixelColor(x, y), ground));
  }
  return strongest;
}

TEST(Theme, ADisabledCheckBoxLooksDisabled) {
  Theme theme;
  for (const ThemeChoice choice : themes) {
    theme.choose(choice);
    QCheckBox enabled("check"), disabled("check");
    disabled.setEnabled(false);
    const QColor ground = theme.palette().window;
    constexpr int text = 20, end = 200;  // Pixels to the right of the box.
    EXPECT_LT(drawn(disabled, ground, text, end), 0.8 * drawn(enabled, ground, text, end))
        << static_cast<int>(choice);
  }
  theme.choose(ThemeChoice::system);
}

TEST(Theme, FieldsHaveAHighContrastOutlineAndKeepTheirColours) {
  Theme theme;
  theme.choose(ThemeChoice::contrast);
  QSpinBox number;
  QComboBox choices;
  for (QWidget* field : {static_cast<QWidget*>(&number), static_cast<QWidget*>(&choices)})
    EXPECT_GE(drawn(*field, theme.palette().window, 0, 3), min_shape_contrast);
  theme.choose(ThemeChoice::dark);
  EXPECT_EQ(number.palette().color(QPalette::Window), theme.palette().window);
  theme.choose(ThemeChoice::light);
  EXPECT_EQ(number.palette().color(QPalette::Base), theme.palette().panel);
  theme.choose(ThemeChoice::system);
}

TEST(Theme, BarsContrastWithThePanel) {
  Theme theme;
  for (const ThemeChoice choice : themes) {
    theme.choose(choice);
    for (int group = 0; group <= static_cast<int>(StageGroup::residual); ++group) {
      const QColor bar = theme.stage(static_cast<StageGroup>(group));
      EXPECT_GE(contrast(bar, theme.palette().panel), min_shape_contrast)
          << static_cast<int>(choice) << ": stage group " << group << " " << bar.name().toStdString();
    }
  }
  theme.choose(ThemeChoice::system);
}

QPalette palette_of(const char* window) {
  QPalette colours;
  colours.setColor(QPalette::Window, QColor(window));
  return colours;
}

TEST(Theme, FollowsThePlatformPaletteWhileTheWindowIsShown) {
  Theme theme;
  ASSERT_FALSE(theme.dark());
  QSignalSpy changed(&theme, &Theme::changed);
  QApplication::setPalette(palette_of("#202020"));
  QApplication::processEvents();
  EXPECT_TRUE(theme.dark());
  EXPECT_EQ(changed.count(), 1);
  EXPECT_EQ(QApplication::palette().color(QPalette::Window), theme.palette().window)
      << "the palette must be that of the theme";
  QApplication::setPalette(palette_of("#fafafa"));
  QApplication::processEvents();
  EXPECT_FALSE(theme.dark());
  EXPECT_EQ(QApplication::palette().color(QPalette::Window), theme.palette().window);
}

TEST(Theme, IsDarkOnADarkPlatformWithAnyTextSize) {
  const QFont before = QApplication::font();
  for (const int percent : {100, 120}) {
    QApplication::setPalette(palette_of("#202020"));
    const Theme theme(ThemeChoice::system, percent);
    EXPECT_TRUE(theme.dark()) << percent << " %";
    QApplication::setFont(before);
  }
}

TEST(Theme, ASelectedThemeIgnoresThePlatform) {
  Theme theme;
  theme.choose(ThemeChoice::light);
  QApplication::setPalette(palette_of("#202020"));
  QApplication::processEvents();
  EXPECT_FALSE(theme.dark());
  EXPECT_EQ(QApplication::palette().color(QPalette::Window), theme.palette().window);
  theme.choose(ThemeChoice::system);
  EXPECT_TRUE(theme.dark()) << "the selected theme must be saved";
}

TEST(Theme, ReadsThePlatformThemeAgainAfterAThemeChangeEvent) {
  Theme theme;
  QApplication::setPalette(palette_of("#202020"));
  QApplication::processEvents();
  ASSERT_TRUE(theme.dark());
  QWidget window;
  QEvent told(QEvent::ThemeChange);
  QApplication::sendEvent(&window, &told);
  QApplication::processEvents();
  EXPECT_FALSE(theme.dark()) << "the theme must follow the platform of the tests, which is light";
}

TEST(Theme, TwoThemesDoNotMistakeEachOtherForThePlatform) {
  Theme one, other;
  int changes = 0;
  const auto count = [&changes] { ++changes; };
  QObject::connect(&one, &Theme::changed, count);
  QObject::connect(&other, &Theme::changed, count);
  QWidget window;
  QEvent told(QEvent::ThemeChange);
  QApplication::sendEvent(&window, &told);
  for (int turn = 0; turn < 10; ++turn)
    QApplication::processEvents();
  EXPECT_EQ(changes, 2) << "each theme must change once";
}

TEST(Theme, BaselinesContrastWithThePanelAndWithEachOther) {
  Theme theme;
  for (const ThemeChoice choice : themes) {
    theme.choose(choice);
    for (int one = 0; one < baseline_colours; ++one) {
      EXPECT_GE(contrast(baselineColour(theme, one), theme.palette().panel), min_shape_contrast) << one;
      for (int other = 0; other < one; ++other)
        EXPECT_NE(baselineColour(theme, one), baselineColour(theme, other));
    }
  }
  theme.choose(ThemeChoice::system);
}

/// The tick in the box must be distinguishable from the box.
TEST(Theme, CheckedBoxesHaveATick) {
  Theme theme;
  for (const ThemeChoice choice : themes) {
    theme.choose(choice);
    QCheckBox box;
    box.setChecked(true);
    box.resize(box.sizeHint());
    const QImage picture = box.grab().toImage();
    double most = 0;  // inside the box
    const int middle = picture.height() / 2;
    for (int y = middle - 4; y <= middle + 4; ++y) {
      for (int x = 3; x < 11; ++x)
        most = std::max(most, contrast(picture.pixelColor(x, y), theme.palette().accent));
    }
    EXPECT_GE(most, min_shape_contrast) << static_cast<int>(choice);
  }
  theme.choose(ThemeChoice::system);
}

TEST(ElidedComboBox, ShowsThatATextIsElided) {
  ElidedComboBox box;
  box.addItems({"short", "a title that no toolbar of a small window has room for"});
  box.resize(130, 26);
  EXPECT_EQ(box.shownText(), "short");
  box.setCurrentIndex(1);
  EXPECT_TRUE(box.shownText().startsWith("a title"));
  EXPECT_TRUE(box.shownText().endsWith(QChar(0x2026)));
  box.setCurrentIndex(-1);
  box.setPlaceholderText("none");
  EXPECT_EQ(box.shownText(), "none");
}

/// Counts how often its style is updated.
struct StyledLabel : QLabel {
  int updates = 0;
  void changeEvent(QEvent* event) override {
    updates += event->type() == QEvent::StyleChange ? 1 : 0;
    QLabel::changeEvent(event);
  }
};

TEST(Theme, ASecondChoiceOfTheSameThemeUpdatesNoWidget) {
  Theme theme;
  StyledLabel label;
  label.ensurePolished();
  theme.choose(ThemeChoice::dark);
  EXPECT_GT(label.updates, 0);
  label.updates = 0;
  theme.choose(ThemeChoice::dark);
  EXPECT_EQ(label.updates, 0);
  const Theme other(ThemeChoice::dark);
  EXPECT_TRUE(other.dark());
  EXPECT_EQ(label.updates, 0);
  theme.choose(ThemeChoice::system);
}

TEST(Theme, TextSizeIsAPercentageOfThePlatformSize) {
  Theme theme;
  const double before = QApplication::font().pointSizeF();
  theme.setTextPercent(150);
  EXPECT_NEAR(QApplication::font().pointSizeF(), 1.5 * before, 0.01);
  theme.setTextPercent(100);
  EXPECT_NEAR(QApplication::font().pointSizeF(), before, 0.01);
}

TEST(FocusRing, IsNotDrawnAroundAWidgetThatIsNotVisible) {
  Theme theme;
  QWidget window, panel(&window), cover(&window);
  window.resize(400, 300);
  panel.setGeometry(0, 0, 200, 100);
  QLineEdit first(&panel), second(&panel);
  first.setGeometry(10, 10, 100, 25);
  second.setGeometry(10, 50, 100, 25);
  cover.setAutoFillBackground(true);
  cover.setGeometry(panel.geometry());
  cover.hide();
  const FocusRing ring(&theme, &window);
  window.show();
  window.activateWindow();
  first.setFocus();
  ASSERT_TRUE(QTest::qWaitFor([&] { return QApplication::focusWidget() == &first; }));
  QTest::keyClick(&first, Qt::Key_Tab);
  const auto shown = [&] { return ring.isVisible(); };
  const auto hidden = [&] { return !ring.isVisible(); };
  ASSERT_TRUE(QTest::qWaitFor(shown));
  panel.move(-500, 0);
  EXPECT_TRUE(QTest::qWaitFor(hidden)) << "the ring must be hidden if the panel is outside the window";
  panel.move(0, 0);
  second.setFocus();
  QTest::keyClick(&second, Qt::Key_Backtab);
  ASSERT_TRUE(QTest::qWaitFor(shown));
  cover.show();
  EXPECT_TRUE(QTest::qWaitFor(hidden)) << "the ring must be hidden if another panel covers its panel";
}

}  // namespace
}  // namespace spira::ui
