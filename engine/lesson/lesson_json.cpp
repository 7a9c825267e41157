// Reads lessons, with faults that name the place.
#include "engine/base/error.hpp"
#include "engine/base/fields_json.hpp"
#include "engine/base/text.hpp"
#include "engine/lesson/lesson.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <sstream>

namespace spira {
namespace {

constexpr std::size_t most_steps = 40, most_rows = 20, most_commands = 20, most_controls = 4;
constexpr std::int64_t most_values = 100;  // of a slider
constexpr int most_words = 60;

class LessonReader {
 public:
  LessonReader(std::string file, const CheckCommand& check) : file_(std::move(file)), check_(check) {
    const auto names = fact_names();
    facts_ = {names.begin(), names.end()};
  }

  Lesson read(const nlohmann::json& document) const {
    const Fields root(document, file_, "");
    static_cast<void>(check_schema(root, "spira.lesson", "lesson", {1, 0}));
    only(root, document, {"schema", "schema_version", "id", "title", "summary", "steps", "questions"});
    Lesson lesson{filled(root, "id"), filled(root, "title"), filled(root, "summary"), {}, {}};
    const auto& steps = array(root, "steps", most_steps);
    std::set<std::string> ids;
    for (std::size_t at = 0; at < steps.size(); ++at) {
      lesson.steps.push_back(step(steps[at], "steps[" + std::to_string(at) + "]"));
      if (!ids.insert(lesson.steps.back().id).second)
        root.fail("steps", "two of them are called '" + lesson.steps.back().id + "'");
    }
    if (lesson.steps.empty()) root.fail("steps", "a lesson needs at least one");
    const auto& questions = array(root, "questions", most_rows);
    for (std::size_t at = 0; at < questions.size(); ++at) {
      const Fields fields(questions[at], file_, "questions[" + std::to_string(at) + "]");
      only(fields, questions[at], {"text", "check", "hint"});
      lesson.questions.push_back({filled(fields, "text"), formula(fields, "check"), filled(fields, "hint")});
    }
    return lesson;
  }

 private:
  using Json = nlohmann::json;

  static void only(const Fields& fields, const Json& object, const std::set<std::string>& known) {
    for (const auto& [key, value] : object.items()) {
      if (!known.contains(key)) fields.fail(key, "unknown key");
    }
  }
  static std::string filled(const Fields& fields, const std::string& key) {
    std::string text = fields.text(key);
    if (text.empty()) fields.fail(key, "expected a text that is not empty");
    return text;
  }
  static const Json& array(const Fields& fields, const std::string& key, std::size_t most) {
    const Json& found = fields.value(key);
    if (!found.is_array() || found.size() > most)
      fields.fail(key, "expected an array of at most " + std::to_string(most));
    return found;
  }
  Expression formula(const Fields& fields, const std::string& key) const {
    return formula(fields, key, filled(fields, key));
  }
  Expression formula(const Fields& fields, const std::string& key, const std::string& text) const {
    try {
      Expression made(text);
      known(fields, key, made);
      return made;
    } catch (const Error& error) {
      if (std::string(error.what()).starts_with(file_)) throw;
      fields.fail(key, error.what());
    }
  }
  void known(const Fields& fields, const std::string& key, const Expression& made) const {
    for (const std::string& name : made.names()) {
      if (!facts_.contains(name)) fields.fail(key, "there is no fact '" + name + "'");
    }
  }
  std::vector<Expression> formulas(const Fields& fields, const std::string& key) const {
    std::vector<Expression> made;
    for (const std::string& text : fields.texts(key, most_rows))
      made.push_back(formula(fields, key, text));
    return made;
  }
  std::vector<LessonCommand> commands(const Fields& fields, const std::string& key) const {
    std::vector<LessonCommand> made;
    if (!fields.has(key)) return made;
    for (const std::string& text : fields.texts(key, most_commands))
      made.push_back(command(fields, key, text));
    return made;
  }
  LessonCommand command(const Fields& fields, const std::string& key, const std::string& text) const {
    std::istringstream words(text);
    LessonCommand made;
    words >> made.id;
    for (std::string word; words >> word;)
      made.words.push_back(word);
    const std::string fault = check_ ? check_(made) : std::string();
    if (!fault.empty()) fields.fail(key, "'" + text + "': " + fault);
    return made;
  }
  TemplateText prose(const Fields& fields, const std::string& key) const {
    const std::string text = filled(fields, key);
    TemplateText parts;
    try {
      parts = parse_template(text);
    } catch (const Error& error) {
      fields.fail(key, error.what());
    }
    for (const Expression& made : parts.expressions)
      known(fields, key, made);
    if (const int words = words_of(parts); words > most_words)
      fields.fail(key, std::to_string(words) + " words, " + std::to_string(most_words) + " at the most");
    return parts;
  }

