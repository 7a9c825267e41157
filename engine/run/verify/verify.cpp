#include "engine/run/verify/verify.hpp"

#include "engine/backend/backend.hpp"
#include "engine/backend/compute_layer.hpp"
#include "engine/backend/dataflow.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/fp16.hpp"
#include "engine/map/map_view.hpp"
#include "engine/run/backward.hpp"
#include "engine/run/level_build.hpp"
#include "engine/run/session.hpp"
#include "engine/run/verify/verify_row.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <tuple>

namespace spira {
namespace {

using MapPair = std::tuple<std::int32_t, int, std::int32_t>;

std::vector<MapPair> pairs_of(const KernelMap& map) {
  std::vector<MapPair> pairs;
  for_each_pair(map, [&](std::int32_t q, int k, std::int32_t p) { pairs.emplace_back(q, k, p); });
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

template <class Value> bool equal_values(const Buffer& found, const Buffer& expected) {
  const auto a = found.host_span<Value>(), b = expected.host_span<Value>();
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

/// Returns the name of a level in the results, such as "level of stride 8".
std::string level_name(const Levels& levels, const CoordSet& level) {
  return level.rule.is_points() ? "points" : "level of stride " + level_text(levels, level.stride);
}

constexpr const char* sorted_name = "mask-sorted:";

/// Returns the numbers of splits of the layout mask_sorted that are verified. Omits numbers that are not
/// possible: a split has at most 64 columns, so K = 5 needs at least 2 splits and K = 7 at least 6. If no
/// number up to the limit is possible, returns the smallest number that is possible.
std::vector<int> splits_to_verify(int columns) {
  constexpr int most = 5;  // The same limit as in `spira bench`. TorchSparse++ measures 1 to 4 splits.
  std::vector<int> splits;
  for (int count = 1; count <= columns && (count <= most || splits.empty()); ++count) {
    if (why_not_splits(columns, count).empty()) splits.push_back(count);
  }
  return splits;
}

/// Multiplies features of fp16 by a power of two, so that no finite value exceeds 16. With random weights,
/// the features of native layers grow from layer to layer, because inputs of one column add up. Without
/// scaling, the last layers of a network would contain only infinite values, and nothing would be verified.
void scale_down(Features& features) {
  if (features.precision != Precision::fp16) return;
  const auto values = features.data.host_span<Fp16>();
  float largest = 0;
  for (const Fp16 value : values) {
    const float magnitude = std::abs(fp16_to_float(value));
    if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
  }
  constexpr float most = 16;
  float factor = 1;
  while (largest * factor > most)
    factor /= 2;
  for (Fp16& value : values)
    value = float_to_fp16(fp16_to_float(value) * factor);
}

class Verifier {
 public:
  Verifier(Backend& subject, Backend& reference, std::shared_ptr<const PointCloud> cloud,
           const Network& network, const VerifyOptions& options, Job& job)
      : subject_(subject),
        reference_(reference),
        cloud_(std::move(cloud)),
        network_(network),
        options_(options),
        job_(job),
        levels_(levels_of(network)) {}

  VerifyResult run() {
    const auto extent = voxel_range(*cloud_, options_.grid, job_).extent(levels_.needs.levels);
    std::vector<PackSpec> packs = packings_that_fit(extent, levels_.needs.with_batch(cloud_->batch()));
    if (packs.empty()) throw Error(ErrorKind::does_not_fit, cloud_->name + ": no 64-bit packing fits");
    if (packs.front().with_batch(1) != PackSpec::bits32())
      result_.notes.emplace_back("12/12/8 does not fit and was skipped");
    for (const PackSpec& pack : packs)
      verify_packing(pack);
    verify_features(packs.front());
    if (const auto& names = options_.dataflows;
        std::find(names.begin(), names.end(), "gather-fp16") != names.end())
      result_.notes.emplace_back(
          "gather-fp16 was skipped, because it rounds products to fp16 and exceeds the allowed error");
    return std::move(result_);
  }

 private:
  LevelRequest request(PackSpec pack, Precision precision) const {
    return {pack, precision, levels_.needs, levels_.sets, &network_, levels_.native_stride};
  }
  void add(const std::string& layer, const std::string& setting, std::string_view with, bool maps_equal,
           const WorstError& worst) {
    result_.rows.push_back(verify_row(layer, setting, std::string(with), maps_equal, worst));
  }

  /// Verifies the coordinates of all levels, and the maps of each mapping algorithm and layout.
  void verify_packing(PackSpec pack) {
    const auto mine = build_levels(subject_, cloud_, options_.grid, request(pack, Precision::fp32), job_);
    const auto truth = build_levels(reference_, cloud_, options_.grid, request(pack, Precision::fp32), job_);
    for (std::size_t at = 0; at < truth.scene->levels.size(); ++at) {
      const CoordSet &a = *mine.scene->levels.at(at), &b = *truth.scene->levels[at];
      add(level_name(levels_, b), pack.text(), pack.text(), all_batch_voxels(a) == all_batch_voxels(b), {});
    }
    for (const auto& [stride, expected] : truth.scene->positions) {
      const Positions& found = positions_of(*mine.scene, stride);
      add("positions of stride " + std::to_string(stride), pack.text(), pack.text(),
          equal_values<std::uint64_t>(found.words, expected->words) &&
              equal_values<std::int32_t>(found.points, expected->points),
          {});
    }
    for (const MapKey& key : levels_.maps)
      verify_map(pack, key, mine, truth);
  }

  KernelMap build_map(Backend& backend, const BuiltLevels& levels, const MapKey& key,
                      const MapRequest& request) {
    const VoxelScene& scene = *levels.scene;
    return backend.build_map(scene.level(key.stride_in), scene.level(key.stride_out),
                             with_positions(request, scene, key), job_);
  }

  void verify_map(PackSpec pack, const MapKey& key, const BuiltLevels& mine, const BuiltLevels& truth) {
    const auto offsets =
        std::make_shared<const KernelOffsets>(key.kernel, levels_.set(key.stride_in).rule.stride());
    const auto request_of = [&](MapAlgorithm algorithm, int t, MapLayout dense, int splits = 0) {
      return request_for_threshold(offsets, algorithm, t, key.submanifold(), dense, splits);
    };
    const int all = key.kernel.native() ? 0 : offsets->max_threshold();
    const auto expected = pairs_of(
        build_map(reference_, truth, key, request_of(MapAlgorithm::z_delta, all, MapLayout::output_major)));
    const std::string name = "map K=" + text_of(key.kernel) + " " + level_text(levels_, key.stride_in) +
                             "->" + level_text(levels_, key.stride_out);
    for (const auto algorithm : {MapAlgorithm::z_delta, MapAlgorithm::binary_search, MapAlgorithm::hash,
                                 MapAlgorithm::sorted_query}) {
      if (!why_not_algorithm(algorithm, key.kernel).empty()) continue;
      const auto check = [&](const MapRequest& wanted, std::string_view layout) {
        job_.checkpoint({"verifying kernel maps", 0, 0});
        const KernelMap map = build_map(subject_, mine, key, wanted);
        add(name, std::string(text_of(algorithm)) + ", " + std::string(layout) + ", " + pack.text(),
            pack.text(), pairs_of(map) == expected, {});
      };
      check(request_of(algorithm, 0, MapLayout::z_runs), "pair lists");
      if (key.kernel.native()) continue;
      for (const auto layout : {MapLayout::z_runs, MapLayout::output_major, MapLayout::offset_major}) {
        check(request_of(algorithm, all, layout), text_of(layout));
      }
      for (const int splits : splits_to_verify(offsets->columns()))
        check(request_of(algorithm, all, MapLayout::mask_sorted, splits),
              sorted_name + std::to_string(splits));
      if (key.submanifold())
        check(request_of(algorithm, all / 2, MapLayout::z_runs), "hybrid t=" + std::to_string(all / 2));
    }
  }

  /// Verifies every layer. The inputs of each layer come from the reference, so that errors do not accumulate
  /// over layers.
  void verify_features(PackSpec pack) {
    const NetworkWeights weights = seeded_weights(network_, options_.seed, job_.stop_token());
    for (const auto precision : {Precision::fp32, Precision::fp16}) {
      const auto truth = build_levels(reference_, cloud_, options_.grid, request(pack, precision), job_);
      const auto mine = build_levels(subject_, cloud_, options_.grid, request(pack, precision), job_);
      std::set<ShapeKey> seen;
      std::vector<Features> outputs;
      for (std::size_t at = 0; at < network_.layers.size(); ++at) {
        const bool first = seen.insert(shape_key(network_.layers[at], levels_.layers[at])).second;
        outputs.push_back(verify_layer(at, weights.layers[at], precision, truth, mine, outputs, first));
        if (levels_.native_stride > 0) scale_down(outputs.back());
      }
      const CompiledCheck check{network_, levels_, weights, pack, precision, options_.quick};
      verify_compiled(subject_, reference_, check, truth, result_, job_);
    }
  }

  Features verify_layer(std::size_t at, const LayerWeights& weights, Precision precision,
                        const BuiltLevels& truth, const BuiltLevels& mine,
                        const std::vector<Features>& outputs, bool check) {
    const Layer& layer = network_.layers[at];
    const MapKey key = levels_.layers[at].map;
    job_.checkpoint({"verifying features", static_cast<std::int64_t>(at), std::ssize(network_.layers)});
    const LayerInputs inputs = inputs_of(layer, truth, outputs);
    const auto uploaded = subject_.upload_weights(weights, precision),
               in_order = reference_.upload_weights(weights, precision);
    if (layer.moves_points()) return verify_points(at, inputs, truth, uploaded, check);
    if (layer.changes_set()) return verify_set(at, inputs, truth, uploaded, check);
    if (!layer.has_map())
      return verify_rows(layer, row_request(layer, inputs, uploaded), row_request(layer, inputs, in_order),
                         check);
    const Features in = reference_.compute_rows({LayerOp::concat, inputs.parts, layer.in_channels}, job_);
    const ConvRequest request = conv_request(layer, inputs.residual);
    const auto offsets =
        std::make_shared<const KernelOffsets>(key.kernel, levels_.set(key.stride_in).rule.stride());
    const MapRequest quick_map =
        request_for_threshold(offsets, MapAlgorithm::z_delta, 0, key.submanifold(), MapLayout::z_runs);
    const auto finish = [&](Features product) {
      RowRequest tail{
          LayerOp::concat, {&product}, layer.out_channels, remaining_steps(layer, uploaded, inputs.residual)};
      if (tail.steps.empty()) return product;
      RowRequest expected_tail = tail;
      expected_tail.steps = remaining_steps(layer, in_order, inputs.residual);
      return verify_rows(layer, tail, expected_tail, check);
    };
    if (!layer.convolution()) return finish(verify_pool(at, in, truth, mine, check));
    const KernelMap quick = build_map(subject_, mine, key, quick_map);
    // `check` is false if an earlier layer of the same shape was verified.
    if (!check) return finish(subject_.convolve(quick, in, uploaded, request, job_));

    const KernelMap true_map = build_map(reference_, truth, key, quick_map);
    Features expected = reference_.convolve(true_map, in, in_order, request, job_);
    verify_dataflows(at, mine, offsets, in, uploaded, request, expected,
                     error_scale(true_map, in, in_order, request, job_));
    if (options_.training)
      verify_gradients(
          subject_, reference_,
          {layer, levels_.layers[at], weights, in, true_map, *mine.scene, offsets, options_.dataflows},
          result_, job_);
    return finish(std::move(expected));
  }

  /// Verifies a convolution with each dataflow and each layout of its map.
  void verify_dataflows(std::size_t at, const BuiltLevels& mine,
                        const std::shared_ptr<const KernelOffsets>& offsets, const Features& in,
                        const UploadedWeights& weights, ConvRequest request, const Features& expected,
                        const ErrorScale& scale) {
    const Layer& layer = network_.layers[at];
    const MapKey key = levels_.layers[at].map;
    const int all = offsets->max_threshold();
    const std::string_view precision = text_of(expected.precision);
    const auto compare_one = [&](int t, MapLayout dense, const std::string& setting, int splits = 0) {
      job_.checkpoint({"verifying features", static_cast<std::int64_t>(at), std::ssize(network_.layers)});
      const KernelMap map = build_map(
          subject_, mine, key,
          request_for_threshold(offsets, MapAlgorithm::z_delta, t, key.submanifold(), dense, splits));
      add(shape_text(layer), setting + ", " + std::string(precision), precision, true,
          compare(subject_.convolve(map, in, weights, request, job_), expected, scale));
    };
    for (const std::string& name : options_.dataflows) {
      const auto setting = setting_of(name, all);
      if (!setting || !can_run_dataflow(layer, name) || rounds_products(setting->method)) continue;
      request.method = setting->method;
      compare_one(setting->threshold, setting->dense_layout, name, setting->splits);
    }
    if (!options_.dataflows.empty()) return;
    for (const int t : feasible_thresholds(layer)) {
      if (options_.quick && t != 0 && t != all && t != all / 2) continue;
      const std::string dataflow = t == 0 ? "weight-stationary" : t == all ? "output-stationary" : "hybrid";
      compare_one(t, MapLayout::z_runs, dataflow + ", t=" + std::to_string(t));
    }
    if (!layer.transposed && !key.kernel.native()) {
      compare_one(all, MapLayout::output_major, "output-stationary, output-major");
      compare_one(all, MapLayout::offset_major, "output-stationary, offset-major");
      for (const int splits : splits_to_verify(offsets->columns()))
        compare_one(all, MapLayout::mask_sorted, sorted_name + std::to_string(splits), splits);
    }
    request.method = FeatureMethod::gather_gemm_scatter;
    compare_one(0, MapLayout::z_runs, std::string(text_of(request.method)));
  }

  /// Verifies a to_points or to_voxels. Returns the output of the reference.
  Features verify_points(std::size_t at, LayerInputs inputs, const BuiltLevels& truth,
                         const UploadedWeights& weights, bool check) {
    const Layer& layer = network_.layers[at];
    inputs.levels.push_back(&truth.scene->level(levels_.layers[at].stride_in));
    inputs.out = &truth.scene->level(levels_.layers[at].stride_out);
    inputs.points = truth.scene->point_rows.get();
    inputs.shift = truth.scene->shift;
    const PointRequest request = point_request(layer, inputs);
    Features expected = reference_.compute_rows(request, job_);
    const std::string_view precision = text_of(expected.precision);
    if (check)
      add(shape_text(layer), std::string(text_of(request.mode)) + ", " + std::string(precision), precision,
          true, compare(subject_.compute_rows(request, job_), expected, error_scale(request)));
    return with_steps(layer, std::move(expected), weights, check);
  }

  /// Verifies the steps of a layer that changes its rows. Returns their output.
  Features with_steps(const Layer& layer, Features product, const UploadedWeights& weights, bool check) {
    const RowRequest tail{
        LayerOp::concat, {&product}, layer.out_channels, remaining_steps(layer, weights, nullptr)};
    if (tail.steps.empty()) return product;
    return verify_rows(layer, tail, tail, check);
  }

  /// Verifies a union_add or drop_axis. Returns the output of the reference.
  Features verify_set(std::size_t at, LayerInputs inputs, const BuiltLevels& truth,
                      const UploadedWeights& weights, bool check) {
    const Layer& layer = network_.layers[at];
    for (const int level : levels_.layers[at].inputs)
      inputs.levels.push_back(&truth.scene->level(level));
    inputs.out = &truth.scene->level(levels_.layers[at].stride_out);
    const SetSumRequest sum = set_sum_request(layer, inputs);
    Features expected = reference_.add_sets(sum, job_);
    const std::string_view precision = text_of(expected.precision);
    if (check)
      add(shape_text(layer), "sum, " + std::string(precision), precision, true,
          compare(subject_.add_sets(sum, job_), expected, error_scale(sum)));
    return with_steps(layer, std::move(expected), weights, check);
  }

  [[nodiscard]] LayerInputs inputs_of(const Layer& layer, const BuiltLevels& truth,
                                      const std::vector<Features>& outputs) const {
    const auto source = [&](const std::string& name) -> const Features* {
      const int index = network_.index_of(name);
      return index < 0 ? truth.device.source(name) : &outputs[static_cast<std::size_t>(index)];
    };
    LayerInputs inputs;
    for (const auto& input : layer.inputs)
      inputs.parts.push_back(source(input));
    if (!layer.residual.empty()) inputs.residual = source(layer.residual);
    return inputs;
  }

  /// Verifies a pool with each dense layout of its map. Returns the output of the reference.
  Features verify_pool(std::size_t at, const Features& in, const BuiltLevels& truth, const BuiltLevels& mine,
                       bool check) {
    const Layer& layer = network_.layers[at];
    const MapKey key = levels_.layers[at].map;
    const auto offsets =
        std::make_shared<const KernelOffsets>(key.kernel, levels_.set(key.stride_in).rule.stride());
    const auto map_of = [&](Backend& backend, const BuiltLevels& levels, MapLayout layout) {
      const MapRequest wanted = request_for_threshold(offsets, MapAlgorithm::z_delta,
                                                      offsets->max_threshold(), key.submanifold(), layout);
      return build_map(backend, levels, key, wanted);
    };
    const KernelMap true_map = map_of(reference_, truth, MapLayout::output_major);
    Features expected = reference_.pool(true_map, in, layer.reduction, job_);
    for (const MapLayout layout : {MapLayout::z_runs, MapLayout::output_major, MapLayout::offset_major}) {
      if (!check) break;
      const KernelMap map = map_of(subject_, mine, layout);
      const std::string_view precision = text_of(in.precision);
      add(shape_text(layer), std::string(text_of(layout)) + ", " + std::string(precision), precision, true,
          compare(subject_.pool(map, in, layer.reduction, job_), expected,
                  error_scale(true_map, in, layer.reduction)));
    }
    return expected;
  }

  /// Verifies an operation on rows: a layer that is not a convolution, or the steps after one. `expected`
  /// contains the same operation with the weights of the reference.
  Features verify_rows(const Layer& layer, const RowRequest& request, const RowRequest& expected,
                       bool check) {
    if (!check) return subject_.compute_rows(request, job_);
    Features truth = reference_.compute_rows(expected, job_);
    const std::string_view precision = text_of(truth.precision);
    const std::string setting =
        (layer.has_map() ? "steps after the kernel, " : "rows, ") + std::string(precision);
    add(shape_text(layer), setting, precision, true,
        compare(subject_.compute_rows(request, job_), truth, error_scale(expected)));
    return truth;
  }

  Backend &subject_, &reference_;
  std::shared_ptr<const PointCloud> cloud_;
  const Network& network_;
  const VerifyOptions& options_;
  Job& job_;
  Levels levels_;
  VerifyResult result_;
};

}  // namespace

bool VerifyResult::passed() const {
  return !rows.empty() &&
         std::all_of(rows.begin(), rows.end(), [](const VerifyRow& row) { return row.passed; });
}

VerifyResult verify(Backend& subject, Backend& reference, std::shared_ptr<const PointCloud> cloud,
                    const Network& network, const VerifyOptions& options, Job& job) {
  if (options.training) require_training(subject, network);
  if (subject.results_are_host_memory())
    return Verifier(subject, reference, std::move(cloud), network, options, job).run();
  const auto on_host = make_host_adapter(subject);
  return Verifier(*on_host, reference, std::move(cloud), network, options, job).run();
}

namespace {

template <class Value, class Widen>
OutputDifference difference_of(const Features& output, const Features& reference, Widen widen) {
  const auto ours = output.data.host_span<Value>(), theirs = reference.data.host_span<Value>();
  const auto values = static_cast<std::size_t>(reference.rows * reference.channels);
  OutputDifference result;
  double largest = 0;
  for (std::size_t at = 0; at < values; ++at) {
    const double a = widen(ours[at]), b = widen(theirs[at]);
    if (std::isfinite(a) && std::isfinite(b)) {
      result.max_abs = std::max(result.max_abs, std::abs(a - b));
      largest = std::max(largest, std::abs(b));
      continue;
    }
    ++result.non_finite;
    result.ok = result.ok && ((std::isnan(a) && std::isnan(b)) || a == b);
  }
  result.max_rel = largest > 0 ? result.max_abs / largest : result.max_abs;
  result.ok = result.ok && result.max_rel <= output_tolerance(reference.precision);
  return result;
}

}  // namespace

double output_tolerance(Precision precision) noexcept {
  return precision == Precision::fp16 ? 1e-2 : 1e-4;
}

OutputDifference output_difference(const Features& output, const Features& reference) {
  SPIRA_ASSERT(output.rows == reference.rows && output.channels == reference.channels &&
                   output.precision == reference.precision,
               "outputs of different shapes");
  if (reference.precision == Precision::fp32)
    return difference_of<float>(output, reference, [](float value) { return static_cast<double>(value); });
  return difference_of<std::uint16_t>(
      output, reference, [](std::uint16_t value) { return static_cast<double>(fp16_to_float(value)); });
}

std::vector<OutputDifference> check_outputs(Session& session, const Plan& plan, Job& job) {
  Job quiet = job.with_recorder(nullptr);
  Backend& backend = session.backend();
  const int layers = static_cast<int>(session.network().layers.size());
  std::vector<OutputDifference> found;
  for (int layer = 0; layer < layers; ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    job.checkpoint({"checking the output of " + session.network().layers[at].name, layer, layers});
    const auto& there = session.result(layer);
    if (!there || there->plan != plan.layers.at(at)) static_cast<void>(session.run_layer(layer, plan, quiet));
    const int highest = feasible_thresholds(session.network().layers[at]).back();
    const auto map = session.build_layer_map(layer, LayerPlan{highest}, quiet);
    const Features reference = session.execute_features(layer, *map, quiet);
    const Features& ours = *session.result(layer)->features;
    found.push_back(backend.results_are_host_memory() ? output_difference(ours, reference)
                                                      : output_difference(ours, backend.download(reference)));
    found.back().ok = found.back().ok && found.back().non_finite == 0;
  }
  return found;
}

namespace {

/// Compares the input features of two back ends. The back ends may add the points of a voxel in different
/// orders. Therefore the features may differ by one unit in the last place of the storage type.
WorstError compare_inputs(const Features& mine, const Features& truth) {
  WorstError worst;
  worst.fp16 = truth.precision == Precision::fp16;
  worst.special_values_agree = mine.rows == truth.rows && mine.channels == truth.channels;
  if (!worst.special_values_agree) return worst;
  const double unit = truth.precision == Precision::fp16 ? 0x1p-10 : 0x1p-23;
  for (std::int64_t row = 0; row < truth.rows; ++row) {
    for (int channel = 0; channel < truth.channels; ++channel) {
      const auto expected = static_cast<double>(feature_at(truth, row, channel));
      const auto found = static_cast<double>(feature_at(mine, row, channel));
      if (!std::isfinite(found) || !std::isfinite(expected)) {
        ++worst.non_finite;
        worst.infinite += found == expected ? 1 : 0;
        worst.special_values_agree &= (std::isnan(found) && std::isnan(expected)) || found == expected;
        continue;
      }
      const double error = std::abs(found - expected);
      ++worst.finite;
      worst.absolute = std::max(worst.absolute, error);
      worst.ratio = std::max(worst.ratio, error / ((std::abs(expected) * unit) + 0x1p-24));
      if (std::abs(expected) > 1e-3) worst.relative = std::max(worst.relative, error / std::abs(expected));
    }
  }
  return worst;
}

class RunCheck {
 public:
  RunCheck(Backend& reference, const CompiledCheck& check, const BuiltLevels& truth, NetworkRun& run,
           VerifyResult& result, Job& job)
      : reference_(reference),
        check_(check),
        truth_(truth),
        run_(run),
        result_(result),
        job_(job),
        setting_("as one graph, " + std::string(text_of(check.precision)) + ", " + check.pack.text()) {}

  void verify() {
    run_.set_points(*truth_.again.points->cloud);
    // Run twice, because the second run starts from the state that the first run left in the buffers.
    for (int time = 0; time < 2; ++time)
      run_.run();
    for (std::size_t at = 0; at < truth_.scene->levels.size(); ++at) {
      const CoordSet& expected = *truth_.scene->levels[at];
      const bool equal = all_batch_voxels(run_.level(static_cast<int>(at))) == all_batch_voxels(expected);
      add(level_name(check_.levels, expected), equal, {});
    }
    input_ = run_.output(-1);
    add("input features", true, compare_inputs(input_, *truth_.device.features));
    std::set<ShapeKey> seen;
    for (std::size_t at = 0; at < check_.network.layers.size(); ++at) {
      outputs_.push_back(run_.output(static_cast<int>(at)));
      const bool first = seen.insert(shape_key(check_.network.layers[at], check_.levels.layers[at])).second;
      if (first || !check_.quick) verify_layer(at);
    }
  }

 private:
  void add(const std::string& layer, bool equal, const WorstError& worst) {
    result_.rows.push_back(verify_row(layer, setting_, setting_, equal, worst));
  }
  [[nodiscard]] const Features* output_of(const std::string& name) const {
    const int index = check_.network.index_of(name);
    return index < 0 ? &input_ : &outputs_[static_cast<std::size_t>(index)];
  }

  void verify_layer(std::size_t at) {
    const Layer& layer = check_.network.layers[at];
    const MapKey key = check_.levels.layers[at].map;
    job_.checkpoint(
        {"verifying the compiled network", static_cast<std::int64_t>(at), std::ssize(check_.network.layers)});
    LayerInputs inputs;
    for (const auto& name : layer.inputs)
      inputs.parts.push_back(output_of(name));
    if (!layer.residual.empty()) inputs.residual = output_of(layer.residual);
    const auto weights = reference_.upload_weights(check_.weights.layers[at], check_.precision);
    if (!layer.has_map()) {
      const RowRequest rows = row_request(layer, inputs, weights);
      return add(shape_text(layer), true,
                 compare(outputs_[at], reference_.compute_rows(rows, job_), error_scale(rows)));
    }
    const Features in = reference_.compute_rows({LayerOp::concat, inputs.parts, layer.in_channels}, job_);
    const ConvRequest request = conv_request(layer, inputs.residual);
    const auto wanted = request_for_threshold(
        std::make_shared<const KernelOffsets>(key.kernel, check_.levels.set(key.stride_in).rule.stride()),
        MapAlgorithm::z_delta, layer.convolution() ? 0 : KernelOffsets(key.kernel, 1).max_threshold(),
        key.submanifold(), MapLayout::output_major);
    const VoxelScene& scene = *truth_.scene;
    const KernelMap map = reference_.build_map(scene.level(key.stride_in), scene.level(key.stride_out),
                                               with_positions(wanted, scene, key), job_);
    const auto scale_of_product = [&] {
      return layer.convolution() ? error_scale(map, in, weights, request, job_)
                                 : error_scale(map, in, layer.reduction);
    };
    const Features product = layer.convolution() ? reference_.convolve(map, in, weights, request, job_)
                                                 : reference_.pool(map, in, layer.reduction, job_);
    const RowRequest tail{
        LayerOp::concat, {&product}, layer.out_channels, remaining_steps(layer, weights, inputs.residual)};
    if (tail.steps.empty())
      return add(shape_text(layer), true, compare(outputs_[at], product, scale_of_product()));
    ErrorScale scale = error_scale(tail, scale_of_product());
    // In fp16, both products are rounded to the storage type before the steps.
    for (std::int64_t& products : scale.products)
      products += check_.precision == Precision::fp16 ? std::int64_t{2} << 13U : 0;
    add(shape_text(layer), true, compare(outputs_[at], reference_.compute_rows(tail, job_), scale));
  }

  Backend& reference_;
  const CompiledCheck& check_;
  const BuiltLevels& truth_;
  NetworkRun& run_;
  VerifyResult& result_;
  Job& job_;
  std::string setting_;
  Features input_;
  std::vector<Features> outputs_;
};

}  // namespace

void verify_compiled(Backend& subject, Backend& reference, const CompiledCheck& check,
                     const BuiltLevels& truth, VerifyResult& result, Job& job) {
  std::vector<UploadedWeights> uploaded;
  for (const auto& layer : check.weights.layers)
    uploaded.push_back(subject.upload_weights(layer, check.precision));
  Plan plan = default_plan(check.network);
  plan.precision = check.precision;
  NetworkRunRequest request =
      run_request(*truth.scene, std::make_shared<const Network>(check.network), plan, job);
  request.weights = &uploaded;
  request.keep_outputs = true;
  const CompiledNetwork compiled = subject.compile(request, job);
  if (compiled.run) return RunCheck(reference, check, truth, *compiled.run, result, job).verify();
  const std::string note = "compiled network not verified: " + compiled.why_not;
  if (std::find(result.notes.begin(), result.notes.end(), note) == result.notes.end())
    result.notes.push_back(note);
}

}  // namespace spira
