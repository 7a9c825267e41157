#include "engine/lesson/lesson_parts_json.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>
#include <utility>

namespace spira {
namespace {

constexpr std::size_t max_commands = 20, max_columns = 6;
constexpr std::int64_t max_values = 100;  // maximum for one slider
constexpr int max_words = 60;

std::vector<double> values_of(const JsonFields& fields) {
  constexpr double most = 1e9;
  if (fields.has("values")) {
    for (const char* other : {"min", "max", "step"}) {
      if (fields.has(other)) fields.fail(other, "cannot be combined with \"values\"");
    }
    std::vector<double> values = fields.numbers("values", static_cast<std::size_t>(max_values));
    if (std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) != values.end())
      fields.fail("values", "values must increase");
    return values;
  }
  const double low = fields.number("min", -most, most), high = fields.number("max", -most, most),
               step = fields.number("step", -most, most);
  if (step <= 0) fields.fail("step", "must be larger than 0");
  if (high <= low) fields.fail("max", "must be larger than min");
  const double steps = (high - low) / step;
  constexpr double near = 1e-6;
  if (steps > static_cast<double>(max_values))
    fields.fail("step", "expected at most " + std::to_string(max_values) + " steps from min to max");
  if (std::abs(steps - std::round(steps)) > near)
    fields.fail("step", "expected a whole number of steps from min to max");
  std::vector<double> values;
  for (int at = 0; at <= static_cast<int>(std::lround(steps)); ++at)
    // Rounds to a decimal value such as 0.3 instead of 0.30000000000000004.
    values.push_back(std::round((low + (at * step)) * most) / most);
  return values;
}

}  // namespace

LessonParts::LessonParts(std::string file, const CheckCommand& check)
    : file_(std::move(file)), check_(check) {
  const auto names = fact_names();
  facts_ = {names.begin(), names.end()};
}

void LessonParts::only(const JsonFields& fields, const Json& object, const std::set<std::string>& known) {
  for (const auto& [key, value] : object.items()) {
    if (!known.contains(key)) fields.fail(key, "unknown key");
  }
}

std::string LessonParts::filled(const JsonFields& fields, const std::string& key) {
  std::string text = fields.text(key);
  if (text.empty()) fields.fail(key, "expected a non-empty string");
  return text;
}

const LessonParts::Json& LessonParts::array(const JsonFields& fields, const std::string& key,
                                            std::size_t most) {
  const Json& found = fields.value(key);
  if (!found.is_array() || found.size() > most)
    fields.fail(key, "expected an array of at most " + std::to_string(most) + " entries");
  return found;
}

Expression LessonParts::formula(const JsonFields& fields, const std::string& key) const {
  return formula(fields, key, filled(fields, key));
}

Expression LessonParts::formula(const JsonFields& fields, const std::string& key,
                                const std::string& text) const {
  try {
    Expression made(text);
    known(fields, key, made);
    return made;
  } catch (const Error& error) {
    if (std::string(error.what()).starts_with(file_)) throw;
    fields.fail(key, error.what());
  }
}

void LessonParts::known(const JsonFields& fields, const std::string& key, const Expression& made) const {
  for (const std::string& name : made.names()) {
    if (!facts_.contains(name)) fields.fail(key, "unknown fact '" + name + "'");
  }
}

std::vector<Expression> LessonParts::formulas(const JsonFields& fields, const std::string& key) const {
  std::vector<Expression> made;
  for (const std::string& text : fields.texts(key, max_rows))
    made.push_back(formula(fields, key, text));
  return made;
}

std::vector<LessonCommand> LessonParts::commands(const JsonFields& fields, const std::string& key) const {
  std::vector<LessonCommand> made;
  if (!fields.has(key)) return made;
  for (const std::string& text : fields.texts(key, max_commands))
    made.push_back(command(fields, key, text));
  return made;
}

LessonCommand LessonParts::command(const JsonFields& fields, const std::string& key,
                                   const std::string& text) const {
  std::istringstream words(text);
  LessonCommand made;
  words >> made.id;
  for (std::string word; words >> word;)
    made.words.push_back(word);
  const std::string fault = check_ ? check_(made) : std::string();
  if (!fault.empty()) fields.fail(key, "'" + text + "': " + fault);
  return made;
}

