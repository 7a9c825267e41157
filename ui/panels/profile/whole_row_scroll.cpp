#include "ui/panels/profile/whole_row_scroll.hpp"

#include <QAbstractButton>
#include <QAbstractTextDocumentLayout>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QTableView>
#include <QTextBlock>
#include <QTextDocument>
#include <QTimer>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace spira::ui {
namespace {

constexpr const char* keep_with_next = "keepWithNext";
constexpr const char* keep_whole = "keepWhole";
constexpr const char* heading_tag = "<h4>";

/// Vertical range in the coordinates of the content that must not be cut.
using Range = std::pair<int, int>;

/// Adds the lines of a label. The heading of a label stays together with the two lines below it.
void add_lines(const QLabel& label, int top, std::vector<Range>& ranges) {
  const int kept = label.property(keep_with_next).toInt();
  if (kept > 0) return ranges.emplace_back(top, top + label.height() + kept), void();
  QTextDocument text;
  text.setDefaultFont(label.font());
  text.setDocumentMargin(0);
  Qt::mightBeRichText(label.text()) ? text.setHtml(label.text()) : text.setPlainText(label.text());
  text.setTextWidth(label.contentsRect().width());
  const int first = top + label.contentsRect().top();
  std::vector<Range> lines;
  for (QTextBlock block = text.begin(); block.isValid(); block = block.next()) {
    const double block_top = text.documentLayout()->blockBoundingRect(block).top();
    for (int at = 0; at < block.layout()->lineCount(); ++at) {
      const QRectF line = block.layout()->lineAt(at).rect().translated(0, block_top);
      lines.emplace_back(first + static_cast<int>(std::floor(line.top())),
                         first + static_cast<int>(std::ceil(line.bottom())));
    }
  }
  // The cells of a table row are adjacent lines at the same height.
  constexpr std::size_t with_heading = 5;
  if (label.text().startsWith(heading_tag) && !lines.empty())
    lines.front().second =
        std::max(lines.front().second, lines[std::min(with_heading, lines.size()) - 1].second);
  ranges.insert(ranges.end(), lines.begin(), lines.end());
}

std::vector<Range> ranges_of(const QWidget& content) {
  std::vector<Range> ranges;
  for (const QWidget* widget : content.findChildren<QWidget*>()) {
    if (!widget->isVisibleTo(&content)) continue;
    const int top = widget->mapTo(&content, QPoint()).y();
    if (const auto* label = qobject_cast<const QLabel*>(widget)) {
      add_lines(*label, top, ranges);
    } else if (const auto* table = qobject_cast<const QTableView*>(widget)) {
      const int rows = table->model() == nullptr ? 0 : table->model()->rowCount();
      for (int row = 0; row < rows; ++row) {
        const int row_top = top + table->viewport()->y() + table->rowViewportPosition(row);
        ranges.emplace_back(row_top, row_top + table->rowHeight(row));
      }
    } else if (qobject_cast<const QAbstractButton*>(widget) != nullptr ||
               widget->property(keep_whole).toBool()) {
      ranges.emplace_back(top, top + widget->height());
    }
  }
  return ranges;
}

/// Returns the largest height up to `bottom` that cuts no range.
int whole_until(const std::vector<Range>& ranges, int bottom) {
  for (bool cuts = true; cuts;) {
    cuts = false;
    for (const auto& [from, to] : ranges) {
      if (from >= bottom || to <= bottom) continue;
      bottom = from;
      cuts = true;
    }
  }
  return bottom;
}

}  // namespace

WholeRowScroll::WholeRowScroll(QWidget* parent) : QScrollArea(parent), cover_(new QWidget(viewport())) {
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  cover_->setAutoFillBackground(true);
  cover_->setAttribute(Qt::WA_TransparentForMouseEvents);
  cover_->hide();
  connect(verticalScrollBar(), &QScrollBar::valueChanged, this, &WholeRowScroll::fit);
}

void WholeRowScroll::setContent(QWidget* content) {
  setWidget(content);
  content->installEventFilter(this);
  cover_->raise();
}

void WholeRowScroll::keepWithNext(QWidget& heading, int pixels) {
  heading.setProperty(keep_with_next, pixels);
}

void WholeRowScroll::keepWhole(QWidget& widget) {
  widget.setProperty(keep_whole, true);
}

int WholeRowScroll::hiddenHeight() const {
  return cover_->isHidden() ? 0 : cover_->height();
}

void WholeRowScroll::fit() {
  const int bottom = verticalScrollBar()->value() + viewport()->height();
  const bool at_end = widget() == nullptr || verticalScrollBar()->value() >= verticalScrollBar()->maximum();
  const int whole = at_end ? bottom : whole_until(ranges_of(*widget()), bottom);
  const int top = whole - verticalScrollBar()->value();
  // Rows of adjacent columns can overlap such that no height cuts none of them. One cut row is then better
  // than an empty area, so at most a few rows are hidden.
  const int most_hidden = 4 * fontMetrics().lineSpacing();
  cover_->setVisible(top < viewport()->height() && top > 0 && viewport()->height() - top <= most_hidden);
  cover_->setGeometry(0, top, viewport()->width(), viewport()->height() - top);
}

/// Waits until the pending layouts are done. Each later change of the layout calls this function again.
void WholeRowScroll::fitLater() {
  if (std::exchange(waits_, true)) return;
  QTimer::singleShot(0, this, [this] {
    waits_ = false;
    fit();
  });
}

void WholeRowScroll::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  fitLater();
}

bool WholeRowScroll::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) fitLater();
  return QScrollArea::eventFilter(watched, event);
}

CutRowCover::CutRowCover(QTableView* table) : QWidget(table->viewport()), table_(table) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  setAttribute(Qt::WA_TransparentForMouseEvents);
  hide();
  table->viewport()->installEventFilter(this);
  connect(table->verticalScrollBar(), &QScrollBar::valueChanged, this, &CutRowCover::fit);
  connect(table->verticalScrollBar(), &QScrollBar::rangeChanged, this, &CutRowCover::fit);
  connect(table->verticalHeader(), &QHeaderView::geometriesChanged, this, &CutRowCover::fit);
}

void CutRowCover::fit() {
  const int bottom = table_->viewport()->height(), row = table_->rowAt(bottom - 1);
  const int top = row < 0 ? bottom : table_->rowViewportPosition(row);
  setVisible(row >= 0 && top > 0 && top + table_->rowHeight(row) > bottom);
  setGeometry(0, top, table_->viewport()->width(), bottom - top);
}

bool CutRowCover::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) fit();
  return QWidget::eventFilter(watched, event);
}

}  // namespace spira::ui
