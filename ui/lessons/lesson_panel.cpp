#include "ui/lessons/lesson_panel.hpp"

#include "engine/run/replay/level_keys.hpp"
#include "ui/lessons/controls/control_row.hpp"
#include "ui/lessons/controls/number_table.hpp"
#include "ui/lessons/controls/page_rows.hpp"
#include "ui/lessons/lesson_bar_chart.hpp"
#include "ui/lessons/lesson_facts.hpp"
#include "ui/lessons/lesson_questions.hpp"
#include "ui/panels/profile/whole_row_scroll.hpp"
#include "ui/panels/scene/key_bits.hpp"
#include "ui/theme/screen_number.hpp"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

constexpr int margin = 14;

QLabel* words(const QString& text, QWidget* parent, bool faint = false) {
  auto* label = new QLabel(text, parent);
  label->setWordWrap(true);
  if (faint) label->setForegroundRole(QPalette::PlaceholderText);
  return label;
}

/// Returns a text that the lower edge of the page does not cut in the middle of a sentence.
QLabel* whole_words(const QString& text, QWidget* parent) {
  QLabel* label = words(text, parent);
  WholeRowScroll::keepWhole(*label);
  return label;
}

/// Returns the font for the text of a page, which is larger if the window is high enough.
QFont reading_font(QFont font, int height) {
  constexpr int high = 800;  // Window height in pixels.
  constexpr double larger = 1.2;
  if (height >= high) font.setPointSizeF(font.pointSizeF() * larger);
  return font;
}

QString text_of(const std::string& text) {
  return QString::fromStdString(text);
}

}  // namespace

LessonPanel::LessonPanel(LessonPlayer* player, LessonFacts* facts, Theme* theme, QWidget* parent)
    : QWidget(parent),
      player_(player),
      facts_(facts),
      theme_(theme),
      bar_(new PageBar(player, theme, this)),
      title_(words({}, this)),
      note_(words({}, this, true)),
      hint_(words({}, this, true)),
      scroll_(new WholeRowScroll(this)),
      back_(new QPushButton(tr("Back"), this)),
      go_(new QPushButton(this)),
      next_(new QPushButton(tr("Next"), this)),
      speed_(new QComboBox(this)),
      foot_(new QVBoxLayout) {
  setAccessibleName(tr("Lesson"));
  setFocusPolicy(Qt::StrongFocus);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(margin, 8, margin, 8);
  for (QWidget* part : std::initializer_list<QWidget*>{title_, note_, bar_})
    layout->addWidget(part);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setAccessibleName(tr("Page of the lesson"));
  layout->addWidget(scroll_, 1);
  layout->addWidget(hint_);
  auto* controls = new QHBoxLayout;
  for (QWidget* part : std::initializer_list<QWidget*>{back_, go_, next_})
    controls->addWidget(part);
  controls->addStretch(1);
  for (const double speed : {0.25, 0.5, 1.0, 2.0, 4.0})
    speed_->addItem(tr("%1x").arg(speed), speed);
  speed_->setCurrentIndex(2);
  speed_->setAccessibleName(tr("Animation speed"));
  speed_->setToolTip(tr("Animation speed"));
  controls->addWidget(speed_);
  layout->addLayout(controls);
  layout->addLayout(foot_);
  note_->hide();
  connect(back_, &QPushButton::clicked, player_, &LessonPlayer::back);
  connect(go_, &QPushButton::clicked, player_, &LessonPlayer::go);
  connect(next_, &QPushButton::clicked, player_, &LessonPlayer::next);
  connect(speed_, &QComboBox::activated, this,
          [this] { player_->setSpeed(speed_->currentData().toDouble()); });
  connect(player_, &LessonPlayer::speedChanged, this,
          [this] { speed_->setCurrentIndex(speed_->findData(player_->speed())); });
  connect(player_, &LessonPlayer::entered, this, &LessonPanel::rebuild);
  connect(player_, &LessonPlayer::left, this, [this] { solved_ = std::make_shared<std::vector<bool>>(); });
  connect(player_, &LessonPlayer::phaseChanged, this, [this] {
    refresh();
    if (player_->phase() != LessonPhase::reading)
      // Queue the call, because the layout must be complete first.
      QMetaObject::invokeMethod(this, &LessonPanel::uncoverResults, Qt::QueuedConnection);
  });
  connect(player_, &LessonPlayer::partChanged, this, [this](double part) {
    const LessonStep* step = player_->step();
    const std::string kind = step != nullptr && step->motion ? step->motion->kind : std::string();
    if (page_.bits != nullptr) page_.bits->setFilled(kind == "bits" && part > 0 ? part : 1);
    if (page_.bars != nullptr) page_.bars->setPart(kind.empty() ? 1 : part, kind == "race");
  });
  connect(facts_, &LessonFacts::changed, this, &LessonPanel::refresh);
}

