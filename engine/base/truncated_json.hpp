// Recovers the complete members of a JSON document that ends too early.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace spira {

struct TruncatedJson {
  std::string text;  ///< The document without its incomplete members.
  std::string at;    ///< Path of the member in which the text ends: "sweeps.thresholds.rows".
};

/// Completes a JSON document that ends too early. Removes each incomplete member as a whole, so that no list
/// appears complete with too few elements. Only the objects and lists whose paths are in `open` keep their
/// complete members. The path "" is the document, and "a.b" is the member b of its member a. Returns an empty
/// optional if the text does not end inside an object. Does not validate the result; a parser must do that.
[[nodiscard]] std::optional<TruncatedJson> complete_truncated_json(std::string_view text,
                                                                   std::span<const std::string_view> open);

}  // namespace spira
