// Tests runs of relational convolutions: the measurement, the report and its comparison, and back ends
// without relations.
#include "engine/run/relation_run.hpp"

#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/backend/relations.hpp"
#include "engine/base/error.hpp"
#include "engine/report/advice/advice.hpp"
#include "engine/report/compare/compare.hpp"
#include "engine/report/report.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/report/reproduce.hpp"
#include "engine/report/validate.hpp"
#include "tests/support/altered_backend.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace spira {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::shared_ptr<const Triples> small_graph(bool inverse = false) {
  Job job;
  Triples triples = generate_triples({300, 2000, 5}, 1, job);
  return std::make_shared<const Triples>(inverse ? with_inverses(std::move(triples)) : std::move(triples));
}

std::shared_ptr<Backend> cpu() {
  return app::make_registry().make("cpu");
}

SamplingProtocol three_samples() {
  SamplingProtocol how;
  how.min_samples = how.max_samples = 3;
  return how;
}

Report report_of(const RelationRun& run) {
  Job job;
  Report report = make_report(run, run.measure(three_samples(), job),
                              {"spira", "relations", "triples", "--nodes", "n.txt"});
  report.tool_version = "1.2.3";
  return report;
}

TEST(RelationRun, MeasuresTheMapOnceAndTheFeaturesOfEachLayer) {
  Job job;
  const RelationRun run(cpu(), small_graph(), {}, job);
  const Measurement m = run.measure(three_samples(), job);
  ASSERT_EQ(m.layers.size(), 2U);
  EXPECT_EQ(m.wall.ms.size(), 3U);
  EXPECT_EQ(m.marked_ms.size(), 3U);
  EXPECT_EQ(m.peak_bytes, m.forecast_peak_bytes);
  EXPECT_GE(m.layers[0].stages.find({"map", "relations1"}), 0);
  EXPECT_GE(m.layers[0].stages.find({"features", "relations1", "ws"}), 0);
  EXPECT_LT(m.layers[1].stages.find({"map", "relations2"}), 0);
  EXPECT_GE(m.layers[1].stages.find({"features", "relations2", "ws"}), 0);
  EXPECT_EQ(m.layers[0].pairs, 300 + run.map().rows());
  EXPECT_EQ(m.layers[1].useful_flops, 2 * m.layers[1].pairs * 64 * 16);
  EXPECT_FALSE(m.layers[0].map_shared);
  EXPECT_TRUE(m.layers[1].map_shared);
  EXPECT_EQ(m.layers[1].non_finite, 0);
}

TEST(RelationRun, AllSettingsMatchTheReference) {
  Job job;
  const auto reference = app::make_registry().make("reference");
  for (const FeatureMethod method : {FeatureMethod::by_layout, FeatureMethod::gather_gemm_scatter}) {
    for (const Precision precision : {Precision::fp32, Precision::fp16}) {
      for (const Normalise normalise : {Normalise::mean, Normalise::sum}) {
        const RelationRun run(cpu(), small_graph(), {{4, 8, 3}, precision, method, normalise}, job);
        EXPECT_EQ(run.measure(three_samples(), job).peak_bytes,
                  run.measure(three_samples(), job).forecast_peak_bytes);
        const auto found = run.compare_with(*reference, job);
        ASSERT_EQ(found.size(), 2U);
        for (const OutputDifference& one : found)
          EXPECT_TRUE(one.ok) << one.max_rel;
        // Only the last layer has no ReLU.
        const Features last = run.run(job);
        const auto row_minimum = [&](std::int64_t row) {
          return std::min({feature_at(last, row, 0), feature_at(last, row, 1), feature_at(last, row, 2)});
        };
        float least = 0;
        for (std::int64_t row = 0; row < last.rows; ++row)
          least = std::min(least, row_minimum(row));
        EXPECT_LT(least, 0.0F);
      }
    }
  }
}

