// A lesson as data: texts, what is done to the window, which numbers are shown, what is asked
// (docs/file-formats.md). A teacher can edit it; a broken one is refused with the file, the step and the
// fault.
#pragma once

#include "engine/lesson/expression.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// A command of the window, or a verb of lessons with its words: "choose.l1 2".
struct LessonCommand {
  std::string id;
  std::vector<std::string> words;
  [[nodiscard]] std::string text() const;
  bool operator==(const LessonCommand&) const = default;
};

struct LessonNumber {
  std::string label;
  Expression value;
  int digits = 0;
  std::string unit;   ///< empty: none
  std::string paper;  ///< what the paper says; it is told apart from the scene
  /// Offsets that it is about, shown while the pointer is on it: "choose.offset 1 0 0" or "choose.l1 1".
  std::optional<LessonCommand> points_at{};
};

/// A picture that moves, once, in the 3D view.
struct LessonMotion {
  std::string kind;     ///< one of lesson_motions()
  std::string caption;  ///< what is seen, in words
};

/// Bars beside the text, one a value; with a second row for the control experiment.
struct LessonBars {
  std::string title;
  std::vector<std::string> labels;
  std::vector<Expression> values, control;
  std::string value_name, control_name;
};

/// Numbers that are read beside each other: a row a quantity, a column a case. A row of which nothing exists
/// is left out.
struct LessonTable {
  struct Row {
    std::string label;
    std::vector<Expression> values;  ///< [columns]
    int digits = 0;
    std::string unit;  ///< of all of them, said with the label; empty: none
  };
  std::string title;
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

/// A sentence about the open scene; left out where one of its numbers does not exist.
struct LessonLine {
  TemplateText text;
  std::optional<Expression> holds;  ///< a tick stands before it where this holds, a cross where it does not
  std::optional<Expression> when;   ///< it is there only where this holds
};

/// The bits of the chosen voxel's word with those greyed that the mask of a stride clears.
struct LessonMask {
  int stride = 2;
  TemplateText text;
};

struct LessonGuess {
  std::string question;
  std::vector<std::string> choices;
  Expression answer;  ///< index of the right one
};

struct LessonTry {
  std::string text, button;
  std::vector<LessonCommand> commands;
};

/// Something that is changed by hand on a page: a slider over numbers, or a row of choices.
struct LessonControl {
  std::string label;
  std::vector<LessonCommand> commands;  ///< one a value, with the value filled in
  std::vector<double> values;           ///< of a slider, ascending; empty: choices
  std::vector<std::string> names;       ///< of choices; empty: a slider
  Expression now;  ///< the present value of a slider; the place of the present choice, from 0
  int digits = 0;
  std::string unit;    ///< of a slider; empty: none
  TemplateText shows;  ///< live numbers below it
};

struct LessonStep {
  std::string id, title;
  TemplateText text;
  std::vector<LessonCommand> before;
  std::optional<LessonMotion> motion;
  std::vector<LessonNumber> numbers;
  std::optional<LessonBars> bars;
  std::optional<LessonTable> table;
  bool key_bits = false;  ///< the bits of the chosen voxel's word stand beside the text
  std::vector<LessonMask> masks;
  std::vector<LessonLine> lines;
  std::optional<LessonGuess> guess;
  std::vector<LessonControl> controls;
  std::vector<LessonTry> tries;
  std::string after;  ///< what to take along, once the numbers are there
};

struct LessonQuestion {
  std::string text;
  Expression check;
  std::string hint;
  TemplateText shows;  ///< what of it is chosen now, told while all its numbers exist; no texts: nothing
};

struct Lesson {
  std::string id, title, summary;
  std::vector<LessonStep> steps;
  std::vector<LessonQuestion> questions;
};

/// Empty: it can be done. Else what is wrong with it, "no such command".
using CheckCommand = std::function<std::string(const LessonCommand&)>;

[[nodiscard]] const std::vector<std::string>& lesson_motions();
/// Throws Error(input) "FILE: steps[2] 'grid': numbers[0].value: there is no fact 'voxel.count'".
[[nodiscard]] Lesson parse_lesson(std::string_view text, const std::string& file, const CheckCommand& check);
/// Facts that a step names anywhere, each once.
[[nodiscard]] std::vector<std::string> facts_of(const LessonStep& step);
[[nodiscard]] std::vector<std::string> facts_of(const LessonQuestion& question);
[[nodiscard]] int words_of(const TemplateText& text);  ///< a formula counts as one

}  // namespace spira
