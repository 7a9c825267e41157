// Wires around the cells that a person chose.
#pragma once

#include <array>
#include <memory>
#include <vector>

class vtkRenderer;

namespace spira::ui {

/// A box drawn as wires around a single cell.
struct HighlightBox {
  std::array<float, 3> centre{}, size{};
  std::array<double, 3> colour{};
  double width = 2.0;
};

class HighlightBoxes {
 public:
  explicit HighlightBoxes(vtkRenderer* renderer);
  ~HighlightBoxes();
  HighlightBoxes(const HighlightBoxes&) = delete;
  HighlightBoxes& operator=(const HighlightBoxes&) = delete;

  void set(const std::vector<HighlightBox>& boxes);  ///< instead of the former ones

 private:
  struct Actors;
  vtkRenderer* renderer_;
  std::unique_ptr<Actors> actors_;
};

}  // namespace spira::ui
