// Charts draw themselves a moment after their numbers change; a picture of a window must not wait for that.
#pragma once

class QWidget;

namespace spira::ui {

/// Lays out `within` and draws all its charts at once, so that what is grabbed next is what they now show.
/// `ratio`: pixels a point, for pictures larger than the screen; 0: as they have it.
void replot_charts(QWidget& within, double ratio = 0);

}  // namespace spira::ui
