#include "app/common/scene_argument.hpp"
#include "engine/scene/reader.hpp"

#include <algorithm>

namespace spira::app {
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
