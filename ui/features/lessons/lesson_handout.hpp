// Creates the handout of a lesson. Each step has one page with its text, its picture and its numbers for the
// open scene.
#pragma once

#include "engine/lesson/lesson.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/features/lessons/handout_pages.hpp"

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>
#include <vector>

class QProgressDialog;

namespace spira::ui {

class Lessons;
class SceneView;

/// Visits all pages without animation and waits until each page is complete. Then restores the previous page
/// and its state. The object deletes itself after ready() or after the user cancels.
class LessonHandout : public QObject {
  Q_OBJECT
 public:
  LessonHandout(const FeatureContext& context, Lessons& lessons, SceneView& view, QString file,
                QObject* parent);
  ~LessonHandout() override;
  LessonHandout(const LessonHandout&) = delete;
  LessonHandout& operator=(const LessonHandout&) = delete;

 signals:
  /// Emitted when the content of all pages has been collected. `pdf` returns the bytes of the file and may
  /// run on any thread.
  void ready(const QString& file, const std::function<QByteArray()>& pdf);

 private:
  void poll();
  void take();
  void takeNumbers(const LessonStep& step, HandoutPage& page) const;
  [[nodiscard]] PdfTable tableOf(const LessonBars& bars) const;
  [[nodiscard]] PdfTable tableOf(const LessonTable& table) const;
  [[nodiscard]] Handout handout() const;

  FeatureContext context_;
  Lessons& lessons_;
  SceneView& view_;
  QString file_;
  QProgressDialog* bar_;
  QTimer timer_;
  std::vector<HandoutPage> pages_;
  int page_before_ = 0, settled_for_ = 0;
  bool calm_before_ = false, shown_before_ = false;
};

}  // namespace spira::ui