  LessonStep step(const Json& object, const std::string& place) const {
    // The name of the step helps more than its number.
    const std::string id =
        object.is_object() && object.contains("id") && object["id"].is_string() ? object["id"] : "";
    const std::string path = id.empty() ? place : place + " '" + id + "'";
    const Fields fields(object, file_, path);
    only(fields, object,
         {"id", "title", "text", "before", "motion", "numbers", "bars", "key_bits", "guess", "controls",
          "try", "after"});
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
    if (fields.has("numbers")) {
      const auto& rows = array(fields, "numbers", most_rows);
      for (std::size_t at = 0; at < rows.size(); ++at)
        made.numbers.push_back(number(rows[at], path + ".numbers[" + std::to_string(at) + "]"));
    }
    if (fields.has("controls")) {
      const auto& rows = array(fields, "controls", most_controls);
      for (std::size_t at = 0; at < rows.size(); ++at)
        made.controls.push_back(control(rows[at], path + ".controls[" + std::to_string(at) + "]"));
    }
    if (fields.has("try")) {
      const auto& rows = array(fields, "try", most_rows);
      for (std::size_t at = 0; at < rows.size(); ++at)
        made.tries.push_back(attempt(rows[at], path + ".try[" + std::to_string(at) + "]"));
    }
    return made;
  }
  LessonMotion motion(const Json& object, const std::string& path) const {
    const Fields fields(object, file_, path);
    only(fields, object, {"kind", "caption"});
    LessonMotion made{filled(fields, "kind"), filled(fields, "caption")};
    std::string names;
    for (const std::string& kind : lesson_motions()) {
      if (kind == made.kind) return made;
      names += (names.empty() ? "" : ", ") + kind;
    }
    fields.fail("kind", "there is no motion '" + made.kind + "'; there are " + names);
  }
  LessonNumber number(const Json& object, const std::string& path) const {
    const Fields fields(object, file_, path);
    only(fields, object, {"label", "value", "digits", "unit", "paper", "points_at"});
    LessonNumber made{filled(fields, "label"), formula(fields, "value"),
                      fields.has("digits") ? static_cast<int>(fields.whole("digits", 0, 6)) : 0,
                      fields.text_or("unit", ""), fields.text_or("paper", "")};
    if (fields.has("points_at")) {
      made.points_at = command(fields, "points_at", filled(fields, "points_at"));
      if (made.points_at->id != "choose.offset" && made.points_at->id != "choose.l1")
        fields.fail("points_at", "expected choose.offset or choose.l1");
    }
    return made;
  }
  LessonBars bars(const Json& object, const std::string& path) const {
    const Fields fields(object, file_, path);
    only(fields, object, {"title", "labels", "values", "control", "value_name", "control_name"});
    LessonBars made{filled(fields, "title"),
                    fields.texts("labels", most_rows),
                    formulas(fields, "values"),
                    fields.has("control") ? formulas(fields, "control") : std::vector<Expression>{},
                    filled(fields, "value_name"),
                    fields.text_or("control_name", "")};
    if (made.labels.size() != made.values.size())
      fields.fail("labels", "expected one for each of the values");
    if (!made.control.empty() && made.control.size() != made.values.size())
      fields.fail("control", "expected one for each of the values");
    return made;
  }
  LessonGuess guess(const Json& object, const std::string& path) const {
    const Fields fields(object, file_, path);
    only(fields, object, {"question", "choices", "answer"});
    LessonGuess made{filled(fields, "question"), fields.texts("choices", most_rows),
                     formula(fields, "answer")};
    if (made.choices.size() < 2) fields.fail("choices", "expected two or more");
    return made;
  }
  LessonControl control(const Json& object, const std::string& path) const {
    const Fields fields(object, file_, path);
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
        if (fields.has(of_slider)) fields.fail(of_slider, "choices have none");
      }
      const auto& choices = array(fields, "choices", most_rows);
      for (std::size_t at = 0; at < choices.size(); ++at) {
        const Fields choice(choices[at], file_, path + ".choices[" + std::to_string(at) + "]");
        only(choice, choices[at], {"name", "value"});
        made.names.push_back(filled(choice, "name"));
        words.push_back(filled(choice, "value"));
      }
    } else {
      made.values = values_of(fields);
      for (const double value : made.values)
        words.push_back(shortest(value));
    }
    if (words.size() < 2) fields.fail(made.values.empty() ? "choices" : "values", "expected two or more");
    const std::string text = filled(fields, "command");
    const auto place = text.find("{}");
    if (place == std::string::npos || text.find("{}", place + 1) != std::string::npos)
      fields.fail("command", "'" + text + "': expected {} once, where the value goes");
    for (const std::string& word : words)
      made.commands.push_back(command(fields, "command", std::string(text).replace(place, 2, word)));
    return made;
  }
  static std::vector<double> values_of(const Fields& fields) {
    constexpr double most = 1e9;
    if (fields.has("values")) {
      for (const char* other : {"min", "max", "step"}) {
        if (fields.has(other)) fields.fail(other, "there are values already");
      }
      std::vector<double> values = fields.numbers("values", static_cast<std::size_t>(most_values));
      if (std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) != values.end())
        fields.fail("values", "expected each to be larger than the one before");
      return values;
    }
    const double low = fields.number("min", -most, most), high = fields.number("max", -most, most),
                 step = fields.number("step", -most, most);
    if (step <= 0) fields.fail("step", "expected more than 0");
    if (high <= low) fields.fail("max", "expected more than min");
    const double steps = (high - low) / step;
    constexpr double near = 1e-6;
    if (steps > static_cast<double>(most_values))
      fields.fail("step", "expected at most " + std::to_string(most_values) + " of them from min to max");
    if (std::abs(steps - std::round(steps)) > near)
      fields.fail("step", "expected a whole number of them from min to max");
    std::vector<double> values;
    for (int at = 0; at <= static_cast<int>(std::lround(steps)); ++at)
      values.push_back(std::round((low + (at * step)) * most) / most);  // 0.3, not 0.30000000000000004
    return values;
  }
  LessonTry attempt(const Json& object, const std::string& path) const {
    const Fields fields(object, file_, path);
    only(fields, object, {"text", "button", "commands"});
    return {filled(fields, "text"), fields.text_or("button", ""), commands(fields, "commands")};
  }

  std::string file_;
  const CheckCommand& check_;
  std::set<std::string> facts_;
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
      "points", "grid",    "point",   "shift",   "bits",    "order",    "overflow", "alias",   "slide",
      "norms",  "shuffle", "strides", "queries", "bracket", "searches", "anchors",  "scan",    "off_grid",
      "probes", "sectors", "race",    "matrix",  "rows",    "columns",  "divide",   "halves",  "shapes",
      "work",   "sweep",   "model",   "floor",   "serial",  "levels",   "maps",     "overlap", "held"};
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
  if (step.guess) add_names(names, {step.guess->answer});
  for (const LessonControl& control : step.controls) {
    add_names(names, {control.now});
    add_names(names, control.shows.expressions);
  }
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

}  // namespace spira