TemplateText LessonParts::prose(const JsonFields& fields, const std::string& key) const {
  const std::string text = filled(fields, key);
  TemplateText parts;
  try {
    parts = parse_template(text);
  } catch (const Error& error) {
    fields.fail(key, error.what());
  }
  for (const Expression& made : parts.expressions)
    known(fields, key, made);
  if (const int words = words_of(parts); words > max_words)
    fields.fail(key, std::to_string(words) + " words; the limit is " + std::to_string(max_words));
  return parts;
}

int LessonParts::digits(const JsonFields& fields) {
  constexpr int max_digits = 6;
  return fields.has("digits") ? static_cast<int>(fields.whole("digits", 0, max_digits)) : 0;
}

LessonControl LessonParts::control(const Json& object, const std::string& path) const {
  const JsonFields fields(object, file_, path);
  only(fields, object,
       {"label", "command", "min", "max", "step", "values", "choices", "now", "digits", "unit", "shows"});
  LessonControl made{filled(fields, "label"),
                     {},
                     {},
                     {},
                     formula(fields, "now"),
                     fields.has("digits") ? static_cast<int>(fields.whole("digits", 0, 6)) : 0,
                     fields.text_or("unit", ""),
                     {}};
  if (fields.has("shows")) made.shows = prose(fields, "shows");
  std::vector<std::string> words;
  if (fields.has("choices")) {
    for (const char* of_slider : {"min", "max", "step", "values", "digits", "unit"}) {
      if (fields.has(of_slider)) fields.fail(of_slider, "cannot be combined with \"choices\"");
    }
    const auto& choices = array(fields, "choices", max_rows);
    for (std::size_t at = 0; at < choices.size(); ++at) {
      const JsonFields choice(choices[at], file_, path + ".choices[" + std::to_string(at) + "]");
      only(choice, choices[at], {"name", "value"});
      made.names.push_back(filled(choice, "name"));
      words.push_back(filled(choice, "value"));
    }
  } else {
    made.values = values_of(fields);
    for (const double value : made.values)
      words.push_back(shortest(value));
  }
  if (words.size() < 2) fields.fail(made.values.empty() ? "choices" : "values", "expected at least two");
  const std::string text = filled(fields, "command");
  const auto place = text.find("{}");
  if (place == std::string::npos || text.find("{}", place + 1) != std::string::npos)
    fields.fail("command", "'" + text + "': expected {} exactly once, as the place of the value");
  for (const std::string& word : words)
    made.commands.push_back(command(fields, "command", std::string(text).replace(place, 2, word)));
  return made;
}

LessonTable LessonParts::table(const Json& object, const std::string& path) const {
  const JsonFields own(object, file_, path);
  only(own, object, {"title", "columns", "rows"});
  LessonTable made{own.text_or("title", ""), own.texts("columns", max_columns), {}};
  const auto& rows = array(own, "rows", max_rows);
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const JsonFields row(rows[at], file_, path + ".rows[" + std::to_string(at) + "]");
    only(row, rows[at], {"label", "values", "digits", "unit"});
    made.rows.push_back(
        {filled(row, "label"), formulas(row, "values"), digits(row), row.text_or("unit", "")});
    if (made.rows.back().values.size() != made.columns.size())
      row.fail("values", "expected one entry per column");
  }
  if (made.columns.empty() || made.rows.empty()) own.fail("rows", "a table needs columns and rows");
  return made;
}

LessonLine LessonParts::line(const Json& object, const std::string& path) const {
  const JsonFields own(object, file_, path);
  only(own, object, {"text", "holds", "when"});
  LessonLine made{prose(own, "text"), {}, {}};
  if (own.has("holds")) made.holds = formula(own, "holds");
  if (own.has("when")) made.when = formula(own, "when");
  return made;
}

LessonMask LessonParts::mask(const Json& object, const std::string& path) const {
  const JsonFields own(object, file_, path);
  only(own, object, {"stride", "text"});
  constexpr int largest = 1 << 20;
  const auto stride = static_cast<int>(own.whole("stride", 2, largest));
  if ((stride & (stride - 1)) != 0) own.fail("stride", "expected a power of two");
  return {stride, prose(own, "text")};
}

}  // namespace spira
