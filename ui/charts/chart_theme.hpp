// The look that all charts of QCustomPlot share.
#pragma once

class QCPAxis;
class QCustomPlot;

namespace spira::ui {

class Theme;

/// Colours and fonts of the theme on the plot, all its axes and its legend.
void apply_theme(QCustomPlot& plot, const Theme& theme);

/// How many numbers a vertical axis can carry in a plot of this height without crowding.
[[nodiscard]] int ticks_for(int plot_height) noexcept;

}  // namespace spira::ui
