#include "app/common/value_names.hpp"
#include "app/spira/options.hpp"
#include "app/spira/survey_table.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/network/network.hpp"
#include "engine/report/validate.hpp"
#include "engine/survey/survey.hpp"
#include "engine/tune/tuning_profile.hpp"

#include <cstdint>
#include <iostream>

namespace spira::app {
namespace {

struct MergeOptions {
  std::vector<std::string> files;
  std::string network, output;
  NeighbourOptions neighbours;
  bool partial = false;
};

struct ResultText {
  std::string file, text;
  DocumentKind kind;
};

/// Reads all files. Throws Error(input) unless they are documents of one kind.
std::vector<ResultText> texts_to_merge(const MergeOptions& options) {
  constexpr std::uint64_t max_bytes = 1ULL << 30U;
  std::vector<ResultText> texts;
  for (const std::string& file : options.files) {
    std::string text = read_text_file(file, max_bytes);
    const DocumentKind kind = document_kind(text, file);
    if (kind != DocumentKind::survey && kind != DocumentKind::tuning_profile)
      throw Error(ErrorKind::input,
                  file + ": is a " + std::string(text_of(kind)) + "; expected a survey or a tuning profile");
    if (!texts.empty() && kind != texts.front().kind)
      throw Error(ErrorKind::input, file + ": is a " + std::string(text_of(kind)) + ", but " +
                                        texts.front().file + " is a " +
                                        std::string(text_of(texts.front().kind)));
    texts.push_back({file, std::move(text), kind});
  }
  return texts;
}

/// Sets the requirements of the network for which packings were checked.
void set_network_of(const MergeOptions& options, const std::string& file, SurveyRequest& request) {
  if (request.network.empty()) return;
  const std::string& name = options.network.empty() ? request.network : options.network;
  const Network network = network_by_name_or_file(name);
  if (fingerprint_of(network) != request.network_fingerprint)
    throw Error(ErrorKind::input,
                file + ": the packings were checked for another network than " + name + "; set --network");
  request.network_needs = levels_of(network).needs;
}

std::string merged_surveys(const MergeOptions& options, const std::vector<ResultText>& texts) {
  std::vector<SurveyFile> parts;
  for (const ResultText& one : texts)
    parts.push_back({one.file, read_survey(one.text, one.file)});
  set_network_of(options, parts.front().file, parts.front().survey.request);
  return survey_json(merge_surveys(std::move(parts), options.partial));
}

std::string merged_profiles(const MergeOptions& options, const std::vector<ResultText>& texts) {
  std::vector<ProfileFile> parts;
  for (const ResultText& one : texts)
    parts.push_back({one.file, parse_profile(one.text, one.file)});
  const std::string& name = options.network.empty() ? parts.front().profile.network : options.network;
  return profile_json(merge_profiles(parts, options.neighbours.network(name), options.partial));
}

void run_merge(const Context& context, const MergeOptions& options) {
  const std::vector<ResultText> texts = texts_to_merge(options);
  const std::string merged = texts.front().kind == DocumentKind::survey ? merged_surveys(options, texts)
                                                                        : merged_profiles(options, texts);
  if (options.output.empty()) {
    std::cout << merged;
    return;
  }
  write_file(options.output, merged, context.stop);
}

}  // namespace

void add_merge(CLI::App& program, Context& context) {
  auto* command = program.add_subcommand(
      "merge", "Merge the results of all shards of a folder (--shard) into the result of the whole folder");
  command->footer("Example: spira merge part-*.json -o all.json");
  auto options = std::make_shared<MergeOptions>();
  command
      ->add_option("file", options->files,
                   "Surveys (info, densities and neighbours with --json) or tuning profiles of all shards")
      ->type_name(file_value)
      ->required();
  command->add_flag("--partial", options->partial,
                    "Merge even if shards or frames are missing; the result is marked as partial");
  command
      ->add_option("--network", options->network,
                   "Network file of the results, if this file was moved (default: the recorded path)")
      ->type_name(network_value());
  options->neighbours.add_shape(*command);
  command->add_option("-o,--output", options->output, "Write the result (JSON) to this file, not to stdout")
      ->type_name(file_value);
  command->callback([command, options, &context] {
    OutputOptions unused;
    prepare_result_file(*command, options->output, unused);
    run_merge(context, *options);
  });
}

}  // namespace spira::app
