// Charts repaint with a delay after their numbers change. A screenshot must not wait for that.
#pragma once

class QWidget;

namespace spira::ui {

/// Lays out `within` and repaints all its charts at once, so that the next grab shows the current numbers.
/// `ratio`: pixels per point for pictures larger than the screen; 0 keeps the ratio of the screen.
void replot_charts(QWidget& within, double ratio = 0);

}  // namespace spira::ui
