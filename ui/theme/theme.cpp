#include "ui/theme/theme.hpp"

#include <QApplication>
#include <QEvent>
#include <QFile>
#include <QFont>
#include <QLabel>
#include <QPalette>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace spira::ui {
namespace {

Palette light_palette() {
  return {QColor("#f4f5f7"), QColor("#ffffff"), QColor("#e9ecf1"), QColor("#1d2430"), QColor("#5a6576"),
          QColor("#d3d9e2"), QColor("#0b62b8"), QColor("#8a5a00"), QColor("#b3261e"), QColor("#eef2f8"),
          QColor("#dbe3ee"), QColor("#0072b2"), QColor("#d55e00"), QColor("#a3238e"), QColor("#4f8a00")};
}

/// Returns the dark palette. The background of the 3D view is a little lighter than the panels. The colour
/// maps begin with a brighter colour in this theme (see on_dark()).
Palette dark_palette() {
  return {QColor("#16191f"), QColor("#1d2129"), QColor("#2a303b"), QColor("#e6e9ef"), QColor("#a3acba"),
          QColor("#363d4a"), QColor("#62b0ff"), QColor("#f0c050"), QColor("#ff8a80"), QColor("#262b34"),
          QColor("#1f232b"), QColor("#4da3dd"), QColor("#f08c3c"), QColor("#ff8ae6"), QColor("#b6e34d")};
}

/// Returns the light palette with a white background. Colours are darker where small print must be readable.
Palette paper_palette() {
  Palette p = light_palette();
  p.window = QColor("#f2f2f2");
  p.text = QColor("#000000");
  p.faint_text = QColor("#3c3c3c");
  p.line = QColor("#b4b4b4");
  p.dense = QColor("#003d73");
  p.sparse = QColor("#f5b26b");
  return p;
}

/// Returns the colour of a stage on paper. The grey values of adjacent stages in a bar differ by at least 30
/// (of 255).
QColor paper_stage(StageGroup group, const Palette& palette) {
  switch (group) {
    case StageGroup::output_stationary:
      return palette.dense;
    case StageGroup::weight_stationary:
      return palette.sparse;
    case StageGroup::search:
      return {"#4fc49b"};
    case StageGroup::transpose:
      return {"#50565f"};
    case StageGroup::filter:
      return {"#31353d"};
    case StageGroup::order:
      return {"#b9d7de"};
    case StageGroup::residual:
      return {"#96694f"};
    case StageGroup::downsample:
      return {"#5a3391"};
    case StageGroup::voxelize:
      return {"#d58fc0"};
    case StageGroup::epilogue:
      return {"#f3e9a0"};
    case StageGroup::other:
      break;
  }
  return palette.faint_text;
}

/// Returns the high-contrast palette in pure black and white. Lines are as bright as the text. Hues have a
/// contrast of at least 4.5:1 on black.
Palette contrast_palette() {
  return {QColor("#000000"), QColor("#000000"), QColor("#1a1a1a"), QColor("#ffffff"), QColor("#e0e0e0"),
          QColor("#ffffff"), QColor("#ffe14d"), QColor("#ffb000"), QColor("#ff9d94"), QColor("#000000"),
          QColor("#000000"), QColor("#5cc8ff"), QColor("#ff9a3c"), QColor("#ff9df0"), QColor("#c6ff4d")};
}

/// Returns the text colour of disabled items. In high contrast, faint text is too similar to normal text.
QColor disabled_text(const Palette& palette, ThemeChoice choice) {
  return choice == ThemeChoice::contrast ? QColor("#8c8c8c") : palette.faint_text;
}

bool is_dark(const QPalette& colours) {
  return colours.color(QPalette::Window).lightness() < 128;
}

/// Returns true if the palette was set by a Theme and not by the platform.
bool is_ours(const QPalette& colours) {
  const QColor window = colours.color(QPalette::Window);
  return window == light_palette().window || window == dark_palette().window ||
         window == contrast_palette().window;
}

// True while a Theme resets the palette. The palette change that this causes does not come from the platform.
bool resetting = false;

/// Restores the platform's palette by removing the palette of the application.
void take_platform_palette() {
  resetting = true;
  QApplication::setPalette(QPalette());
  resetting = false;
}

/// Detects theme changes of the platform. A platform either notifies its windows of a new theme or sets the
/// application's palette itself. At that time, Qt is still notifying all widgets, so the change is handled in
/// a later event-loop iteration.
class SystemWatch : public QObject {
 public:
  explicit SystemWatch(Theme* theme) : QObject(theme), theme_(theme) {
    QCoreApplication::instance()->installEventFilter(this);
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    const bool set = event->type() == QEvent::ApplicationPaletteChange && !resetting &&
                     watched == QCoreApplication::instance() && !is_ours(QApplication::palette());
    if ((set || event->type() == QEvent::ThemeChange) && !on_its_way_) {
      on_its_way_ = true;
      QMetaObject::invokeMethod(
          this, [this] { follow(); }, Qt::QueuedConnection);
    }
    return QObject::eventFilter(watched, event);
  }

