// The crop box in the 3D view: follows the CropBox, turns drags of its handles into new boxes, and shows what
// the crop in force leaves out.
#pragma once

#include "ui/model/crop_box.hpp"
#include "ui/model/view_parts.hpp"
#include "ui/view3d/crop_handles.hpp"

#include <QObject>

#include <array>
#include <memory>
#include <optional>

class QEvent;

namespace spira::ui {

class MeshWorker;
class Theme;
class VtkWidget;

class CropTool : public QObject {
  Q_OBJECT
 public:
  CropTool(Workspace* workspace, CropBox* box, ViewParts* parts, Theme* theme, VtkWidget* canvas);
  ~CropTool() override;
  CropTool(const CropTool&) = delete;
  CropTool& operator=(const CropTool&) = delete;

  void setOrigin(const Point& origin);  ///< of the mesh, in scene metres
  /// True: the event was for a handle, and does nothing else.
  bool mouse(QEvent* event);
  /// Of what is shown, relative to the origin; empty: nothing.
  [[nodiscard]] std::optional<std::array<double, 6>> bounds() const;
  [[nodiscard]] std::size_t outsideShown() const;  ///< points
  [[nodiscard]] const CropHandles& handles() const noexcept { return handles_; }

 signals:
  void changed();  ///< draw again

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
