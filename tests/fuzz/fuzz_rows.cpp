// Fuzz target for rows without a header. The first line of the input is a description of the rows, such as
// "f32:x,y,z,-:planar"; the remaining bytes are the file. The file is read with the described layout and with
// the detected layout.
#include "engine/base/error.hpp"
#include "engine/scene/reader.hpp"
#include "engine/scene/rows/row_layout.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

/// Expects that `read` returns points or throws Error(input).
template <class Read> void expect_points(const Read& read) {
  try {
    if (read().positions.empty()) std::abort();
  } catch (const spira::Error& error) {
    if (error.kind() != spira::ErrorKind::input) std::abort();
  }
}

/// Returns true if the text is a valid description of rows. Expects that such a description is unchanged
/// after it is written and parsed again.
bool describes_rows(std::string_view text) {
  try {
    const std::string written = text_of(spira::parse_row_layout(text));
    if (text_of(spira::parse_row_layout(written)) != written) std::abort();
    return true;
  } catch (const spira::Error& error) {
    if (error.kind() != spira::ErrorKind::usage) std::abort();
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::uint8_t* line_end = std::find(data, data + size, std::uint8_t{'\n'});
  const std::string_view description(reinterpret_cast<const char*>(data),
                                     static_cast<std::size_t>(line_end - data));
  const std::size_t begin = std::min(size, description.size() + 1);
  // The readers require a file with at least one byte.
  if (begin == size) return 0;
  const std::span bytes(reinterpret_cast<const std::byte*>(data) + begin, size - begin);
  spira::Job job;
  if (describes_rows(description)) {
    expect_points([&] { return spira::row_reader().read_as(description, bytes, "fuzz", {}, job); });
  }
  for (const auto& format : spira::formats()) {
    if (format.headerless) expect_points([&] { return format.reader->read(bytes, "fuzz.bin", {}, job); });
  }
  return 0;
}
