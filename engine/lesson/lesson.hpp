// Defines the contents of a lesson file (docs/file-formats.md): texts, commands to run, numbers to show and
// questions to ask. Teachers can edit lesson files. An invalid file is rejected with a message that names the
// file, the step and the fault.
#pragma once

#include "engine/lesson/expression.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// A command with its arguments, such as "choose.l1 2". It is a command of the window or a command that
/// exists only in lessons.
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
  std::string unit;   ///< Empty if the number has no unit.
  std::string paper;  ///< The value that the paper reports. It is shown next to the value of the scene.
  /// The offsets that are highlighted while the mouse pointer is over the number, as a command such as
  /// "choose.offset 1 0 0" or "choose.l1 1".
  std::optional<LessonCommand> points_at{};
};

/// An animation in the 3D view, which plays once.
struct LessonMotion {
  std::string kind;  ///< One of lesson_motions().
  std::string caption;
};

/// A bar chart next to the text. It has one bar per value, and optionally a second bar per value for the
/// control experiment.
struct LessonBars {
  std::string title;
  std::vector<std::string> labels;
  std::vector<Expression> values, control;
  std::string value_name, control_name;
};

/// A table of numbers. Each row is a quantity, and each column is a case. Rows without any number are
/// omitted.
struct LessonTable {
  struct Row {
    std::string label;
    std::vector<Expression> values;  ///< One entry per column.
    int digits = 0;
    /// The unit of all values in the row. It is shown with the label. Empty if they have no unit.
    std::string unit;
  };
  std::string title;
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

/// A sentence about the open scene. It is omitted if one of its numbers does not exist.
struct LessonLine {
  TemplateText text;
  std::optional<Expression>
      holds;  ///< A condition. If it is true, the line is marked with a tick, otherwise with a cross.
  std::optional<Expression> when;  ///< The line is shown only if this condition is true.
};

/// Shows the bits of the word of the selected voxel. Bits that the mask of a stride clears are grey.
struct LessonMask {
  int stride = 2;
  TemplateText text;
};

struct LessonGuess {
  std::string question;
  std::vector<std::string> choices;
  Expression answer;  ///< Formula for the index of the correct choice.
};

struct LessonTry {
  std::string text, button;
  std::vector<LessonCommand> commands;
};

/// A control on a page: a slider, or a row of choices.
struct LessonControl {
  std::string label;
  /// One command per value. Each command contains its value as an argument.
  std::vector<LessonCommand> commands;
  std::vector<double> values;      ///< The values of a slider, ascending. Empty for a row of choices.
  std::vector<std::string> names;  ///< The names of the choices. Empty for a slider.
  /// Formula for the current value of a slider, or for the index of the current choice, from 0.
  Expression now;
  int digits = 0;
  std::string unit;    ///< The unit of a slider. Empty if it has none.
  TemplateText shows;  ///< The text below the control. Its numbers change with the control.
};

struct LessonStep {
  std::string id, title;
  TemplateText text;
  std::vector<LessonCommand> before;
  std::optional<LessonMotion> motion;
  std::vector<LessonNumber> numbers;
  std::optional<LessonBars> bars;
  std::optional<LessonTable> table;
  bool key_bits = false;  ///< If true, the bits of the word of the selected voxel are shown next to the text.
  std::vector<LessonMask> masks;
  std::vector<LessonLine> lines;
  std::optional<LessonGuess> guess;
  std::vector<LessonControl> controls;
  std::vector<LessonTry> tries;
  std::string after;  ///< The conclusion. It is shown when all numbers are computed.
};

struct LessonQuestion {
  std::string text;
  Expression check;
  std::string hint;
  /// A text about the current selection. It is shown only if all its numbers exist. Can be empty.
  TemplateText shows;
  /// Commands that show the controls for answering the question. Empty if the 3D view is sufficient.
  std::vector<LessonCommand> commands;
};

struct Lesson {
  std::string id, title, summary;
  std::vector<LessonStep> steps;
  std::vector<LessonQuestion> questions;
};

/// Checks a command. Returns an empty string if it can run, otherwise the fault, such as "no such command".
using CheckCommand = std::function<std::string(const LessonCommand&)>;

[[nodiscard]] const std::vector<std::string>& lesson_motions();
/// Parses a lesson file. Throws `Error(input)` with the position of the fault, such as "FILE: steps[2]
/// 'grid': numbers[0].value: there is no fact 'voxel.count'".
[[nodiscard]] Lesson parse_lesson(std::string_view text, const std::string& file, const CheckCommand& check);
/// Returns the names of all facts that the step uses, each once.
[[nodiscard]] std::vector<std::string> facts_of(const LessonStep& step);
[[nodiscard]] std::vector<std::string> facts_of(const LessonQuestion& question);
[[nodiscard]] int words_of(
    const TemplateText& text);  ///< Returns the number of words. Each formula counts as one word.

/// Returns the command that selects the offsets to which the facts of a formula refer: "choose.l1 2" for
/// "percent(density.l1.2)", and "choose.offset 0 1 0" for "selection.axis.y". Returns an empty value if no
/// fact refers to offsets, or if the facts refer to different offsets.
[[nodiscard]] std::optional<LessonCommand> offsets_of(const Expression& formula);

}  // namespace spira
