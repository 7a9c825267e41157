#include "engine/scene/generate/generate.hpp"

#include "app/common/value_names.hpp"
#include "app/spira/options.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/relation/triples.hpp"
#include "engine/scene/point_cloud.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace spira::app {
namespace {

constexpr const char* triples_id = "triples";

struct GenerateCommand {
  std::string id, file;
  std::int64_t points = 0;
  TripleSizes sizes;
  std::uint64_t seed = 1;
};

void generate_cloud(const Context& context, const CLI::App& command, const GenerateCommand& options) {
  for (const char* option : {"--nodes", "--triples", "--relations"}) {
    if (command.count(option) > 0)
      throw Error(ErrorKind::usage, std::string(option) + ": can only be used with generate triples");
  }
  require_written_format(options.file);
  require_result_file(command, options.file);
  Job job = context.job();
  const auto cloud = generate_scene(options.id, options.points, options.seed, job);
  write_scene(*cloud, options.file, context.stop);
  context.say(options.file + ": " + cloud->reading);
}

void generate_graph(const Context& context, const CLI::App& command, const GenerateCommand& options) {
  for (const char* option : {"--nodes", "--triples", "--relations"}) {
    if (command.count(option) == 0)
      throw Error(ErrorKind::usage, std::string("generate triples needs ") + option);
  }
  if (command.count("--points") > 0)
    throw Error(ErrorKind::usage, "--points: can only be used with generate street, room and random");
  require_triples_format(options.file);
  require_result_file(command, options.file);
  Job job = context.job();
  const Triples triples = generate_triples(options.sizes, options.seed, job);
  write_triples(triples, options.file, context.stop);
  // Nodes and relations without a triple are not in the file.
  std::vector<bool> nodes(triples.nodes.size()), relations(triples.relations.size());
  for (const Triple& one : triples.triples) {
    nodes[static_cast<std::size_t>(one.head)] = nodes[static_cast<std::size_t>(one.tail)] = true;
    relations[static_cast<std::size_t>(one.relation)] = true;
  }
  const auto used = [](const std::vector<bool>& all) { return std::count(all.begin(), all.end(), true); };
  context.say(options.file + ": " + counted_text(used(nodes), "node", "nodes") + ", " +
              counted_text(std::ssize(triples.triples), "triple", "triples") + ", " +
              counted_text(used(relations), "relation", "relations"));
}

}  // namespace

void add_generate(CLI::App& program, Context& context) {
  auto* command = program.add_subcommand(
      "generate", "Write a generated scene (street, room or random) or a graph (triples)");
  command->footer(
      "Example: spira generate street --points 120000 --seed 7 -o street.ply\n"
      "         spira generate triples --nodes 8285 --triples 58086 --relations 90 -o graph.tsv");
  auto options = std::make_shared<GenerateCommand>();
  command->add_option("scene", options->id, "street, room, random or triples")
      ->type_name(generator_value() + "|" + triples_id)
      ->required();
  command
      ->add_option("--points", options->points,
                   "Approximate number of points (default: depends on the generator)")
      ->check(CLI::Range(1, 100'000'000));
  const auto size = [&](const char* name, std::int64_t& value, const char* about) {
    command->add_option(name, value, about)->check(CLI::Range(std::int64_t{1}, max_triples))->type_name("N");
  };
  size("--nodes", options->sizes.nodes, "With triples: number of nodes");
  size("--triples", options->sizes.triples,
       "With triples: number of triples (the number of triples per node follows a power law)");
  size("--relations", options->sizes.relations, "With triples: number of relations");
  command
      ->add_option("--seed", options->seed,
                   "Seed of the random numbers; the same seed gives the same points or triples")
      ->capture_default_str();
  command
      ->add_option("-o,--output", options->file,
                   "File to write: .ply, .npy, .csv or .bin; triples: .tsv, .csv or .nt")
      ->type_name(file_value)
      ->required();
  command->callback([command, options, &context] {
    const bool triples = options->id == triples_id;
    if (is_standard_output(options->file))
      throw Error(ErrorKind::usage, "-o " + options->file + ": give a file name that ends with " +
                                        (triples ? ".tsv, .csv or .nt" : ".ply, .npy, .csv or .bin"));
    triples ? generate_graph(context, *command, *options) : generate_cloud(context, *command, *options);
  });
}

}  // namespace spira::app
