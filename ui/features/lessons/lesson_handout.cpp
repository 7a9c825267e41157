#include "ui/features/lessons/lesson_handout.hpp"

#include "engine/base/text.hpp"
#include "ui/charts/pdf_pages.hpp"
#include "ui/features/lessons/lessons.hpp"
#include "ui/lessons/controls/number_table.hpp"
#include "ui/lessons/controls/page_rows.hpp"
#include "ui/lessons/diagrams/diagram_view.hpp"
#include "ui/lessons/lesson_facts.hpp"
#include "ui/lessons/lesson_panel.hpp"
#include "ui/theme/theme.hpp"
#include "ui/view3d/scene_view.hpp"

#include <QBuffer>
#include <QCoreApplication>
#include <QMainWindow>
#include <QPainter>
#include <QProgressDialog>
#include <QTextDocumentFragment>

#include <algorithm>
#include <string>
#include <utility>

namespace spira::ui {
namespace {

constexpr int poll_ms = 40, scale = 1;

QString text_of(const std::string& text) {
  return QString::fromStdString(text);
}

/// Returns a wider white picture that contains `picture` on the left. PdfPages scales each picture to the
/// full page width, so `picture` then covers only the fraction `part` of the width.
QImage at_left(const QImage& picture, double part) {
  if (picture.isNull()) return {};
  QImage sheet(static_cast<int>(picture.width() / part), picture.height(), QImage::Format_RGB32);
  sheet.fill(Qt::white);
  QPainter painter(&sheet);
  painter.drawImage(QRect(QPoint(0, 0), picture.size()), picture);
  return sheet;
}

}  // namespace

LessonHandout::LessonHandout(const FeatureContext& context, Lessons& lessons, SceneView& view, QString file,
                             QObject* parent)
    : QObject(parent),
      context_(context),
      lessons_(lessons),
      view_(view),
      file_(std::move(file)),
      bar_(new QProgressDialog(tr("Preparing the handout"), tr("Cancel"), 0,
                               static_cast<int>(lessons_.player().lesson()->steps.size()), &context.window)) {
  bar_->setWindowTitle(tr("Handout"));
  bar_->setWindowModality(Qt::WindowModal);
  page_before_ = lessons_.player().page();
  calm_before_ = lessons_.player().calm();
  shown_before_ = lessons_.player().phase() == LessonPhase::shown;
  lessons_.player().setCalm(true);
  lessons_.player().jump(0);
  timer_.setInterval(poll_ms);
  connect(&timer_, &QTimer::timeout, this, &LessonHandout::poll);
  timer_.start();
}

LessonHandout::~LessonHandout() {
  bar_->deleteLater();
}

/// Checks repeatedly whether the page is complete. The page is stored only after two successive checks
/// succeed, so that its results have been painted.
void LessonHandout::poll() {
  LessonPlayer& player = lessons_.player();
  const bool over = !player.lesson() || bar_->wasCanceled();
  if (!over) {
    settled_for_ = lessons_.pages().settled() ? settled_for_ + 1 : 0;
    if (settled_for_ < 2) return;
    settled_for_ = 0;
    take();
    bar_->setValue(static_cast<int>(pages_.size()));
    if (player.page() + 1 < static_cast<int>(player.lesson()->steps.size())) return player.next();
    emit ready(file_, [all = handout()] { return handout_pdf(all); });
  }
  timer_.stop();
  // In calm mode, a page opens in its final state and has no animation.
  player.setCalm(calm_before_ || shown_before_);
  player.jump(page_before_);
  player.setCalm(calm_before_);
  deleteLater();
}

PdfTable LessonHandout::tableOf(const LessonBars& bars) const {
  const LessonFacts& facts = lessons_.pages().facts();
  const int digits = bar_digits(bars, facts);
  PdfTable table{{text_of(bars.title), text_of(bars.value_name)}, {3, 2}, {}, 1};
  if (!bars.control.empty()) {
    table.header += text_of(bars.control_name);
    table.shares.push_back(3);
  }
  for (std::size_t at = 0; at < bars.values.size(); ++at) {
    QStringList row{text_of(bars.labels[at]), number_text(bars.values[at], digits, {}, facts)};
    if (!bars.control.empty()) row += number_text(bars.control[at], digits, {}, facts);
    table.rows.push_back(row);
  }
  return table;
}

PdfTable LessonHandout::tableOf(const LessonTable& table) const {
  PdfTable made{{text_of(table.title)}, {4}, {}, 1};
  for (const std::string& column : table.columns) {
    made.header += text_of(column);
    made.shares.push_back(2);
  }
  for (const LessonTable::Row& row : table.rows) {
    const QStringList cells = cells_of(row, lessons_.pages().facts());
    if (!cells.isEmpty()) made.rows.push_back(QStringList{label_of(row)} + cells);
  }
  return made;
}

/// Collects the numbers of the page. For a recorded run, numbers that need a run are collected in a separate
/// table.
void LessonHandout::takeNumbers(const LessonStep& step, HandoutPage& page) const {
  const auto run = lessons_.pages().runs().run();
  const auto table = [](const QString& head) { return PdfTable{{tr("Quantity"), head}, {4, 1}, {}, 1}; };
  page.numbers = table(tr("This scene"));
  page.run_numbers = table(tr("Recorded run"));
  const auto shown = lessons_.pages().panel().numbers();
  for (std::size_t at = 0; at < std::min(shown.size(), step.numbers.size()); ++at) {
    const bool of_run = run && run->recorded && run_needs(step.numbers[at].value.names()) != RunNeeds{};
    (of_run ? page.run_numbers : page.numbers).rows.push_back({shown[at].first, shown[at].second});
  }
}

void LessonHandout::take() {
  const LessonStep& step = *lessons_.player().step();
  HandoutPage page;
  page.title = tr("%1. %2").arg(pages_.size() + 1).arg(text_of(step.title));
  page.text =
      QTextDocumentFragment::fromHtml(template_text(step.text, lessons_.pages().facts())).toPlainText();
  page.after = text_of(step.after);
  if (step.guess) page.guess = guess_text(*step.guess);
  takeNumbers(step, page);
  if (step.bars) page.bars = tableOf(*step.bars);
  if (step.table) page.table = tableOf(*step.table);
  for (const LessonLine& line : step.lines) {
    const QString text = line_text(line, lessons_.pages().facts());
    if (!text.isEmpty()) page.lines += QTextDocumentFragment::fromHtml(text).toPlainText();
  }
  for (const LessonNumber& number : step.numbers) {
    const QString sample = sample_text(number.value, lessons_.pages().facts());
    if (!sample.isEmpty()) page.notes += tr("%1: %2").arg(text_of(number.label), sample);
    if (!number.paper.empty())
      page.notes += tr("%1, value in the Spira paper: %2").arg(text_of(number.label), text_of(number.paper));
  }
  if (const auto run = lessons_.pages().runs().run())
    page.notes += tr("Source of the times: %1").arg(source_text(*run));
  if (step.motion) page.caption = text_of(step.motion->caption);
  page.view = view_.picture(scale, false);
  const DiagramView& diagram = lessons_.pages().diagram();
  constexpr int diagram_height = 270;
  const QSize sheet(static_cast<int>(PdfPages::width()), diagram_height);
  if (!diagram.isHidden()) page.diagram = diagram.onPaper(sheet, *Theme::forPaper(), paper_font());
  page.bits = lessons_.pages().panel().bitsPicture();
  // Fraction of the page width that the picture covers. With this value, the text and its tables fit on one
  // page.
  constexpr double of_page = 0.42;
  page.masks = at_left(lessons_.pages().panel().masksPicture(), of_page);
  pages_.push_back(page);
}

Handout LessonHandout::handout() const {
  const Lesson& lesson = *lessons_.player().lesson();
  const QString title = text_of(lesson.title), scene = text_of(context_.workspace.scene().cloud()->name);
  const auto count = static_cast<std::int64_t>(context_.workspace.scene().facts()->voxels);
  Handout all{
      title,
      scene,
      tr("%1; scene: %2, %3; SpiraScope %4")
          .arg(title, scene, count == 1 ? tr("1 voxel") : tr("%1 voxels").arg(text_of(count_text(count))),
               SPIRA_VERSION),
      pages_,
      {}};
  for (const LessonQuestion& question : lesson.questions)
    all.questions += text_of(question.text);
  return all;
}

namespace {

constexpr double read_by_pupils = 1.3;  // Text size relative to the text of a report.

class Words {
  Q_DECLARE_TR_FUNCTIONS(spira::ui::LessonHandout)
};

/// Adds a page to the PDF. `view_height` is the height of the view picture in the unit of PdfPages. 0 omits
/// the picture.
void add(const HandoutPage& page, double view_height, PdfPages& pdf) {
  pdf.page(page.title);
  pdf.paragraph(page.text);
  if (!page.guess.isEmpty()) pdf.paragraph(page.guess);
  if (view_height > 0) pdf.picture(page.view, view_height);
  pdf.picture(page.diagram);
  if (!page.caption.isEmpty()) pdf.paragraph(page.caption);
  pdf.picture(page.bits);
  if (page.table) pdf.table(*page.table);
  for (const PdfTable* table : {&page.numbers, &page.run_numbers}) {
    if (!table->rows.empty()) pdf.table(*table);
  }
  if (page.bars) pdf.table(*page.bars);
  pdf.picture(page.masks);
  if (!page.lines.isEmpty()) pdf.paragraph(page.lines.join("\n"));
  for (const QString& line : page.notes)
    pdf.paragraph(line);
  pdf.paragraph(page.after);
}

/// Returns the maximum height of the view picture for which the lesson step fits on one page.
double highest_view(const HandoutPage& page) {
  constexpr double smallest = 120, largest = 450, gap = 8;
  QBuffer nowhere;
  nowhere.open(QIODevice::WriteOnly);
  PdfPages trial(nowhere, {}, {}, {}, read_by_pupils);
  add(page, 0, trial);
  return trial.pages() == 1 ? std::clamp(trial.room() - gap, smallest, largest) : smallest;
}

}  // namespace

QString guess_text(const LessonGuess& guess) {
  QString text = Words::tr("Guess first: %1").arg(QString::fromStdString(guess.question));
  for (const std::string& choice : guess.choices) {
    QString whole = QString("\u25a1 ") + QString::fromStdString(choice);
    text += "   " + whole.replace(' ', QChar::Nbsp);
  }
  return text;
}

QByteArray handout_pdf(const Handout& handout) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  {
    PdfPages pdf(buffer, handout.title, {{"scene", handout.scene}}, handout.footer, read_by_pupils);
    for (const HandoutPage& page : handout.pages)
      add(page, highest_view(page), pdf);
    pdf.page(Words::tr("Check yourself"));
    for (const QString& question : handout.questions)
      pdf.paragraph("\u25a1 " + question);
  }
  return bytes;
}

}  // namespace spira::ui
