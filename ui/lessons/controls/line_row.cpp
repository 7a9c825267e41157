#include "ui/lessons/controls/line_row.hpp"

#include "ui/lessons/fact_text.hpp"
#include "ui/lessons/lesson_facts.hpp"

#include <QLabel>
#include <QTextDocumentFragment>
#include <QVBoxLayout>

#include <algorithm>
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

}  // namespace spira::ui
