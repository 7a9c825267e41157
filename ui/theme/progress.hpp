// Updates a progress bar.
#pragma once

#include <QtGlobal>

class QProgressBar;

namespace spira::ui {

/// If `total` is 0 (unknown), the bar only shows that work is in progress. The bar is painted with the next
/// frame of the window. QProgressBar alone would repaint at each value, together with the whole window if
/// this has a 3D view.
void set_progress(QProgressBar& bar, qint64 done, qint64 total);

}  // namespace spira::ui
