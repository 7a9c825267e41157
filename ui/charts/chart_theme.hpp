// Theme of all QCustomPlot charts.
#pragma once

class QCPAxis;
class QCustomPlot;

namespace spira::ui {

class Theme;

/// Applies the colours and fonts of the theme to the plot, its axes and its legend.
void apply_theme(QCustomPlot& plot, const Theme& theme);

/// Returns how many tick labels fit on the vertical axis of a plot with this height, in pixels.
[[nodiscard]] int ticks_for(int plot_height) noexcept;

}  // namespace spira::ui
