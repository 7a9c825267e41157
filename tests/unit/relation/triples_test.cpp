// Tests the readers, the generator and the writers of triples.
#include "engine/relation/triples.hpp"

#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/map/relation_map.hpp"
#include "tests/support/temp_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>
#include <tuple>

namespace spira {
namespace {

using testing::ElementsAre;

Triples parse(std::string_view text, TripleFormat format, std::vector<std::string> nodes = {}) {
  Job job;
  return parse_triples(text, format, "f", std::move(nodes), job);
}

/// Returns the message of the error, without the name of the file.
std::string fault(std::string_view text, TripleFormat format, std::vector<std::string> nodes = {}) {
  try {
    static_cast<void>(parse(text, format, std::move(nodes)));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    const std::string message = error.what();
    EXPECT_EQ(message.substr(0, 3), "f: ");
    return message.substr(3);
  }
  return {};
}

/// Returns the triples as "head relation tail", with names.
std::set<std::string> texts(const Triples& triples) {
  std::set<std::string> all;
  for (const Triple& triple : triples.triples)
    all.insert(triples.nodes.at(static_cast<std::size_t>(triple.head)) + "|" +
               triples.relations.at(static_cast<std::size_t>(triple.relation)) + "|" +
               triples.nodes.at(static_cast<std::size_t>(triple.tail)));
  return all;
}

TEST(ReadTriples, NumbersNamesInTheOrderInWhichTheyOccur) {
  const Triples triples =
      parse("b\tlikes\ta\r\nc\tis part of\tb\n\nNew York\tlikes\ta\nb\tlikes\ta\n", TripleFormat::tsv);
  EXPECT_THAT(triples.nodes, ElementsAre("b", "a", "c", "New York"));
  EXPECT_THAT(triples.relations, ElementsAre("likes", "is part of"));
  EXPECT_THAT(triples.triples, ElementsAre(Triple{0, 1, 0}, Triple{0, 1, 3}, Triple{1, 0, 2}));
  EXPECT_EQ(triples.duplicates, 1);
  EXPECT_EQ(triples.self_loops, 0);
}

TEST(ReadTriples, ReadsCsvWithQuotesAndAHeader) {
  const Triples triples =
      parse("head,relation,tail\n\"a, b\",r,\"say \"\"c\"\"\"\n d ,r,\"a, b\"\n", TripleFormat::csv);
  EXPECT_THAT(texts(triples), ElementsAre(" d |r|a, b", "a, b|r|say \"c\""));
}

TEST(ReadTriples, ReadsNTriples) {
  const Triples triples = parse(
      "# a comment\n<a> <r> <b> .\n_:x <r> \"text \\\"1\\\" . <c>\"@en . # end\n"
      "<a><r>\"1\"^^<int>.\n<a> <r> \"1\" .\n<a> <r> <b>.\n",
      TripleFormat::n_triples);
  EXPECT_THAT(texts(triples), ElementsAre("<a>|<r>|\"1\"", "<a>|<r>|\"1\"^^<int>", "<a>|<r>|<b>",
                                          "_:x|<r>|\"text \\\"1\\\" . <c>\"@en"));
  EXPECT_EQ(triples.duplicates, 1);
}

TEST(ReadTriples, NamesTheLineAndTheFault) {
  const auto tsv = TripleFormat::tsv, csv = TripleFormat::csv, nt = TripleFormat::n_triples;
  EXPECT_EQ(fault("a\tr\tb\na\tr\n", tsv),
            "line 2: 2 columns, expected 3 (head, relation, tail) separated by tabs");
  EXPECT_EQ(fault("a r b\n", tsv), "line 1: 1 column, expected 3 (head, relation, tail) separated by tabs");
  EXPECT_EQ(fault("a,r,b,1\n", csv),
            "line 1: 4 columns, expected 3 (head, relation, tail) separated by commas");
  EXPECT_EQ(fault("\n\na\t\tb\n", tsv), "line 3: the relation is empty");
  EXPECT_EQ(fault("a,r,\"b\n", csv), "line 1: a quote is not closed");
  EXPECT_EQ(fault("a,\"r\"s,b\n", csv), "line 1: text after a closing quote");
  EXPECT_EQ(fault("<a> <r> .\n", nt), "line 1: the object is missing");
  EXPECT_EQ(fault("<a> \"r\" <b> .\n", nt), "line 1: the predicate is not an IRI in <>");
  EXPECT_EQ(fault("\"a\" <r> <b> .\n", nt), "line 1: the subject is not an IRI in <> or a blank node _:NAME");
  EXPECT_EQ(fault("<a> <r> \"b\n", nt),
            "line 1: the object is not an IRI in <>, a blank node _:NAME or a literal in quotes");
  EXPECT_EQ(fault("<a> <r> <b>\n", nt), "line 1: the statement does not end with a full stop");
  EXPECT_EQ(fault("<a> <r> <b> . <c>\n", nt), "line 1: text after the full stop");
  EXPECT_EQ(fault("", tsv), "contains no triples");
  EXPECT_EQ(fault("head,relation,tail\n", csv), "contains no triples");
  EXPECT_EQ(fault(std::string_view("a\0\t\0r\0\t\0b\0\n\0", 12), tsv),
            "the text is UTF-16; convert it to UTF-8");
  EXPECT_EQ(fault("a\tr\tb\n\x1b[31m\tr\tb\n", tsv, {"a", "b"}),
            "line 2: the head '\\x1b[31m' is not in the list of nodes");
}

TEST(ReadTriples, AListOfNodesDeterminesTheNumbersAndAddsNodesWithoutTriples) {
  const test::TempFolder folder;
  Job job;
  const auto file = folder.write("t.tsv", "a\tr\tb\n"), list = folder.write("n.txt", "lonely\nb\na\n");
  const Triples triples = read_triples(file, list, job);
  EXPECT_THAT(triples.nodes, ElementsAre("lonely", "b", "a"));
  EXPECT_THAT(triples.triples, ElementsAre(Triple{0, 1, 2}));
  EXPECT_EQ(triples.name, "t.tsv");
  const auto fault_of = [&](const std::string& names) {
    try {
      static_cast<void>(read_triples(file, folder.write("n.txt", names), job));
    } catch (const Error& error) {
      return std::string(error.what()).substr(folder.path().string().size() + 1);
    }
    return std::string();
  };
  EXPECT_EQ(fault_of("a\n"), "t.tsv: line 1: the tail 'b' is not in the list of nodes");
  EXPECT_EQ(fault_of("a\nb\na\n"), "n.txt: line 3: node 'a' is also in line 1");
  EXPECT_EQ(fault_of("\n"), "n.txt: contains no names of nodes");
}

TEST(ReadTriples, ReadsTheFilesOfWordNet) {
  const test::TempFolder folder;
  Job job;
  const auto write = [&](const std::string& adjective) {
    folder.write(
        "data.noun",
        "  1 a licence\n00000010 03 n 01 thing 0 002 ~ 00000020 n 0000 + 00000030 v 0101 | a gloss\n"
        "00000020 03 n 0a a 0 b 0 c 0 d 0 e 0 f 0 g 0 h 0 i 0 j 0 001 @ 00000010 n 0000 | another\n");
    folder.write("data.verb",
                 "00000030 29 v 01 do 0 002 + 00000010 n 0101 + 00000010 n 0102 01 + 02 00 | act\n");
    folder.write("data.adj", adjective);
    folder.write("data.adv", "00000050 02 r 01 well 0 000 | good\n");
  };
  write("00000040 00 s 01 good 0 001 & 00000041 s 0000 | fine\n00000041 00 a 01 fine 0 000 | good\n");
  const Triples triples = read_triples(folder.path(), {}, job);
  EXPECT_EQ(triples.nodes.size(), 6U);
  EXPECT_THAT(texts(triples),
              ElementsAre("a00000040|similar to|a00000041", "n00000010|derived form|v00000030",
                          "n00000010|hyponym|n00000020", "n00000020|hypernym|n00000010",
                          "v00000030|derived form|n00000010"));
  EXPECT_EQ(triples.duplicates, 1);
  const auto fault_of = [&](const std::string& adjective) {
    write(adjective);
    try {
      static_cast<void>(read_wordnet(folder.path(), job));
    } catch (const Error& error) {
      return std::string(error.what()).substr(folder.path().string().size() + 1);
    }
    return std::string();
  };
  EXPECT_EQ(fault_of("00000040 00 a 01 good 0 001 & 00000099 a 0000 | fine\n"),
            "data.adj: line 1: points to a00000099, which is unknown");
  EXPECT_EQ(fault_of("00000040 00 a 01 good 0 003 & 00000040 a 0000\n"),
            "data.adj: line 1: the line ends too early");
  EXPECT_EQ(fault_of("00000040 00 a zz good 0 000\n"), "data.adj: line 1: 'zz' is not a count");
  EXPECT_EQ(fault_of("00000040 00 a 01 good 0 000\n00000040 00 a 01 good 0 000\n"),
            "data.adj: line 2: synset a00000040 occurs twice");
  std::filesystem::remove(folder / "data.adv");
  try {
    static_cast<void>(read_triples(folder.path(), {}, job));
    FAIL() << "a folder without data.adv must be refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("a folder without data.adv"));
  }
}

TEST(KnownTriples, WordNetHasItsKnownCounts) {
  const std::filesystem::path folder = "/usr/share/wordnet";
  if (!std::filesystem::exists(folder / "data.noun")) GTEST_SKIP() << "wordnet-base is not installed";
  Job job;
  const Triples triples = read_triples(folder, {}, job);
  EXPECT_EQ(triples.nodes.size(), 117'659U);
  EXPECT_EQ(triples.relations.size(), 26U);
  for (const std::string& name : triples.relations)
    EXPECT_GT(name.size(), 2U) << name << ": every pointer symbol has a name";
  EXPECT_EQ(triples.triples.size(), 364'552U);
  EXPECT_EQ(std::ssize(triples.triples) + triples.duplicates, 377'592);
  const RelationMap map = relation_map(triples, Normalise::mean);
  EXPECT_EQ(map.rows(), 223'800);
  EXPECT_EQ(map.most_sources, 661);
  std::set<std::int32_t> tails;
  for (const Triple& triple : triples.triples)
    tails.insert(triple.tail);
  EXPECT_EQ(std::ssize(triples.nodes) - std::ssize(tails), 4'064);
}

TEST(KnownTriples, TheDataSetsOfPykeenHaveTheirKnownCounts) {
  // The wheel of pykeen 1.11.1, unpacked.
  const char* const root = std::getenv("SPIRA_PYKEEN");
  if (root == nullptr) GTEST_SKIP() << "SPIRA_PYKEEN does not name a folder";
  for (const auto& [name, nodes, relations, count] :
       {std::tuple("nations", 14, 55, 1992), std::tuple("umls", 135, 46, 6529),
        std::tuple("kinships", 104, 25, 10'686)}) {
    std::string all;
    for (const char* part : {"train", "test", "valid"})
      all += read_text_file(
                 std::filesystem::path(root) / "pykeen/datasets" / name / (std::string(part) + ".txt"),
                 1 << 24) +
             "\n";
    const Triples triples = parse(all, TripleFormat::tsv);
    EXPECT_EQ(std::ssize(triples.nodes), nodes) << name;
    EXPECT_EQ(std::ssize(triples.relations), relations) << name;
    EXPECT_EQ(std::ssize(triples.triples), count) << name;
  }
}

TEST(GenerateTriples, HasTheRequestedSizesAndPowerLawDegrees) {
  Job job;
  const TripleSizes sizes{2000, 16'000, 40};
  const Triples triples = generate_triples(sizes, 7, job);
  EXPECT_EQ(std::ssize(triples.triples), sizes.triples);
  EXPECT_EQ(triples.duplicates, 0);
  EXPECT_TRUE(std::is_sorted(triples.triples.begin(), triples.triples.end()));
  std::vector<std::int64_t> degrees(2000, 0);
  std::set<std::int32_t> relations, nodes;
  for (const Triple& triple : triples.triples) {
    ++degrees.at(static_cast<std::size_t>(triple.tail));
    relations.insert(triple.relation);
    nodes.insert({triple.tail, triple.head});
  }
  EXPECT_EQ(relations.size(), 40U);
  EXPECT_EQ(nodes.size(), 2000U);
  std::sort(degrees.rbegin(), degrees.rend());
  // With a power law, the hundredth part of the nodes has more than a tenth of the triples. With equal
  // degrees, it would have about a fiftieth part.
  EXPECT_GT(std::accumulate(degrees.begin(), degrees.begin() + 20, std::int64_t{0}), sizes.triples / 10);
  EXPECT_EQ(generate_triples(sizes, 7, job).triples, triples.triples);
  EXPECT_NE(generate_triples(sizes, 8, job).triples, triples.triples);
}

TEST(GenerateTriples, FillsHalfOfAllTriplesAndRefusesMore) {
  Job job;
  EXPECT_EQ(generate_triples({4, 24, 3}, 1, job).triples.size(), 24U);
  EXPECT_EQ(generate_triples({2, 2, 1}, 1, job).triples.size(), 2U);
  try {
    static_cast<void>(generate_triples({4, 25, 3}, 1, job));
    FAIL() << "too many triples must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_STREQ(error.what(),
                 "25 triples are more than half of all possible triples of 4 nodes and 3 relations; use more "
                 "nodes or fewer triples");
  }
}

TEST(WriteTriples, EveryFormatIsReadAgain) {
  const test::TempFolder folder;
  Job job;
  const Triples triples = generate_triples({30, 100, 4}, 3, job);
  for (const char* name : {"t.tsv", "t.csv", "t.nt"}) {
    write_triples(triples, folder / name);
    const Triples again = read_triples(folder / name, {}, job);
    EXPECT_EQ(again.triples.size(), triples.triples.size()) << name;
    EXPECT_EQ(again.nodes.size(), 30U) << name;
    // N-Triples has IRIs instead of the names.
    EXPECT_EQ(texts(again) == texts(triples), std::string_view(name) != "t.nt") << name;
  }
  EXPECT_THROW(require_triples_format("t.txt"), Error);
}

TEST(LooksLikeTriples, OnlyIfTheFileCannotBeAPointCloud) {
  const test::TempFolder folder;
  const auto looks = [&](const char* name, const char* text) {
    write_file(folder / name, text);
    return looks_like_triples(folder / name);
  };
  EXPECT_TRUE(looks("a.tsv", "paris\tcapital of\tfrance\r\n\n12\t3\tfrance\n"));
  EXPECT_TRUE(looks("faulty.tsv", "a\tr\tb\nc\tr\n")) << "the reader names the faulty line";
  EXPECT_TRUE(looks("ids.tsv", "head\trelation\ttail\n1\t2\t3\n")) << "the header of triples";
  EXPECT_TRUE(looks("mixed.tsv", "a\tr\tb\n1\t2\t3\nc\tr\td\n"));
  EXPECT_TRUE(looks("a.nt", "<a> <b> <c> .\n"));
  EXPECT_FALSE(looks("points.tsv", "1.5\t2\t-3e2\n"));
  EXPECT_FALSE(looks("header.tsv", "x\ty\tz\n1\t2\t3\n"));
  EXPECT_FALSE(looks("columns.tsv", "a\tb\tc\td\n"));
  EXPECT_FALSE(looks("empty.tsv", "\n"));
  EXPECT_FALSE(looks("a.csv", "a,b,c\n")) << "a point cloud can have this form";
  EXPECT_FALSE(looks_like_triples(folder / "missing.tsv"));
  EXPECT_FALSE(looks_like_triples(folder / ""));
  write_file(folder / "data.noun", "x");
  write_file(folder / "data.verb", "x");
  EXPECT_TRUE(looks_like_triples(folder / ""));
}

}  // namespace
}  // namespace spira
