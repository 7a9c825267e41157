// The contents of a lesson file (docs/file-formats.md): texts, commands to run, numbers to show and
// questions to ask. Teachers can edit lesson files. An invalid file is rejected with a message that names
// the file, the step and the fault.
#pragma once

#include "engine/lesson/expression.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// A command of the window or a command that exists only in lessons, with arguments, such as "choose.l1 2".
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
  std::string paper;  ///< value that the paper reports, shown next to the value of the scene
  /// Offsets that are highlighted while the mouse pointer is over the number, such as "choose.offset 1 0 0"
  /// or "choose.l1 1".
  std::optional<LessonCommand> points_at{};
};

/// An animation in the 3D view. It plays once.
struct LessonMotion {
  std::string kind;  ///< one of lesson_motions()
  std::string caption;
};

/// A bar chart next to the text. It has one bar for each value and, optionally, bars for the control
/// experiment.
struct LessonBars {
  std::string title;
  std::vector<std::string> labels;
  std::vector<Expression> values, control;
  std::string value_name, control_name;
};

/// A table of numbers, with one row for each quantity and one column for each case. A row is omitted if none
/// of its numbers exists.
struct LessonTable {
  struct Row {
    std::string label;
    std::vector<Expression> values;  ///< one entry for each column
    int digits = 0;
    /// Unit of all values of the row, shown with the label; empty if the values have no unit.
    std::string unit;
  };
  std::string title;
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

/// A sentence about the open scene. It is not shown if one of its numbers does not exist.
struct LessonLine {
  TemplateText text;
  std::optional<Expression>
      holds;  ///< condition that marks the line with a tick if it is true and with a cross if it is false
  std::optional<Expression> when;  ///< condition under which the line is shown
};

/// The bits of the word of the selected voxel. Bits that the mask of a stride clears are greyed.
struct LessonMask {
  int stride = 2;
  TemplateText text;
};

struct LessonGuess {
  std::string question;
  std::vector<std::string> choices;
  Expression answer;  ///< formula for the index of the correct choice
};

struct LessonTry {
  std::string text, button;
  std::vector<LessonCommand> commands;
};

/// A control on a page: a slider for numbers, or a row of choices.
struct LessonControl {
  std::string label;
  std::vector<LessonCommand> commands;  ///< one command for each value, which contains this value
  std::vector<double> values;           ///< values of a slider in ascending order; empty for a row of choices
  std::vector<std::string> names;       ///< names of the choices; empty for a slider
  /// Formula for the current value of a slider, or for the index of the current choice (from 0).
  Expression now;
  int digits = 0;
  std::string unit;    ///< unit of a slider; empty if its values have no unit
  TemplateText shows;  ///< text below the control, whose numbers change with the control
};

struct LessonStep {
  std::string id, title;
  TemplateText text;
  std::vector<LessonCommand> before;
  std::optional<LessonMotion> motion;
  std::vector<LessonNumber> numbers;
  std::optional<LessonBars> bars;
  std::optional<LessonTable> table;
  bool key_bits = false;  ///< true if the bits of the word of the selected voxel are shown next to the text
  std::vector<LessonMask> masks;
  std::vector<LessonLine> lines;
  std::optional<LessonGuess> guess;
  std::vector<LessonControl> controls;
  std::vector<LessonTry> tries;
  std::string after;  ///< conclusion, shown after all numbers are computed
};

struct LessonQuestion {
  std::string text;
  Expression check;
  std::string hint;
  /// Text about the current selection. It is shown only if all its numbers exist. No text is shown if the
  /// template is empty.
  TemplateText shows;
  /// Commands that show the controls with which the question is answered. Empty if the 3D view is enough.
  std::vector<LessonCommand> commands;
};

struct Lesson {
  std::string id, title, summary;
  std::vector<LessonStep> steps;
  std::vector<LessonQuestion> questions;
};

/// Returns an empty string if the command can be run. Otherwise returns the fault, such as "no such
/// command".
using CheckCommand = std::function<std::string(const LessonCommand&)>;

[[nodiscard]] const std::vector<std::string>& lesson_motions();
/// Parses a lesson file. Throws `Error(input)` with the position of the fault, such as "FILE: steps[2]
/// 'grid': numbers[0].value: there is no fact 'voxel.count'".
[[nodiscard]] Lesson parse_lesson(std::string_view text, const std::string& file, const CheckCommand& check);
/// Returns the names of all facts that the step uses, without duplicates.
[[nodiscard]] std::vector<std::string> facts_of(const LessonStep& step);
[[nodiscard]] std::vector<std::string> facts_of(const LessonQuestion& question);
[[nodiscard]] int words_of(
    const TemplateText& text);  ///< returns the number of words; each formula counts as one word

/// Returns the command that selects the offsets of the formula: "choose.l1 2" for "percent(density.l1.2)",
/// and "choose.offset 0 1 0" for "selection.axis.y". Returns an empty value if no fact is about offsets, or
/// if the facts are about different offsets.
[[nodiscard]] std::optional<LessonCommand> offsets_of(const Expression& formula);

}  // namespace spira
