// The content of the pages of a handout, and their layout as a PDF. The content contains only values, so any
// thread can use it.
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
  PdfTable numbers, run_numbers;  ///< Numbers of the open scene and of a recorded run.
  QString guess;                  ///< Text from guess_text().
  std::optional<PdfTable> table, bars;
  QStringList lines;  ///< Statements about the scene, each with a tick or a cross.
  QStringList notes;  ///< Notes about sampling and measurement, and published values.
  QImage view, diagram;
  /// Pictures of the packed coordinate that the page explains, before and after its masks.
  QImage bits, masks;
};

struct Handout {
  QString title, scene, footer;
  std::vector<HandoutPage> pages;
  QStringList questions;
};

/// Returns the text "Guess first: ..." with a box before each answer. Lines break only between answers.
[[nodiscard]] QString guess_text(const LessonGuess& guess);
[[nodiscard]] QByteArray handout_pdf(const Handout& handout);

}  // namespace spira::ui
