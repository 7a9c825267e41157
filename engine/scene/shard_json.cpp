#include "engine/scene/shard_json.hpp"

namespace spira {

nlohmann::ordered_json shard_json(const Shard& shard) {
  return {{"number", shard.number},
          {"count", shard.count},
          {"frames", shard.frames},
          {"list", fingerprint_text(shard.list)}};
}

Shard shard_from(const JsonFields& fields) {
  Shard shard;
  shard.count = fields.whole("count", 1, max_shards);
  shard.number = fields.whole("number", 1, shard.count);
  shard.frames = fields.whole("frames", 1, max_exact_count);
  shard.list = fields.fingerprint("list");
  return shard;
}

}  // namespace spira
