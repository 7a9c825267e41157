#include "ui/theme/progress.hpp"

#include <QProgressBar>

#include <algorithm>

namespace spira::ui {

void set_progress(QProgressBar& bar, qint64 done, qint64 total) {
  constexpr int whole = 1000;
  bar.setUpdatesEnabled(false);
  bar.setRange(0, total > 0 ? whole : 0);
  if (total > 0) bar.setValue(static_cast<int>(whole * std::min(done, total) / total));
  bar.setUpdatesEnabled(true);
}

}  // namespace spira::ui
