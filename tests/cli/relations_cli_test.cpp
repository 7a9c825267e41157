// Tests `spira relations` and `spira generate triples`: the tables, reports and checks, and faulty input.
#include "tests/cli/cli_fixture.hpp"
#include "tests/cli/expect_csv.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace spira::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class CliRelations : public Cli {
 protected:
  void make_graph() const {
    const Finished made = spira({"generate", "triples", "--nodes", "200", "--triples", "900", "--relations",
                                 "6", "--seed", "3", "-o", "g.tsv"});
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(made.err, "g.tsv: 200 nodes, 900 triples, 6 relations\n");
  }
  [[nodiscard]] Finished relations(std::vector<std::string> more) const {
    std::vector<std::string> arguments{"--quiet", "relations"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), {"--backend", "cpu", "--repeat", "2"});
    return spira(arguments);
  }
  /// Expects that the program prints one line on stderr, and nothing on stdout.
  void expect_fault(const std::vector<std::string>& arguments, int code, const std::string& text) const {
    const Finished run = relations(arguments);
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, AllOf(StartsWith("spira: "), HasSubstr(text)));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
};

TEST_F(CliRelations, PrintsARowForEachLayerAndTheGraph) {
  make_graph();
  const Finished run = relations({"g.tsv", "--check"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("relations1"));
  EXPECT_THAT(run.out, HasSubstr("16>64"));
  EXPECT_THAT(run.out, HasSubstr("64>16"));
  EXPECT_THAT(run.out, HasSubstr("graph         200 nodes, 900 triples, 6 relations, mean of the sources\n"));
  EXPECT_THAT(run.out, HasSubstr("output check  PASSED: "));
  EXPECT_THAT(run.out, HasSubstr("wall time "));
}

TEST_F(CliRelations, AllSettingsPassTheCheck) {
  make_graph();
  for (const char* dataflow : {"ws", "gather"}) {
    for (const char* precision : {"fp32", "fp16"}) {
      const Finished run = relations({"g.tsv", "--check", "--dataflow", dataflow, "--precision", precision,
                                      "--normalise", "sum", "--inverse", "--layers", "3,5"});
      ASSERT_EQ(run.code, 0) << run.err;
      EXPECT_THAT(run.out, HasSubstr("12 relations including inverse relations, sum of the sources"));
      EXPECT_THAT(run.out, HasSubstr(std::string(" ") + dataflow + " "));
    }
  }
}

TEST_F(CliRelations, ReportsAreReadComparedAndExported) {
  make_graph();
  ASSERT_EQ(relations({"g.tsv", "-o", "a.json", "--check"}).code, 0);
  ASSERT_EQ(relations({"g.tsv", "-o", "b.json"}).code, 0);
  EXPECT_EQ(spira({"validate", "a.json"}).out, "a.json: report 1.21, valid\n");
  const json report = json::parse(read("a.json"));
  EXPECT_EQ(report["scene"]["triples"]["triples"], 900);
  EXPECT_EQ(report["layers"][0]["output_check"]["vs"], "reference");
  EXPECT_THAT(report["layers"][0]["kernel"], testing::EndsWith(" panels"));
  EXPECT_EQ(report["scene"]["triples"]["each"].size(), 6U);
  const Finished compared = spira({"compare", "a.json", "b.json", "--json"});
  EXPECT_TRUE(json::parse(compared.out)["differences"].empty()) << compared.out;
  EXPECT_EQ(spira({"export", "a.json", "--csv", "-o", "a.csv"}).code, 0);
  EXPECT_THAT(read("a.csv"), HasSubstr("features[relations2].ws"));
  EXPECT_EQ(spira({"export", "a.json", "--markdown", "-o", "a.md"}).code, 0);
  EXPECT_THAT(read("a.md"), HasSubstr("200 nodes, 900 triples"));
  const Finished to_stdout = relations({"g.tsv", "--json"});
  EXPECT_EQ(json::parse(to_stdout.out)["scene"]["triples"]["nodes"], 200);
}

TEST_F(CliRelations, NodesAndFeaturesOfTheUser) {
  write("t.csv", "a,r,b\nb,r,a\n");
  write("nodes.txt", "b\nlonely\na\n");
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 1), }";
  header.resize(117, ' ');
  const std::string start = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n";
  write("f.npy", start + std::string(12, '\0'));
  const Finished run =
      relations({"t.csv", "--nodes", "nodes.txt", "--features", "f.npy", "--layers", "1,2", "--check"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("3 nodes, 2 triples, 1 relation,"));
  expect_fault({"t.csv", "--features", "f.npy", "--layers", "1,2"}, 3,
               "f.npy: an array of shape 3 x 1; the table of features must have the shape 2 x 1");
  write("nodes.txt", "b\n");
  expect_fault({"t.csv", "--nodes", "nodes.txt"}, 3,
               "t.csv: line 1: the head 'a' is not in the list of nodes");
}

TEST_F(CliRelations, FaultyInputHasOneLine) {
  make_graph();
  write("short.tsv", "a\tr\tb\na\tr\n");
  write("empty.nt", "# nothing\n");
  write("bad.nt", "<a> <r> <b>\n");
  expect_fault({"short.tsv"}, 3,
               "short.tsv: line 2: 2 columns, expected 3 (head, relation, tail) separated by tabs");
  expect_fault({"empty.nt"}, 3, "empty.nt: contains no triples");
  expect_fault({"bad.nt"}, 3, "bad.nt: line 1: the statement does not end with a full stop");
  expect_fault({"missing.tsv"}, 3, "missing.tsv: file not found");
  expect_fault({"."}, 3, "a folder without data.noun");
  expect_fault({"g.tsv", "--layers", "16"}, 2,
               "--layers 16: expected 2 to 101 numbers from 1 to 4096, such as 16,64,16");
  expect_fault({"g.tsv", "--layers", "16,0"}, 2, "--layers 16,0");
  expect_fault({"g.tsv", "-o", "no/folder.json"}, 3, "no/folder.json");
  expect_fault({"g.tsv", "-o", "g.tsv"}, 2, "g.tsv");
  EXPECT_EQ(relations({"g.tsv", "--normalise", "max"}).code, 2);
}

TEST_F(CliRelations, GenerateRefusesImpossibleSizes) {
  const auto expect_refused = [&](std::vector<std::string> arguments, const std::string& text) {
    arguments.insert(arguments.begin(), "generate");
    const Finished run = spira(arguments);
    EXPECT_EQ(run.code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr(text));
  };
  expect_refused({"triples", "-o", "g.tsv"}, "generate triples needs --nodes");
  expect_refused({"triples", "--nodes", "2", "--triples", "5", "--relations", "1", "-o", "g.tsv"},
                 "5 triples are more than half");
  expect_refused({"triples", "--nodes", "2", "--triples", "2147483648", "--relations", "1", "-o", "g.tsv"},
                 "2147483648");
  expect_refused({"triples", "--nodes", "2", "--triples", "1", "--relations", "1", "-o", "g.ply"},
                 "triples are written as .tsv, .csv or .nt");
  expect_refused(
      {"triples", "--points", "5", "--nodes", "2", "--triples", "1", "--relations", "1", "-o", "g.tsv"},
      "--points: can only be used with generate street, room and random");
  expect_refused({"street", "--nodes", "5", "-o", "s.ply"},
                 "--nodes: can only be used with generate triples");
}

}  // namespace
}  // namespace spira::test
