// What stands on the pages of a hand-out, and how it is laid out: values alone, on any thread.
#pragma once

#include "engine/lesson/lesson.hpp"
#include "ui/charts/pdf_pages.hpp"

#include <QByteArray>
#include <QImage>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace spira::ui {

struct HandoutPage {
  QString title, text, after, caption;
  PdfTable numbers, run_numbers;  ///< of the open scene, and of a recorded run
  QString guess;                  ///< guess_text()
  std::optional<PdfTable> table, bars;
  QStringList lines;  ///< what is said of the scene, with a tick or a cross
  QStringList notes;  ///< how they were sampled or measured, what the paper says of them
  QImage view, diagram;
  QImage bits, masks;  ///< the word that the page is about, and what masks leave of it
};

struct Handout {
  QString title, scene, footer;
  std::vector<HandoutPage> pages;
  QStringList questions;
};

/// "Guess first: ...", with a box before each choice; a line breaks between choices alone.
[[nodiscard]] QString guess_text(const LessonGuess& guess);
[[nodiscard]] QByteArray handout_pdf(const Handout& handout);

}  // namespace spira::ui
