#include "ui/lessons/fact_text.hpp"

#include "engine/base/text.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

QString words(const char* text) {
  return QCoreApplication::translate("spira::ui::LessonPanel", text);
}

}  // namespace

QString digits_text(double value, int digits) {
  if (digits == 0 && std::abs(value) < 1e15)
    return onScreen(count_text(static_cast<std::int64_t>(std::llround(value))));
  return onScreen(fixed(value, digits));
}

int bar_digits(const LessonBars& bars, const LessonFacts& facts) {
  double largest = 0, least = 0;
  for (const auto* formulas : {&bars.values, &bars.control}) {
    for (const Expression& formula : *formulas) {
      const auto found = formula.evaluate(lookup_in(facts));
      if (!found || found->value <= 0) continue;
      largest = std::max(largest, found->value);
      least = least > 0 ? std::min(least, found->value) : found->value;
    }
  }
  if (largest == 0) return 1;
  constexpr int most = 4, max_of_small = 2;
  const auto digits = [](double value, int wanted) {
    return wanted - 1 - static_cast<int>(std::floor(std::log10(value)));
  };
  return std::max(std::clamp(digits(largest, 3), 0, most), std::clamp(digits(least, 2), 0, max_of_small));
}

Expression::Lookup lookup_in(const LessonFacts& facts) {
  return [&facts](const std::string& name) { return facts.fact(name); };
}

bool is_coming(const Expression& value, const LessonFacts& facts) {
  return std::any_of(value.names().begin(), value.names().end(),
                     [&](const std::string& name) { return facts.computing(name); });
}

QString formula_text(const Expression& value, const LessonFacts& facts) {
  QStringList lines{QString::fromStdString(value.text())};
  for (const std::string& name : value.names()) {
    const Fact* fact = facts.fact(name);
    // If the value is a single fact, its number is displayed already.
    if (fact == nullptr || value.text() == name) continue;
    const QString unit = fact->unit.empty() ? QString() : " " + QString::fromStdString(fact->unit);
    lines += QString::fromStdString(name + " = " + shortest(fact->value)) + unit;
  }
  return lines.join("\n");
}

QString number_text(const Expression& value, int digits, const QString& unit, const LessonFacts& facts) {
  const auto found = value.evaluate(lookup_in(facts));
  if (!found)
    return is_coming(value, facts) ? words(QT_TRANSLATE_NOOP("spira::ui::LessonPanel", "computing"))
                                   : QString("\u2013");
  QString text = digits_text(found->value, digits);
  if (found->error > 0) {
    const int decimals = std::max(1, digits);
    const double least = std::pow(10.0, -decimals) / 2;  // A smaller error would be displayed as 0.
    text += found->error < least ? QString(" \u00b1 < ") + digits_text(least, decimals + 1)
                                 : QString(" \u00b1 ") + digits_text(found->error, decimals);
  }
  return unit.isEmpty() ? text : text + " " + unit;
}

QString template_text(const TemplateText& text, const LessonFacts& facts) {
  QString all;
  for (std::size_t at = 0; at < text.texts.size(); ++at) {
    all += QString::fromStdString(text.texts[at]).toHtmlEscaped();
    if (at == text.expressions.size()) break;
    const auto found = text.expressions[at].evaluate(lookup_in(facts));
    const std::optional<int>& digits = text.digits[at];
    const bool whole = found && found->value == std::round(found->value);
    const QString number = found && !whole && !digits
                               ? onScreen(shortest(std::round(found->value * 1e4) / 1e4))
                               : number_text(text.expressions[at], digits.value_or(0), {}, facts);
    all += "<b>" + number + "</b>";
  }
  return all;
}

QString sample_text(const Expression& value, const LessonFacts& facts) {
  for (const std::string& name : value.names()) {
    const Fact* fact = facts.fact(name);
    if (fact != nullptr && !fact->source.empty()) return QString::fromStdString(fact->source);
    if (fact == nullptr || fact->of == 0) continue;
    return words(QT_TRANSLATE_NOOP("spira::ui::LessonPanel", "sample of %1 of %2"))
        .arg(onScreen(count_text(static_cast<std::int64_t>(fact->sampled))),
             onScreen(count_text(static_cast<std::int64_t>(fact->of))));
  }
  return {};
}

}  // namespace spira::ui
