// Types that the suites of `spira bench` share: subjects, which are the work to time; their samples on two
// clocks; and their minimum work.
#pragma once

#include "app/spira/bench/claims.hpp"
#include "app/spira/options.hpp"
#include "engine/backend/backend.hpp"
#include "engine/bev/area.hpp"
#include "engine/measure/sampling.hpp"
#include "engine/network/network.hpp"
#include "engine/run/layer_work.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spira::app {

struct BenchSubject {
  std::string name;
  std::function<void(Job&)> run;  ///< Runs the subject once and waits until it has finished.
  Work work;
  bool graph = false;
};

/// Selects the time from which the ratios of a row are computed. It is the sum of the stages on the clock of
/// the back end, or the wall time.
enum class RatioOf : std::uint8_t { stages, wall };

struct BenchRow {
  std::string group, subject;
  RatioOf ratio_of = RatioOf::wall;
  Work work;
  bool graph = false;
  Samples wall{};  ///< Wall times on the host clock, from executions without timers.
  /// Stages on the clock of the back end, from executions with timers. The root stage is "all".
  StageTree stages{};
  /// Median time of the first row of the group. `ratio_of` selects whether this is the wall time or the time
  /// of the stages.
  double first_ms = 0;

  /// Returns the sum of the innermost stages for each repetition. The stage of wgrad counts as a whole,
  /// because its inner stages are only a part of it.
  [[nodiscard]] std::vector<double> stages_ms() const;
  /// Returns the sum of the stages of a phase for each repetition, such as "features". Empty if there are
  /// none.
  [[nodiscard]] std::vector<double> phase_ms(std::string_view phase) const;
  /// Returns the samples of the time that `ratio_of` selects: the wall time or the time of the stages.
  [[nodiscard]] std::vector<double> ratio_samples() const;
  [[nodiscard]] double ratio_ms() const { return statistics(ratio_samples()).median; }
};

/// Settings of the suite `blocks`.
struct BlockBenchOptions {
  std::vector<double> densities;  ///< Shares of the cells, in ascending order.
  bool quick = false;             ///< True to measure only a part of the tables.
};

/// What the user wants to measure.
struct BenchChoice {
  std::string only;               ///< Only the groups whose names contain this text are measured.
  std::vector<Network> networks;  ///< For the suites `indexing` and `network`.
  /// True if the user named the networks. The scene is then voxelised with the levels and the packing that
  /// the first network needs.
  bool own_networks = false;
  bool with_scene = true;  ///< If it is false, no scene is voxelised, and Bench::scene() must not be called.
  BlockBenchOptions blocks{};
};

/// A network that is loaded with the scene, on the back end that the command line names.
struct LoadedNetwork {
  std::unique_ptr<Session> session;
  Plan plan;
};

class Bench {
 public:
  Bench(const Context& context, const SceneOptions& scene, const RunOptions& run, BenchChoice choice);

  [[nodiscard]] Backend& backend() const { return *backend_; }
  [[nodiscard]] std::shared_ptr<Backend> shared_backend() const { return backend_; }
  [[nodiscard]] bool has_scene() const { return scene_ != nullptr; }
  [[nodiscard]] const VoxelScene& scene() const { return *scene_; }
  /// Returns the scene or file that the user named. Empty if the user named none.
  [[nodiscard]] const std::string& file() const { return options_.scene; }
  [[nodiscard]] Precision precision() const { return precision_; }
  [[nodiscard]] const DeviceRates& rates() const { return rates_; }
  [[nodiscard]] const std::vector<BenchRow>& rows() const { return results_.rows; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return results_.notes; }
  [[nodiscard]] const std::vector<BenchClaim>& claims() const { return results_.claims; }
  [[nodiscard]] const TimerFacts& timer() const { return timer_; }
  [[nodiscard]] const DeviceState& state_before() const { return state_before_; }
  [[nodiscard]] SamplingProtocol protocol() const { return run_.protocol(); }
  [[nodiscard]] Job& job() { return job_; }
  [[nodiscard]] const std::vector<Network>& networks() const { return choice_.networks; }
  [[nodiscard]] bool own_networks() const { return choice_.own_networks; }
  [[nodiscard]] const BlockBenchOptions& blocks() const { return choice_.blocks; }

  /// Returns true if the user requested `group`. A suite must check this before it prepares a group.
  [[nodiscard]] bool wants(const std::string& group) const {
    return group.find(choice_.only) != std::string::npos;
  }
  /// Measures all subjects in interleaved rounds. Each round runs every subject once without timers, for the
  /// wall time, and once with timers. If the device cannot run a subject, skips the subject and adds a note
  /// to the report. The rows have no ratios if
  /// the first subject reaches less than `least_rate_share` of the rates of the device.
  void measure(const std::string& group, RatioOf ratio_of, std::vector<BenchSubject> subjects,
               double least_rate_share = 0);
  /// Adds `text` to the report and prints it to stderr. Ignores a note that was already added.
  void note(const std::string& text);
  void add_claim(BenchClaim claim) { results_.claims.push_back(std::move(claim)); }

  /// Voxelizes the scene again with the packing `pack` and returns it. Throws Error(does_not_fit) if the
  /// scene does not fit the packing.
  [[nodiscard]] std::shared_ptr<const VoxelScene> scene_in(PackSpec pack);
  /// Opens the scene as a bird's-eye view. The sizes of the area are multiples of 16 cells.
  [[nodiscard]] std::pair<std::shared_ptr<const PointCloud>, Area> open_area();
  /// Returns the scene with the levels and the packing that `network` needs.
  [[nodiscard]] std::shared_ptr<const VoxelScene> scene_for(const Network& network);
  /// Loads a network. Without a plan, it is built from the command-line options.
  [[nodiscard]] LoadedNetwork load(const Network& network, std::optional<Plan> plan = {});

 private:
  [[nodiscard]] bool runs(const BenchSubject& subject);
  [[nodiscard]] PackSpec pack_of(const Levels& levels);

  const Context& context_;
  const SceneOptions& options_;
  const RunOptions& run_;
  BenchChoice choice_;
  Job job_;
  std::shared_ptr<Backend> backend_;
  std::shared_ptr<const VoxelScene> scene_;
  Precision precision_;
  TimerFacts timer_;
  DeviceRates rates_;
  DeviceState state_before_;
  struct Results {
    std::vector<BenchRow> rows;
    std::vector<std::string> notes;
    std::vector<BenchClaim> claims;
  };
  Results results_;
};

/// Each of the functions below runs one suite. A suite measures only the groups that the user requested.
void bench_mapping(Bench& bench);
void bench_layers(Bench& bench);
void bench_indexing(Bench& bench);
void bench_network(Bench& bench);
void bench_ablation(Bench& bench);
void bench_relations(Bench& bench);
void bench_dataflows(Bench& bench);
void bench_training(Bench& bench);
void bench_native(Bench& bench);
void bench_blocks(Bench& bench);

/// Returns a table with a row of headings and one row for each subject.
[[nodiscard]] std::vector<std::vector<std::string>> bench_table(const Bench& bench);
/// Returns the claims as text: the figures of the paper, the figures of this run, and whether they agree. The
/// text is empty if there are no claims.
[[nodiscard]] std::string claims_text(const Bench& bench);
/// Returns JSON of the schema "spira.bench": device, protocol, rates and all samples on both clocks.
[[nodiscard]] std::string bench_json(const Bench& bench, const std::string& suite,
                                     const std::vector<std::string>& command_line);

}  // namespace spira::app
