#include "ui/charts/threshold_bars.hpp"

#include "ui/theme/theme.hpp"

#include <QPainter>
#include <QStringList>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

constexpr int air = 8, row_air = 6, min_bar = 24;  // Distances and the minimum bar length, in pixels.

}  // namespace

ThresholdBars::ThresholdBars(Theme* theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Maximum);
  connect(theme_, &Theme::changed, this, qOverload<>(&ThresholdBars::update));
  hide();
}

void ThresholdBars::setTimes(std::vector<ThresholdBar> bars, const QString& verdict) {
  bars_ = std::move(bars);
  verdict_ = verdict;
  QStringList lines{caption_};
  for (const ThresholdBar& bar : bars_)
    lines += bar.name + ": " + bar.text + (bar.how.isEmpty() ? QString() : " " + bar.how);
  if (!verdict_.isEmpty()) lines += tr("%1 (from interleaved samples)").arg(verdict_);
  setAccessibleName(lines.join("; "));
  setToolTip(lines.join('\n'));
  setVisible(!bars_.empty());
  update();
}

void ThresholdBars::setCaption(const QString& caption, const QString& brief) {
  caption_ = caption;
  brief_ = brief;
}

void ThresholdBars::setMaxBars(int bars) {
  if (std::exchange(max_bars_, bars) != bars) updateGeometry();
}

int ThresholdBars::rowHeight() const {
  return fontMetrics().height() + row_air;
}

/// Returns a size with space for the caption and all bars.
QSize ThresholdBars::sizeHint() const {
  return {260, (max_bars_ + 1) * rowHeight()};
}

QSize ThresholdBars::minimumSizeHint() const {
  return {180, (max_bars_ + 1) * fontMetrics().height()};
}

void ThresholdBars::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette& colours = theme_->palette();
  int names = 0, texts = 0;
  double longest = 0;
  for (const ThresholdBar& bar : bars_) {
    names = std::max(names, fontMetrics().horizontalAdvance(bar.name));
    texts = std::max(texts, fontMetrics().horizontalAdvance(bar.text));
    longest = std::max(longest, bar.ms);
  }
  const bool narrow = names + texts + min_bar + (2 * air) > width();
  const int left = names + air;
  const int room = std::max(min_bar, width() - left - texts - air);
  const int row = std::min(rowHeight(), height() / (max_bars_ + 1));
  const bool brief = verdict_.isEmpty() && fontMetrics().horizontalAdvance(caption_) > width();
  const QString& text = brief ? brief_ : shownCaption();
  painter.setPen(verdict_.isEmpty() ? colours.faint_text : colours.text);
  painter.drawText(QRect(0, 0, width(), row), Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(text, Qt::ElideRight, width()));
  for (std::size_t at = 0; at < bars_.size(); ++at) {
    const ThresholdBar& bar = bars_[at];
    const int top = (static_cast<int>(at) + 1) * row;
    painter.setPen(colours.text);
    painter.drawText(QRect(0, top, names, row), Qt::AlignLeft | Qt::AlignVCenter, bar.name);
    int end = left;
    if (bar.ms >= 0 && longest > 0) {
      const int length = std::max(1, static_cast<int>(room * bar.ms / longest));
      const QRect body(left, top + 3, length, row - 6);
      end = body.right() + air;
      if (!bar.modelled) painter.fillRect(body, colours.accent);
      painter.setPen(QPen(colours.accent, bar.modelled ? 2 : 1, bar.modelled ? Qt::DotLine : Qt::SolidLine));
      if (bar.modelled) painter.drawRect(body.adjusted(0, 0, -1, -1));
    }
    painter.setPen(bar.ms < 0 ? colours.faint_text : colours.text);
    painter.drawText(QRect(end, top, std::max(0, width() - end), row), Qt::AlignLeft | Qt::AlignVCenter,
                     narrow && !bar.brief.isEmpty() ? bar.brief : bar.text);
  }
}

}  // namespace spira::ui
