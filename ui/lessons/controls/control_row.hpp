// A slider or a row of choices on a lesson page. When the user sets a value, the control requests a command.
// Afterwards it shows the value that the window has applied.
#pragma once

#include "engine/lesson/lesson.hpp"

#include <QTimer>
#include <QWidget>

#include <vector>

class QPushButton;
class QAbstractButton;
class QLabel;
class QSlider;

namespace spira::ui {

class LessonFacts;

// A row of buttons. Each button selects one value. If the row is too narrow, the buttons have several rows.

/// The minimum width of the row is the width of its widest button, so that the large font of the classroom
/// mode does not widen the panel. The row positions its buttons itself, because a Qt layout would ignore
/// heightForWidth() here.
class ChoiceRow : public QWidget {
  Q_OBJECT
 public:
  explicit ChoiceRow(QWidget* parent = nullptr);
  void add(QPushButton* button);
  [[nodiscard]] QSize sizeHint() const override { return minimumSizeHint(); }
  [[nodiscard]] QSize minimumSizeHint() const override;
  [[nodiscard]] int heightForWidth(int width) const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;  ///< Handles changed fonts and sizes.

 private:
  [[nodiscard]] int columnsIn(int width) const;
  void place();

  std::vector<QPushButton*> buttons_;
};

class ControlRow : public QWidget {
  Q_OBJECT
 public:
  ControlRow(LessonControl control, const LessonFacts* facts, QWidget* parent);
  void refresh();  ///< Must be called when the facts change.
  void settled();  ///< Must be called when the requested command has finished or was refused.
  /// Returns the text of the current value, such as "0.2 m" or the name of a choice.
  [[nodiscard]] QString present() const;
  /// Returns the index of the current value, or -1 if the control does not offer this value.
  [[nodiscard]] int place() const;
  /// Sets the value at an index, as if the user had dragged or clicked.
  void set(int place);

 signals:
  void commandsRequested(const std::vector<spira::LessonCommand>& commands);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  [[nodiscard]] QWidget* makeSlider();
  [[nodiscard]] QWidget* makeChoices();
  void ask();
  [[nodiscard]] QString nameOf(int place) const;
  [[nodiscard]] int nearest(double value) const;

  LessonControl control_;
  const LessonFacts* facts_;
  QSlider* slider_ = nullptr;  // `nullptr` if the control shows choices.
  std::vector<QAbstractButton*> buttons_;
  QLabel *present_, *shows_;
  // Delays the request until the slider stops, so that no results are computed for intermediate values.
  QTimer settle_;
  int wanted_ = -1;  // Index that the user has set but the window has not applied yet. -1 if there is none.
  bool asked_ = false;  // True if the command for `wanted_` was requested.
};

}  // namespace spira::ui
