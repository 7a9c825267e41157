// Charts draw themselves a moment after their numbers change; a picture of a window must not wait for that.
#pragma once

class QWidget;

namespace spira::ui {

/// Lays out `within` and draws all its charts at once, so that what is grabbed next is what they now show.
void replot_charts(QWidget& within);

}  // namespace spira::ui
