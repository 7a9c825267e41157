// Writes shards as JSON and reads them, for surveys, tuning profiles and manifests.
#pragma once

#include "engine/base/fields_json.hpp"
#include "engine/scene/shard.hpp"

#include <nlohmann/json.hpp>

namespace spira {

[[nodiscard]] nlohmann::ordered_json shard_json(const Shard& shard);
/// Throws `Error(input)` if a member is missing or invalid.
[[nodiscard]] Shard shard_from(const JsonFields& fields);

}  // namespace spira
