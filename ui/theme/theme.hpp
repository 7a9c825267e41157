// Colours, text size and style sheet of the whole window: light, dark and high contrast. The application owns
// the theme of its windows. The theme emits a signal when it changes.
#pragma once

#include "engine/job/stage_tree.hpp"

#include <QColor>
#include <QObject>
#include <QString>

#include <memory>

namespace spira::ui {

enum class ThemeChoice { system, light, dark, contrast };
/// Parses "system", "light", "dark" or "contrast". Returns the theme of the system for any other name.
[[nodiscard]] ThemeChoice theme_choice(const QString& name);

struct Palette {
  QColor window, panel, raised, text, faint_text, line, accent, warning, error;
  QColor view_top, view_bottom;  ///< Background of the 3D view.
  QColor dense, sparse;          ///< Colours of output-stationary (blue) and weight-stationary (orange).
  /// Colour of voxels that the user selected with a lasso or rectangle, and of their data in charts.
  QColor drawn;
  /// Colour of the matches of one voxel: the neighbours that exist. Differs from the colours of the
  /// dataflows.
  QColor match;
};

class Theme : public QObject {
  Q_OBJECT
 public:
  /// Sets the theme and the text size of the application. Doing this before the widgets exist saves time,
  /// because a later change of the style sheet updates every widget.
  explicit Theme(ThemeChoice choice = ThemeChoice::system, int text_percent = 100);
  /// Returns a theme for pictures and printed pages: black on white, with colours that stay distinguishable
  /// in grey. Does not change the theme of the application.
  [[nodiscard]] static std::unique_ptr<Theme> forPaper();

  [[nodiscard]] ThemeChoice choice() const noexcept { return choice_; }
  /// Returns true for light text on a dark background.
  [[nodiscard]] bool dark() const noexcept { return dark_; }
  [[nodiscard]] bool paper() const noexcept { return paper_; }
  [[nodiscard]] const Palette& palette() const noexcept { return palette_; }
  /// Returns the colour of a stage, for example blue for output-stationary, orange for weight-stationary and
  /// green for the search.
  [[nodiscard]] QColor stage(StageGroup group) const;

  /// Sets the application's palette and style sheet. `ThemeChoice::system` also follows later theme changes
  /// of the platform.
  void choose(ThemeChoice choice);
  /// Scales all text that uses the application's font. 100 is the text size of the platform.
  void setTextPercent(int percent);

 signals:
  void changed();

 private:
  struct Paper {};
  explicit Theme(Paper);
  void apply();

  ThemeChoice choice_ = ThemeChoice::system;
  bool dark_ = false;
  bool system_dark_ = false;
  bool paper_ = false;
  double text_points_ = 0;  // Font size of the platform, in points.
  Palette palette_;
};

constexpr int baseline_colours = 5;
/// Returns a colour for a baseline. Colour 0 is grey. Baselines appear next to stages, so no baseline colour
/// has the hue of a stage.
[[nodiscard]] QColor baselineColour(const Theme& theme, int which);

// Contrast between text or shapes and their background, as defined by WCAG 2.
constexpr double min_text_contrast = 4.5;   ///< Minimum contrast of text for WCAG level AA.
constexpr double min_shape_contrast = 3.0;  ///< Minimum contrast of bars, lines and rings.

/// Returns the contrast ratio, from 1 (the same colour) to 21 (black on white).
[[nodiscard]] double contrast(const QColor& a, const QColor& b);
/// Returns black or white, whichever has more contrast with `background`. The contrast is at least 4.5 on any
/// colour.
[[nodiscard]] QColor text_on(const QColor& background);

}  // namespace spira::ui
