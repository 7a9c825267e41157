// Reads lesson files. Error messages contain the position of the fault in the file.

#include "engine/lesson/lesson_json.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <sstream>
#include <utility>

namespace spira {
namespace {

constexpr std::size_t max_steps = 40, max_controls = 4, max_masks = 6;

class LessonReader : private LessonParts {
 public:
  using LessonParts::LessonParts;

  Lesson read(const nlohmann::json& document) const {
    const JsonFields root = fields_of(document, "");
    static_cast<void>(check_schema(root, "spira.lesson", "lesson", {1, 0}));
    only(root, document, {"schema", "schema_version", "id", "title", "summary", "steps", "questions"});
    Lesson lesson{filled(root, "id"), filled(root, "title"), filled(root, "summary"), {}, {}};
    const auto& steps = array(root, "steps", max_steps);
    std::set<std::string> ids;
    for (std::size_t at = 0; at < steps.size(); ++at) {
      lesson.steps.push_back(step(steps[at], "steps[" + std::to_string(at) + "]"));
      if (!ids.insert(lesson.steps.back().id).second)
        root.fail("steps", "duplicate step id '" + lesson.steps.back().id + "'");
    }
    if (lesson.steps.empty()) root.fail("steps", "a lesson needs at least one step");
    const auto& questions = array(root, "questions", max_rows);
    for (std::size_t at = 0; at < questions.size(); ++at) {
      const JsonFields one = fields_of(questions[at], "questions[" + std::to_string(at) + "]");
      only(one, questions[at], {"text", "check", "hint", "shows", "commands"});
      lesson.questions.push_back({filled(one, "text"), formula(one, "check"), filled(one, "hint"),
                                  one.has("shows") ? prose(one, "shows") : TemplateText{},
                                  commands(one, "commands")});
    }
    return lesson;
  }

