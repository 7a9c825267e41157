// Small formulas over facts: what a lesson shows as a number, and what it checks.
#pragma once

#include "engine/lesson/facts.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

struct Estimate {
  double value = 0, error = 0;  ///< half width of the 95 % interval; 0: exact
};

/// Names of facts, numbers, + - * /, < <= > >= == !=, `and`, `or`, parentheses, percent(a), round(a), abs(a),
/// min(a, b), max(a, b). What is compared is 1 or 0.
class Expression {
 public:
  /// Null: there is no such fact, or not yet.
  using Lookup = std::function<const Fact*(const std::string& name)>;

  /// Throws Error(input) "'a +': column 4: expected a number, a name or a bracket".
  explicit Expression(std::string_view text);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// Empty: a fact is missing, or the result is no number. Errors of independent facts add as squares.
  [[nodiscard]] std::optional<Estimate> evaluate(const Lookup& lookup) const;
  /// Of a check: the result is there and not 0.
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
  struct Step {  // of a stack machine
    Operation operation;
    double number = 0;
    std::size_t name = 0;
  };
  [[nodiscard]] double run(const std::vector<double>& values) const;

  std::string text_;
  std::vector<std::string> names_;
  std::vector<Step> steps_;
};

/// "kept {{scene.kept}} of {{scene.points}}, {{percent(a):1}} %" in pieces: text, formula, text, ... Throws
/// Error(input).
struct TemplateText {
  std::vector<std::string> texts;  ///< one more than formulas
  std::vector<Expression> expressions;
  /// Behind the point, of each formula, zeros too; empty: as many as the number needs.
  std::vector<std::optional<int>> digits;
};
[[nodiscard]] TemplateText parse_template(std::string_view text);

}  // namespace spira
