#include "engine/base/error.hpp"
#include "engine/base/hash_and_random.hpp"
#include "engine/base/text.hpp"
#include "engine/relation/triples.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace spira {
namespace {

/// Returns the numbers from 0 to count - 1 in random order.
std::vector<std::int32_t> shuffled(std::int64_t count, Random& random) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t at = order.size(); at > 1; --at)
    std::swap(order[at - 1], order[random.below(at)]);
  return order;
}

class Generator {
 public:
  Generator(const TripleSizes& sizes, std::uint64_t seed)
      : sizes_(sizes),
        random_(seed),
        heads_(shuffled(sizes.nodes, random_)),
        tails_(shuffled(sizes.nodes, random_)) {}

  std::vector<Triple> make(Job& job) {
    std::vector<Triple> all;
    // The first triples make sure that each node and each relation occurs.
    for (std::int64_t at = 0; at < std::min(sizes_.triples, std::max(sizes_.nodes, sizes_.relations)); ++at) {
      Triple triple = drawn(false);
      if (at < sizes_.nodes) triple.head = static_cast<std::int32_t>(at);
      if (at < sizes_.relations) triple.relation = static_cast<std::int32_t>(at);
      all.push_back(triple);
    }
    const auto wanted = static_cast<std::size_t>(sizes_.triples);
    // Popular nodes are drawn again and again. After some rounds, all nodes are equally likely, so that each
    // round finds at least half of the missing triples.
    constexpr int rounds_by_power_law = 8;
    for (int round = 0; all.size() < wanted; ++round) {
      constexpr std::size_t triples_between_checks = 1U << 20U;
      while (all.size() < wanted) {
        if (all.size() % triples_between_checks == 0)
          job.checkpoint({"generating triples", std::ssize(all), sizes_.triples});
        all.push_back(drawn(round >= rounds_by_power_law));
      }
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
    }
    return all;
  }

 private:
  /// Returns an index in [0, count). The share of indices below x * count is the cube root of x, so the
  /// expected number of draws of the index k decreases with k^(-2/3).
  std::size_t popular(std::int64_t count) {
    const double share = random_.uniform();
    return static_cast<std::size_t>(share * share * share * static_cast<double>(count));
  }

  Triple drawn(bool uniform) {
    const auto index = [&](std::int64_t count) {
      return uniform ? static_cast<std::size_t>(random_.below(static_cast<std::uint64_t>(count)))
                     : popular(count);
    };
    Triple triple;
    triple.relation = static_cast<std::int32_t>(index(sizes_.relations));
    triple.tail = tails_[index(sizes_.nodes)];
    triple.head = heads_[index(sizes_.nodes)];
    return triple;
  }

  TripleSizes sizes_;
  Random random_;
  std::vector<std::int32_t> heads_, tails_;
};

std::vector<std::string> numbered(char letter, std::int64_t count) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(count));
  for (std::int64_t at = 0; at < count; ++at)
    names.push_back(letter + std::to_string(at));
  return names;
}

}  // namespace

Triples generate_triples(const TripleSizes& sizes, std::uint64_t seed, Job& job) {
  SPIRA_ASSERT(sizes.nodes > 0 && sizes.triples > 0 && sizes.relations > 0,
               "sizes of triples must be positive");
  require_countable(sizes.nodes, "generated triples", "nodes");
  require_countable(sizes.triples, "generated triples");
  require_countable(sizes.relations, "generated triples", "relations");
  const double possible = static_cast<double>(sizes.nodes) * static_cast<double>(sizes.nodes) *
                          static_cast<double>(sizes.relations);
  if (static_cast<double>(sizes.triples) > possible / 2)
    throw Error(ErrorKind::usage, counted_text(sizes.triples, "triple is", "triples are") +
                                      " more than half of all possible triples of " +
                                      counted_text(sizes.nodes, "node", "nodes") + " and " +
                                      counted_text(sizes.relations, "relation", "relations") +
                                      "; use more nodes or fewer triples");
  Triples triples;
  triples.name = "triples";
  triples.format = "generated";
  triples.nodes = numbered('n', sizes.nodes);
  triples.relations = numbered('r', sizes.relations);
  triples.triples = Generator(sizes, seed).make(job);
  sort_and_merge(triples);
  return triples;
}

}  // namespace spira
