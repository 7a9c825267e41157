#include "ui/window/lesson_handout.hpp"

#include "engine/base/text.hpp"
#include "ui/lessons/diagram_view.hpp"
#include "ui/lessons/fact_text.hpp"
#include "ui/lessons/lesson_panel.hpp"
#include "ui/lessons/lesson_player.hpp"
#include "ui/lessons/lesson_runs.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/window/lessons.hpp"
#include "ui/window/main_window.hpp"

#include <QBuffer>
#include <QPainter>
#include <QProgressDialog>
#include <QTextDocumentFragment>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

constexpr int poll_ms = 40, scale = 1;
constexpr double read_by_pupils = 1.3;  // larger text than a report has

QString text_of(const std::string& text) {
  return QString::fromStdString(text);
}

QImage above(const QImage& upper, const QImage& lower) {
  QImage both(std::max(upper.width(), lower.width()), upper.height() + lower.height(), QImage::Format_RGB32);
  both.fill(Qt::white);
  QPainter painter(&both);
  painter.drawImage(0, 0, upper);
  painter.drawImage(0, upper.height(), lower);
  return both;
}

}  // namespace

LessonHandout::LessonHandout(MainWindow* window, QString file)
    : QObject(window),
      window_(window),
      lessons_(&window->lessons()),
      file_(std::move(file)),
      bar_(new QProgressDialog(tr("Looking at the steps"), tr("Cancel"), 0,
                               static_cast<int>(lessons_->player().lesson()->steps.size()), window)) {
  bar_->setWindowTitle(tr("Hand-out"));
  bar_->setWindowModality(Qt::WindowModal);
  page_before_ = lessons_->player().page();
  calm_before_ = lessons_->player().calm();
  lessons_->player().setCalm(true);
  lessons_->player().jump(0);
  timer_.setInterval(poll_ms);
  connect(&timer_, &QTimer::timeout, this, &LessonHandout::poll);
  timer_.start();
}

LessonHandout::~LessonHandout() {
  bar_->deleteLater();
}

/// Twice settled: what its results led to has been painted in between.
void LessonHandout::poll() {
  LessonPlayer& player = lessons_->player();
  const bool over = !player.lesson() || bar_->wasCanceled();
  if (!over) {
    settled_for_ = lessons_->settled() ? settled_for_ + 1 : 0;
    if (settled_for_ < 2) return;
    settled_for_ = 0;
    take();
    bar_->setValue(static_cast<int>(pages_.size()));
    if (player.page() + 1 < static_cast<int>(player.lesson()->steps.size())) return player.next();
    emit ready(file_, pdf());
  }
  timer_.stop();
  player.setCalm(calm_before_);
  player.jump(page_before_);
  deleteLater();
}

PdfTable LessonHandout::tableOf(const LessonBars& bars) const {
  const LessonFacts& facts = lessons_->facts();
  PdfTable table{{text_of(bars.title), text_of(bars.value_name)}, {3, 2}, {}, 1};
  if (!bars.control.empty()) {
    table.header += text_of(bars.control_name);
    table.shares.push_back(3);
  }
  for (std::size_t at = 0; at < bars.values.size(); ++at) {
    QStringList row{text_of(bars.labels[at]), number_text(bars.values[at], 1, {}, facts)};
    if (!bars.control.empty()) row += number_text(bars.control[at], 1, {}, facts);
    table.rows.push_back(row);
  }
  return table;
}

void LessonHandout::take() {
  const LessonStep& step = *lessons_->player().step();
  Page page;
  page.title = text_of(step.title);
  page.text = QTextDocumentFragment::fromHtml(template_text(step.text, lessons_->facts())).toPlainText();
  page.after = text_of(step.after);
  page.numbers = lessons_->panel().numbers();
  if (step.bars) page.bars = tableOf(*step.bars);
  for (const LessonNumber& number : step.numbers) {
    const QString sample = sample_text(number.value, lessons_->facts());
    if (!sample.isEmpty()) page.notes += tr("%1: %2").arg(text_of(number.label), sample);
    if (!number.paper.empty())
      page.notes += tr("%1, the paper: %2").arg(text_of(number.label), text_of(number.paper));
  }
  if (const auto run = lessons_->runs().run()) page.notes += tr("Times of: %1.").arg(text_of(run->source));
  if (step.motion) page.caption = text_of(step.motion->caption);
  page.picture = window_->sceneView().picture(scale, false);
  const DiagramView& diagram = lessons_->diagram();
  if (!diagram.isHidden()) page.picture = above(page.picture, diagram.picture());
  page.bits = lessons_->panel().bitsPicture();
  pages_.push_back(page);
}

QByteArray LessonHandout::pdf() const {
  const Lesson& lesson = *lessons_->player().lesson();
  const QString scene = text_of(window_->workspace().cloud()->name);
  const auto count = static_cast<std::int64_t>(window_->workspace().sceneFacts()->voxels);
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  {
    PdfPages pdf(buffer, text_of(lesson.title), {{"scene", scene}},
                 tr("%1; scene: %2, %3 voxels; SpiraScope %4")
                     .arg(text_of(lesson.title), scene, text_of(count_text(count)), SPIRA_VERSION),
                 read_by_pupils);
    for (std::size_t at = 0; at < pages_.size(); ++at) {
      const Page& page = pages_[at];
      pdf.page(tr("%1. %2").arg(at + 1).arg(page.title));
      pdf.paragraph(page.text);
      pdf.picture(page.picture);
      if (!page.caption.isEmpty()) pdf.paragraph(page.caption);
      pdf.picture(page.bits);
      PdfTable table{{tr("Number"), tr("This scene")}, {4, 1}, {}, 1};
      for (const auto& [label, value] : page.numbers)
        table.rows.push_back({label, value});
      if (!table.rows.empty()) pdf.table(table);
      if (page.bars) pdf.table(*page.bars);
      for (const QString& line : page.notes)
        pdf.paragraph(line);
      pdf.paragraph(page.after);
    }
    pdf.page(tr("Check yourself"));
    for (const LessonQuestion& question : lesson.questions)
      pdf.paragraph("\u25a1 " + text_of(question.text));
  }
  return bytes;
}

}  // namespace spira::ui
