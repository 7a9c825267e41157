// Defines Triples, the relations between the nodes of a graph. Reads, generates and writes them.
#pragma once

#include "engine/job/job.hpp"

#include <compare>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace spira {

/// One relation from the node `head` to the node `tail`. The members are in the order by which triples are
/// sorted.
struct Triple {
  std::int32_t relation = 0, tail = 0, head = 0;
  auto operator<=>(const Triple&) const = default;
};

struct Triples {
  std::string name;    ///< The name of the file or of the generator.
  std::string format;  ///< "TSV", "CSV", "N-Triples", "WordNet" or "generated".
  std::vector<std::string> nodes, relations;
  std::vector<Triple> triples;  ///< Sorted and without duplicates.
  std::int64_t duplicates = 0;  ///< Triples that were removed because they occur more than once.
  std::int64_t self_loops = 0;  ///< Triples from a node to itself. They are kept.
  bool inverse = false;         ///< True if the triples come from with_inverses().
};

/// Positions of triples are stored as int32.
constexpr std::int64_t max_triples = INT32_MAX;
/// Throws `Error(does_not_fit)` if `count` exceeds max_triples. `whose` names the file, and `what` the
/// objects that are counted.
void require_countable(std::int64_t count, const std::string& whose, std::string_view what = "triples");

/// Sorts the triples, removes duplicates, and counts duplicates and self-loops.
void sort_and_merge(Triples& triples);
/// Adds one relation "R^-1" for each relation R, with the heads and tails of all triples exchanged. Throws
/// the same errors as require_countable().
[[nodiscard]] Triples with_inverses(Triples triples);

enum class TripleFormat : std::uint8_t {
  tsv,       ///< Head, relation and tail, separated by tabs.
  csv,       ///< The same, separated by commas. Cells can have quotes (RFC 4180).
  n_triples  ///< The format of the W3C: subject, predicate and object.
};

/// Reads triples. The extension of the file name determines the format: .nt is N-Triples, .csv is CSV, all
/// others are TSV. A folder must contain the data files of WordNet 3. Nodes and relations have numbers in the
/// order in which they first occur. If `node_list` is not empty, it is a file with the names of all nodes,
/// one per line, in the order of their numbers. Throws `Error(input)` with the file, the line and the fault
/// if a column is missing, a name is empty, or a node is not in the list.
[[nodiscard]] Triples read_triples(const std::filesystem::path& path, const std::filesystem::path& node_list,
                                   Job& job);
/// Returns true if `path` is a folder with the data files of WordNet, a .nt file, or a .tsv file whose first
/// line has three columns, unless its first lines are numbers, as in a point cloud. Does not throw.
[[nodiscard]] bool looks_like_triples(const std::filesystem::path& path);
/// Parses triples from text. If `nodes` is not empty, it contains the names of all nodes.
[[nodiscard]] Triples parse_triples(std::string_view text, TripleFormat format, const std::string& file_name,
                                    std::vector<std::string> nodes, Job& job);
/// Reads the pointers between synsets from the files data.noun, data.verb, data.adj and data.adv of WordNet 3
/// (man page wndb(5WN)). Each synset is a node, and each pointer symbol a relation.
[[nodiscard]] Triples read_wordnet(const std::filesystem::path& folder, Job& job);

struct TripleSizes {
  std::int64_t nodes = 0, triples = 0, relations = 0;
};
/// Generates triples with power-law degrees: the number of nodes with more than d triples decreases with
/// d^-1.5. Also draws the relations from a power law. If there are at least as many triples as nodes and
/// relations, each node and each relation has a triple. The result is the same on every platform. Throws
/// `Error(usage)` if there are more triples than half of all possible triples.
[[nodiscard]] Triples generate_triples(const TripleSizes& sizes, std::uint64_t seed, Job& job);

/// Throws `Error(usage)` if the extension of the path is not .tsv, .csv or .nt.
void require_triples_format(const std::filesystem::path& path);
/// Writes triples in the format that the extension of the file name selects. N-Triples files contain each
/// name as the IRI <urn:spira:NAME>. The other formats contain the names unchanged.
void write_triples(const Triples& triples, const std::filesystem::path& path,
                   const std::stop_token& stop = {});

}  // namespace spira
