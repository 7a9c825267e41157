// Contains the commands for the list of lessons, links to lesson steps, lesson files written by teachers, and
// the handout.
#pragma once

#include "engine/lesson/lesson.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/jobs/file_jobs.hpp"

#include <QObject>
#include <QPointer>
#include <QString>

#include <memory>

namespace spira::ui {

class LessonHandout;
class Lessons;
class SceneView;

class LessonFiles : public QObject {
  Q_OBJECT
 public:
  LessonFiles(const FeatureContext& context, Lessons& lessons, SceneView& view);

  /// Opens a lesson file. If the lesson is invalid, throws Error(input) with the file, the step and the
  /// fault.
  void openFile(const QString& file);
  /// Checks a link such as "search", "search:8" or "search:hash". It names a built-in lesson and optionally a
  /// step by number or id. A link without a step opens the page where the user stopped. Throws Error(usage)
  /// if the lesson or the step does not exist.
  void check(const QString& link) const { static_cast<void>(targetOf(link)); }
  void follow(const QString& link);
  /// Returns the link to the current page. Returns an empty string if no lesson is open.
  [[nodiscard]] QString link() const;

 private:
  struct Target {
    std::shared_ptr<const Lesson> lesson;
    int page = 0;
  };
  [[nodiscard]] Target targetOf(const QString& link) const;
  void bindCommands();
  void copyLink();
  void showList();
  void openDialog();
  /// Writes a handout with one page per step. This function opens all pages of the lesson one after the
  /// other.
  void saveHandout();

  FeatureContext context_;
  Lessons& lessons_;
  SceneView& view_;
  FileWriter files_;
  QPointer<LessonHandout> handout_;
};

}  // namespace spira::ui
