#include "ui/lessons/controls/page_rows.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/lesson/lesson.hpp"
#include "ui/lessons/lesson_facts.hpp"
#include "ui/panels/scene/key_bits.hpp"
#include "ui/theme/labels.hpp"
#include "ui/theme/theme.hpp"

#include <QEvent>
#include <QGridLayout>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QTextDocumentFragment>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <bit>
#include <utility>

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

/// Handles all keys of the bar except Left and Right. During a lesson, these two keys change the page in the
/// whole window.
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

QString line_text(const LessonLine& line, const LessonFacts& facts) {
  const auto lookup = lookup_in(facts);
  const auto exists = [&](const Expression& formula) { return formula.evaluate(lookup).has_value(); };
  if (line.when && !line.when->holds(lookup)) return {};
  if (!std::all_of(line.text.expressions.begin(), line.text.expressions.end(), exists)) return {};
  if (!line.holds) return template_text(line.text, facts);
  if (!exists(*line.holds)) return {};
  const QString verdict = line.holds->holds(lookup) ? "\u2713" : "\u2717";
  return QString("<b>%1</b> %2").arg(verdict, template_text(line.text, facts));
}

LineRow::LineRow(LessonLine line, const LessonFacts* facts, QWidget* parent)
    : QWidget(parent), line_(std::move(line)), facts_(facts), text_(new QLabel(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::RichText);
  layout->addWidget(text_);
  refresh();
}

void LineRow::refresh() {
  const QString text = line_text(line_, *facts_);
  text_->setText(text);
  setVisible(!text.isEmpty());
  setAccessibleName(QTextDocumentFragment::fromHtml(text).toPlainText());
}

MaskRow::MaskRow(LessonMask mask, const LessonFacts* facts, Theme* theme, QWidget* parent)
    : QWidget(parent),
      mask_(std::move(mask)),
      facts_(facts),
      text_(new QLabel(this)),
      bits_(new KeyBits(theme, this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  text_->setWordWrap(true);
  layout->addWidget(text_);
  bits_->setHeading(false);
  bits_->setCleared(std::countr_zero(static_cast<unsigned>(mask_.stride)));
  layout->addWidget(bits_);
  refresh();
}

QString MaskRow::text() const {
  return text_->text();
}

void MaskRow::refresh() {
  text_->setText(template_text(mask_.text, *facts_));
  const LessonInput input = facts_->input();
  bits_->setVisible(input.scene && input.voxel);
  if (!input.scene || !input.voxel) return;
  bits_->show(input.scene->pack, input.scene->pack.pack(*input.voxel));
}

namespace {

QString text_of(const std::string& text) {
  return QString::fromStdString(text);
}

}  // namespace

NumberRow::NumberRow(LessonNumber number, const LessonFacts* facts, QWidget* parent)
    : QWidget(parent),
      number_(std::move(number)),
      about_(number_.points_at ? number_.points_at : offsets_of(number_.value)),
      facts_(facts),
      value_(new QLabel(this)),
      sample_(faint_label({}, this)) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(12);
  grid->setVerticalSpacing(2);
  grid->setColumnStretch(0, 1);
  auto* label = new QLabel(text_of(number_.label), this);
  label->setWordWrap(true);
  value_->setAlignment(Qt::AlignRight | Qt::AlignTop);
  grid->addWidget(label, 0, 0);
  grid->addWidget(value_, 0, 1);
  grid->addWidget(sample_, 1, 0, 1, 2);
  if (!number_.paper.empty())
    grid->addWidget(faint_label(tr("Spira paper: %1").arg(text_of(number_.paper)), this), 2, 0, 1, 2);
  setFocusPolicy(Qt::TabFocus);
  setAccessibleName(text_of(number_.label));
  refresh();
}

void NumberRow::refresh() {
  // While the pointer moves, the previous value stays visible until the next value has been computed.
  if (!facts_->pointed() || !is_coming(number_.value, *facts_)) value_->setText("<b>" + number() + "</b>");
  const QString sample = sample_text(number_.value, *facts_);
  sample_->setText(sample);
  sample_->setVisible(!sample.isEmpty());
  setToolTip(formula_text(number_.value, *facts_));
  setAccessibleDescription(number() + ". " + toolTip());
}

void NumberRow::setLit(bool lit) {
  if (lit == lit_) return;
  lit_ = lit;
  update();
}

/// Highlights the row with a frame instead of a background colour, so that the text stays readable.
void NumberRow::paintEvent(QPaintEvent* event) {
  QWidget::paintEvent(event);
  if (!lit_) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(palette().color(QPalette::Highlight), 1.5));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.75, 0.75, -0.75, -0.75), 3, 3);
}

QString NumberRow::label() const {
  return text_of(number_.label);
}

QString NumberRow::number() const {
  return number_text(number_.value, number_.digits, text_of(number_.unit), *facts_);
}

bool NumberRow::event(QEvent* event) {
  const auto type = event->type();
  if (about_) {
    if (type == QEvent::Enter || type == QEvent::FocusIn) emit pointedAt(*about_);
    if (type == QEvent::Leave || type == QEvent::FocusOut) emit pointedAway();
  }
  return QWidget::event(event);
}

}  // namespace spira::ui
