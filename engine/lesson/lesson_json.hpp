// Reads the parts of a lesson file: formulas, commands and texts.
#pragma once

#include "engine/base/fields_json.hpp"
#include "engine/lesson/lesson.hpp"

#include <set>
#include <string>
#include <vector>

namespace spira {

/// Reads and checks the parts of a lesson file. Like `JsonFields`, the functions throw `Error(input)` with
/// the file and the position of the fault.
class LessonParts {
 public:
  using Json = nlohmann::json;
  static constexpr std::size_t max_rows = 20;

  /// `check` must outlive this object.
  LessonParts(std::string file, const CheckCommand& check);

  [[nodiscard]] JsonFields fields_of(const Json& object, const std::string& path) const {
    return {object, file_, path};
  }
  static void only(const JsonFields& fields, const Json& object, const std::set<std::string>& known);
  [[nodiscard]] static std::string filled(const JsonFields& fields, const std::string& key);
  [[nodiscard]] static const Json& array(const JsonFields& fields, const std::string& key, std::size_t most);
  /// Returns the number of digits after the decimal point. Returns 0 if the file does not specify this
  /// number.
  [[nodiscard]] static int digits(const JsonFields& fields);

  [[nodiscard]] Expression formula(const JsonFields& fields, const std::string& key) const;
  [[nodiscard]] std::vector<Expression> formulas(const JsonFields& fields, const std::string& key) const;
  [[nodiscard]] std::vector<LessonCommand> commands(const JsonFields& fields, const std::string& key) const;
  [[nodiscard]] LessonCommand command(const JsonFields& fields, const std::string& key,
                                      const std::string& text) const;
  /// Reads a text with formulas. Throws `Error(input)` if it has more than 60 words.
  [[nodiscard]] TemplateText prose(const JsonFields& fields, const std::string& key) const;

  [[nodiscard]] LessonControl control(const Json& object, const std::string& path) const;
  [[nodiscard]] LessonTable table(const Json& object, const std::string& path) const;
  [[nodiscard]] LessonLine line(const Json& object, const std::string& path) const;
  [[nodiscard]] LessonMask mask(const Json& object, const std::string& path) const;

 private:
  [[nodiscard]] Expression formula(const JsonFields& fields, const std::string& key,
                                   const std::string& text) const;
  void known(const JsonFields& fields, const std::string& key, const Expression& made) const;

  std::string file_;
  const CheckCommand& check_;
  std::set<std::string> facts_;
};

}  // namespace spira
