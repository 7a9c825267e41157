// What is whole of a JSON document that ends too early.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace spira {

struct TornJson {
  std::string text;  ///< JSON again: without what the tear went through
  std::string at;    ///< the member in which it ends, as a path of keys: "sweeps.thresholds.rows"
};

/// A torn member goes as a whole, so that no list is taken for a shorter one; only the objects and lists in
/// `open` ("" is the document, "a.b" the member b of its member a) keep those of their members that are
/// whole. Empty: the text does not end inside an object. That the rest is sound is for a parser to say.
[[nodiscard]] std::optional<TornJson> mend_torn_json(std::string_view text,
                                                     std::span<const std::string_view> open);

}  // namespace spira
