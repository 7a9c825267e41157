// How far work is, in a bar.
#pragma once

#include <QtGlobal>

class QProgressBar;

namespace spira::ui {

/// `total` 0: not known, the bar only says that something goes on. It is painted with the next frame of the
/// window; QProgressBar by itself repaints at each value, and with it all of a window that has a 3D view.
void set_progress(QProgressBar& bar, qint64 done, qint64 total);

}  // namespace spira::ui
