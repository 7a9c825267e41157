#include "app/common/scene_argument.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/scene/reader.hpp"
#include "engine/scene/standard_input.hpp"

#include <algorithm>
#include <filesystem>

namespace spira::app {
namespace {

namespace fs = std::filesystem;

/// Returns the files that are read if an option has this value. Most values are not file names.
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
          throw Error(ErrorKind::usage, file + ": is an input (" + option->get_name() +
                                            ") and would be overwritten; choose another output file");
      }
    }
  }
}

}  // namespace spira::app
