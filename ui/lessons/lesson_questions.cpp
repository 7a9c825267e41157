#include "ui/lessons/lesson_questions.hpp"

#include "ui/lessons/fact_text.hpp"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>

#include <algorithm>
#include <utility>

namespace spira::ui {

LessonQuestions::LessonQuestions(std::shared_ptr<const Lesson> lesson, const LessonFacts* facts,
                                 QWidget* parent)
    : QWidget(parent), lesson_(std::move(lesson)), facts_(facts), sum_(new QLabel(this)) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setColumnStretch(1, 1);
  grid->setVerticalSpacing(10);
  auto* head =
      new QLabel(tr("<h2>Check yourself</h2>Answer by choosing in the window: what you do is seen."), this);
  head->setWordWrap(true);
  grid->addWidget(head, 0, 0, 1, 2);
  for (const LessonQuestion& question : lesson_->questions) {
    const int at = grid->rowCount();
    auto* text = new QLabel(QString::fromStdString(question.text), this);
    text->setWordWrap(true);
    auto* hint = new QLabel(QString::fromStdString(question.hint), this);
    hint->setWordWrap(true);
    hint->setForegroundRole(QPalette::PlaceholderText);
    hint->hide();
    auto* ask = new QPushButton(tr("Hint"), this);
    connect(ask, &QPushButton::clicked, hint, [hint] { hint->setVisible(hint->isHidden()); });
    auto* mark = new QLabel(this);
    grid->addWidget(mark, at, 0, Qt::AlignTop);
    grid->addWidget(text, at, 1);
    grid->addWidget(ask, at + 1, 1, Qt::AlignLeft);
    grid->addWidget(hint, at + 2, 1);
    rows_.push_back({mark, hint});
  }
  sum_->setWordWrap(true);
  grid->addWidget(sum_, grid->rowCount(), 0, 1, 2);
  connect(facts_, &LessonFacts::changed, this, &LessonQuestions::check);
  for (const Row& row : rows_)
    show(row);
  check();
}

void LessonQuestions::check() {
  for (std::size_t at = 0; at < rows_.size(); ++at) {
    if (rows_[at].solved || !lesson_->questions[at].check.holds(lookup_in(*facts_))) continue;
    rows_[at].solved = true;
    show(rows_[at]);
  }
  const auto done = std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.solved; });
  sum_->setText(tr("%1 of %2 answered.").arg(done).arg(rows_.size()));
}

void LessonQuestions::show(const Row& row) const {
  row.mark->setText(row.solved ? "<b>\u2713</b>" : "\u25cb");
  row.mark->setAccessibleName(row.solved ? tr("answered") : tr("open"));
}

}  // namespace spira::ui
