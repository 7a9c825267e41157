// Draws wireframe boxes around highlighted cells, optionally with translucent faces.
#pragma once

#include <array>
#include <memory>
#include <vector>

class vtkCellArray;
class vtkPoints;
class vtkRenderer;

namespace spira::ui {

struct HighlightBox {
  std::array<float, 3> centre{}, size{};
  std::array<double, 3> colour{};
  double width = 2.0;
  double filled = 0.0;  ///< opacity of the faces; 0 draws no faces
};

class HighlightBoxes {
 public:
  explicit HighlightBoxes(vtkRenderer* renderer);
  ~HighlightBoxes();
  HighlightBoxes(const HighlightBoxes&) = delete;
  HighlightBoxes& operator=(const HighlightBoxes&) = delete;

  void set(const std::vector<HighlightBox>& boxes);  ///< replaces all boxes

 private:
  void add(const HighlightBox& style, vtkPoints* points, vtkCellArray* lines, vtkCellArray* faces);
  struct Actors;
  vtkRenderer* renderer_;
  std::unique_ptr<Actors> actors_;
};

}  // namespace spira::ui
