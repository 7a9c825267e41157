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
    std::vector<std::pair<QString, QString>> numbers;
    std::optional<PdfTable> bars;
    QStringList notes;     ///< how they were sampled or measured, what the paper says of them
    QImage picture, bits;  ///< of the view, of the word that the page is about
  };
  void poll();
  void take();
  [[nodiscard]] PdfTable tableOf(const LessonBars& bars) const;
  [[nodiscard]] QByteArray pdf() const;

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