 private:
  void follow() {
    on_its_way_ = false;
    if (is_ours(QApplication::palette())) take_platform_palette();
    theme_->choose(theme_->choice());
  }

  Theme* theme_;
  bool on_its_way_ = false;
};

/// Updates the colour of links. A link keeps the colour that it had when its text was set. Setting the same
/// text again has no effect, so the text is cleared first.
void recolour_links() {
  for (QWidget* widget : QApplication::allWidgets()) {
    auto* label = qobject_cast<QLabel*>(widget);
    if (label == nullptr || !label->text().contains("<a ")) continue;
    const QString text = label->text();
    label->clear();
    label->setText(text);
  }
}

QString style_sheet(const Palette& p, ThemeChoice choice) {
  QFile file(":/theme/widgets.qss");
  file.open(QIODevice::ReadOnly);
  QString sheet = QString::fromUtf8(file.readAll());
  const std::pair<const char*, QString> words[] = {{"@window", p.window.name()},
                                                   {"@panel", p.panel.name()},
                                                   {"@raised", p.raised.name()},
                                                   {"@text", p.text.name()},
                                                   {"@faint", p.faint_text.name()},
                                                   {"@line", p.line.name()},
                                                   {"@accent", p.accent.name()},
                                                   {"@disabled", disabled_text(p, choice).name()},
                                                   {"@tick", p.accent.lightness() < 128 ? "light" : "dark"}};
  for (const auto& [word, value] : words)
    sheet.replace(word, value);
  return sheet;
}

/// Makes the edges of input fields visible. The style draws these edges in a shade of the window colour, and
/// such a shade is invisible on black.
void outline_fields(QPalette colours, const Palette& p, ThemeChoice choice) {
  // True after the fields got their own palette. This palette must then be updated at each theme change.
  static bool have_their_own = false;
  const bool wanted = choice == ThemeChoice::contrast;
  have_their_own = have_their_own || wanted;
  if (!have_their_own) return;
  if (wanted) {
    for (const auto group : {QPalette::Active, QPalette::Inactive})
      colours.setColor(group, QPalette::Window, p.line);
  }
  for (const char* fields : {"QAbstractSpinBox", "QComboBox"})
    QApplication::setPalette(colours, fields);
}

}  // namespace

Theme::Theme(ThemeChoice choice, int text_percent) : choice_(choice) {
  text_points_ = QApplication::font().pointSizeF();
  if (is_ours(QApplication::palette())) take_platform_palette();
  system_dark_ = is_dark(QApplication::palette());  // setTextPercent() can replace this palette.
  setTextPercent(text_percent);
  choose(choice);
  new SystemWatch(this);
}

Theme::Theme(Paper) : choice_(ThemeChoice::light), paper_(true), palette_(paper_palette()) {}

std::unique_ptr<Theme> Theme::forPaper() {
  return std::unique_ptr<Theme>(new Theme(Paper{}));
}

QColor Theme::stage(StageGroup group) const {
  if (paper_) return paper_stage(group, palette_);
  switch (group) {
    case StageGroup::output_stationary:
      return palette_.dense;
    case StageGroup::weight_stationary:
      return palette_.sparse;
    case StageGroup::search:
      return QColor(dark_ ? "#35c79b" : "#009e73");
    case StageGroup::transpose:
      return QColor(dark_ ? "#b3bcc9" : "#7d8797");
    case StageGroup::filter:
      return QColor(dark_ ? "#7d899b" : "#4f5866");
    case StageGroup::order:
      return QColor(dark_ ? "#8be3ef" : "#2e9cb5");
    case StageGroup::residual:
      return QColor(dark_ ? "#c08a6c" : "#9a6a4e");
    case StageGroup::downsample:
      return QColor(dark_ ? "#b894e6" : "#7b52ab");
    case StageGroup::voxelize:
      return QColor(dark_ ? "#e69fd0" : "#b3579a");
    case StageGroup::epilogue:
      return QColor(dark_ ? "#e6d35c" : "#8f7800");
    case StageGroup::other:
      break;
  }
  return palette_.faint_text;
}

