#include "app/common/scene_argument.hpp"

#include "app/common/value_names.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/scene/generate/generate.hpp"
#include "engine/scene/reader.hpp"
#include "engine/scene/rows/row_layout.hpp"

#include <algorithm>
#include <filesystem>

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
      return "use --format to set the format";
    case FormatRemedy::describe_rows:
      return "use --columns x,y,z,intensity --type f32, and --planar if the file contains all x values "
             "first, then all y values, and so on";
    case FormatRemedy::describe_big_endian_rows:
      return "use --columns x,y,z,- --big-endian";
  }
  return {};
}

}  // namespace

void add_format(CLI::App& command, std::string& format) {
  const auto words = std::make_shared<RowWords>();
  auto* given =
      command
          .add_option("--format", format,
                      "Format of the scene file (default: detected from the content); npz:NAME selects an "
                      "array of an archive, rows:TYPE:NAMES describes rows without a header")
          ->type_name(format_value());
  auto* columns = command
                      .add_option("--columns", words->columns,
                                  "Read the file as rows of numbers without a header; the columns are "
                                  "listed, such as x,y,z,intensity,- (- skips a column)")
                      ->type_name("NAMES")
                      ->excludes(given);
  command.add_option("--type", words->type, "With --columns: type of the numbers in the file")
      ->type_name(scalar_names('|'))
      ->needs(columns)
      ->capture_default_str();
  command
      .add_flag(
          "--planar", words->planar,
          "With --columns: the file contains all values of one column, then all values of the next column")
      ->needs(columns);
  command.add_flag("--big-endian", words->big_endian, "With --columns: the numbers are big-endian")
      ->needs(columns);
  command
      .add_option("--skip-bytes", words->skip_bytes, "With --columns: number of bytes before the first row")
      ->type_name("BYTES")
      ->needs(columns);
  auto* array =
      command.add_option("--array", words->array, "Read the array with this name from an NPZ archive")
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

namespace {

namespace fs = std::filesystem;

/// Returns the files that an option value may refer to: `value` itself, its label files and, for a folder,
/// the scene files in it. The files need not exist, because most values are not file names.
std::vector<fs::path> files_read_for(const std::string& value) {
  if (is_standard_input(value)) return {"/dev/stdin"};
  std::vector<fs::path> files{value};
  for (fs::path& labels : label_files_of(value))
    files.push_back(std::move(labels));
  std::error_code fault;
  for (fs::directory_iterator entry(value, fault), end; !fault && entry != end; entry.increment(fault)) {
    if (is_scene_name(entry->path().filename().string())) files.push_back(entry->path());
  }
  return files;
}

bool reads(const std::string& value, const std::string& file) {
  const auto inputs = files_read_for(value);
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](const fs::path& input) { return same_file(input, file); });
}

}  // namespace

void refuse_overwriting_inputs(const CLI::App& command, const std::vector<std::string>& output_options,
                               const std::vector<std::string>& files) {
  for (const CLI::Option* option : command.get_options()) {
    const bool output = std::any_of(output_options.begin(), output_options.end(),
                                    [&](const std::string& name) { return option->check_name(name); });
    if (output) continue;
    for (const std::string& value : option->results()) {
      for (const std::string& file : files) {
        if (!is_stream(file) && reads(value, file))
          throw Error(ErrorKind::usage, file + ": this file is an input (" + option->get_name() +
                                            ") and would be overwritten; choose another output file");
      }
    }
  }
}

namespace {

std::string padded(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(width - std::min(width, text.size()) + 2, ' ');
}

}  // namespace

std::string reader_list() {
  std::size_t ids = 0, extensions = 0;
  for (const auto& format : formats()) {
    ids = std::max(ids, format.id.size());
    extensions = std::max(extensions, format.extensions.size());
  }
  std::string text;
  for (const auto& format : formats()) {
    if (format.reader == nullptr) continue;
    text += (text.empty() ? "" : "\n") + padded(format.id, ids) + padded(format.extensions, extensions) +
            std::string(format.label);
  }
  return text;
}

void add_list_readers(CLI::App& program) {
  program
      .add_flag_callback(
          "--list-readers", [] { throw CLI::CallForVersion(reader_list(), 0); },
          "List the scene formats, with the names that --format accepts, and exit")
      ->trigger_on_parse();
}

}  // namespace spira::app
