// Formats the numbers of a lesson: the number with its error, or a note that it is being computed.
#pragma once

#include "engine/lesson/lesson.hpp"
#include "ui/lessons/lesson_facts.hpp"

#include <QString>

namespace spira::ui {

/// Returns a text such as "53,693", "12.5 %" or "4.95 ± 0.02". Returns "computing" while the number is being
/// computed, and a dash if it does not exist.
[[nodiscard]] QString number_text(const Expression& value, int digits, const QString& unit,
                                  const LessonFacts& facts);
/// Returns how many decimals distinguish bars of this height: 2 up to 10, 1 up to 100.
[[nodiscard]] int bar_digits(const LessonBars& bars, const LessonFacts& facts);
/// Formats with thousands separators if `digits` is 0.
[[nodiscard]] QString digits_text(double value, int digits);
/// Fills in the numbers of a text. Integers have thousands separators, other numbers as few digits as needed.
[[nodiscard]] QString template_text(const TemplateText& text, const LessonFacts& facts);
/// Returns "sample 65,536 of 200,000", or the source of a measured number. Empty if nothing was sampled.
[[nodiscard]] QString sample_text(const Expression& value, const LessonFacts& facts);
[[nodiscard]] bool is_coming(const Expression& value, const LessonFacts& facts);
/// Returns the formula, for example "percent(density.axis.x)", followed by its facts with their values.
[[nodiscard]] QString formula_text(const Expression& value, const LessonFacts& facts);
[[nodiscard]] Expression::Lookup lookup_in(const LessonFacts& facts);

}  // namespace spira::ui
