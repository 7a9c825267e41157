// Formats the numbers of a lesson. A text contains the number with its error, or a note that it is being
// computed.
#pragma once

#include "engine/lesson/lesson.hpp"
#include "ui/lessons/lesson_facts.hpp"

#include <QString>

namespace spira::ui {

/// Returns a text such as "53,693", "12.5 %" or "4.95 ± 0.02". Returns "computing" while the number is being
/// computed, and a dash if the number does not exist.
[[nodiscard]] QString number_text(const Expression& value, int digits, const QString& unit,
                                  const LessonFacts& facts);
/// Returns the number of decimals for the labels of the bars. The largest value gets three significant digits
/// (at most 4 decimals), and the smallest value two (at most 2 decimals).
[[nodiscard]] int bar_digits(const LessonBars& bars, const LessonFacts& facts);
/// Returns the value as text. If `digits` is 0, the text has thousands separators.
[[nodiscard]] QString digits_text(double value, int digits);
/// Returns the text with its numbers filled in. Integers have thousands separators, and other numbers have as
/// few digits as needed.
[[nodiscard]] QString template_text(const TemplateText& text, const LessonFacts& facts);
/// Returns a text such as "sample 65,536 of 200,000", or the source of a measured number. Empty if nothing
/// was sampled.
[[nodiscard]] QString sample_text(const Expression& value, const LessonFacts& facts);
[[nodiscard]] bool is_coming(const Expression& value, const LessonFacts& facts);
/// Returns the formula, for example "percent(density.axis.x)", followed by the facts in it and their values.
[[nodiscard]] QString formula_text(const Expression& value, const LessonFacts& facts);
[[nodiscard]] Expression::Lookup lookup_in(const LessonFacts& facts);

}  // namespace spira::ui