TEST(RelationRun, FeaturesOfTheUserReplaceRandomOnes) {
  Job job;
  RelationSettings settings{{2, 3}};
  settings.features.assign(600, 0.0F);
  const auto backend = cpu();
  const RelationRun run(backend, small_graph(), settings, job);
  const Features output = run.run(job);
  // The output of zeros is the bias, which is equal for all nodes.
  for (std::int64_t row = 1; row < output.rows; ++row) {
    for (int channel = 0; channel < 3; ++channel)
      EXPECT_EQ(feature_at(output, row, channel), feature_at(output, 0, channel));
  }
  settings.features[0] = 1000;
  EXPECT_NE(feature_at(RelationRun(backend, small_graph(), settings, job).run(job), 0, 0),
            feature_at(output, 0, 0));
}

TEST(RelationRun, ABackEndWithoutRelationsIsNamed) {
  Job job;
  auto without = std::make_shared<test::AlteredBackend>(cpu());
  without->with_gradients = false;
  DeviceFacts cuda;
  cuda.kind = BackendKind::cuda;
  without->facts_instead = cuda;
  try {
    const RelationRun run(without, small_graph(), {}, job);
    FAIL() << "the back end has no relations";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_STREQ(error.what(), "the cuda back end cannot run relations yet; use --backend cpu");
  }
}

TEST(RelationRun, ADeviceWithTooLittleMemoryIsRefused) {
  Job job;
  auto small = std::make_shared<test::AlteredBackend>(cpu());
  DeviceFacts facts = small->facts();
  facts.name = "tiny";
  facts.memory_bytes = 1000;
  small->facts_instead = facts;
  try {
    const RelationRun run(small, small_graph(), {}, job);
    FAIL() << "1,000 bytes are too little";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::memory);
    EXPECT_THAT(error.what(), HasSubstr("tiny has 1.0 kB; use fewer channels"));
  }
}

TEST(RelationReport, IsReadAsItWasWrittenAndFollowsItsSchema) {
  Job job;
  const RelationRun run(cpu(), small_graph(true),
                        {{16, 64, 16}, Precision::fp16, FeatureMethod::gather_gemm_scatter, Normalise::sum},
                        job);
  Report report = report_of(run);
  report.measurement.layers[0].check = OutputDifference{};
  const std::string json = report_json(report);
  EXPECT_THAT(validate_document(json, "r.json").faults, IsEmpty());
  const Report again = parse_report(json, "r.json");
  EXPECT_THAT(again.notes, IsEmpty());
  EXPECT_EQ(report_json(again), json);
  ASSERT_TRUE(again.scene.triples.has_value());
  EXPECT_EQ(again.scene.triples->text(),
            "300 nodes, 4,000 triples, 10 relations including inverse relations, sum of the sources");
  EXPECT_EQ(again.scene.triples->rows, run.map().rows());
  EXPECT_EQ(again.scene.voxels, 300);
  EXPECT_EQ(nlohmann::json::parse(json)["layers"][0]["output_check"]["vs"], "reference");
  EXPECT_EQ(nlohmann::json::parse(json)["layers"][0]["dataflow"], "gather");
  EXPECT_EQ(kernel_maps(again).size(), 1U);
  EXPECT_THAT(advise(facts_of(again)), IsEmpty());
}

TEST(RelationReport, CountsTheTriplesOfEachRelationAndTheSourcesOfEachRow) {
  Job job;
  // Node 0 has three sources in relation a and one in b. Node 1 has one source in a.
  const Triples triples = parse_triples("1\ta\t0\n2\ta\t0\n3\ta\t0\n2\ta\t1\n3\tb\t0\n", TripleFormat::tsv,
                                        "g.tsv", {"0", "1", "2", "3"}, job);
  const Report report =
      report_of(RelationRun(cpu(), std::make_shared<const Triples>(triples), {{2, 2}}, job));
  const Report again = parse_report(report_json(report), "r.json");
  const TripleFacts& facts = again.scene.triples.value();
  ASSERT_EQ(facts.each.size(), 2U);
  EXPECT_EQ(facts.each[0].name, "a");
  EXPECT_EQ(facts.each[0].triples, 4);
  EXPECT_EQ(facts.each[0].nodes, 2);
  EXPECT_EQ(facts.each[1].name, "b");
  EXPECT_EQ(facts.each[1].triples, 1);
  EXPECT_EQ(facts.each[1].nodes, 1);
  EXPECT_THAT(facts.rows_by_sources, ElementsAre(2, 1)) << "two rows with one source, one row with three";
}

