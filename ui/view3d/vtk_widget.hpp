// A VTK render window inside a Qt 6 window. Debian's VTK has its own Qt widget for Qt 5 only, so this is
// ours.
#pragma once

#include <QImage>
#include <QOpenGLWidget>

#include <cstdint>
#include <memory>

class vtkRenderer;

namespace spira::ui {

/// Must be called before the QApplication is made: OpenGL 3.2 core, no multi-sampling by Qt.
void setSurfaceFormat();

class VtkWidget : public QOpenGLWidget {
  Q_OBJECT
 public:
  explicit VtkWidget(QWidget* parent = nullptr);
  ~VtkWidget() override;
  VtkWidget(const VtkWidget&) = delete;
  VtkWidget& operator=(const VtkWidget&) = delete;

  [[nodiscard]] vtkRenderer* renderer() const;
  /// Darkens what lies just behind an edge (eye-dome lighting).
  void setDepthShading(bool on);
  /// While held it keeps its picture and draws no frame; the one that was asked for meanwhile comes after.
  void setHeld(bool held);
  [[nodiscard]] std::int64_t frames() const noexcept { return frames_; }  ///< that were drawn
  void redraw();  ///< asks for a frame; more than one asked for before it is drawn are one
  /// What it shows at another size, in a frame of its own; points and lines grow with it. `transparent`: no
  /// background.
  [[nodiscard]] QImage picture(const QSize& pixels, bool transparent);
  /// "OpenGL 4.5 (Mesa 22.3), llvmpipe; VTK 9.1.0"; before the first picture only VTK's version.
  [[nodiscard]] QString driverText() const;
  [[nodiscard]] bool framePending() const noexcept { return frame_pending_; }
  [[nodiscard]] double frameMs() const noexcept { return frame_ms_; }  ///< that the last frame took here

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
