#include "engine/scene/read_limits.hpp"

namespace spira {

std::string every_text(std::int64_t every) {
  if (every <= 1) return "all";
  const bool teen = every % 100 >= 11 && every % 100 <= 13;
  const std::int64_t last = teen ? 0 : every % 10;
  const char* ending = last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th";
  return "every " + std::to_string(every) + ending;
}

std::int64_t every_that_fits(std::uint64_t items, std::uint64_t item_bytes, std::uint64_t free_bytes) {
  constexpr std::int64_t most = 1000;
  constexpr std::uint64_t min_items = 1000;
  if (free_bytes == 0) return 0;
  const auto every = static_cast<std::int64_t>((items * item_bytes + free_bytes - 1) / free_bytes);
  if (every > most || items / static_cast<std::uint64_t>(every < 1 ? 1 : every) < min_items) return 0;
  return every < 1 ? 1 : every;
}

}  // namespace spira
