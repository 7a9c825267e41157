#include "ui/lessons/lesson_questions.hpp"

#include "ui/lessons/controls/page_rows.hpp"
#include "ui/lessons/lesson_facts.hpp"
#include "ui/theme/screen_number.hpp"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include <algorithm>
#include <utility>

namespace spira::ui {

LessonQuestions::LessonQuestions(std::shared_ptr<const Lesson> lesson, const LessonFacts* facts,
                                 std::shared_ptr<std::vector<bool>> solved, QWidget* parent)
    : QWidget(parent),
      lesson_(std::move(lesson)),
      facts_(facts),
      solved_(std::move(solved)),
      sum_(new QLabel(this)) {
  solved_->resize(lesson_->questions.size(), false);
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setColumnStretch(1, 1);
  grid->setVerticalSpacing(10);
  auto* head = new QLabel(tr("<h2>Check yourself</h2>Answer by selecting items in the window. Answers are "
                             "detected automatically."),
                          this);
  head->setWordWrap(true);
  grid->addWidget(head, 0, 0, 1, 2);
  for (const LessonQuestion& question : lesson_->questions)
    addRow(*grid, question);
  sum_->setWordWrap(true);
  grid->addWidget(sum_, grid->rowCount(), 0, 1, 2);
  connect(facts_, &LessonFacts::changed, this, &LessonQuestions::check);
  check();
}

void LessonQuestions::addRow(QGridLayout& grid, const LessonQuestion& question) {
  const int at = grid.rowCount();
  const auto words = [this](const QString& text) {
    auto* label = new QLabel(text, this);
    label->setWordWrap(true);
    return label;
  };
  auto* chosen = words({});
  auto* hint = words(QString::fromStdString(question.hint));
  for (QLabel* faint : {chosen, hint})
    faint->setForegroundRole(QPalette::PlaceholderText);
  hint->hide();
  auto* ask = new QPushButton(tr("Hint"), this);
  connect(ask, &QPushButton::clicked, hint, [hint] { hint->setVisible(hint->isHidden()); });
  auto* mark = new QLabel(this);
  grid.addWidget(mark, at, 0, Qt::AlignTop);
  grid.addWidget(words(keepUnits(QString::fromStdString(question.text))), at, 1);
  grid.addWidget(chosen, at + 1, 1);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(6);
  buttons->addWidget(ask);
  if (!question.commands.empty()) {
    auto* show = new QPushButton(tr("Show controls"), this);
    connect(show, &QPushButton::clicked, this,
            [this, commands = question.commands] { emit commandsRequested(commands); });
    buttons->addWidget(show);
  }
  buttons->addStretch(1);
  grid.addLayout(buttons, at + 2, 1);
  grid.addWidget(hint, at + 3, 1);
  rows_.push_back({mark, chosen});
}

void LessonQuestions::check() {
  for (std::size_t at = 0; at < rows_.size(); ++at) {
    const LessonQuestion& question = lesson_->questions[at];
    if (question.check.holds(lookup_in(*facts_))) solved_->at(at) = true;
    const bool solved = solved_->at(at);
    rows_[at].mark->setText(solved ? "<b>\u2713</b>" : "\u25cb");
    rows_[at].mark->setAccessibleName(solved ? tr("answered") : tr("not answered"));
    const QString chosen = line_text({question.shows, {}, {}}, *facts_);
    rows_[at].chosen->setText(chosen);
    rows_[at].chosen->setVisible(!chosen.isEmpty());
  }
  sum_->setText(tr("Questions answered: %1 of %2.")
                    .arg(std::count(solved_->begin(), solved_->end(), true))
                    .arg(solved_->size()));
  sum_->setVisible(!solved_->empty());
}

}  // namespace spira::ui