void LessonPanel::addControls(const std::vector<QAction*>& actions) {
  auto* row = new QHBoxLayout;
  for (QAction* action : actions) {
    auto* button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    // This padding keeps all buttons in one row if the text is large.
    button->setStyleSheet("padding: 4px;");
    row->addWidget(button);
  }
  row->addStretch(1);
  foot_->addLayout(row);
}

void LessonPanel::takeFocus() {
  setFocus(Qt::OtherFocusReason);
}

void LessonPanel::setNote(const QString& note) {
  note_->setText(note);
  note_->setVisible(!note.isEmpty());
}

void LessonPanel::rebuild() {
  page_ = {};
  title_->setText(tr("<b>%1</b>").arg(text_of(player_->lesson()->title).toHtmlEscaped()));
  auto* content = new QWidget;
  auto* page = new QVBoxLayout(content);
  page->setContentsMargins(0, 6, 6, 6);
  page->setSpacing(8);
  if (const LessonStep* step = player_->step()) {
    addStep(*step, *page);
  } else {
    page_.questions = new LessonQuestions(player_->lesson(), facts_, solved_, content);
    connect(page_.questions, &LessonQuestions::commandsRequested, this, &LessonPanel::commandsRequested);
    page->addWidget(page_.questions);
  }
  page->addStretch(1);
  if (player_->step() != nullptr) content->setFont(reading_font(font(), window()->height()));
  const QWidget* focus = window()->focusWidget();
  if (scroll_->widget() != nullptr && scroll_->widget()->isAncestorOf(focus)) takeFocus();
  scroll_->setContent(content);
  orderTabs();
  refresh();
}

/// Sets the tab order. The page must come before the footer, although it is created later.
void LessonPanel::orderTabs() {
  QWidget* before = scroll_;
  for (QWidget* part : scroll_->widget()->findChildren<QWidget*>()) {
    if ((part->focusPolicy() & Qt::TabFocus) == 0 || part->window() != window())
      continue;  // Skip the drop-down list of a combo box.
    setTabOrder(before, part);
    before = part;
  }
  setTabOrder(before, back_);
}

/// Scrolls to the results if they are below the visible part of the page. If the results have bars, scrolls
/// until the bars and their legend are visible, otherwise until the first lines are visible.
void LessonPanel::uncoverResults() {
  if (page_.results == nullptr || page_.results->isHidden() || player_->calm()) return;
  constexpr int glance = 120;
  // The results may have become visible in this event-loop iteration.
  scroll_->widget()->layout()->activate();
  const int below =
      page_.bars == nullptr ? std::min(page_.results->height(), glance) : page_.bars->geometry().bottom() + 1;
  // A page that was scrolled too far while it was longer shows its results from their top.
  const int top = page_.results->y(), lowest = std::min(top, top + below - scroll_->viewport()->height());
  QScrollBar& bar = *scroll_->verticalScrollBar();
  bar.setValue(std::clamp(bar.value(), std::max(0, lowest), std::max(0, top)));
}

void LessonPanel::addStep(const LessonStep& step, QVBoxLayout& page) {
  page.addWidget(words(QString("<h2>%1</h2>").arg(text_of(step.title).toHtmlEscaped()), this));
  page_.text = words({}, this);
  page_.text->setTextFormat(Qt::RichText);
  page.addWidget(page_.text);
  if (step.guess) addGuess(*step.guess, page);
  if (step.key_bits) {
    page_.bits = new KeyBits(theme_, this);
    page_.bits->setAsking(true);
    WholeRowScroll::keepWhole(*page_.bits);
    connect(page_.bits, &KeyBits::bitPointedAt, this, &LessonPanel::bitPointedAt);
    connect(page_.bits, &KeyBits::bitPointedAway, this, &LessonPanel::bitPointedAway);
    page.addWidget(page_.bits);
  }
  if (QWidget* run = make_run_box_ ? make_run_box_(step, this) : nullptr) page.addWidget(run);
  page_.results = numbersOf(step);
  page.addWidget(page_.results);
  addTries(step, page);
}

