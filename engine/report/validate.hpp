// Any document of ours against the schema that the program brings along.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

struct Validation {
  std::string kind;                 ///< "report", "tuning profile", ...
  std::string version;              ///< "1.8"; empty: documents of this kind have none
  std::vector<std::string> faults;  ///< a line each, without the file; none: it is valid
};
/// Throws Error(input) naming the file for what is not JSON, or of no kind that there is a schema for.
[[nodiscard]] Validation validate_document(std::string_view json, const std::string& file_name);
[[nodiscard]] Validation validate_file(const std::filesystem::path& file);

}  // namespace spira
