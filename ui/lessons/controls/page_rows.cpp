#include "ui/lessons/controls/page_rows.hpp"

#include "engine/backend/host_read.hpp"
#include "engine/lesson/lesson.hpp"
#include "ui/lessons/fact_text.hpp"
#include "ui/lessons/lesson_facts.hpp"
#include "ui/panels/scene/key_bits.hpp"
#include "ui/theme/wrapped_label.hpp"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QTextDocumentFragment>
#include <QVBoxLayout>

#include <algorithm>
#include <bit>
#include <utility>

namespace spira::ui {

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
  // While the pointer moves, the previous value stays visible until the next one is computed.
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
