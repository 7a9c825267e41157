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
#include <QTextFrame>
#include <QTextTable>
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

/// A vertical range of the content that the edge of the view must not cut.
using Range = std::pair<int, int>;

/// Adds the lines of a block of text that starts at the height `top`.
void add_block(const QTextBlock& block, double top, std::vector<Range>& lines) {
  for (int at = 0; at < block.layout()->lineCount(); ++at) {
    const QRectF line = block.layout()->lineAt(at).rect().translated(0, top);
    lines.emplace_back(static_cast<int>(std::floor(line.top())), static_cast<int>(std::ceil(line.bottom())));
  }
}

/// Adds the rows of a table. A row is one range, so that a cell of several lines is never cut in a sentence.
void add_table(const QTextTable& table, const QAbstractTextDocumentLayout& layout,
               std::vector<Range>& lines) {
  for (int row = 0; row < table.rows(); ++row) {
    std::vector<Range> cells;
    for (int column = 0; column < table.columns(); ++column) {
      const QTextTableCell cell = table.cellAt(row, column);
      for (auto at = cell.begin(); !at.atEnd(); ++at) {
        const QTextBlock block = at.currentBlock();
        if (block.isValid()) add_block(block, layout.blockBoundingRect(block).top(), cells);
      }
    }
    if (cells.empty()) continue;
    Range whole = cells.front();
    for (const auto& [from, to] : cells)
      whole = {std::min(whole.first, from), std::max(whole.second, to)};
    lines.push_back(whole);
  }
}

/// Adds the lines of a label, and the rows of its tables. The heading of a label stays together with the two
/// lines or rows below it.
void add_lines(const QLabel& label, int top, std::vector<Range>& ranges) {
  const int kept = label.property(keep_with_next).toInt();
  if (kept > 0) return ranges.emplace_back(top, top + label.height() + kept), void();
  QTextDocument text;
  text.setDefaultFont(label.font());
  text.setDocumentMargin(0);
  Qt::mightBeRichText(label.text()) ? text.setHtml(label.text()) : text.setPlainText(label.text());
  text.setTextWidth(label.contentsRect().width());
  const QAbstractTextDocumentLayout& layout = *text.documentLayout();
  std::vector<Range> lines;
  for (auto at = text.rootFrame()->begin(); !at.atEnd(); ++at) {
    if (const auto* table = qobject_cast<const QTextTable*>(at.currentFrame())) {
      add_table(*table, layout, lines);
    } else if (const QTextBlock block = at.currentBlock(); block.isValid()) {
      add_block(block, layout.blockBoundingRect(block).top(), lines);
    }
  }
  constexpr std::size_t with_heading = 3;
  if (label.text().startsWith(heading_tag) && !lines.empty())
    lines.front().second = lines[std::min(with_heading, lines.size()) - 1].second;
  const int first = top + label.contentsRect().top();
  for (const auto& [from, to] : lines)
    ranges.emplace_back(first + from, first + to);
}

/// A widget of the content: its horizontal position, and its lines and rows.
struct Part {
  int left = 0, right = 0;
  std::vector<Range> ranges;
};

std::vector<Part> parts_of(const QWidget& content) {
  std::vector<Part> parts;
  for (const QWidget* widget : content.findChildren<QWidget*>()) {
    if (!widget->isVisibleTo(&content)) continue;
    const QPoint corner = widget->mapTo(&content, QPoint());
    const int top = corner.y();
    std::vector<Range> ranges;
    const QVariant legend = widget->property(keep_whole);
    if (legend.isValid() || qobject_cast<const QAbstractButton*>(widget) != nullptr) {
      const int bottom = top + widget->height(), middle = bottom - legend.toInt();
      ranges = {{top, middle}, {middle, bottom}};
    } else if (const auto* label = qobject_cast<const QLabel*>(widget)) {
      add_lines(*label, top, ranges);
    } else if (const auto* table = qobject_cast<const QTableView*>(widget)) {
      const int rows = table->model() == nullptr ? 0 : table->model()->rowCount();
      for (int row = 0; row < rows; ++row) {
        const int row_top = top + table->viewport()->y() + table->rowViewportPosition(row);
        ranges.emplace_back(row_top, row_top + table->rowHeight(row));
      }
    }
    if (!ranges.empty()) parts.push_back({corner.x(), corner.x() + widget->width(), std::move(ranges)});
  }
  return parts;
}

/// Returns the lines and rows of all parts between two horizontal positions.
std::vector<Range> ranges_between(const std::vector<Part>& parts, int left, int right) {
  std::vector<Range> ranges;
  for (const Part& part : parts) {
    if (part.left < right && part.right > left)
      ranges.insert(ranges.end(), part.ranges.begin(), part.ranges.end());
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

void WholeRowScroll::keepWhole(QWidget& widget, int legend) {
  widget.setProperty(keep_whole, legend);
}

int WholeRowScroll::hiddenHeight(const QWidget& widget) const {
  if (cover_->isHidden()) return 0;
  const QRegion hidden = cover_->mask().isEmpty() ? QRegion(cover_->rect()) : cover_->mask();
  const int left = widget.mapTo(viewport(), QPoint()).x() - cover_->x();
  return hidden.intersected(QRect(left, 0, widget.width(), cover_->height())).boundingRect().height();
}

void WholeRowScroll::fit() {
  const bool at_end = widget() == nullptr || verticalScrollBar()->value() >= verticalScrollBar()->maximum();
  if (at_end) return cover_->hide();
  const std::vector<Part> parts = parts_of(*widget());
  const int width = viewport()->width(), height = viewport()->height(),
            scrolled = verticalScrollBar()->value();
  const auto cut_between = [&](int left, int right) {
    const int top = whole_until(ranges_between(parts, left, right), scrolled + height) - scrolled;
    return top > 0 && top < height ? QRect(left, top, right - left, height - top) : QRect();
  };
  QRegion hidden = cut_between(0, width);
  // Rows of adjacent columns can overlap such that a common height would hide many of them. Each column then
  // ends at its own height.
  const int most_hidden = 4 * fontMetrics().lineSpacing();
  if (hidden.isEmpty() || hidden.boundingRect().height() > most_hidden) {
    hidden = {};
    for (const Part& part : parts) {
      const bool cut = std::any_of(part.ranges.begin(), part.ranges.end(), [&](const Range& range) {
        return range.first < scrolled + height && range.second > scrolled + height;
      });
      // A wide part below the columns must not give them a common height.
      if (cut) hidden += cut_between(part.left, part.right);
    }
  }
  const QRect all = hidden.boundingRect();
  cover_->setVisible(!all.isEmpty());
  cover_->setGeometry(all);
  hidden.rectCount() > 1 ? cover_->setMask(hidden.translated(-all.topLeft())) : cover_->clearMask();
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
