#include "engine/relation/triples.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <algorithm>

namespace spira {

void require_countable(std::int64_t count, const std::string& whose, std::string_view what) {
  if (count > max_triples)
    throw Error(ErrorKind::does_not_fit, whose + ": " + count_text(count) + " " + std::string(what) +
                                             "; at most " + count_text(max_triples) + " are possible");
}

void sort_and_merge(Triples& triples) {
  std::vector<Triple>& all = triples.triples;
  std::sort(all.begin(), all.end());
  const auto end = std::unique(all.begin(), all.end());
  triples.duplicates += all.end() - end;
  all.erase(end, all.end());
  triples.self_loops =
      std::count_if(all.begin(), all.end(), [](const Triple& triple) { return triple.head == triple.tail; });
}

Triples with_inverses(Triples triples) {
  const std::size_t relations = triples.relations.size(), count = triples.triples.size();
  require_countable(2 * static_cast<std::int64_t>(count), triples.name + " with inverse relations");
  triples.relations.reserve(2 * relations);
  for (std::size_t at = 0; at < relations; ++at)
    triples.relations.push_back(triples.relations[at] + "^-1");
  triples.triples.reserve(2 * count);
  for (std::size_t at = 0; at < count; ++at) {
    const Triple& triple = triples.triples[at];
    triples.triples.push_back(
        {triple.relation + static_cast<std::int32_t>(relations), triple.head, triple.tail});
  }
  sort_and_merge(triples);
  triples.inverse = true;
  return triples;
}

}  // namespace spira
