// Fuzz target for the reader of triples. The first byte of the input selects the format: '0' is TSV, '1' is
// CSV, and all others are N-Triples. The reader must return sound triples or throw Error(input).
#include "engine/base/error.hpp"
#include "engine/map/relation_map.hpp"
#include "engine/relation/triples.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto format = data[0] == '0'   ? spira::TripleFormat::tsv
                      : data[0] == '1' ? spira::TripleFormat::csv
                                       : spira::TripleFormat::n_triples;
  spira::Job job;
  try {
    const spira::Triples triples =
        spira::parse_triples({reinterpret_cast<const char*>(data) + 1, size - 1}, format, "fuzz", {}, job);
    const auto& all = triples.triples;
    const auto below = [](std::int32_t number, std::size_t count) {
      return number >= 0 && static_cast<std::size_t>(number) < count;
    };
    const bool sound = std::all_of(all.begin(), all.end(), [&](const spira::Triple& triple) {
      return below(triple.head, triples.nodes.size()) && below(triple.tail, triples.nodes.size()) &&
             below(triple.relation, triples.relations.size());
    });
    const bool empty_name = std::count(triples.nodes.begin(), triples.nodes.end(), "") > 0;
    const spira::RelationMap map = spira::relation_map(triples, spira::Normalise::mean);
    if (!sound || empty_name || all.empty() || map.triples() != std::ssize(all) || map.rows() > map.triples())
      std::abort();
  } catch (const spira::Error& error) {
    if (error.kind() != spira::ErrorKind::input) std::abort();
  }
  return 0;
}
