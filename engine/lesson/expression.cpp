#include "engine/lesson/expression.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace spira {

/// Recursive-descent parser with one function per level of operator precedence. Each function appends the
/// steps of its operands and then its own steps.
class ExpressionParser {
 public:
  using Operation = Expression::Operation;
  explicit ExpressionParser(Expression& made) : made_(made), text_(made.text_) {}

  void parse() {
    either();
    skip();
    if (at_ < text_.size()) fail("expected an operator or the end of the expression");
  }

 private:
  static constexpr int deepest = 50;

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::input,
                "'" + std::string(text_) + "': column " + std::to_string(at_ + 1) + ": " + what);
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ')
      ++at_;
  }
  bool take(std::string_view symbol) {
    skip();
    if (text_.substr(at_, symbol.size()) != symbol) return false;
    at_ += symbol.size();
    return true;
  }
  bool take_word(std::string_view word) {
    const std::size_t before = at_;
    if (!take(word)) return false;
    if (at_ == text_.size() || !is_in_name(text_[at_])) return true;
    at_ = before;
    return false;
  }
  void add(Operation operation) { made_.steps_.push_back({operation}); }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool starts_name(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }
  static bool is_in_name(char c) { return starts_name(c) || is_digit(c) || c == '.'; }

  void either() {
    both();
    while (take_word("or")) {
      both();
      add(Operation::either);
    }
  }
  void both() {
    comparison();
    while (take_word("and")) {
      comparison();
      add(Operation::both);
    }
  }
  void comparison() {
    constexpr std::array<std::pair<std::string_view, Operation>, 6> signs{{{"<=", Operation::less_equal},
                                                                           {">=", Operation::greater_equal},
                                                                           {"==", Operation::equal},
                                                                           {"!=", Operation::unequal},
                                                                           {"<", Operation::less},
                                                                           {">", Operation::greater}}};
    sum();
    for (const auto& [sign, operation] : signs) {
      if (!take(sign)) continue;
      sum();
      return add(operation);
    }
  }
  void sum() {
    product();
    while (true) {
      if (take("+")) {
        product();
        add(Operation::add);
      } else if (take("-")) {
        product();
        add(Operation::subtract);
      } else {
        return;
      }
    }
  }
  void product() {
    value();
    while (true) {
      if (take("*")) {
        value();
        add(Operation::multiply);
      } else if (take("/")) {
        value();
        add(Operation::divide);
      } else {
        return;
      }
    }
  }
  void value() {
    if (++depth_ > deepest) fail("the expression is nested too deeply");
    skip();
    if (take("-")) {
      value();
      add(Operation::negate);
    } else if (take("(")) {
      either();
      if (!take(")")) fail("expected ')'");
    } else if (at_ < text_.size() && is_digit(text_[at_])) {
      number();
    } else if (at_ < text_.size() && starts_name(text_[at_])) {
      name();
    } else {
      fail("expected a number, a name or a bracket");
    }
    --depth_;
  }
  void number() {
    const std::size_t from = at_;
    while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.'))
      ++at_;
    const auto number = parse_double(text_.substr(from, at_ - from));
    if (!number) fail("expected a number");
    made_.steps_.push_back({Operation::number, *number});
  }
  void name() {
    const std::size_t from = at_;
    while (at_ < text_.size() && is_in_name(text_[at_]))
      ++at_;
    const std::string word(text_.substr(from, at_ - from));
    if (take("(")) return function(word, from);
    auto& names = made_.names_;
    const auto found = std::find(names.begin(), names.end(), word);
    const auto index = static_cast<std::size_t>(found - names.begin());
    if (found == names.end()) names.push_back(word);
    made_.steps_.push_back({Operation::name, 0, index});
  }
  void function(const std::string& word, std::size_t from) {
    struct Function {
      std::string_view name;
      int arguments;
      Operation operation;
    };
    constexpr std::array<Function, 5> functions{{{"percent", 1, Operation::percent},
                                                 {"round", 1, Operation::round},
                                                 {"abs", 1, Operation::absolute},
                                                 {"min", 2, Operation::smaller},
                                                 {"max", 2, Operation::larger}}};
    const auto found = std::find_if(functions.begin(), functions.end(),
                                    [&](const Function& one) { return one.name == word; });
    if (found == functions.end()) {
      at_ = from;
      fail("unknown function '" + word + "'; expected percent, round, abs, min or max");
    }
    for (int argument = 0; argument < found->arguments; ++argument) {
      if (argument > 0 && !take(",")) fail("expected ','");
      either();
    }
    if (!take(")")) fail("expected ')'");
    add(found->operation);
  }

  Expression& made_;
  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