void LessonPanel::addGuess(const LessonGuess& guess, QVBoxLayout& page) {
  page.addWidget(
      whole_words(tr("<b>Guess first:</b> %1").arg(text_of(guess.question).toHtmlEscaped()), this));
  auto* choices = new ChoiceRow(this);
  page.addWidget(choices);
  for (std::size_t at = 0; at < guess.choices.size(); ++at) {
    auto* choice = new QPushButton(text_of(guess.choices[at]), this);
    choice->setCheckable(true);
    choice->setAutoExclusive(true);
    connect(choice, &QPushButton::clicked, this, [this, at] {
      page_.guessed = static_cast<int>(at);
      refreshGuess();
      if (player_->phase() == LessonPhase::reading) player_->go();
      takeFocus();
    });
    choices->add(choice);
  }
  page_.guess_result = words({}, this);
  page.addWidget(page_.guess_result);
}

/// Creates the results that appear after the animation. Controls, table and bars come first, because a small
/// window shows only the top.
QWidget* LessonPanel::numbersOf(const LessonStep& step) {
  auto* box = new QWidget(this);
  auto* outer = new QVBoxLayout(box);
  outer->setContentsMargins(0, 0, 0, 0);
  for (const LessonControl& control : step.controls) {
    page_.controls.push_back(new ControlRow(control, facts_, box));
    connect(page_.controls.back(), &ControlRow::commandsRequested, this, &LessonPanel::commandsRequested);
    outer->addWidget(page_.controls.back());
  }
  if (step.table) {
    page_.table = new NumberTable(*step.table, facts_, box);
    outer->addWidget(page_.table);
  }
  if (step.bars) {
    page_.bars = new LessonBarChart(*step.bars, facts_, theme_, box);
    WholeRowScroll::keepWhole(*page_.bars, page_.bars->legendHeight());
    connect(page_.bars, &LessonBarChart::offsetsPointedAt, this, &LessonPanel::offsetsPointedAt);
    connect(page_.bars, &LessonBarChart::offsetsPointedAway, this, &LessonPanel::offsetsPointedAway);
    outer->addWidget(page_.bars);
  }
  for (const LessonLine& line : step.lines) {
    page_.lines.push_back(new LineRow(line, facts_, box));
    WholeRowScroll::keepWhole(*page_.lines.back());
    outer->addWidget(page_.lines.back());
  }
  for (const LessonNumber& number : step.numbers) {
    auto* row = new NumberRow(number, facts_, box);
    WholeRowScroll::keepWhole(*row);
    connect(row, &NumberRow::pointedAt, this, &LessonPanel::offsetsPointedAt);
    connect(row, &NumberRow::pointedAway, this, &LessonPanel::offsetsPointedAway);
    outer->addWidget(row);
    page_.rows.push_back(row);
  }
  for (const LessonMask& mask : step.masks) {
    page_.masks.push_back(new MaskRow(mask, facts_, theme_, box));
    outer->addWidget(page_.masks.back());
  }
  if (!step.after.empty())
    outer->addWidget(whole_words(QString("<b>%1</b>").arg(text_of(step.after).toHtmlEscaped()), box));
  return box;
}

void LessonPanel::addTries(const LessonStep& step, QVBoxLayout& page) {
  if (step.tries.empty()) return;
  page.addWidget(words(tr("<b>Try it</b>"), this));
  for (const LessonTry& attempt : step.tries) {
    page.addWidget(whole_words(text_of(attempt.text), this));
    if (attempt.commands.empty()) continue;
    const QString name = attempt.button.empty() ? tr("Run") : text_of(attempt.button);
    auto* button = new QPushButton(name, this);
    connect(button, &QPushButton::clicked, this,
            [this, commands = attempt.commands] { emit commandsRequested(commands); });
    page.addWidget(button, 0, Qt::AlignLeft);
  }
}

