// Parses and evaluates formulas over facts. Lessons use them for the numbers that they show and for the
// conditions that they check.
#pragma once

#include "engine/lesson/facts/facts.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

struct Estimate {
  double value = 0,
         error = 0;  ///< `error` is half the width of the 95 % interval. 0 if the value is exact.
};

/// A parsed formula. It can contain names of facts, numbers, + - * /, < <= > >= == !=, `and`, `or`,
/// parentheses, percent(a), round(a), abs(a), min(a, b) and max(a, b). A comparison has the value 1 or 0.
class Expression {
 public:
  /// Returns the fact with this name, or `nullptr` if it does not exist or is not computed yet.
  using Lookup = std::function<const Fact*(const std::string& name)>;

  /// Parses a formula. Throws `Error(input)` with the column of the fault, such as "'a +': column 4: expected
  /// a number, a name or a bracket".
  explicit Expression(std::string_view text);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// Returns the value of the formula and its error. The errors of the facts are assumed to be independent,
  /// so their squares are added. Returns an empty value if a fact is missing or the result is not finite.
  [[nodiscard]] std::optional<Estimate> evaluate(const Lookup& lookup) const;
  /// Returns true if the value of the formula exists and is not 0.
  [[nodiscard]] bool holds(const Lookup& lookup) const;

 private:
  friend class ExpressionParser;
  enum class Operation {
    number,
    name,
    add,
    subtract,
    multiply,
    divide,
    negate,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    unequal,
    both,
    either,
    percent,
    round,
    absolute,
    smaller,
    larger
  };
  // One instruction of the stack machine that evaluates a formula.
  struct Step {
    Operation operation;
    double number = 0;
    std::size_t name = 0;
  };
  [[nodiscard]] static double binary(Operation operation, double a, double b);
  [[nodiscard]] double run(const std::vector<double>& values) const;

  std::string text_;
  std::vector<std::string> names_;
  std::vector<Step> steps_;
};

/// A text with formulas in double braces, such as "kept {{scene.kept}} of {{scene.points}}, {{percent(a):1}}
/// %". It is stored as pieces of text with one formula between neighbouring pieces; the first and the last
/// piece can be empty.
struct TemplateText {
  std::vector<std::string> texts;  ///< One entry more than `expressions`.
  std::vector<Expression> expressions;
  /// For each formula, the number of digits after the decimal point, including trailing zeros. If empty, as
  /// many digits are shown as the value needs.
  std::vector<std::optional<int>> digits;
};
/// Parses a text with formulas. Throws `Error(input)` if a formula is invalid or a "}}" is missing.
[[nodiscard]] TemplateText parse_template(std::string_view text);

}  // namespace spira
