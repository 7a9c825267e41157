#include "app/spira/options.hpp"
#include "app/spira/table.hpp"
#include "engine/backend/backend.hpp"
#include "engine/base/text.hpp"
#include "engine/measure/sampling.hpp"

#include <nlohmann/json.hpp>

#include <iostream>
#include <set>

namespace spira::app {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the resolution and the overhead of the timer. Measures them on the first device of this kind,
/// because the back end uses this device.
Json timer_json(const Context& context, const DeviceFacts& facts) {
  const auto backend = context.registry.make(text_of(facts.kind), context.backend_options());
  const TimerFacts timer = measure_timer(backend->stages());
  return {{"resolution_us", timer.resolution_us}, {"overhead_us", timer.overhead_us}};
}

void print_devices_json(const Context& context, const std::vector<DeviceListing>& rows) {
  Json all = Json::array();
  std::set<BackendKind> timed;
  for (const auto& row : rows) {
    all.push_back({{"kind", text_of(row.facts.kind)},
                   {"name", row.facts.name},
                   {"instructions", row.facts.instructions},
                   {"path", row.facts.path},
                   {"driver", row.facts.driver},
                   {"runtime", row.facts.runtime},
                   {"units", row.facts.threads},
                   {"memory_bytes", row.facts.memory_bytes},
                   {"clock", clock_text(row.facts.clock)},
                   {"usable", row.usable},
                   {"why_not", row.why_not}});
    if (row.usable && timed.insert(row.facts.kind).second)
      all.back()["timer"] = timer_json(context, row.facts);
  }
  std::cout << all.dump(1) << "\n";
}

void print_devices(const Context& context, const OutputOptions& output) {
  const auto rows = context.registry.devices();
  if (output.json) return print_devices_json(context, rows);
  std::vector<std::vector<std::string>> table{
      {"back end", "device", "code", "units", "memory", "driver", "timed by", "state"}};
  bool cuda = false;
  for (const auto& row : rows) {
    cuda = cuda || row.facts.kind == BackendKind::cuda;
    table.push_back({std::string(text_of(row.facts.kind)), row.facts.name.empty() ? "none" : row.facts.name,
                     row.facts.path.empty() ? row.facts.instructions : row.facts.path,
                     std::to_string(row.facts.threads),
                     row.facts.memory_bytes == 0 ? "" : bytes_text(row.facts.memory_bytes),
                     row.facts.driver.empty() ? "" : row.facts.driver + ", " + row.facts.runtime,
                     std::string(clock_text(row.facts.clock)), row.usable ? "usable" : row.why_not});
  }
  std::cout << table_text(table);
  if (!cuda) std::cout << "this program was built without CUDA\n";
}

}  // namespace

void add_devices(CLI::App& program, Context& context) {
  auto* command = program.add_subcommand(
      "devices", "List the back ends, their devices and the properties of these devices");
  command->footer("Example: spira devices --json");
  auto output = std::make_shared<OutputOptions>();
  output->add(*command, false);
  command->callback([output, &context] { print_devices(context, *output); });
}

}  // namespace spira::app
