// The look that all charts of QCustomPlot share.
#pragma once

class QCPAxis;
class QCustomPlot;

namespace spira::ui {

class Theme;

/// Colours and fonts of the theme on the plot, all its axes and its legend.
void apply_theme(QCustomPlot& plot, const Theme& theme);

}  // namespace spira::ui
