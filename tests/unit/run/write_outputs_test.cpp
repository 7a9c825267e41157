// Tests write_outputs() by reading the files that it writes (.safetensors and .npz) with separate readers.
#include "engine/run/write_outputs.hpp"

#include "app/common/backends.hpp"
#include "engine/backend/host_read.hpp"
#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "engine/base/fp16.hpp"
#include "engine/scene/batch.hpp"
#include "engine/scene/reader.hpp"
#include "tests/support/small_session.hpp"
#include "tests/support/temp_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <map>
#include <set>
#include <zlib.h>

namespace spira {
namespace {

using nlohmann::json;
using test::SmallSession;
using testing::HasSubstr;

struct Array {
  std::string type, bytes;
  std::vector<std::int64_t> shape;
};
struct Content {
  std::map<std::string, Array> arrays;
  std::map<std::string, std::string> facts;
};

template <class Number> Number number_at(const std::string& bytes, std::size_t at) {
  Number value{};
  std::memcpy(&value, bytes.substr(at, sizeof value).data(), sizeof value);
  return value;
}

Content read_safetensors_file(const std::string& bytes) {
  const auto header_bytes = number_at<std::uint64_t>(bytes, 0);
  EXPECT_EQ(header_bytes % 8, 0U);
  const json header = json::parse(bytes.substr(8, header_bytes));
  const std::string data = bytes.substr(8 + header_bytes);
  Content content;
  std::size_t used = 0;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") {
      content.facts = entry.get<std::map<std::string, std::string>>();
      continue;
    }
    const auto begin = entry["data_offsets"][0].get<std::size_t>();
    const auto end = entry["data_offsets"][1].get<std::size_t>();
    used += end - begin;
    content.arrays[name] = {entry["dtype"], data.substr(begin, end - begin), entry["shape"]};
  }
  EXPECT_EQ(used, data.size()) << "the file must have no gaps between arrays";
  return content;
}

