// Formulas of a lesson as text: the number, its error, or that it is being computed.
#pragma once

#include "engine/lesson/lesson.hpp"
#include "ui/lessons/lesson_facts.hpp"

#include <QString>

namespace spira::ui {

/// "53,693", "12.5 %", "4.95 ± 0.02"; "computing" while it may still come, "-" where there is none.
[[nodiscard]] QString number_text(const Expression& value, int digits, const QString& unit,
                                  const LessonFacts& facts);
/// Digits after the point that tell bars of this height apart: 2 up to 10, 1 up to 100.
[[nodiscard]] int bar_digits(const LessonBars& bars, const LessonFacts& facts);
/// Whole numbers with separators.
[[nodiscard]] QString digits_text(double value, int digits);
/// A count in words of the text: whole numbers with separators, others with as few digits as they need.
[[nodiscard]] QString template_text(const TemplateText& text, const LessonFacts& facts);
/// "sample 65,536 of 200,000", or of a measured one its source; empty: all were looked at.
[[nodiscard]] QString sample_text(const Expression& value, const LessonFacts& facts);
[[nodiscard]] bool is_coming(const Expression& value, const LessonFacts& facts);
/// "percent(density.axis.x)", and below it each of its facts with its value.
[[nodiscard]] QString formula_text(const Expression& value, const LessonFacts& facts);
[[nodiscard]] Expression::Lookup lookup_in(const LessonFacts& facts);

}  // namespace spira::ui
