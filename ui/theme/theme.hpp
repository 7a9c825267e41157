// Colours, text size and the style sheet of the whole window: light, dark and high contrast. One object,
// handed to nobody: it lives in the application and says when it changes.
#pragma once

#include "engine/job/stage_names.hpp"

#include <QColor>
#include <QObject>
#include <QString>

#include <memory>

namespace spira::ui {

enum class ThemeChoice { system, light, dark, contrast };
/// "system", "light", "dark", "contrast"; anything else is the system's.
[[nodiscard]] ThemeChoice theme_choice(const QString& name);

struct Palette {
  QColor window, panel, raised, text, faint_text, line, accent, warning, error;
  QColor view_top, view_bottom;  ///< background of the 3D view
  QColor dense, sparse;          ///< output-stationary blue, weight-stationary orange
  QColor drawn;                  ///< voxels that were drawn around, where they stand beside all
};

class Theme : public QObject {
  Q_OBJECT
 public:
  explicit Theme(QObject* parent = nullptr);
  /// For pictures and pages: black on white, colours that stay apart in grey. It touches nothing of the
  /// application.
  [[nodiscard]] static std::unique_ptr<Theme> forPaper();

  [[nodiscard]] ThemeChoice choice() const noexcept { return choice_; }
  [[nodiscard]] bool dark() const noexcept { return dark_; }  ///< light text on a dark ground
  [[nodiscard]] bool paper() const noexcept { return paper_; }
  [[nodiscard]] const Palette& palette() const noexcept { return palette_; }
  [[nodiscard]] QColor stage(
      StageGroup group) const;  ///< colour roles: OS blue, WS orange, search green, ...

  /// Sets the application's palette and style sheet. `system` follows the platform, also later.
  void choose(ThemeChoice choice);
  /// Of all text that the application's font is taken for; 100: as the platform has it.
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
  double text_points_ = 0;  // of the platform
  Palette palette_;
};

}  // namespace spira::ui
