// Tests that each kind of error prints one line to stderr and sets the correct exit code.
#include "tests/cli/cli_fixture.hpp"
#include "tests/unit/scene/bytes_of_files.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <thread>

namespace spira::test {
namespace {

using testing::HasSubstr;
using testing::Not;

void expect_one_line(const Finished& run, int code, const std::string& text) {
  EXPECT_EQ(run.code, code) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("spira: "));
  EXPECT_THAT(run.err, HasSubstr(text));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

TEST_F(Cli, UsageErrorsAre2) {
  EXPECT_EQ(spira({}).code, 2);
  EXPECT_EQ(spira({"run"}).code, 2);
  EXPECT_EQ(spira({"run", "street", "--no-such-option"}).code, 2);
  EXPECT_EQ(spira({"run", "street", "--precision", "fp8"}).code, 2);
  EXPECT_EQ(spira({"densities", "street", "--json", "--csv"}).code, 2);
  EXPECT_EQ(spira({"--threads", "0", "devices"}).code, 2);
  const Finished unknown = spira({"rnu", "street"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("rnu"));
  expect_one_line(spira({"--quiet", "densities", "street", "--grid", "0"}), 2, "grid '0'");
  expect_one_line(spira({"--quiet", "densities", "street", "--kernel", "8"}), 2, "kernel size 8");
  expect_one_line(spira({"--quiet", "run", "street", "--network", "nope"}), 2, "resnl20");
  expect_one_line(spira({"--quiet", "run", "street:x"}), 2, "seed");
  expect_one_line(spira({"--quiet", "--memory-limit", "lots", "run", "street"}), 2, "500M");
  expect_one_line(spira({"--quiet", "sweep", "street"}), 2, "--network");
  expect_one_line(spira({"--quiet", "densities", "street", "--pack", "40,40,40"}), 2, "packing");
  expect_one_line(spira({"--quiet", "generate", "street", "-o", "x.las"}), 2, ".ply");
  expect_one_line(spira({"generate", "nope", "-o", "x.ply"}), 2, "street, room, random");
}

TEST_F(Cli, FilesThatCannotBeReadAre3) {
  make_scene();
  const std::string whole = read("scene.ply");
  write("truncated.ply", whole.substr(0, whole.size() / 2));
  write("empty.ply", "");
  write("nan.csv", "x,y,z\nnan,nan,nan\nnan,nan,nan\n");
  write("noise.dat", std::string("\x01\x02\x03\xff\xfe\x00\x07", 7));
  write("huge.ply",
        "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000000\nproperty float x\n"
        "property float y\nproperty float z\nend_header\n0123");
  for (const char* name : {"truncated.ply", "empty.ply", "nan.csv", "noise.dat", "huge.ply", "missing.ply"}) {
    SCOPED_TRACE(name);
    expect_one_line(spira({"info", name}), 3, name);
    expect_one_line(spira({"densities", name, "--grid", "1"}), 3, name);
  }
  expect_one_line(spira({"run", folder().string(), "--network", "resn21"}), 3, "is a folder");
  std::filesystem::create_symlink("loop.bin", folder() / "loop.bin");
  expect_one_line(spira({"info", "loop.bin"}), 3, "loop.bin: cannot be read");
  write("odd.bin", std::string(33, '\1'));
  expect_one_line(spira({"info", "odd.bin", "--format", "kitti"}), 3, "not a multiple of 16");
  write("scan.las", "LASF");
  expect_one_line(spira({"info", "scan.las"}), 3, "ends within the header");
  expect_one_line(spira({"--quiet", "run", "scene.ply", "--weights", "no.safetensors"}), 3, "no.safetensors");
  expect_one_line(spira({"--quiet", "run", "scene.ply", "--plan", "no.json"}), 3, "no.json");
  expect_one_line(spira({"--quiet", "generate", "street", "-o", "no/folder.ply"}), 3, "no/folder.ply");
}

TEST_F(Cli, AFileThatCannotBeWrittenIsFoundBeforeAnythingIsMeasured) {
  // The scene does not exist. If the output file is writable, the error message must name the scene.
  for (const std::vector<std::string>& command : {std::vector<std::string>{"run", "missing.ply"},
                                                  {"layer", "missing.ply"},
                                                  {"tune", "missing.ply"},
                                                  {"sweep", "missing.ply", "--network", "resn21"},
                                                  {"bench", "mapping", "missing.ply"}}) {
    SCOPED_TRACE(command.front());
    const auto to = [&](const std::string& file) {
      std::vector<std::string> words = command;
      words.insert(words.end(), {"-o", file});
      return spira(words);
    };
    expect_one_line(to("no/such.json"), 3, "no/such.json: cannot be written");
    expect_one_line(to("."), 3, "it is a folder");
    write("kept.json", "kept");
    const Finished run = to("kept.json");
    // `tune` adds to an existing profile, so it refuses to write to a file that is not a profile.
    EXPECT_THAT(run.err, HasSubstr(command.front() == "tune" ? "not a tuning profile"
                                                             : "missing.ply: file not found"));
    EXPECT_EQ(read("kept.json"), "kept");
  }
  for (const auto& file : std::filesystem::directory_iterator(folder())) {
    const auto name = file.path().filename();
    EXPECT_TRUE(name == "kept.json" || name == "stdout.txt") << name << " must not remain in the folder";
  }
}

TEST_F(Cli, ADashIsStandardOutputWhereOneFileIsWritten) {
  make_scene();
  const Finished run = spira({"--quiet", "layer", "scene.ply", "--grid", "0.5", "--repeat", "1", "-o", "-"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out).at("schema"), "spira.report");
  write("r.json", run.out);
  const Finished table = spira({"export", "r.json", "--csv", "-o", "-"});
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, testing::StartsWith("report_id,"));
  EXPECT_EQ(table.err, "");
  EXPECT_THAT(spira({"export", "r.json", "--markdown", "-o", "-"}).out, HasSubstr("# "));
  const Finished tuned = spira({"--quiet", "tune", "scene.ply", "--network", "resn21", "--grid", "1",
                                "--budget", "1s", "--min-samples", "1", "-o", "-"});
  if (tuned.code == 0) {
    EXPECT_EQ(nlohmann::json::parse(tuned.out).at("schema"), "spira.tune");
  }
  expect_one_line(spira({"layer", "scene.ply", "--csv", "-o", "-"}), 2, "standard output");
  expect_one_line(spira({"generate", "street", "-o", "-"}), 2,
                  "give a file name that ends with .ply, .npy, .csv or .bin");
  for (const char* file : {"-", "-.meta.json"})
    EXPECT_FALSE(std::filesystem::exists(folder() / file)) << file;
}

// This test is skipped with sanitizers, because they reserve more memory than the limit.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(Cli, SizesInFilesAreCheckedBeforeMemoryIsAllocated) {
  // These bytes are LZF literals. They do not show how large the uncompressed data is.
  const std::string junk(20'000'000, '\x0A');
  std::string pcd =
      "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 165000000\nHEIGHT 1\n"
      "POINTS 165000000\nDATA binary_compressed\n";
  test::put(pcd, 20'000'000U);
  test::put(pcd, 1'980'000'000U);
  write("claim.pcd", pcd + junk);
  // The file ends after the header and contains no data.
  const std::string first = npy("<f4", "(300000000, 3)", "");
  std::string packed(1, '\1');
  test::put(packed, static_cast<unsigned short>(first.size()));
  test::put(packed, static_cast<unsigned short>(~first.size()));
  packed += first;
  write("claim.npz", zip("pc.npy", 8, packed + junk.substr(0, 4'000'000), 4'000'000'000U, 0));
  for (const char* name : {"claim.pcd", "claim.npz"}) {
    SCOPED_TRACE(name);
    const Finished run =
        Program("/bin/sh", {"-c", std::string("ulimit -v 900000; exec " SPIRA_PROGRAM " info ") + name},
                folder())
            .finish();
    expect_one_line(run, 3, name);
  }
}

TEST_F(Cli, ThreadsThatCannotBeStartedAre5) {
  // With a large stack per thread, not even the first thread can be started.
  for (const char* limits : {"ulimit -v 600000", "ulimit -v 60000", "ulimit -s 900000; ulimit -v 600000"}) {
    const Finished run = Program("/bin/sh",
                                 {"-c", std::string(limits) + "; exec " SPIRA_PROGRAM
                                                              " --threads 1000 layer random --grid 0.5"},
                                 folder())
                             .finish();
    EXPECT_EQ(run.code, 5) << limits << ": " << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
}

TEST_F(Cli, WeightsThatNoMemoryHoldsAre4) {
  const Finished run = Program("/bin/sh",
                               {"-c", "ulimit -v 900000; exec " SPIRA_PROGRAM
                                      " --quiet layer random --grid 0.5 --cin 4096 --cout 4096 --kernel 7"},
                               folder())
                           .finish();
  expect_one_line(run, 4, "weights of layer conv need 23.0 GB, but only ");
}
#endif

TEST_F(Cli, NetworkFilesWithFaultsNameThePlace) {
  write("net.json", R"({"layers": [{"name": "a", "kernel_size": 4, "out_channels": 8}]})");
  expect_one_line(spira({"--quiet", "run", "random", "--network", "net.json"}), 3,
                  "layers[0].kernel_size: 4");
  write("bad.json", "{\n \"layers\": [,]\n}");
  expect_one_line(spira({"--quiet", "run", "random", "--network", "bad.json"}), 3, "line 2");
}

TEST_F(Cli, CoordinatesThatDoNotFitAre4WithTheFitMeter) {
  write("wide.csv", "x,y,z\n0,0,0\n5000,0,0\n0,0,10\n");
  const Finished run = spira({"--quiet", "densities", "wide.csv", "--grid", "1", "--pack", "32"});
  expect_one_line(run, 4, "x spans 5,001 cells");
  EXPECT_THAT(run.err, HasSubstr("packings that fit: "));
  EXPECT_EQ(spira({"--quiet", "densities", "wide.csv", "--grid", "1"}).code, 0)
      << "without --pack, the packing with 64 bits must be used";
  write("world.csv", "x,y,z\n0,0,0\n90000000,90000000,90000000\n");
  expect_one_line(spira({"--quiet", "densities", "world.csv", "--grid", "1"}), 4, "24/24/16 does not fit");
}

TEST_F(Cli, OptionsAreCheckedBeforeTheSceneIsRead) {
  using Words = std::vector<std::string>;
  for (const Words& wrong : {Words{"run", "--grid", "x"},
                             {"run", "--crop", "1,2"},
                             {"run", "--pack", "40,40,40"},
                             {"run", "--network", "nope"},
                             {"run", "--memory-limit", "lots"},
                             {"run", "--memory-limit", "0"},
                             {"run", "--memory-limit", "nan"},
                             {"layer", "--grid", "x"},
                             {"info", "--grid", "x"},
                             {"info", "--crop", "1,2"},
                             {"info", "--memory-limit", "-1"},
                             {"densities", "--pack", "x"},
                             {"sweep", "--network", "resn21", "--packs", "x"},
                             {"sweep", "--network", "resn21", "--thresholds", "x"},
                             {"bench", "mapping", "--crop", "1"},
                             {"tune", "--grid", "x"},
                             {"tune", "--budget", "x"},
                             {"tune", "--weights", "no.safetensors", "--crop", "1,2"},
                             {"tune", "--algorithms", "nope"},
                             {"tune", "--packings", "x"},
                             {"tune", "--scene-weights", "1,2,0"},
                             {"run", "--weights", "no.safetensors", "--grid", "x"},
                             {"run", "--backend", "nope"},
                             {"run", "--weights", "no.safetensors", "--backend", "nope"},
                             {"run", "--layer-threshold", "nope=1"},
                             {"sweep", "--network", "resn21", "--packs", "32", "--crop", "1"},
                             {"bench", "network", "--layer-map", "nope=hash"},
                             {"densities", "--kernel", "8"},
                             {"densities", "--stride", "3"},
                             {"densities", "--frames", "other.ply", "--grid", "x"},
                             {"info", "--frames", "other.ply", "--grid", "x"},
                             {"verify", "--grid", "x"},
                             {"verify", "--network", "nope"}}) {
    SCOPED_TRACE(wrong.front() + " " + wrong[wrong.size() - 2] + " " + wrong.back());
    Words words = wrong;
    words.insert(words.begin() + (wrong.front() == "bench" ? 2 : 1), "missing.ply");
    expect_one_line(spira(words), 2, wrong.back());
  }
  expect_one_line(spira({"run", "missing.ply", "--weights", "no.safetensors"}), 3, "no.safetensors");
  expect_one_line(
      spira({"sweep", "missing.ply", "--network", "resn21", "--packs", "32", "--weights", "no.safetensors"}),
      3, "no.safetensors");
  expect_one_line(spira({"run", "missing.ply", "--plan", "no.json"}), 3, "no.json");
}

TEST_F(Cli, TheFormatIsCheckedBeforeTheSceneIsRead) {
  using Words = std::vector<std::string>;
  for (const Words& command : {Words{"info"},
                               {"densities"},
                               {"run"},
                               {"layer"},
                               {"sweep", "--network", "resn21"},
                               {"tune"},
                               {"verify"},
                               {"bench", "mapping"}}) {
    for (const auto& [wrong, says] :
         {std::pair{Words{"--format", "nope"}, "--format: format 'nope': expected kitti"},
          {Words{"--format", "laz"}, "format 'laz' is not supported"},
          {Words{"--format", "kitti:x"}, "only the formats 'rows' and 'npz' accept a description"},
          {Words{"--format", "npz:"}, "expected the name of an array"},
          {Words{"--format", "rows"}, ""},
          {Words{"--format", "rows:f33:x,y,z"}, "type 'f33' is not one of"},
          {Words{"--columns", "x,y"}, "--columns: rows 'f32:x,y': no column is named z"},
          {Words{"--columns", "x,y,z", "--type", "f33"}, "type 'f33' is not one of"},
          {Words{"--columns", "x,y,z", "--format", "kitti"}, "excludes"},
          {Words{"--type", "f32"}, "requires"},
          {Words{"--array", "a", "--columns", "x,y,z"}, "excludes"}}) {
      Words words = command;
      words.insert(words.begin() + (command.front() == "bench" ? 2 : 1), "missing.ply");
      words.insert(words.end(), wrong.begin(), wrong.end());
      SCOPED_TRACE(command.front() + " " + wrong.front() + " " + wrong.back());
      const Finished run = spira(words);
      if (wrong.back() == "rows") {
        EXPECT_EQ(run.code, 3) << "the format is valid, so the error must be about the missing file";
        continue;
      }
      EXPECT_EQ(run.code, 2);
      EXPECT_THAT(run.err, HasSubstr(says));
      EXPECT_THAT(run.err, Not(HasSubstr("missing.ply: ")));
    }
  }
}

TEST_F(Cli, UnclearFilesAreRefusedWithTheOptionsThatReadThem) {
  std::string planar;
  for (int at = 0; at < 3 * 200; ++at) {
    const float angle = 0.05F * static_cast<float>(at % 200);
    const float radius = 8.0F + std::sin(7.0F * angle);
    const float value = at < 200   ? radius * std::cos(angle)
                        : at < 400 ? radius * std::sin(angle)
                                   : -1.7F + 0.1F * std::sin(31.0F * angle);
    put(planar, value);
  }
  write("planar.bin", planar);
  const Finished run = spira({"info", "planar.bin"});
  expect_one_line(run, 3, "describe the rows (use --columns x,y,z,intensity --type f32, and --planar");
  EXPECT_EQ(spira({"info", "planar.bin", "--columns", "x,y,z", "--planar"}).code, 0);
  write("unknown.dat", std::string(999, '\x81'));
  expect_one_line(spira({"info", "unknown.dat"}), 3, "(use --format to set the format)");
}

TEST_F(Cli, OutputOptionsAreCheckedFirst) {
  expect_one_line(spira({"generate", "street", "-o", "scene.xyz"}), 2, "are written as .ply, .npy");
  expect_one_line(spira({"export", "missing.json", "--trace", "--comment", "-o", "t.json"}), 2,
                  "--comment can only be used with tables");
}

TEST_F(Cli, DeviceAndMemoryFaultsAre5) {
  make_scene();
  expect_one_line(spira({"--quiet", "--memory-limit", "300k", "run", "scene.ply", "--grid", "0.1"}), 5,
                  "memory limit");
  const auto devices = nlohmann::json::parse(spira({"devices", "--json"}).out);
  const bool cuda = std::any_of(devices.begin(), devices.end(), [](const auto& row) {
    return row.at("kind") == "cuda" && row.at("usable").template get<bool>();
  });
  if (!cuda) expect_one_line(spira({"--quiet", "run", "scene.ply", "--backend", "cuda"}), 5, "cuda");
}

TEST_F(Cli, OutputThatCannotBeWrittenIsAFault) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const Finished run = spira({"devices"}, "/dev/full");
  EXPECT_EQ(run.code, 3);
  EXPECT_THAT(run.err, HasSubstr("stdout"));
}

TEST_F(Cli, InterruptIs130) {
  Program program(SPIRA_PROGRAM,
                  {"run", "street", "--network", "minkunet42", "--grid", "0.2", "--repeat", "10000"},
                  folder());
  ASSERT_TRUE(program.wait_for_message("generated street"));
  program.interrupt();
  const Finished run = program.finish();
  EXPECT_EQ(run.code, 130) << run.err;
  EXPECT_EQ(run.out, "");
}

TEST_F(Cli, OtherSignalsThatEndTheProgramAre128PlusTheirNumber) {
  for (const int signal : {SIGTERM, SIGHUP}) {
    Program program(SPIRA_PROGRAM,
                    {"run", "street", "--network", "minkunet42", "--grid", "0.2", "--repeat", "10000"},
                    folder());
    ASSERT_TRUE(program.wait_for_message("generated street"));
    program.send(signal);
    const Finished run = program.finish();
    EXPECT_EQ(run.code, 128 + signal) << run.err;
    EXPECT_THAT(run.err, HasSubstr("spira: cancelled"));
  }
}

TEST_F(Cli, InterruptIs130WhileWeightsAreDrawn) {
  make_scene();
  Program program(SPIRA_PROGRAM,
                  {"layer", "scene.ply", "--grid", "1", "--cin", "1024", "--cout", "1024", "--kernel", "5"},
                  folder());
  ASSERT_TRUE(program.wait_for_message("scene.ply: read as"));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto begin = std::chrono::steady_clock::now();
  program.interrupt();
  const Finished run = program.finish();
  EXPECT_EQ(run.code, 130) << run.err;
  EXPECT_THAT(run.err, HasSubstr("cancelled while generating weights"));
  // The time limit is long, because the machine may be busy.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(500));
}

TEST_F(Cli, ControlBytesOfFilesStayOutOfTheTerminal) {
  const std::string body = "property float x\nproperty float y\nproperty float z\nend_header\n1 2 3 4\n";
  write("esc.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float \x1b[31m\xff\n" + body);
  write("bad.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty \x1b[31m x\n" + body);
  write("\x1b[31mname.xyz", "1 2 3\n4 5 6\n");
  for (const char* name : {"esc.ply", "bad.ply", "\x1b[31mname.xyz"}) {
    for (const char* command : {"info", "densities"}) {
      const Finished run = spira({command, name, "--grid", "1"});
      EXPECT_EQ((run.out + run.err).find('\x1b'), std::string::npos) << run.out << run.err;
      EXPECT_THAT(run.out + run.err, HasSubstr("\\x1b[31m"));
    }
  }
  EXPECT_EQ(spira({"info", "esc.ply", "--json"}).code, 0);
}

TEST_F(Cli, AThresholdAboveTheMaximumOfTheKernelIsReported) {
  make_scene();
  const std::vector<std::string> layer{"layer",  "scene.ply", "--grid",   "1", "--cin",      "4",
                                       "--cout", "4",         "--repeat", "1", "--threshold"};
  const auto err_of = [&](const char* t) {
    auto words = layer;
    words.emplace_back(t);
    return spira(words).err;
  };
  EXPECT_THAT(err_of("10"), HasSubstr("t = 10 exceeds the maximum 4 for K = 3; using 4\n"));
  EXPECT_THAT(err_of("4"), testing::Not(HasSubstr("beyond")));
}

TEST_F(Cli, QuietSilencesMessagesAndNoOutputHasColours) {
  const Finished loud = spira({"densities", "random", "--kernel", "2"});
  EXPECT_EQ(loud.code, 0);
  EXPECT_THAT(loud.err, HasSubstr("generated random"));
  const Finished quiet = spira({"densities", "random", "--kernel", "2", "--quiet"});
  EXPECT_EQ(quiet.err, "");
  EXPECT_EQ(quiet.out, loud.out);
  EXPECT_EQ((loud.out + loud.err).find('\x1b'), std::string::npos);
  EXPECT_EQ((loud.out + loud.err).find('\r'), std::string::npos)
      << "without a terminal no progress must be shown";
}

}  // namespace
}  // namespace spira::test