TEST(RelationReport, AFaultyCountIsRefused) {
  Job job;
  const RelationRun run(cpu(), small_graph(), {}, job);
  const auto sound = nlohmann::json::parse(report_json(report_of(run)));
  const auto expect_fault = [&](const char* path, const nlohmann::json& value, const char* fault) {
    auto document = sound;
    document[nlohmann::json::json_pointer(path)] = value;
    EXPECT_THAT([&] { static_cast<void>(parse_report(document.dump(), "r.json")); },
                testing::ThrowsMessage<Error>(HasSubstr(fault)))
        << path;
  };
  expect_fault("/scene/triples/rows", 2001, "scene.triples.rows");
  expect_fault("/scene/triples/nodes", 301, "scene.triples.nodes: 301; the scene has 300 voxels");
  expect_fault("/scene/triples/each/0/triples", 0,
               "scene.triples.each: expected 5 relations with 2,000 triples");
  expect_fault("/scene/triples/each/0/nodes", 9'000, "scene.triples.each[0].nodes: 9000; expected");
  expect_fault("/scene/triples/each/0", nullptr, "scene.triples.each[0]");
  expect_fault("/scene/triples/rows_by_sources/0", 0, "scene.triples.rows_by_sources: the sum must be ");
  auto bins = sound["scene"]["triples"]["rows_by_sources"];
  bins.push_back(0);
  expect_fault("/scene/triples/rows_by_sources", bins,
               "rows_by_sources: the last bin does not contain the row");
  auto older = sound;
  older["scene"]["triples"].erase("each");
  older["scene"]["triples"].erase("rows_by_sources");
  EXPECT_THAT(parse_report(older.dump(), "r.json").scene.triples->each, IsEmpty());
}

TEST(RelationReport, TheCommandRepeatsAllSettings) {
  Job job;
  const RelationRun run(cpu(), small_graph(true),
                        {{16, 8}, Precision::fp16, FeatureMethod::gather_gemm_scatter, Normalise::sum, 7},
                        job);
  const MeasuredWith how = measured_with(report_of(run));
  EXPECT_EQ(shell_text(command_of_layer(how, -1)),
            "spira relations triples --nodes n.txt --layers 16,8 --normalise sum --inverse --dataflow gather "
            "--backend cpu "
            "--precision fp16 --seed 7 --threads " +
                std::to_string(cpu()->facts().threads) + " --repeat 3");
}

TEST(RelationReport, AComparisonNamesOtherTriplesAndFactors) {
  Job job;
  const Report mean = report_of(RelationRun(cpu(), small_graph(), {}, job));
  RelationSettings settings;
  settings.normalise = Normalise::sum;
  const Report sum = report_of(RelationRun(cpu(), small_graph(), settings, job));
  const Report inverse = report_of(RelationRun(cpu(), small_graph(true), {}, job));
  EXPECT_THAT(compare(mean, mean).differences, IsEmpty());
  EXPECT_THAT(compare(mean, sum).differences,
              ElementsAre(HasSubstr(
                  "factor of the sources differs: mean in the baseline, sum in the current report")));
  EXPECT_THAT(
      compare(mean, inverse).differences,
      Contains(HasSubstr("triples of the graph differ: triples, 300 nodes, 2,000 triples, 5 relations")));
}

}  // namespace
}  // namespace spira
