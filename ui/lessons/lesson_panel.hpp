// The page of a lesson: text, guess, numbers, bars, what to try; below it the controls.
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
class QScrollArea;
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

class LessonPanel : public QWidget {
  Q_OBJECT
 public:
  LessonPanel(LessonPlayer* player, LessonFacts* facts, Theme* theme, QWidget* parent = nullptr);

  [[nodiscard]] PageBar* pageBar() const noexcept { return bar_; }
  [[nodiscard]] LessonQuestions* questions() const noexcept { return questions_; }  ///< null: not that page
  /// Label and number of each row, as they are shown.
  [[nodiscard]] std::vector<std::pair<QString, QString>> numbers() const;
  /// The same of the cells of the table; the page may have none.
  [[nodiscard]] std::vector<std::pair<QString, QString>> cells() const;
  [[nodiscard]] QImage bitsPicture() const;   ///< of the word of the page; null: it has none
  [[nodiscard]] QImage masksPicture() const;  ///< of what masks leave of it; null: it has none
  /// Numbers and bars of the offsets for which this is true get a frame.
  void light(const std::function<bool(const LessonCommand&)>& pointed);
  void addControls(const std::vector<QAction*>& actions);  ///< beside speed, at the foot
  void takeFocus();                                        ///< of the keys: Space plays
  /// Above the page; empty: none. "You look at a built-in street."
  void setNote(const QString& note);
  /// Sliders and choices of the page.
  [[nodiscard]] const std::vector<ControlRow*>& controls() const noexcept { return controls_; }
  void commandsDone();  ///< those that were requested last, or they were refused
  /// Makes what says of which run the numbers of a page are; null: they are of none.
  using MakeRunBox = std::function<QWidget*(const LessonStep& step, QWidget* parent)>;
  void setRunBox(MakeRunBox make) { make_run_box_ = std::move(make); }

 signals:
  void commandsRequested(const std::vector<spira::LessonCommand>& commands);
  void bitPointedAt(int bit);
  void bitPointedAway();
  /// A number that is about some offsets is pointed at, until offsetsPointedAway().
  void offsetsPointedAt(const spira::LessonCommand& offsets);
  void offsetsPointedAway();

 private:
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

  LessonPlayer* player_;
  LessonFacts* facts_;
  Theme* theme_;
  PageBar* bar_;
  QLabel *title_, *note_, *hint_;
  QScrollArea* scroll_;
  QPushButton *back_, *go_, *next_;
  QComboBox* speed_;
  QVBoxLayout* foot_;
  MakeRunBox make_run_box_;
  /// Questions of the lesson that is open.
  std::shared_ptr<std::vector<bool>> solved_ = std::make_shared<std::vector<bool>>();
  // Of the page that is shown:
  QWidget* results_ = nullptr;
  QLabel *text_ = nullptr, *guess_result_ = nullptr;
  KeyBits* bits_ = nullptr;
  LessonBarChart* bars_ = nullptr;
  LessonQuestions* questions_ = nullptr;
  NumberTable* table_ = nullptr;
  std::vector<NumberRow*> rows_;
  std::vector<MaskRow*> masks_;
  std::vector<LineRow*> lines_;
  std::vector<ControlRow*> controls_;
  int guessed_ = -1;
};

}  // namespace spira::ui