 private:
  LessonStep step(const Json& object, const std::string& place) const {
    // Error messages contain the id of the step, because it is easier to find than an index.
    const std::string id =
        object.is_object() && object.contains("id") && object["id"].is_string() ? object["id"] : "";
    const std::string path = id.empty() ? place : place + " '" + id + "'";
    const JsonFields fields = fields_of(object, path);
    only(fields, object,
         {"id", "title", "text", "before", "motion", "numbers", "bars", "table", "key_bits", "masks", "lines",
          "guess", "controls", "try", "after"});
    LessonStep made;
    made.id = filled(fields, "id");
    made.title = filled(fields, "title");
    made.text = prose(fields, "text");
    made.before = commands(fields, "before");
    made.after = fields.text_or("after", "");
    made.key_bits = fields.has("key_bits") && fields.truth("key_bits");
    if (fields.has("motion")) made.motion = motion(object["motion"], path + ".motion");
    if (fields.has("bars")) made.bars = bars(object["bars"], path + ".bars");
    if (fields.has("guess")) made.guess = guess(object["guess"], path + ".guess");
    if (fields.has("table")) made.table = table(object["table"], path + ".table");
    const auto each = [&](const std::string& key, std::size_t most, auto& list, auto read_one) {
      if (!fields.has(key)) return;
      const auto& rows = array(fields, key, most);
      for (std::size_t at = 0; at < rows.size(); ++at)
        list.push_back((this->*read_one)(rows[at], path + "." + key + "[" + std::to_string(at) + "]"));
    };
    each("numbers", max_rows, made.numbers, &LessonReader::number);
    each("masks", max_masks, made.masks, &LessonReader::mask);
    each("lines", max_rows, made.lines, &LessonReader::line);
    each("controls", max_controls, made.controls, &LessonReader::control);
    each("try", max_rows, made.tries, &LessonReader::attempt);
    return made;
  }
  LessonMotion motion(const Json& object, const std::string& path) const {
    const JsonFields fields = fields_of(object, path);
    only(fields, object, {"kind", "caption"});
    LessonMotion made{filled(fields, "kind"), filled(fields, "caption")};
    std::string names;
    for (const std::string& kind : lesson_motions()) {
      if (kind == made.kind) return made;
      names += (names.empty() ? "" : ", ") + kind;
    }
    fields.fail("kind", "unknown animation '" + made.kind + "'; expected one of: " + names);
  }
  LessonNumber number(const Json& object, const std::string& path) const {
    const JsonFields fields = fields_of(object, path);
    only(fields, object, {"label", "value", "digits", "unit", "paper", "points_at"});
    LessonNumber made{filled(fields, "label"), formula(fields, "value"), digits(fields),
                      fields.text_or("unit", ""), fields.text_or("paper", "")};
    if (fields.has("points_at")) {
      made.points_at = command(fields, "points_at", filled(fields, "points_at"));
      if (made.points_at->id != "choose.offset" && made.points_at->id != "choose.l1")
        fields.fail("points_at", "expected choose.offset or choose.l1");
    }
    return made;
  }
  LessonBars bars(const Json& object, const std::string& path) const {
    const JsonFields fields = fields_of(object, path);
    only(fields, object, {"title", "labels", "values", "control", "value_name", "control_name"});
    LessonBars made{filled(fields, "title"),
                    fields.texts("labels", max_rows),
                    formulas(fields, "values"),
                    fields.has("control") ? formulas(fields, "control") : std::vector<Expression>{},
                    filled(fields, "value_name"),
                    fields.text_or("control_name", "")};
    if (made.labels.size() != made.values.size()) fields.fail("labels", "expected one entry per value");
    if (!made.control.empty() && made.control.size() != made.values.size())
      fields.fail("control", "expected one entry per value");
    return made;
  }
  LessonGuess guess(const Json& object, const std::string& path) const {
    const JsonFields fields = fields_of(object, path);
    only(fields, object, {"question", "choices", "answer"});
    LessonGuess made{filled(fields, "question"), fields.texts("choices", max_rows),
                     formula(fields, "answer")};
    if (made.choices.size() < 2) fields.fail("choices", "expected at least two choices");
    const auto fixed = made.answer.evaluate([](const std::string&) { return nullptr; });
    if (fixed && (fixed->value < 0 || fixed->value >= static_cast<double>(made.choices.size())))
      fields.fail("answer", "expected the index of a choice, counted from 0");
    return made;
  }
  LessonTry attempt(const Json& object, const std::string& path) const {
    const JsonFields fields = fields_of(object, path);
    only(fields, object, {"text", "button", "commands"});
    return {filled(fields, "text"), fields.text_or("button", ""), commands(fields, "commands")};
  }
};

void add_names(std::vector<std::string>& names, const std::vector<Expression>& formulas) {
  for (const Expression& formula : formulas) {
    for (const std::string& name : formula.names()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
}

}  // namespace

std::string LessonCommand::text() const {
  std::string text = id;
  for (const std::string& word : words)
    text += " " + word;
  return text;
}

const std::vector<std::string>& lesson_motions() {
  static const std::vector<std::string> kinds{
      "points", "grid",     "point",   "shift",   "bits",    "order",   "overflow", "alias",
      "slide",  "norms",    "shuffle", "strides", "queries", "bracket", "searches", "anchors",
      "scan",   "off_grid", "probes",  "sectors", "race",    "matrix",  "rows",     "columns",
      "divide", "halves",   "sorted",  "splits",  "shapes",  "work",    "sweep",    "model",
      "floor",  "serial",   "levels",  "maps",    "overlap", "held",    "centres",  "cells"};
  return kinds;
}

Lesson parse_lesson(std::string_view text, const std::string& file, const CheckCommand& check) {
  const nlohmann::json document = parse_json_object(text, file);
  return LessonReader(file, check).read(document);
}

std::vector<std::string> facts_of(const LessonStep& step) {
  std::vector<std::string> names;
  add_names(names, step.text.expressions);
  for (const LessonNumber& number : step.numbers)
    add_names(names, {number.value});
  if (step.bars) {
    add_names(names, step.bars->values);
    add_names(names, step.bars->control);
  }
  if (step.table) {
    for (const LessonTable::Row& row : step.table->rows)
      add_names(names, row.values);
  }
  for (const LessonMask& mask : step.masks)
    add_names(names, mask.text.expressions);
  for (const LessonLine& line : step.lines) {
    add_names(names, line.text.expressions);
    for (const auto* formula : {&line.holds, &line.when}) {
      if (*formula) add_names(names, {**formula});
    }
  }
  if (step.guess) add_names(names, {step.guess->answer});
  for (const LessonControl& control : step.controls) {
    add_names(names, {control.now});
    add_names(names, control.shows.expressions);
  }
  return names;
}

std::vector<std::string> facts_of(const LessonQuestion& question) {
  std::vector<std::string> names;
  add_names(names, {question.check});
  add_names(names, question.shows.expressions);
  return names;
}

int words_of(const TemplateText& text) {
  std::string all;
  for (std::size_t at = 0; at < text.texts.size(); ++at)
    all += text.texts[at] + (at < text.expressions.size() ? "0" : "");
  std::istringstream words(all);
  int count = 0;
  for (std::string word; words >> word;)
    ++count;
  return count;
}

namespace {

constexpr std::size_t max_commands = 20, max_columns = 6;
constexpr std::int64_t max_values = 100;  // Maximum number of values of one slider.
constexpr int max_words = 60;

std::vector<double> values_of(const JsonFields& fields) {
  constexpr double most = 1e9;
  if (fields.has("values")) {
    for (const char* other : {"min", "max", "step"}) {
      if (fields.has(other)) fields.fail(other, "cannot be combined with \"values\"");
    }
    std::vector<double> values = fields.numbers("values", static_cast<std::size_t>(max_values));
    if (std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) != values.end())
      fields.fail("values", "expected ascending values");
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
    // Round to a decimal value such as 0.3 instead of 0.30000000000000004.
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
  if (words.size() < 2)
    fields.fail(made.values.empty() ? "choices" : "values", "expected at least two entries");
  const std::string text = filled(fields, "command");
  const auto place = text.find("{}");
  if (place == std::string::npos || text.find("{}", place + 1) != std::string::npos)
    fields.fail("command", "'" + text + "': expected {} exactly once; it is replaced by the value");
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
