#include "ui/features/lessons/handout_pages.hpp"

#include <QBuffer>
#include <QCoreApplication>

#include <algorithm>
#include <string>

namespace spira::ui {
namespace {

constexpr double read_by_pupils = 1.3;  // Factor for the text size, relative to the text of a report.

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
