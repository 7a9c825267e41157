// Fuzz target that reads a folder of NPY arrays as a scene. Each NPY signature in the input starts a new
// array. The bytes before the first signature choose the names of the arrays.
#include "engine/base/error.hpp"
#include "engine/scene/sequence.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

constexpr std::string_view signature = "\x93NUMPY";
constexpr std::array<std::string_view, 12> names{"coord",    "color",    "normal", "segment20",
                                                 "instance", "strength", "x",      "y",
                                                 "z",        "points",   "pose",   "intensity"};

/// An empty folder that is removed when the program ends.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("spira_fuzz_folder_" + std::to_string(getpid()))) {}
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void fill(std::string_view input) const {
    fs::remove_all(path_);
    fs::create_directories(path_);
    std::size_t begin = input.find(signature);
    const std::string_view choices = input.substr(0, begin);
    for (std::size_t at = 0; begin != std::string_view::npos && at < names.size(); ++at) {
      const std::size_t end = input.find(signature, begin + 1);
      const std::size_t choice = at < choices.size() ? static_cast<unsigned char>(choices[at]) : at;
      const std::string name(names.at(choice % names.size()));
      std::ofstream(path_ / (name + ".npy"), std::ios::binary) << input.substr(begin, end - begin);
      begin = end;
    }
  }
  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  folder.fill({reinterpret_cast<const char*>(data), size});
  static_cast<void>(spira::is_scene_folder(folder.path()));
  constexpr std::uint64_t max_bytes = 1U << 20U;
  spira::Job job;
  try {
    if (spira::read_scene_folder(folder.path(), max_bytes, {}, job).positions.empty()) std::abort();
  } catch (const spira::Error& error) {
    if (error.kind() != spira::ErrorKind::input) std::abort();
  }
  return 0;
}
