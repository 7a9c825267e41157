// A chip with a cross for each active highlight, and for all that leaves something out, in the upper right
// corner of the canvas.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/model/view_parts.hpp"
#include "ui/model/workspace.hpp"

#include <QWidget>

#include <functional>
#include <utility>

namespace spira::ui {

/// "z -1.56 to -1.15 m", as finely as voxels of that size need it.
[[nodiscard]] QString slab_text(const std::pair<double, double>& slab_m, double voxel_m);

class HighlightChips : public QWidget {
  Q_OBJECT
 public:
  HighlightChips(Workspace* workspace, Selection* selection, ViewParts* parts, QWidget* canvas);
  void place();  ///< after the canvas changed its size

 signals:
  void cropResetRequested();
  void placed();              ///< The chips may cover another part of the view now.
  void allPointsRequested();  ///< of a file of which a share was read

 private:
  void fill();
  void addParts();
  void addHighlights();
  void add(const QString& text, std::function<void()> remove, const QString& tip);
  [[nodiscard]] QString offsetsText() const;

  Workspace* workspace_;
  Selection* selection_;
  ViewParts* parts_;
};

}  // namespace spira::ui