/// Reads the file through its central directory, as zip readers do. Verifies every checksum.
Content read_npz_file(const std::string& bytes) {
  Content content;
  const std::size_t end = bytes.size() - 22;
  EXPECT_EQ(bytes.substr(end, 4), "PK\x05\x06");
  std::size_t at = number_at<std::uint32_t>(bytes, end + 16);
  for (int member = 0; member < number_at<std::uint16_t>(bytes, end + 10); ++member) {
    EXPECT_EQ(bytes.substr(at, 4), "PK\x01\x02");
    const auto size = number_at<std::uint32_t>(bytes, at + 24);
    const auto name_bytes = number_at<std::uint16_t>(bytes, at + 28);
    const std::string name = bytes.substr(at + 46, name_bytes);
    const std::size_t local = number_at<std::uint32_t>(bytes, at + 42);
    EXPECT_EQ(bytes.substr(local, 4), "PK\x03\x04");
    EXPECT_EQ(bytes.substr(local + 30, name_bytes), name);
    const std::string npy = bytes.substr(local + 30 + name_bytes, size);
    EXPECT_EQ(crc32(0, reinterpret_cast<const Bytef*>(npy.data()), static_cast<uInt>(npy.size())),
              number_at<std::uint32_t>(bytes, at + 16));
    EXPECT_EQ(npy.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    const std::size_t data = 10U + number_at<std::uint16_t>(npy, 8);
    EXPECT_EQ(data % 64, 0U);
    std::string header = npy.substr(10, data - 10);
    Array array{header.substr(header.find("'descr': '") + 10, 3), npy.substr(data), {}};
    std::stringstream sizes(header.substr(header.find('(') + 1));
    for (std::int64_t extent = 0; sizes >> extent; sizes.ignore(2))
      array.shape.push_back(extent);
    EXPECT_TRUE(name.ends_with(".npy"));
    content.arrays[name.substr(0, name.size() - 4)] = array;
    at += 46U + name_bytes;
  }
  EXPECT_EQ(at, end);
  const json facts = json::parse(content.arrays.at("metadata").bytes);
  content.arrays.erase("metadata");
  content.facts = facts.get<std::map<std::string, std::string>>();
  return content;
}

class Outputs : public testing::TestWithParam<std::tuple<const char*, Precision>> {
 protected:
  [[nodiscard]] static std::string extension() { return std::get<0>(GetParam()); }
  [[nodiscard]] static Precision precision() { return std::get<1>(GetParam()); }

  [[nodiscard]] static Content content_of(const std::filesystem::path& file) {
    const std::string bytes = read_text_file(file, 1U << 28U);
    return extension() == ".npz" ? read_npz_file(bytes) : read_safetensors_file(bytes);
  }
  [[nodiscard]] static double value_at(const Array& array, std::size_t at) {
    return precision() == Precision::fp16 ? fp16_to_float(number_at<Fp16>(array.bytes, at * 2))
                                          : number_at<float>(array.bytes, at * 4);
  }
};

TEST_P(Outputs, HaveTheBatchIndexInTheFirstColumn) {
  const std::vector<std::shared_ptr<const PointCloud>> frames{test::small_room(700, 1),
                                                              test::small_room(900, 2)};
  SmallSession some;
  some.plan.precision = precision();
  some.load(batch_of(frames), {9, 13, 8});
  Job job;
  some.session.run_all(some.plan, job, {});
  const std::vector layers{some.session.result(some.index("deep"))};
  const test::TempFolder folder;
  const auto file = folder / ("out" + extension());
  write_outputs(file, *some.network, layers, "seeded He, seed 1", job);
  const Content content = content_of(file);
  const CoordSet& level = some.session.scene()->level(2);
  const Array& coordinates = content.arrays.at("deep.coordinates");
  EXPECT_EQ(coordinates.shape, (std::vector<std::int64_t>{size_of(level), 4}));
  std::set<int> found;
  for (std::int64_t row = 0; row < size_of(level); ++row) {
    const auto at = static_cast<std::size_t>(row) * 16;
    const Voxel voxel = voxel_at(level, row);
    ASSERT_EQ(number_at<std::int32_t>(coordinates.bytes, at), frame_at(level, row));
    ASSERT_EQ(number_at<std::int32_t>(coordinates.bytes, at + 4), voxel[0]);
    ASSERT_EQ(number_at<std::int32_t>(coordinates.bytes, at + 12), voxel[2]);
    found.insert(frame_at(level, row));
  }
  EXPECT_EQ(found, (std::set<int>{0, 1}));
  if (extension() == ".safetensors") {
    EXPECT_EQ(content.facts.at("batch"), "2");
  }
  // A saved voxel file is the same batch again.
  const auto voxels = folder / ("voxels" + extension());
  write_voxel_file(voxels, *some.backend, *some.session.scene(), *some.network, job);
  const auto read = load_scene(voxels.string(), {}, job);
  ASSERT_EQ(read->batch(), 2);
  EXPECT_EQ(read->size(), size_of(some.session.scene()->level(1)));
  EXPECT_EQ(frame_of(*read, 0).size() + frame_of(*read, 1).size(), read->size());
}

TEST_P(Outputs, HoldFeaturesAndCoordinatesOfTheChosenLayers) {
  SmallSession some, reference(test::little_unet(), app::make_registry().make("reference"));
  some.plan.precision = precision();
  some.load();
  reference.load();
  Job job;
  some.session.run_all(some.plan, job, {});
  reference.session.run_all(reference.plan, job, {});
  const std::vector layers{some.session.result(some.index("deep")), some.session.result(some.index("last"))};
  const test::TempFolder folder;
  const auto file = folder / ("out" + extension());
  write_outputs(file, *some.network, layers, "seeded He, seed 1", job);

  const Content content = content_of(file);
  EXPECT_EQ(content.arrays.size(), 4U);
  for (const auto& [name, stride, channels] :
       {std::tuple("deep", 2, std::int64_t{16}), std::tuple("last", 1, std::int64_t{8})}) {
    SCOPED_TRACE(name);
    const Features& expected = *reference.session.result(some.index(name))->features;
    const Array& features = content.arrays.at(std::string(name) + ".features");
    EXPECT_EQ(features.shape, (std::vector{expected.rows, channels}));
    EXPECT_THAT(features.type, testing::AnyOf(precision() == Precision::fp16 ? "F16" : "F32",
                                              precision() == Precision::fp16 ? "<f2" : "<f4"));
    const double tolerance = precision() == Precision::fp16 ? 2e-2 : 1e-4;
    for (std::int64_t row = 0; row < expected.rows; ++row) {
      for (int channel = 0; channel < channels; ++channel)
        ASSERT_NEAR(value_at(features, static_cast<std::size_t>((row * channels) + channel)),
                    feature_at(expected, row, channel), tolerance)
            << row;
    }
    const CoordSet& level = some.session.scene()->level(stride);
    const Array& coordinates = content.arrays.at(std::string(name) + ".coordinates");
    EXPECT_EQ(coordinates.shape, (std::vector<std::int64_t>{expected.rows, 3}));
    EXPECT_THAT(coordinates.type, testing::AnyOf("I32", "<i4"));
    for (std::int64_t row = 0; row < expected.rows; ++row) {
      const Voxel voxel = voxel_at(level, row);
      for (std::size_t axis = 0; axis < 3; ++axis)
        ASSERT_EQ(
            number_at<std::int32_t>(coordinates.bytes, ((static_cast<std::size_t>(row) * 3) + axis) * 4),
            voxel.at(axis));
    }
    EXPECT_EQ(content.facts.at(std::string(name) + ".stride"), std::to_string(stride));
  }
}

TEST_P(Outputs, NameTheirSource) {
  SmallSession some;
  some.plan.precision = precision();
  some.load();
  Job job;
  const std::vector layers{some.session.run_layer(0, some.plan, job)};
  const test::TempFolder folder;
  const auto file = folder / ("out" + extension());
  write_outputs(file, *some.network, layers, "w.safetensors", job);
  const auto facts = content_of(file).facts;
  EXPECT_EQ(facts.at("schema"), "spira.outputs 1");
  EXPECT_EQ(facts.at("scene"), some.session.scene()->cloud->name);
  EXPECT_EQ(facts.at("network"), "little");
  EXPECT_EQ(facts.at("weights"), "w.safetensors");
  EXPECT_EQ(facts.at("precision"), text_of(precision()));
  EXPECT_EQ(facts.at("voxel_m"), "0.1,0.1,0.1");
  EXPECT_EQ(facts.at("unit"), "metres");
  const auto& shift = some.session.scene()->shift;
  EXPECT_EQ(facts.at("shift_voxels"),
            std::to_string(shift[0]) + "," + std::to_string(shift[1]) + "," + std::to_string(shift[2]));
}

INSTANTIATE_TEST_SUITE_P(Formats, Outputs,
                         testing::Combine(testing::Values(".safetensors", ".npz"),
                                          testing::Values(Precision::fp32, Precision::fp16)),
                         [](const auto& about) {
                           return std::string(std::get<0>(about.param)).substr(1) + "_" +
                                  std::string(text_of(std::get<1>(about.param)));
                         });

TEST(OutputsFile, RefusesOtherExtensions) {
  EXPECT_NO_THROW(require_outputs_format("a.NPZ"));
  try {
    require_outputs_format("a.csv");
    FAIL() << "the unknown extension must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), HasSubstr("a.csv: "));
    EXPECT_THAT(error.what(), HasSubstr(".safetensors or .npz"));
  }
}

}  // namespace
}  // namespace spira
