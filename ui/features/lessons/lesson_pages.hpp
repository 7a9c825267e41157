// Shows the pages of a lesson: runs the commands of a page, shows its text and picture, and updates them when
// the selection or the pointer changes.
#pragma once

#include "engine/lesson/lesson.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/jobs/tasks.hpp"
#include "ui/lessons/lesson_facts.hpp"
#include "ui/lessons/lesson_runs.hpp"
#include "ui/lessons/lesson_verbs.hpp"

#include <QObject>

#include <memory>
#include <vector>

namespace spira::ui {

class DiagramView;
class EngineJobs;
class LessonPanel;
class LessonPlayer;
struct AnimationScene;
class SceneView;

class LessonPages : public QObject {
  Q_OBJECT
 public:
  /// The constructor adds the diagram below the voxels of `view`.
  LessonPages(const FeatureContext& context, LessonPlayer& player, EngineJobs& jobs, SelectionJobs& selecting,
              SceneView& view);

  /// Returns the panel that shows the page. A dock of the window must own the panel.
  [[nodiscard]] LessonPanel& panel() noexcept { return *panel_; }
  [[nodiscard]] LessonFacts& facts() noexcept { return facts_; }
  [[nodiscard]] LessonRuns& runs() noexcept { return runs_; }
  [[nodiscard]] DiagramView& diagram() noexcept { return *diagram_; }
  /// Returns the picture of the current page. Returns `nullptr` if the page has no picture or if the picture
  /// is not ready.
  [[nodiscard]] const std::shared_ptr<const AnimationScene>& picture() const noexcept { return picture_; }
  /// Returns true if the current step is complete. Then its commands have finished, and its picture and facts
  /// are ready.
  [[nodiscard]] bool settled() const;

  /// Must be called after a scene was opened. The lesson then uses the grid and packing of this scene.
  void useOpenScene();
  void enter();
  void end();  ///< Stops all work and removes the picture.
  /// Sets the note about the scene. While the voxels are shuffled, a note about the shuffle is shown instead.
  void setNote(const QString& note);

 private:
  void connectPanel();
  void connectPointer();
  void connectErrors();
  void commandsDone();
  void preparePicture();
  void showPicture(const QString& caption);
  void goOnWithoutPicture(const Error& error);
  void showPart(double part);
  void followChoice();
  void followTrial();
  [[nodiscard]] std::shared_ptr<const ChosenRows> picturedRows() const;
  void followPointer();
  void followHover();
  void beReady();
  void followShuffle();
  void showBit(int bit);
  [[nodiscard]] LessonCommand neighboursOfPage() const;
  void addControlsOfQuestions(std::vector<LessonCommand>& commands) const;
  void readFactsOf(const LessonStep* step);
  void followRun();

  // Many members: the parts of a page (facts, runs, commands, picture) and the views that they change.
  FeatureContext context_;
  LessonPlayer& player_;
  EngineJobs& jobs_;
  SelectionJobs& selecting_;
  SceneView& view_;
  LessonFacts facts_;
  LessonRuns runs_;
  LessonVerbs verbs_;
  LessonTimer searches_, layers_;
  LessonPanel* panel_;
  DiagramView* diagram_;
  std::vector<LessonCommand> schedule_;
  std::shared_ptr<const AnimationScene> picture_;
  QString picture_text_;
  bool picture_shown_ = false;  // False if the page shows the scene instead of the picture.
  LessonInput picture_of_;
  std::shared_ptr<const ChosenRows> picture_rows_;
  int scheduled_ = -1;
  QString note_;
  bool entering_ = false;
  bool waits_ = false;  // True if the animation waits for measured numbers.
  TaskSlot pictures_;
};

}  // namespace spira::ui
