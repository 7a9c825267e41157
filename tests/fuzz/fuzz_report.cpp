// Fuzz target for the report parser. For any input, the parser must return a report or throw Error(input). A
// report that was parsed must be unchanged after it is written and parsed again.
#include "engine/base/error.hpp"
#include "engine/report/report.hpp"
#include "engine/report/report_exports.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const spira::Report report = spira::parse_report({reinterpret_cast<const char*>(data), size}, "fuzz");
    const std::string written = spira::report_json(report);
    if (spira::report_json(spira::parse_report(written, "again")) != written) std::abort();
  } catch (const spira::Error& error) {
    if (error.kind() != spira::ErrorKind::input) std::abort();
  }
  return 0;
}