void LessonPanel::refresh() {
  if (!player_->lesson()) return;
  const LessonStep* step = player_->step();
  const LessonPhase phase = player_->phase();
  const bool last = player_->page() + 1 == player_->pages();
  back_->setEnabled(player_->page() > 0);
  back_->setToolTip(player_->page() > 0 ? tr("Page Up") : tr("First page"));
  next_->setEnabled(!last);
  next_->setToolTip(last ? tr("Last page") : tr("Page Down"));
  go_->setText(phase == LessonPhase::reading  ? tr("Play")
               : phase == LessonPhase::moving ? tr("Skip")
                                              : tr("Continue"));
  go_->setEnabled(phase != LessonPhase::shown || !last);
  go_->setToolTip(go_->isEnabled() ? tr("Space") : tr("Last page"));
  hint_->setText(phase == LessonPhase::reading ? tr("Press Space to play the animation and show the numbers.")
                 : last                        ? tr("Left arrow: back.")
                                               : tr("Space: continue. Left arrow: back."));
  if (step == nullptr) return;
  page_.text->setText(keepUnits(template_text(step->text, *facts_)));
  const bool shown = phase == LessonPhase::shown;
  page_.results->setVisible(shown || (step->bars && phase == LessonPhase::moving));
  if (page_.table != nullptr) page_.table->refresh();
  const auto refresh_all = [](const auto& parts) {
    for (auto* part : parts)
      part->refresh();
  };
  refresh_all(page_.rows);
  refresh_all(page_.masks);
  refresh_all(page_.lines);
  for (ControlRow* control : page_.controls)
    control->refresh();
  const LessonInput input = facts_->input();
  if (page_.bits != nullptr && input.scene && input.voxel) {
    const PackSpec& pack = input.scene->pack;
    page_.bits->show(pack, pack.pack(*input.voxel));
    page_.bits->setResting(highest_bit(input.scene->level(1)));
  }
  refreshGuess();
}

void LessonPanel::refreshGuess() {
  if (page_.guess_result == nullptr) return;
  const LessonGuess& guess = *player_->step()->guess;
  const auto answer = guess.answer.evaluate(lookup_in(*facts_));
  const double nearest = answer ? std::round(answer->value) : -1;
  const bool answered = player_->phase() == LessonPhase::shown && nearest >= 0 &&
                        nearest < static_cast<double>(guess.choices.size());
  page_.guess_result->setVisible(answered);
  if (!answered) return;
  const auto right = static_cast<std::size_t>(nearest);
  const QString answer_text = text_of(guess.choices[right]);
  page_.guess_result->setText(page_.guessed < 0 ? tr("Answer: %1.").arg(answer_text)
                              : page_.guessed == static_cast<int>(right)
                                  ? tr("\u2713 Correct: %1.").arg(answer_text)
                                  : tr("\u2717 Wrong. The answer is %1.").arg(answer_text));
}

void LessonPanel::commandsDone() {
  for (ControlRow* control : page_.controls)
    control->settled();
}

QImage LessonPanel::bitsPicture() const {
  return page_.bits == nullptr ? QImage() : pictureOf({page_.bits});
}

QImage LessonPanel::masksPicture() const {
  return pictureOf({page_.masks.begin(), page_.masks.end()});
}

/// Returns one picture with the widgets below each other. Returns a null image if there are no widgets.
QImage LessonPanel::pictureOf(const std::vector<QWidget*>& parts) const {
  constexpr double sharp = 2;
  QSize size;
  for (const QWidget* part : parts)
    size = {std::max(size.width(), part->width()), std::max(0, size.height()) + part->height()};
  if (size.isEmpty()) return {};
  QPixmap picture(size * sharp);
  picture.setDevicePixelRatio(sharp);
  picture.fill(theme_->palette().panel);
  int top = 0;
  for (QWidget* part : parts) {
    part->render(&picture, {0, top});
    top += part->height();
  }
  return picture.toImage();
}

void LessonPanel::light(const std::function<bool(const LessonCommand&)>& pointed) {
  for (NumberRow* row : page_.rows)
    row->setLit(row->about() && pointed(*row->about()));
  if (page_.bars != nullptr) page_.bars->light(pointed);
}

std::vector<std::pair<QString, QString>> LessonPanel::numbers() const {
  std::vector<std::pair<QString, QString>> shown;
  for (const NumberRow* row : page_.rows)
    shown.emplace_back(row->label(), row->number());
  return shown;
}

std::vector<std::pair<QString, QString>> LessonPanel::cells() const {
  return page_.table == nullptr ? std::vector<std::pair<QString, QString>>() : page_.table->numbers();
}

}  // namespace spira::ui
