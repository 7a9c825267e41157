// The crop box in the 3D view. This class draws the box of the CropBox, changes the CropBox when the user
// drags a handle, and shows the points that the crop excludes.
#pragma once

#include "ui/model/crop_box.hpp"
#include "ui/model/view_parts.hpp"
#include "ui/view3d/tools/crop_handles.hpp"

#include <QObject>

#include <array>
#include <memory>
#include <optional>

class QEvent;

namespace spira::ui {

class MeshWorker;
class Tasks;
class Theme;
class VtkWidget;

class CropTool : public QObject {
  Q_OBJECT
 public:
  CropTool(Tasks& tasks, Workspace* workspace, CropBox* box, ViewParts* parts, Theme* theme,
           VtkWidget* canvas);
  ~CropTool() override;
  CropTool(const CropTool&) = delete;
  CropTool& operator=(const CropTool&) = delete;

  /// `origin` is the origin of the mesh, in metres in scene coordinates.
  void setOrigin(const Point& origin);
  /// Handles a mouse event. Returns true if a handle consumed the event. In this case, the caller must ignore
  /// the event.
  bool mouse(QEvent* event);
  /// Returns the bounds of the visible box, relative to the origin. Returns `nullopt` if no box is visible.
  [[nodiscard]] std::optional<std::array<double, 6>> bounds() const;
  [[nodiscard]] std::size_t outsideShown() const;  ///< Returns the number of excluded points that are drawn.
  [[nodiscard]] const CropHandles& handles() const noexcept { return handles_; }

 signals:
  void changed();  ///< Emitted when the view must be redrawn.

 private:
  void followBox();
  void followCrop();
  [[nodiscard]] bool outsideWanted() const;
  void retheme();
  void takeDrag();

  Workspace* workspace_;
  CropBox* box_;
  ViewParts* parts_;
  Theme* theme_;
  VtkWidget* canvas_;
  MeshWorker* worker_;
  CropHandles handles_;
  Point origin_{};
  struct Outside;
  std::unique_ptr<Outside> outside_;
};

}  // namespace spira::ui
