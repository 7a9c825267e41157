// Wires around the cells that a person chose, and faces over them.
#pragma once

#include <array>
#include <memory>
#include <vector>

class vtkCellArray;
class vtkPoints;
class vtkRenderer;

namespace spira::ui {

/// A box drawn as wires around a single cell, or over its faces.
struct HighlightBox {
  std::array<float, 3> centre{}, size{};
  std::array<double, 3> colour{};
  double width = 2.0;
  double filled = 0.0;  ///< how much its faces hide what is behind; 0: it has none
};

class HighlightBoxes {
 public:
  explicit HighlightBoxes(vtkRenderer* renderer);
  ~HighlightBoxes();
  HighlightBoxes(const HighlightBoxes&) = delete;
  HighlightBoxes& operator=(const HighlightBoxes&) = delete;

  void set(const std::vector<HighlightBox>& boxes);  ///< instead of the former ones

 private:
  void add(const HighlightBox& style, vtkPoints* points, vtkCellArray* lines, vtkCellArray* faces);
  struct Actors;
  vtkRenderer* renderer_;
  std::unique_ptr<Actors> actors_;
};

}  // namespace spira::ui
