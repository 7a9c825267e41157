// The panel that shows the page of a lesson: text, guess, numbers, bars, suggestions to try, and the controls
// at the bottom.
#pragma once

#include "ui/lessons/lesson_facts.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/theme/theme.hpp"

#include <QImage>
#include <QWidget>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace spira::ui {

class ControlRow;
class KeyBits;
class LessonBarChart;
class LessonQuestions;
class LineRow;
class MaskRow;
class NumberRow;
class NumberTable;
class PageBar;
class WholeRowScroll;

class LessonPanel : public QWidget {
  Q_OBJECT
 public:
  LessonPanel(LessonPlayer* player, LessonFacts* facts, Theme* theme, QWidget* parent = nullptr);

  /// Returns the questions of the page, or `nullptr` if the page has no questions.
  [[nodiscard]] LessonQuestions* questions() const noexcept { return page_.questions; }
  /// Returns the label and the number of each row, as displayed.
  [[nodiscard]] std::vector<std::pair<QString, QString>> numbers() const;
  /// Returns the name and the number of each table cell. Returns an empty list if the page has no table.
  [[nodiscard]] std::vector<std::pair<QString, QString>> cells() const;
  /// Returns a picture of the packed coordinate. Returns a null image if the page shows no packed coordinate.
  [[nodiscard]] QImage bitsPicture() const;
  /// Returns a picture of the masks. Returns a null image if the page shows no masks.
  [[nodiscard]] QImage masksPicture() const;
  /// Draws a frame around each number and bar for which `pointed` returns true. `pointed` receives the
  /// command that selects their offsets. It must return true if the pointer is over one of these offsets.
  void light(const std::function<bool(const LessonCommand&)>& pointed);
  void addControls(const std::vector<QAction*>& actions);  ///< Adds buttons below the speed control.
  void takeFocus();  ///< Takes the keyboard focus, so that Space starts the animation.
  /// Shows a note above the page, for example "You look at a built-in street." An empty string hides the
  /// note.
  void setNote(const QString& note);
  [[nodiscard]] const std::vector<ControlRow*>& controls() const noexcept { return page_.controls; }
  void commandsDone();  ///< Must be called when the requested commands have finished or were refused.
  /// A function that creates the widget in which the user selects the run that provides the numbers of a
  /// page. It returns `nullptr` if the page needs no run.
  using MakeRunBox = std::function<QWidget*(const LessonStep& step, QWidget* parent)>;
  void setRunBox(MakeRunBox make) { make_run_box_ = std::move(make); }

 signals:
  void commandsRequested(const std::vector<spira::LessonCommand>& commands);
  void bitPointedAt(int bit);
  void bitPointedAway();
  /// Emitted when the pointer enters a number that refers to offsets. offsetsPointedAway() is emitted when
  /// the pointer leaves this number.
  void offsetsPointedAt(const spira::LessonCommand& offsets);
  void offsetsPointedAway();

 private:
  struct Page {
    QWidget* results = nullptr;
    QLabel *text = nullptr, *guess_result = nullptr;
    KeyBits* bits = nullptr;
    LessonBarChart* bars = nullptr;
    LessonQuestions* questions = nullptr;
    NumberTable* table = nullptr;
    std::vector<NumberRow*> rows;
    std::vector<MaskRow*> masks;
    std::vector<LineRow*> lines;
    std::vector<ControlRow*> controls;
    int guessed = -1;
  };
  void rebuild();
  void addStep(const LessonStep& step, QVBoxLayout& page);
  void addGuess(const LessonGuess& guess, QVBoxLayout& page);
  [[nodiscard]] QImage pictureOf(const std::vector<QWidget*>& parts) const;
  [[nodiscard]] QWidget* numbersOf(const LessonStep& step);
  void addTries(const LessonStep& step, QVBoxLayout& page);
  void refresh();
  void refreshGuess();
  void orderTabs();
  void uncoverResults();

  // Many members: each widget of the frame is one member.
  LessonPlayer* player_;
  LessonFacts* facts_;
  Theme* theme_;
  PageBar* bar_;
  QLabel *title_, *note_, *hint_;
  WholeRowScroll* scroll_;
  QPushButton *back_, *go_, *next_;
  QComboBox* speed_;
  QVBoxLayout* foot_;
  MakeRunBox make_run_box_;
  /// One flag per question of the open lesson. True if the question is solved.
  std::shared_ptr<std::vector<bool>> solved_ = std::make_shared<std::vector<bool>>();
  Page page_;
};

}  // namespace spira::ui
