#include "app/spira/options.hpp"
#include "app/spira/table.hpp"
#include "engine/base/text.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace spira::app {
namespace {

void print(const Context& context, const OutputOptions& output) {
  const auto rows = context.registry.devices();
  if (output.json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const auto& row : rows) {
      all.push_back({{"kind", text_of(row.facts.kind)},
                     {"name", row.facts.name},
                     {"instructions", row.facts.instructions},
                     {"units", row.facts.threads},
                     {"memory_bytes", row.facts.memory_bytes},
                     {"clock", clock_text(row.facts.clock)},
                     {"usable", row.usable},
                     {"why_not", row.why_not}});
    }
    std::cout << all.dump(1) << "\n";
    return;
  }
  std::vector<std::vector<std::string>> table{
      {"back end", "device", "code", "units", "memory", "timed by", "state"}};
  bool cuda = false;
  for (const auto& row : rows) {
    cuda = cuda || row.facts.kind == BackendKind::cuda;
    table.push_back({std::string(text_of(row.facts.kind)), row.facts.name, row.facts.instructions,
                     std::to_string(row.facts.threads),
                     row.facts.memory_bytes == 0 ? "" : bytes_text(row.facts.memory_bytes),
                     std::string(clock_text(row.facts.clock)), row.usable ? "usable" : row.why_not});
  }
  std::cout << table_text(table);
  if (!cuda) std::cout << "built without CUDA\n";
}

}  // namespace

void add_devices(CLI::App& program, Context& context) {
  auto* command = program.add_subcommand("devices", "List back ends and devices, and what each can do");
  command->footer("Example: spira devices --json");
  auto output = std::make_shared<OutputOptions>();
  output->add(*command, false);
  command->callback([output, &context] { print(context, *output); });
}

}  // namespace spira::app