ThemeChoice theme_choice(const QString& name) {
  if (name == "light") return ThemeChoice::light;
  if (name == "dark") return ThemeChoice::dark;
  return name == "contrast" ? ThemeChoice::contrast : ThemeChoice::system;
}

void Theme::setTextPercent(int percent) {
  QFont font = QApplication::font();
  const double points = text_points_ * percent / 100.0;
  if (text_points_ <= 0 || font.pointSizeF() == points) return;
  font.setPointSizeF(points);
  // While a style sheet is set, a widget keeps the font with which it was polished. Remove the style sheet
  // here; apply() sets it again.
  if (auto* application = qobject_cast<QApplication*>(QCoreApplication::instance()))
    application->setStyleSheet({});
  QApplication::setFont(font);
  apply();
  emit changed();
}

void Theme::choose(ThemeChoice choice) {
  choice_ = choice;
  if (const QPalette now = QApplication::palette(); !is_ours(now)) system_dark_ = is_dark(now);
  dark_ = choice == ThemeChoice::dark || choice == ThemeChoice::contrast ||
          (choice == ThemeChoice::system && system_dark_);
  apply();
  emit changed();
}

void Theme::apply() {
  palette_ = dark_ ? dark_palette() : light_palette();
  if (choice_ == ThemeChoice::contrast) palette_ = contrast_palette();
  QPalette colours;
  colours.setColor(QPalette::Window, palette_.window);
  colours.setColor(QPalette::Base, palette_.panel);
  colours.setColor(QPalette::AlternateBase, palette_.window);
  colours.setColor(QPalette::Button, palette_.raised);
  for (const auto role :
       {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText}) {
    colours.setColor(role, palette_.text);
    colours.setColor(QPalette::Disabled, role, disabled_text(palette_, choice_));
  }
  colours.setColor(QPalette::PlaceholderText, palette_.faint_text);
  colours.setColor(QPalette::ToolTipBase, palette_.raised);
  colours.setColor(QPalette::Highlight, palette_.accent);
  colours.setColor(QPalette::HighlightedText, dark_ ? palette_.window : palette_.panel);
  colours.setColor(QPalette::Link, palette_.accent);
  colours.setColor(QPalette::Mid, palette_.line);
  QApplication::setPalette(colours);
  outline_fields(colours, palette_, choice_);
  // Setting a style sheet updates all widgets, even if it is the current one. This takes as long as creating
  // the window.
  auto* application = qobject_cast<QApplication*>(QCoreApplication::instance());
  const QString sheet = style_sheet(palette_, choice_);
  if (application == nullptr || application->styleSheet() == sheet) return;
  application->setStyleSheet(sheet);
  recolour_links();
}

QColor baselineColour(const Theme& theme, int which) {
  constexpr std::array<const char*, baseline_colours> on_light{"", "#a3238e", "#8c564b", "#007a87",
                                                               "#5c6b00"},
      on_dark{"", "#ff8ae6", "#d9a88f", "#4fd0e0", "#c5d04a"};
  if (which <= 0 || which >= baseline_colours) return theme.palette().faint_text;
  const auto at = static_cast<std::size_t>(which);
  return {theme.dark() ? on_dark.at(at) : on_light.at(at)};
}

namespace {

double linear(double share) {
  return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& colour) {
  return (0.2126 * linear(colour.redF())) + (0.7152 * linear(colour.greenF())) +
         (0.0722 * linear(colour.blueF()));
}

}  // namespace

double contrast(const QColor& a, const QColor& b) {
  const double one = luminance(a), other = luminance(b);
  return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

QColor text_on(const QColor& background) {
  const QColor black(Qt::black), white(Qt::white);
  return contrast(black, background) > contrast(white, background) ? black : white;
}

}  // namespace spira::ui
