// Fuzz target for a scene reader. For any input, the reader must return points or throw Error(input).
#include "engine/base/error.hpp"
#include "engine/scene/reader.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const auto& format : spira::formats()) {
    if (format.id != SPIRA_FUZZ_FORMAT) continue;
    const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
    static_cast<void>(format.reader->guess(bytes, "fuzz"));
    spira::Job job;
    try {
      const auto cloud = format.reader->read(bytes, "fuzz", {}, job);
      if (cloud.positions.empty()) std::abort();
    } catch (const spira::Error& error) {
      if (error.kind() != spira::ErrorKind::input) std::abort();
    }
  }
  return 0;
}
