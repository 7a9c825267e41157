// A lesson as data: its texts, the commands that it runs, the numbers that it shows and the questions that it
// asks (docs/file-formats.md). Teachers can edit lesson files. An invalid file is rejected with the file
// name, the step and the fault.
#pragma once

#include "engine/lesson/expression.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// A command of the window or a verb of lessons, with its arguments: "choose.l1 2".
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
  std::string unit;   ///< empty if the number has no unit
  std::string paper;  ///< value in the paper, shown separately from the value of the scene
  /// Offsets that the number is about, highlighted while the mouse pointer is over the number:
  /// "choose.offset 1 0 0" or "choose.l1 1".
  std::optional<LessonCommand> points_at{};
};

/// An animation in the 3D view, which plays once.
struct LessonMotion {
  std::string kind;     ///< one of lesson_motions()
  std::string caption;  ///< describes the animation to the user
};

/// A bar chart next to the text, with one bar for each value and optional bars for the control experiment.
struct LessonBars {
  std::string title;
  std::vector<std::string> labels;
  std::vector<Expression> values, control;
  std::string value_name, control_name;
};

/// A table of numbers to compare, with one row for each quantity and one column for each case. A row is
/// omitted if none of its numbers exists.
struct LessonTable {
  struct Row {
    std::string label;
    std::vector<Expression> values;  ///< [columns]
    int digits = 0;
    std::string unit;  ///< unit of all values, shown with the label; empty if none
  };
  std::string title;
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

/// A sentence about the open scene. The sentence is not shown if one of its numbers does not exist.
struct LessonLine {
  TemplateText text;
  std::optional<Expression>
      holds;  ///< condition that marks the line with a tick if true and with a cross if false
  std::optional<Expression> when;  ///< condition under which the line is shown
};

/// Bits of the word of the selected voxel. The bits that the mask of a stride clears are greyed.
struct LessonMask {
  int stride = 2;
  TemplateText text;
};

struct LessonGuess {
  std::string question;
  std::vector<std::string> choices;
  Expression answer;  ///< index of the correct choice
};

struct LessonTry {
  std::string text, button;
  std::vector<LessonCommand> commands;
};

/// A control on a page: a slider over numbers, or a row of choices.
struct LessonControl {
  std::string label;
  std::vector<LessonCommand> commands;  ///< one command for each value, with the value inserted
  std::vector<double> values;           ///< values of a slider, ascending; empty for choices
  std::vector<std::string> names;       ///< names of the choices; empty for a slider
  /// Current value of a slider, or index of the current choice, from 0.
  Expression now;
  int digits = 0;
  std::string unit;    ///< unit of a slider; empty if none
  TemplateText shows;  ///< text with live numbers below the control
};

struct LessonStep {
  std::string id, title;
  TemplateText text;
  std::vector<LessonCommand> before;
  std::optional<LessonMotion> motion;
  std::vector<LessonNumber> numbers;
  std::optional<LessonBars> bars;
  std::optional<LessonTable> table;
  bool key_bits = false;  ///< true: shows the bits of the word of the selected voxel next to the text
  std::vector<LessonMask> masks;
  std::vector<LessonLine> lines;
  std::optional<LessonGuess> guess;
  std::vector<LessonControl> controls;
  std::vector<LessonTry> tries;
  std::string after;  ///< conclusion, shown when the numbers are available
};

struct LessonQuestion {
  std::string text;
  Expression check;
  std::string hint;
  /// Text about the current selection. It is shown while all its numbers exist. If it has no texts, nothing
  /// is shown.
  TemplateText shows;
};

struct Lesson {
  std::string id, title, summary;
  std::vector<LessonStep> steps;
  std::vector<LessonQuestion> questions;
};

/// Returns an empty string if the command can be run, else the fault: "no such command".
using CheckCommand = std::function<std::string(const LessonCommand&)>;

[[nodiscard]] const std::vector<std::string>& lesson_motions();
/// Parses a lesson file. Throws `Error(input)` with the position of the fault: "FILE: steps[2] 'grid':
/// numbers[0].value: there is no fact 'voxel.count'".
[[nodiscard]] Lesson parse_lesson(std::string_view text, const std::string& file, const CheckCommand& check);
/// Returns the names of all facts that the step uses, each once.
[[nodiscard]] std::vector<std::string> facts_of(const LessonStep& step);
[[nodiscard]] std::vector<std::string> facts_of(const LessonQuestion& question);
[[nodiscard]] int words_of(
    const TemplateText& text);  ///< returns the number of words; each formula counts as one word

/// Returns "choose.l1 2" for "percent(density.l1.2)" and "choose.offset 0 1 0" for "selection.axis.y".
/// Returns an empty value if no fact is about offsets, or if the facts are about different groups of offsets.
[[nodiscard]] std::optional<LessonCommand> offsets_of(const Expression& formula);

}  // namespace spira
