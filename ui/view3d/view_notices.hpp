// What the canvas shows instead of a picture: a notice if all voxels are hidden, and a page if OpenGL is
// missing.
#pragma once

#include <QFrame>
#include <QLabel>

#include <memory>

class QLabel;

namespace spira::ui {

class VtkWidget;

class HiddenNotice : public QFrame {
  Q_OBJECT
 public:
  explicit HiddenNotice(QWidget* canvas);
  void setText(const QString& text);  ///< An empty string hides the notice.
  [[nodiscard]] QString text() const;
  void place();  ///< Centres the notice; must be called after a resize of the canvas.

 signals:
  void showRequested();

 private:
  QLabel* text_;
};

// The page that replaces the 3D view if OpenGL is not available. All other panels work. Without this page, Qt
// would abort the program as soon as a window with an OpenGL widget is shown.

/// Returns why this machine cannot show a 3D view: no OpenGL context can be created, or OpenGL is older than
/// 3.2. Returns an empty string if the 3D view works. The check runs once per program start.
[[nodiscard]] const QString& openGlFault();

/// Shows why there is no 3D view. The page owns the canvas, which is never shown.
class NoOpenGlPage : public QLabel {
  Q_OBJECT
 public:
  explicit NoOpenGlPage(std::unique_ptr<VtkWidget> canvas, QWidget* parent = nullptr);
  ~NoOpenGlPage() override;
  NoOpenGlPage(const NoOpenGlPage&) = delete;
  NoOpenGlPage& operator=(const NoOpenGlPage&) = delete;

 private:
  std::unique_ptr<VtkWidget> canvas_;
};

}  // namespace spira::ui
