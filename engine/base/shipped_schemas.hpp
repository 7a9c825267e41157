// The schemas of resources/schemas, compiled into the program: they are there wherever it runs.
#pragma once

#include <span>
#include <string_view>

namespace spira {

struct ShippedSchema {
  std::string_view name;     ///< "report": of resources/schemas/report.schema.json
  std::string_view content;  ///< JSON
};
[[nodiscard]] std::span<const ShippedSchema> shipped_schemas() noexcept;

}  // namespace spira
