// Suite of `spira bench` for whole networks: layer by layer, and compiled as one graph.
#include "app/spira/bench/bench.hpp"
#include "app/spira/bench/subjects.hpp"

namespace spira::app {

void bench_network(Bench& bench) {
  for (const auto& preset : network_presets()) {
    const std::string name(preset.id);
    if (!bench.wants(name)) continue;
    const Bench::LoadedNetwork loaded = bench.load(network_preset(preset.id));
    Session& session = *loaded.session;
    session.run_all(loaded.plan, bench.job(), {});
    const Work work = work_of_network(session, loaded.plan);
    std::vector<BenchSubject> subjects;
    subjects.push_back(
        {"layer by layer", [&](Job& job) { session.execute_network(loaded.plan, job); }, work});
    const CompiledNetwork& compiled = session.compiled(loaded.plan, bench.job());
    if (compiled.run) {
      subjects.push_back({"as one graph", [run = compiled.run.get()](Job&) { run->run(); }, work, true});
    } else {
      bench.note(name + ": not compiled: " + compiled.why_not);
    }
    bench.measure(name, RatioOf::wall, std::move(subjects));
  }
}

}  // namespace spira::app
