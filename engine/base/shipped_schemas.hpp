// The schemas of resources/schemas. They are compiled into the program, so that it never depends on their
// files.
#pragma once

#include <span>
#include <string_view>

namespace spira {

struct ShippedSchema {
  std::string_view name;     ///< "report" for resources/schemas/report.schema.json.
  std::string_view content;  ///< JSON text.
};
[[nodiscard]] std::span<const ShippedSchema> shipped_schemas() noexcept;

}  // namespace spira
