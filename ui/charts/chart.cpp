#include "ui/charts/chart.hpp"

#include <QContextMenuEvent>
#include <QEvent>

namespace spira::ui {

void Chart::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) restyle();
}

/// By the mouse, or by the menu key.
void Chart::contextMenuEvent(QContextMenuEvent* event) {
  emit menuRequested(event->globalPos(), subjectAt(event->pos()));
  event->accept();
}

}  // namespace spira::ui