Expression::Expression(std::string_view text) : text_(text) {
  ExpressionParser(*this).parse();
}

namespace {

double truth(bool holds) {
  return holds ? 1.0 : 0.0;
}

}  // namespace

double Expression::binary(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::less:
      return truth(a < b);
    case Operation::less_equal:
      return truth(a <= b);
    case Operation::greater:
      return truth(a > b);
    case Operation::greater_equal:
      return truth(a >= b);
    case Operation::equal:
      return truth(a == b);
    case Operation::unequal:
      return truth(a != b);
    case Operation::both:
      return truth(a != 0 && b != 0);
    case Operation::either:
      return truth(a != 0 || b != 0);
    case Operation::smaller:
      return std::min(a, b);
    case Operation::larger:
      return std::max(a, b);
    default:  // Operations with fewer than two operands do not reach this function; `run` evaluates them.
      return b;
  }
}

double Expression::run(const std::vector<double>& values) const {
  std::vector<double> stack;
  for (const Step& step : steps_) {
    switch (step.operation) {
      case Operation::number:
        stack.push_back(step.number);
        break;
      case Operation::name:
        stack.push_back(values[step.name]);
        break;
      case Operation::negate:
        stack.back() *= -1;
        break;
      case Operation::percent:
        stack.back() *= 100;
        break;
      case Operation::round:
        stack.back() = std::round(stack.back());
        break;
      case Operation::absolute:
        stack.back() = std::abs(stack.back());
        break;
      default:
        const double b = stack.back();
        stack.pop_back();
        stack.back() = binary(step.operation, stack.back(), b);
    }
  }
  return stack.back();
}

std::optional<Estimate> Expression::evaluate(const Lookup& lookup) const {
  std::vector<double> values, errors;
  for (const std::string& name : names_) {
    const Fact* fact = lookup(name);
    if (fact == nullptr) return std::nullopt;
    values.push_back(fact->value);
    errors.push_back(fact->error);
  }
  Estimate estimate{run(values), 0};
  if (!std::isfinite(estimate.value)) return std::nullopt;
  double squares = 0;
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (errors[at] == 0) continue;
    std::vector<double> moved = values;
    moved[at] += errors[at];
    const double change = run(moved) - estimate.value;
    squares += change * change;
  }
  estimate.error = std::sqrt(squares);
  return estimate;
}

bool Expression::holds(const Lookup& lookup) const {
  const auto result = evaluate(lookup);
  return result && result->value != 0;
}

namespace {

/// Removes the number of digits from the end of a formula and returns this number, such as 1 for
/// "percent(a):1". Returns an empty value if there is no colon. A colon has no other meaning in a formula.
std::optional<int> take_digits(std::string_view& formula) {
  constexpr double most = 9;
  const auto colon = formula.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto digits = parse_double(formula.substr(colon + 1));
  if (!digits || *digits < 0 || *digits > most || *digits != std::floor(*digits))
    throw Error(ErrorKind::input, "'" + std::string(formula) + "': expected a digit from 0 to 9 after ':'");
  formula = formula.substr(0, colon);
  return static_cast<int>(*digits);
}

}  // namespace

TemplateText parse_template(std::string_view text) {
  TemplateText parts;
  while (true) {
    const auto opening = text.find("{{");
    parts.texts.emplace_back(text.substr(0, opening));
    if (opening == std::string_view::npos) return parts;
    const auto closing = text.find("}}", opening);
    if (closing == std::string_view::npos)
      throw Error(ErrorKind::input, "'" + std::string(text.substr(opening)) + "': '{{' without '}}'");
    std::string_view formula = text.substr(opening + 2, closing - opening - 2);
    parts.digits.push_back(take_digits(formula));
    parts.expressions.emplace_back(formula);
    text.remove_prefix(closing + 2);
  }
}

}  // namespace spira
