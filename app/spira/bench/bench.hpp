// What the suites of `spira bench` share: subjects, their samples on two clocks, and the floors under them.
#pragma once

#include "app/spira/options.hpp"
#include "engine/backend/backend.hpp"
#include "engine/measure/sampling.hpp"
#include "engine/measure/timer.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace spira::app {

/// The least that one execution must do: bytes that are read or written once, and useful products and sums.
struct Work {
  double bytes = 0, flops = 0;
};

struct BenchSubject {
  std::string name;
  std::function<void(Job&)> run;  ///< once, and waits for the end
  Work work;
  bool graph = false;  ///< one piece of work that was compiled before
};

/// What ratios in a row are of: the stages of the back end alone, or the wall time that a caller waits.
enum class RatioOf : std::uint8_t { stages, wall };

struct BenchRow {
  std::string group, subject;
  RatioOf ratio_of = RatioOf::wall;
  Work work;
  bool graph = false;
  Samples wall{};       ///< host clock, without marks
  StageTree stages{};   ///< on the back end's clock, of executions in between; "all" holds the others
  double first_ms = 0;  ///< of the group's first row, what `ratio_of` says

  [[nodiscard]] std::vector<double> stages_ms() const;  ///< sum of the innermost stages, one a repetition
  [[nodiscard]] double ratio_ms() const;                ///< median of what `ratio_of` says
};

/// One run of a suite.
class Bench {
 public:
  Bench(const Context& context, const SceneOptions& scene, const RunOptions& run, std::string only);

  [[nodiscard]] Backend& backend() const { return *backend_; }
  [[nodiscard]] const VoxelScene& scene() const { return *scene_; }
  [[nodiscard]] Precision precision() const { return precision_; }
  [[nodiscard]] const DeviceRates& rates() const { return rates_; }
  [[nodiscard]] const std::vector<BenchRow>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] const TimerFacts& timer() const { return timer_; }
  [[nodiscard]] const DeviceState& state_before() const { return state_before_; }
  [[nodiscard]] SamplingProtocol protocol() const { return run_.protocol(); }
  [[nodiscard]] Job& job() { return job_; }

  /// Whether a group was asked for; suites ask before they prepare it.
  [[nodiscard]] bool wants(const std::string& group) const { return group.find(only_) != std::string::npos; }
  /// Takes samples of all subjects in turns: each round once without marks, for the wall time, and once with
  /// them. A subject that the device refuses is left out with a note.
  void measure(const std::string& group, RatioOf ratio_of, std::vector<BenchSubject> subjects);
  /// Into the report and to stderr.
  void note(const std::string& text);

  /// The scene in other words. Throws Error(does_not_fit).
  [[nodiscard]] std::shared_ptr<const VoxelScene> scene_in(PackSpec pack);
  /// A network on this back end with the scene loaded; the plan is what the options say.
  struct LoadedNetwork {
    std::unique_ptr<Session> session;
    Plan plan;
  };
  [[nodiscard]] LoadedNetwork load(const Network& network);

 private:
  [[nodiscard]] bool runs(const BenchSubject& subject);

  const Context& context_;
  const RunOptions& run_;
  std::string only_;
  Job job_;
  std::shared_ptr<Backend> backend_;
  std::shared_ptr<const VoxelScene> scene_;
  Precision precision_;
  TimerFacts timer_;
  DeviceRates rates_;
  DeviceState state_before_;
  std::vector<BenchRow> rows_;
  std::vector<std::string> notes_;
};

/// Each measures the groups that were asked for.
void bench_mapping(Bench& bench);
void bench_layers(Bench& bench);
void bench_indexing(Bench& bench);
void bench_network(Bench& bench);
void bench_ablation(Bench& bench);

/// One row a subject, as shown: the headings first.
[[nodiscard]] std::vector<std::vector<std::string>> bench_table(const Bench& bench);
/// Schema "spira.bench": device, protocol, rates, raw samples on both clocks.
[[nodiscard]] std::string bench_json(const Bench& bench, const std::string& suite,
                                     const std::vector<std::string>& command_line);

}  // namespace spira::app
