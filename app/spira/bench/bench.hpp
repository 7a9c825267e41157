// Types shared by the suites of `spira bench`: subjects, their samples on two clocks, and the minimum work of
// each.
#pragma once

#include "app/spira/options.hpp"
#include "engine/backend/backend.hpp"
#include "engine/measure/sampling.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace spira::app {

/// Minimum work of one execution: the bytes that must be read or written at least once, and the useful
/// FLOPs.
struct Work {
  double bytes = 0, flops = 0;
};

struct BenchSubject {
  std::string name;
  std::function<void(Job&)> run;  ///< Runs the subject once and waits for its end.
  Work work;
  bool graph = false;  ///< True if the subject runs as one compiled graph.
};

/// The time from which the ratios of a row are computed: the stages on the clock of the back end, or the
/// wall time.
enum class RatioOf : std::uint8_t { stages, wall };

struct BenchRow {
  std::string group, subject;
  RatioOf ratio_of = RatioOf::wall;
  Work work;
  bool graph = false;
  Samples wall{};       ///< Wall times on the host clock, measured without marks.
  StageTree stages{};   ///< Stages on the back end's clock, from the executions with marks. Root: "all".
  double first_ms = 0;  ///< Wall time or stages of the group's first row, according to `ratio_of`.

  [[nodiscard]] std::vector<double> stages_ms() const;  ///< Sum of the innermost stages for each repetition.
  [[nodiscard]] double ratio_ms() const;  ///< Median of wall time or stages, according to `ratio_of`.
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

  /// Returns true if the user requested `group`. Suites call it before they prepare the group.
  [[nodiscard]] bool wants(const std::string& group) const { return group.find(only_) != std::string::npos; }
  /// Measures all subjects interleaved. Each round runs every subject once without marks, for the wall time,
  /// and once with marks. If the device cannot run a subject, the subject is omitted and a note is added.
  void measure(const std::string& group, RatioOf ratio_of, std::vector<BenchSubject> subjects);
  /// Adds `text` to the report and prints it to stderr. A repeated note is ignored.
  void note(const std::string& text);

  /// Returns the scene voxelized again with the packing `pack`. Throws Error(does_not_fit).
  [[nodiscard]] std::shared_ptr<const VoxelScene> scene_in(PackSpec pack);
  /// A network on this back end with the scene loaded. The plan follows the command-line options.
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

/// Each function runs a suite: it measures the groups that the user requested.
void bench_mapping(Bench& bench);
void bench_layers(Bench& bench);
void bench_indexing(Bench& bench);
void bench_network(Bench& bench);
void bench_ablation(Bench& bench);

/// Returns a table with the headings first, then one row for each subject.
[[nodiscard]] std::vector<std::vector<std::string>> bench_table(const Bench& bench);
/// Returns JSON of the schema "spira.bench": device, protocol, rates and raw samples on both clocks.
[[nodiscard]] std::string bench_json(const Bench& bench, const std::string& suite,
                                     const std::vector<std::string>& command_line);

}  // namespace spira::app
