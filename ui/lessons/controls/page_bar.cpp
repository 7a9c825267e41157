#include "ui/lessons/controls/page_bar.hpp"

#include "ui/theme/theme.hpp"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace spira::ui {

PageBar::PageBar(LessonPlayer* player, Theme* theme, QWidget* parent)
    : QWidget(parent), player_(player), theme_(theme) {
  setFixedHeight(26);
  setCursor(Qt::PointingHandCursor);
  setFocusPolicy(Qt::TabFocus);
  setToolTip(tr("Home and End: first and last page. Up and Down: move through the animation of this page."));
  connect(player_, &LessonPlayer::entered, this, &PageBar::updateDescription);
  connect(player_, &LessonPlayer::partChanged, this, qOverload<>(&PageBar::update));
  connect(theme_, &Theme::changed, this, qOverload<>(&PageBar::update));
}

/// Updates the description that screen readers read.
void PageBar::updateDescription() {
  setAccessibleName(tr("Page %1 of %2").arg(player_->page() + 1).arg(player_->pages()));
  update();
}

QRectF PageBar::cellOf(int page) const {
  constexpr double gap = 3;
  const int pages = std::max(1, player_->pages());
  const double wide = (width() + gap) / pages;
  return {page * wide, 2, wide - gap, height() - 4.0};
}

int PageBar::pageAt(double x) const {
  const int pages = std::max(1, player_->pages());
  return std::clamp(static_cast<int>(x * pages / std::max(1, width())), 0, pages - 1);
}

void PageBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Palette& p = theme_->palette();
  for (int page = 0; page < player_->pages(); ++page) {
    const QRectF cell = cellOf(page);
    const bool here = page == player_->page();
    painter.setPen(here ? QPen(p.accent, 2) : QPen(p.line, 1));
    painter.setBrush(page < player_->page() ? p.raised : p.panel);
    painter.drawRoundedRect(cell.adjusted(1, 1, -1, -1), 4, 4);
    if (here && player_->part() > 0) {
      painter.setPen(Qt::NoPen);
      painter.setBrush(p.accent);
      painter.drawRect(QRectF(cell.left() + 3, cell.bottom() - 5, (cell.width() - 6) * player_->part(), 3));
    }
    const bool asks = page >= static_cast<int>(player_->lesson()->steps.size());
    painter.setPen(here ? p.text : p.faint_text);
    painter.drawText(cell, Qt::AlignCenter, asks ? QString("?") : QString::number(page + 1));
  }
  if (!hasFocus()) return;
  painter.setPen(QPen(p.text, 1, Qt::DotLine));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
}

void PageBar::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) player_->jump(pageAt(event->position().x()));
}

void PageBar::mouseMoveEvent(QMouseEvent* event) {
  if ((event->buttons() & Qt::LeftButton) == 0) return;
  const double x = event->position().x();
  const int page = pageAt(x);
  if (page != player_->page()) player_->jump(page);
  const QRectF cell = cellOf(page);
  player_->scrub((x - cell.left()) / cell.width());
}

/// Handles keys except Left and Right, which change the page everywhere in a lesson.
void PageBar::keyPressEvent(QKeyEvent* event) {
  constexpr double step = 0.1;
  if (event->key() == Qt::Key_Home) {
    player_->jump(0);
  } else if (event->key() == Qt::Key_End) {
    player_->jump(player_->pages() - 1);
  } else if (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down) {
    player_->scrub(std::clamp(player_->part() + (event->key() == Qt::Key_Down ? step : -step), 0.0, 1.0));
  } else {
    QWidget::keyPressEvent(event);
  }
}

bool PageBar::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !player_->lesson()) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto page = static_cast<std::size_t>(pageAt(help->pos().x()));
  const auto& steps = player_->lesson()->steps;
  QToolTip::showText(help->globalPos(),
                     page < steps.size() ? QString::fromStdString(steps[page].title) : tr("Questions"), this);
  return true;
}

}  // namespace spira::ui
