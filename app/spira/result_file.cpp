#include "app/spira/result_file.hpp"

#include "app/common/input_files.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"

#include <filesystem>

namespace spira::app {

bool is_standard_output(const std::string& file) {
  const auto names_descriptor_1 = [](const std::filesystem::path& path) {
    return path.filename() == "1" && same_file(path.parent_path(), "/dev/fd");
  };
  std::error_code not_a_link;
  return file == standard_output || names_descriptor_1(file) ||
         names_descriptor_1(std::filesystem::read_symlink(file, not_a_link));
}

void require_result_file(const CLI::App& command, const std::string& file) {
  refuse_overwriting_inputs(command, {"--output"}, {file, file + ".meta.json"});
  require_writable(file);
}

void prepare_result_file(const CLI::App& command, std::string& file, OutputOptions& output) {
  if (file.empty()) return;
  if (!is_standard_output(file)) return require_result_file(command, file);
  if (output.csv)
    throw Error(ErrorKind::usage,
                "-o " + file + " and --csv: both write to standard output; give one of them");
  output.json = true;
  file.clear();
}

}  // namespace spira::app
