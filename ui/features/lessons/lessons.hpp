// Runs lessons in the window: the list, the dock with the text, the changes of the window, and the return to
// the former state.
#pragma once

#include "engine/lesson/diagrams/diagram.hpp"
#include "engine/lesson/lesson.hpp"
#include "ui/jobs/tasks.hpp"
#include "ui/model/selection.hpp"
#include "ui/settings/json_file.hpp"

#include <QObject>
#include <QPointer>

#include <map>
#include <memory>
#include <vector>

class QDockWidget;

namespace spira::ui {

class DiagramView;
class FileWriter;
class LessonFacts;
class LessonHandout;
class LessonPanel;
class LessonPlayer;
class LessonRuns;
class LessonVerbs;
class MainWindow;
struct MotionPicture;
struct WindowBefore;

class Lessons : public QObject {
  Q_OBJECT
 public:
  /// Must be created after the docks and the commands of the window. `state_folder` stores the reached pages;
  /// if it is empty, nothing is stored.
  Lessons(MainWindow* window, const QString& state_folder);
  ~Lessons() override;
  Lessons(const Lessons&) = delete;
  Lessons& operator=(const Lessons&) = delete;

  [[nodiscard]] const std::vector<std::shared_ptr<const Lesson>>& all() const noexcept { return lessons_; }
  [[nodiscard]] LessonPlayer& player() noexcept { return *player_; }
  [[nodiscard]] LessonPanel& panel() noexcept { return *panel_; }
  [[nodiscard]] LessonFacts& facts() noexcept { return *facts_; }
  /// Returns the picture of the current page; `nullptr` if there is none or if it is not ready.
  [[nodiscard]] const std::shared_ptr<const MotionPicture>& picture() const noexcept { return picture_; }
  [[nodiscard]] LessonRuns& runs() noexcept { return *runs_; }
  [[nodiscard]] DiagramView& diagram() noexcept { return *diagram_; }
  /// Returns true if the current step is complete: its commands are done, and its picture and its facts are
  /// ready.
  [[nodiscard]] bool settled() const;
  void start(const std::shared_ptr<const Lesson>& lesson, int page);
  /// Opens a lesson file of a teacher. Throws Error(input) with the file, the step and the fault.
  void openFile(const QString& file);
  /// A link names a built-in lesson and optionally a step by number or id: "search", "search:8",
  /// "search:hash". A link without a step opens the page that was reached last. Throws Error(usage) if the
  /// lesson or the step does not exist.
  void check(const QString& link) const { static_cast<void>(placeOf(link)); }
  void follow(const QString& link);
  [[nodiscard]] QString link() const;  ///< Returns the link to the current page; empty if no lesson is open.
  void leave();
  /// Writes a hand-out with one page for each step. Visits all pages of the lesson for this.
  void saveHandout(const QString& file);
  [[nodiscard]] bool writing() const;
  void setClassroom(bool on);
  [[nodiscard]] bool classroom() const noexcept { return classroom_; }

 private:
  struct Place {
    std::shared_ptr<const Lesson> lesson;
    int page = 0;
  };
  [[nodiscard]] Place placeOf(const QString& link) const;
  void copyLink();
  void loadLessons();
  void bindCommands();
  void showList();
  void openDialog();
  void handoutDialog();
  void enter();
  void preparePicture();
  void takePicture(const std::shared_ptr<const MotionPicture>& made,
                   const std::shared_ptr<const LessonDiagram>& drawn, const QString& caption);
  void goOnWithoutPicture(const Error& error);
  void showPart(double part);
  void followChoice();
  void followTrial();
  [[nodiscard]] std::shared_ptr<const ChosenRows> picturedRows() const;
  void followPointer();
  void beReady();
  void takeScene();
  void setNote(const QString& note);
  void followShuffle();
  void showBit(int bit);
  void left(const QString& id, int page);
  void readFactsOf(const LessonStep* step);
  void followRun();
  void takeHiddenFocus(bool lesson_in_front);
  void shareSide();

  MainWindow* window_;
  JsonFile places_file_;
  LessonPlayer* player_;
  LessonFacts* facts_;
  LessonRuns* runs_;
  LessonPanel* panel_;
  LessonVerbs* verbs_;
  DiagramView* diagram_;
  QDockWidget* dock_;
  FileWriter* files_;
  QPointer<LessonHandout> handout_;
  std::vector<std::shared_ptr<const Lesson>> lessons_;
  std::map<QString, int> places_;
  std::shared_ptr<const WindowBefore> before_;
  std::vector<LessonCommand> schedule_;
  std::shared_ptr<const MotionPicture> picture_;
  LessonInput picture_of_;
  std::shared_ptr<const ChosenRows> picture_rows_;
  int scheduled_ = -1;
  QString note_;
  ColourLook look_;  // Colours before the classroom mode.
  bool classroom_ = false, entering_ = false;
  bool waits_ = false;  // True if the animation waits for measured numbers.
  TaskSlot pictures_;
};

}  // namespace spira::ui
