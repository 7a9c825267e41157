#include "app/spira/program.hpp"

#include "app/common/scene_argument.hpp"
#include "app/spira/gpus.hpp"
#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

namespace spira::app {

namespace {

/// Selects a GPU. Throws `Error(device)` if it does not exist or cannot be used, because the back end auto
/// would use the CPU instead.
void use_gpu(Context& context, int index) {
  context.gpu = index;
  use_only_gpu(index);
  for (const DeviceListing& device : context.registry.devices()) {
    if (device.facts.kind != BackendKind::cuda) continue;
    if (device.usable) return;
    throw Error(ErrorKind::device, "--device " + std::to_string(index) + ": " + device.why_not);
  }
  throw Error(ErrorKind::device,
              "--device " + std::to_string(index) + ": this program was built without CUDA");
}

}  // namespace

void declare(CLI::App& program, Context& context) {
  program.name("spira");
  program.description("spira: run and measure sparse convolution on point clouds with the Spira engine");
  program.set_version_flag("--version", "spira " SPIRA_VERSION);
  add_list_readers(program);
  program.add_flag("--quiet", context.quiet, "Print only errors to stderr, without messages and progress");
  program
      .add_option("--threads", context.threads,
                  "Number of threads of the CPU back end (default: one per core)")
      ->check(CLI::Range(1, 1024));
  program
      .add_option_function<std::string>(
          "--memory-limit",
          [&context](const std::string& text) { context.memory_limit_bytes = parse_memory_limit(text); },
          "Memory limit for the buffers of the back end, such as 500M or 2G")
      ->type_name("BYTES");
  program
      .add_option_function<int>(
          "--device", [&context](int index) { use_gpu(context, index); },
          "Use the GPU with this index (default: 0, the first CUDA device of spira devices)")
      ->check(CLI::Range(0, 1023))
      ->type_name("N");
  program.fallthrough();
  program.footer("Example: spira run street --network minkunet42");
  program.failure_message([](const CLI::App* app, const CLI::Error& error) {
    return "spira: " + printable(error.what()) + "\nSee " + (app->get_parent() ? "spira " : "") +
           app->get_name() + " --help\n";
  });
  add_devices(program, context);
  add_info(program, context);
  add_densities(program, context);
  add_neighbours(program, context);
  add_blocks(program, context);
  add_run(program, context);
  add_layer(program, context);
  add_sweep(program, context);
  add_tune(program, context);
  add_verify(program, context);
  add_bench(program, context);
  add_compare(program, context);
  add_export(program, context);
  add_validate(program, context);
  add_generate(program, context);
  add_network(program, context);
  add_relations(program, context);
  add_infer(program, context);
  add_merge(program, context);
}

namespace {

// Must be lock-free, because a signal handler writes this value and another thread reads it.
std::atomic<int> last_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void note_signal(int number) {
  last_signal = number;
}

}  // namespace

std::stop_token interrupt_token() {
  std::signal(SIGINT, note_signal);
  std::signal(SIGTERM, note_signal);
  // If the program was started with nohup, SIGHUP is ignored and must stay ignored.
  if (std::signal(SIGHUP, note_signal) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
  static std::stop_source source;
  static const std::jthread watcher([](const std::stop_token& closing) {
    while (!closing.stop_requested()) {
      if (last_signal != 0) source.request_stop();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  return source.get_token();
}

int interrupt_exit_code() noexcept {
  constexpr int shells_add = 128;
  return last_signal == 0 ? 0 : shells_add + last_signal;
}

}  // namespace spira::app
