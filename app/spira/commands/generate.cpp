#include "engine/scene/generate/generate.hpp"

#include "app/common/value_names.hpp"
#include "app/spira/options.hpp"
#include "engine/base/error.hpp"
#include "engine/scene/point_cloud.hpp"

namespace spira::app {

void add_generate(CLI::App& program, Context& context) {
  struct Options {
    std::string id, file;
    std::int64_t points = 0;
    std::uint64_t seed = 1;
  };
  auto* command = program.add_subcommand("generate", "Write a generated scene: street, room or random");
  command->footer("Example: spira generate street --points 120000 --seed 7 -o street.ply");
  auto options = std::make_shared<Options>();
  command->add_option("scene", options->id, "street, room or random")
      ->type_name(generator_value())
      ->required();
  command
      ->add_option("--points", options->points,
                   "Approximate number of points (default: depends on the generator)")
      ->check(CLI::Range(1, 100'000'000));
  command->add_option("--seed", options->seed, "Seed: the same seed gives the same points")
      ->capture_default_str();
  command->add_option("-o,--output", options->file, "File to write: .ply, .npy, .csv or .bin")
      ->type_name(file_value)
      ->required();
  command->callback([command, options, &context] {
    if (is_standard_output(options->file))
      throw Error(ErrorKind::usage,
                  "-o " + options->file + ": give a file name that ends with .ply, .npy, .csv or .bin");
    require_written_format(options->file);
    require_result_file(*command, options->file);
    Job job = context.job();
    const auto cloud = generate_scene(options->id, options->points, options->seed, job);
    write_scene(*cloud, options->file, context.stop);
    context.say(options->file + ": " + cloud->reading);
  });
}

}  // namespace spira::app
