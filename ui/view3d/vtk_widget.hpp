// A VTK render window inside a Qt 6 widget. This class is needed because Debian's VTK provides a Qt widget
// only for Qt 5.
#pragma once

#include <QImage>
#include <QOpenGLWidget>

#include <cstdint>
#include <memory>

class vtkRenderer;

namespace spira::ui {

/// Requests OpenGL 3.2 core without multi-sampling by Qt. Must be called before the QApplication is created.
void setSurfaceFormat();

class VtkWidget : public QOpenGLWidget {
  Q_OBJECT
 public:
  explicit VtkWidget(QWidget* parent = nullptr);
  ~VtkWidget() override;
  VtkWidget(const VtkWidget&) = delete;
  VtkWidget& operator=(const VtkWidget&) = delete;

  [[nodiscard]] vtkRenderer* renderer() const;
  void setDepthShading(bool on);
  /// While held, the widget keeps its picture and draws no frame. Frames that are requested during this time
  /// are drawn after the hold.
  void setHeld(bool held);
  [[nodiscard]] std::int64_t frames() const noexcept { return frames_; }
  void redraw();  ///< Requests a frame. Several requests before the next frame result in only one frame.
  /// Renders the view at another size, in a separate frame. Points and lines are scaled with the size. If
  /// `transparent` is true, the background is omitted.
  [[nodiscard]] QImage picture(const QSize& pixels, bool transparent);
  /// Returns text such as "OpenGL 4.5 (Mesa 22.3), llvmpipe; VTK 9.1.0". Before the first frame, returns only
  /// VTK's version.
  [[nodiscard]] QString driverText() const;
  [[nodiscard]] bool framePending() const noexcept { return frame_pending_; }
  [[nodiscard]] double frameMs() const noexcept { return frame_ms_; }

 signals:
  void frameDrawn();  ///< Emitted after VTK has drawn a frame.

 protected:
  void initializeGL() override;
  void resizeGL(int width, int height) override;
  void paintGL() override;

 private:
  void release();

  struct State;
  std::unique_ptr<State> state_;
  bool frame_pending_ = false, held_ = false;
  std::int64_t frames_ = 0;
  double frame_ms_ = 0;
  QString driver_;
};

}  // namespace spira::ui
