#include "app/common/scene_argument.hpp"

#include "app/common/value_names.hpp"
#include "engine/scene/generate/generate.hpp"
#include "engine/scene/read_limits.hpp"
#include "engine/scene/reader.hpp"
#include "engine/scene/rows/row_layout.hpp"

namespace spira::app {

std::shared_ptr<const PointCloud> open_scene(const std::string& scene, const std::string& format,
                                             std::int64_t every, Job& job) {
  if (names_built_in_scene(scene)) return built_in_scene(scene, job);
  LoadOptions options;
  options.format = format;
  options.limits.every = every;
  return load_scene(scene, options, job);
}

namespace {

struct RowWords {
  std::string columns, type = "f32", array;
  bool planar = false, big_endian = false;
  std::uint64_t skip_bytes = 0;

  [[nodiscard]] std::string format() const {
    if (!array.empty()) return "npz:" + array;
    std::string text = "rows:" + type + ":" + columns;
    if (planar) text += ":planar";
    if (big_endian) text += ":big";
    if (skip_bytes > 0) text += ":skip=" + std::to_string(skip_bytes);
    return text;
  }
};

std::string option_for(FormatRemedy remedy) {
  switch (remedy) {
    case FormatRemedy::choose_format:
      return "--format overrides the guess";
    case FormatRemedy::describe_rows:
      return "--columns x,y,z,intensity --type f32, with --planar if each column is one block";
    case FormatRemedy::describe_big_endian_rows:
      return "--columns x,y,z,- --big-endian";
  }
  return {};
}

}  // namespace

void add_format(CLI::App& command, std::string& format) {
  const auto words = std::make_shared<RowWords>();
  auto* given =
      command
          .add_option("--format", format,
                      "Read the file as this format instead of guessing; npz:NAME chooses an array, "
                      "rows:TYPE:NAMES describes rows without a header")
          ->type_name(format_value());
  auto* columns = command
                      .add_option("--columns", words->columns,
                                  "Read rows of numbers without a header, with columns such as "
                                  "x,y,z,intensity,- (- skips a column)")
                      ->type_name("NAMES")
                      ->excludes(given);
  command.add_option("--type", words->type, "Type of the numbers in --columns")
      ->type_name(scalar_names('|'))
      ->needs(columns)
      ->capture_default_str();
  command.add_flag("--planar", words->planar, "The values of each column of --columns are stored together")
      ->needs(columns);
  command.add_flag("--big-endian", words->big_endian, "The numbers of --columns are big-endian")
      ->needs(columns);
  command.add_option("--skip-bytes", words->skip_bytes, "Number of bytes before the first row of --columns")
      ->type_name("BYTES")
      ->needs(columns);
  auto* array = command.add_option("--array", words->array, "Read this array of an NPZ archive")
                    ->type_name("NAME")
                    ->excludes(given)
                    ->excludes(columns);
  command.parse_complete_callback([words, columns, array, &format] {
    const bool described = columns->count() > 0, chosen = array->count() > 0;
    if (described || chosen) format = words->format();
    if (format.empty()) return;
    try {
      check_format(format);
    } catch (const Error& error) {
      throw CLI::ValidationError(described ? "--columns" : chosen ? "--array" : "--format", error.what());
    }
  });
}

std::string error_text(const Error& error) {
  if (const auto* unclear = dynamic_cast<const UnclearFormat*>(&error))
    return std::string(error.what()) + " (" + option_for(unclear->remedy()) + ")";
  const auto* memory = dynamic_cast<const NotEnoughMemory*>(&error);
  if (memory == nullptr || memory->every() <= 1) return error.what();
  return std::string(error.what()) + " (--every " + std::to_string(memory->every()) + ")";
}

}  // namespace spira::app
