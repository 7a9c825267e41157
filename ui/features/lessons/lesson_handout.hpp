// Creates the handout of a lesson. Each step has one page with its text, its picture and its numbers for the
// open scene.
#pragma once

#include "engine/lesson/lesson.hpp"
#include "ui/charts/pdf_pages.hpp"
#include "ui/features/feature_context.hpp"

#include <QByteArray>
#include <QImage>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <functional>
#include <optional>
#include <vector>

class QProgressDialog;

namespace spira::ui {

class Lessons;
class SceneView;

// The content of the pages of a handout, and their layout as a PDF. The content contains only values, so any
// thread can use it.

struct HandoutPage {
  QString title, text, after, caption;
  PdfTable numbers, run_numbers;  ///< Numbers of the open scene and of a recorded run.
  QString guess;                  ///< Text from guess_text().
  std::optional<PdfTable> table, bars;
  QStringList lines;  ///< Statements about the scene, each with a tick or a cross.
  QStringList notes;  ///< Notes about sampling and measurement, and values published in the paper.
  QImage view, diagram;
  /// Pictures of the packed coordinate that the page explains, before and after the masks are applied.
  QImage bits, masks;
};

struct Handout {
  QString title, scene, footer;
  std::vector<HandoutPage> pages;
  QStringList questions;
};

/// Returns the text "Guess first: ..." with a box before each answer. Lines break only between answers.
[[nodiscard]] QString guess_text(const LessonGuess& guess);
[[nodiscard]] QByteArray handout_pdf(const Handout& handout);

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
