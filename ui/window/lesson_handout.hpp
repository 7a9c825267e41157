// The hand-out of a lesson: a page a step with its text, its picture and its numbers of the open scene.
#pragma once

#include "engine/lesson/lesson.hpp"
#include "ui/charts/pdf_pages.hpp"

#include <QImage>
#include <QObject>
#include <QString>
#include <QTimer>

#include <optional>
#include <utility>
#include <vector>

class QProgressDialog;

namespace spira::ui {

class Lessons;
class MainWindow;

/// Walks through the pages without motion, waits for each, and comes back to where it was; goes away when the
/// file is on its way.
class LessonHandout : public QObject {
  Q_OBJECT
 public:
  LessonHandout(MainWindow* window, QString file);
  ~LessonHandout() override;
  LessonHandout(const LessonHandout&) = delete;
  LessonHandout& operator=(const LessonHandout&) = delete;

 signals:
  void ready(const QString& file, const QByteArray& pdf);

 private:
  struct Page {
    QString title, text, after, caption;
    PdfTable numbers, run_numbers;  ///< of the open scene, and of a recorded run
    QString guess;                  ///< "Guess first: ...", with a box a choice
    std::optional<PdfTable> table, bars;
    QStringList lines;  ///< what is said of the scene, with a tick or a cross
    QStringList notes;  ///< how they were sampled or measured, what the paper says of them
    QImage view, diagram;
    QImage bits, masks;  ///< the word that the page is about, and what masks leave of it
  };
  void poll();
  void take();
  void takeNumbers(const LessonStep& step, Page& page) const;
  [[nodiscard]] PdfTable tableOf(const LessonBars& bars) const;
  [[nodiscard]] PdfTable tableOf(const LessonTable& table) const;
  [[nodiscard]] QByteArray pdf() const;
  /// In units of a page; 0: without the view.
  static void add(const Page& page, double view_height, PdfPages& pdf);
  [[nodiscard]] static double highestView(const Page& page);

  MainWindow* window_;
  Lessons* lessons_;
  QString file_;
  QProgressDialog* bar_;
  QTimer timer_;
  std::vector<Page> pages_;
  int page_before_ = 0, settled_for_ = 0;
  bool calm_before_ = false;
};

}  // namespace spira::ui
