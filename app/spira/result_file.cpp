#include "app/spira/result_file.hpp"

#include "engine/base/error.hpp"
#include "engine/base/file.hpp"

namespace spira::app {

void prepare_result_file(std::string& file, OutputOptions& output) {
  if (file.empty()) return;
  if (file != standard_output) return require_writable(file);
  if (output.csv)
    throw Error(ErrorKind::usage, "-o - and --csv: both write to standard output; give one of them");
  output.json = true;
  file.clear();
}

}  // namespace spira::app
