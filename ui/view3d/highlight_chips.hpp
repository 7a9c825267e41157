// Chips in the upper right corner of the canvas. There is one chip for each active highlight and for each
// filter that hides data. A click on a chip removes its highlight or filter.
#pragma once

#include "ui/model/selection.hpp"
#include "ui/model/view_parts.hpp"
#include "ui/model/workspace.hpp"

#include <QWidget>

#include <functional>
#include <utility>

namespace spira::ui {

/// Returns a text such as "z -1.56 to -1.15 m". The voxel size determines the number of decimals.
[[nodiscard]] QString slab_text(const std::pair<double, double>& slab_m, const VoxelScene& scene);

class HighlightChips : public QWidget {
  Q_OBJECT
 public:
  HighlightChips(Workspace* workspace, Selection* selection, ViewParts* parts, QWidget* canvas);
  void place();  ///< Moves the chips to the corner; must be called after a resize of the canvas.

 signals:
  void cropResetRequested();
  void placed();  ///< Emitted after the chips moved, because they may cover another part of the view.
  /// Emitted if only a part of the points of the file was read and the user requests all points.
  void allPointsRequested();

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
