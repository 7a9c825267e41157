// Runs lessons in the window: begins a lesson, shows its dock, stores the last visited page, and restores the
// previous window state afterwards.
#pragma once

#include "engine/lesson/diagrams/diagram.hpp"
#include "engine/lesson/lesson.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/features/lessons/lesson_pages.hpp"
#include "ui/features/lessons/window_before.hpp"
#include "ui/lessons/lesson_keys.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/model/scene_look.hpp"
#include "ui/settings/json_file.hpp"

#include <QObject>
#include <QString>

#include <map>
#include <memory>
#include <span>
#include <vector>

class QDockWidget;

namespace spira::ui {

[[nodiscard]] std::span<const CommandFacts> lessons_commands() noexcept;

class Lessons : public QObject {
  Q_OBJECT
 public:
  /// The last visited pages are stored in `state_folder`. If it is empty, nothing is stored.
  Lessons(const FeatureContext& context, const LessonStage& stage, SelectionJobs& selecting,
          const QString& state_folder);

  [[nodiscard]] const std::vector<std::shared_ptr<const Lesson>>& all() const noexcept { return lessons_; }
  /// Returns the last visited page of each lesson. The key is the id of the lesson.
  [[nodiscard]] const std::map<QString, int>& reached() const noexcept { return reached_; }
  [[nodiscard]] LessonPlayer& player() noexcept { return player_; }
  [[nodiscard]] LessonPages& pages() noexcept { return pages_; }
  void start(const std::shared_ptr<const Lesson>& lesson, int page);
  void leave() { player_.leave(); }
  /// Returns why commands for the open lesson are not available. Returns an empty string if a lesson is open.
  [[nodiscard]] QString whyNoLesson() const;

 signals:
  /// Requests that the built-in scene `scene` is opened, because a lesson begins while no scene is open.
  void openRequested(const QString& scene);

 private:
  void loadLessons();
  void makeDock();
  void bindCommands();
  void begin();
  void takeScene();
  void left(const QString& id, int page);
  void storeReached();
  /// Turns the classroom mode on or off. In this mode, text is larger, colours remain distinguishable on a
  /// projector, and only the view and the lesson are visible.
  void setClassroom(bool on);
  void showBars(bool shown);
  void takeHiddenFocus(bool lesson_in_front);
  void shareSide();

  FeatureContext context_;
  LessonStage stage_;
  JsonFile reached_file_;
  LessonPlayer player_;
  LessonPages pages_;
  LessonKeys keys_;
  QDockWidget* dock_;
  std::vector<std::shared_ptr<const Lesson>> lessons_;
  std::map<QString, int> reached_;
  std::unique_ptr<const WindowBefore> before_;
  ColourLook look_;  // Colours before the classroom mode was turned on.
  bool classroom_ = false;
  bool asking_ = false;  // True while the page of questions is open.
};

}  // namespace spira::ui
