// What stands in the place of the 3D view where OpenGL cannot be had: Qt ends the program with a fault as
// soon as a window with an OpenGL widget is shown without it. All else works.
#pragma once

#include <QLabel>

#include <memory>

namespace spira::ui {

class VtkWidget;

/// Why there is no 3D view on this machine: no context can be made, or OpenGL is older than 3.2. Empty: there
/// is one. Asked once a start.
[[nodiscard]] const QString& openGlFault();

/// Keeps the canvas, which is never shown.
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
