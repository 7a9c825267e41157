// Builds scene files byte by byte for tests.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace spira::test {

template <class Number> void put(std::string& bytes, Number value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class Number> void put_big(std::string& bytes, Number value) {
  std::string one;
  put(one, value);
  bytes.append(one.rbegin(), one.rend());
}

/// Returns rows of a realistic LiDAR sweep. Each row is a point of a ring on the ground, followed by the
/// values of `extra` for this row.
template <class Extra> std::string float_rows(int rows, const Extra& extra) {
  std::string bytes;
  for (int at = 0; at < rows; ++at) {
    const float angle = 0.01F * static_cast<float>(at);
    for (const float value : {10.0F + angle, 5.0F - angle, -1.7F})
      put(bytes, value);
    for (const float value : extra(at))
      put(bytes, value);
  }
  return bytes;
}

inline std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                       const std::string& order = "False") {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  header.resize(((header.size() + 11 + 63) / 64 * 64) - 11, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  put(bytes, static_cast<unsigned short>(header.size()));
  return bytes + header + data;
}

inline unsigned crc_of(const std::string& bytes) {
  unsigned crc = ~0U;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

/// Returns a ZIP archive with one member. `method` is 0 for stored and 8 for deflated. A test may pass a
/// wrong size or checksum. Both headers of the member then contain it.
inline std::string zip(const std::string& name, int method, const std::string& packed, unsigned plain_bytes,
                       unsigned crc) {
  const auto name_bytes = static_cast<unsigned short>(name.size());
  // These fields occur in both headers. The first of them is the method.
  std::string facts;
  put(facts, static_cast<unsigned short>(method));
  put(facts, 0U);  // The time and date of the member.
  for (const unsigned value : {crc, static_cast<unsigned>(packed.size()), plain_bytes})
    put(facts, value);
  put(facts, name_bytes);
  put(facts, static_cast<unsigned short>(0));
  const std::string local = std::string("PK\x03\x04\x14\0\0\0", 8) + facts + name + packed;
  const std::string entry =
      std::string("PK\x01\x02\x14\0\x14\0\0\0", 10) + facts + std::string(14, '\0') + name;
  std::string end("PK\x05\x06\0\0\0\0\1\0\1\0", 12);
  put(end, static_cast<unsigned>(entry.size()));
  put(end, static_cast<unsigned>(local.size()));
  return local + entry + end + std::string(2, '\0');
}

struct LasPoint {
  int x, y, z;
  unsigned short intensity;
  unsigned char classification;
  unsigned short red, green, blue;
};

constexpr std::size_t las_record_bytes[] = {20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67};

/// Returns a file in the format LAS 1.`minor` with a scale of 0.01 and an offset of 500,000 m on each axis.
/// Each point has `extra_bytes` bytes after its fields.
inline std::string las(int minor, std::size_t format, const std::vector<LasPoint>& points,
                       std::size_t extra_bytes = 0) {
  const std::size_t header_bytes = minor >= 4 ? 375 : minor == 3 ? 235 : 227;
  std::string file(header_bytes, '\0');
  const auto place = [&](std::size_t at, auto value) { std::memcpy(&file[at], &value, sizeof value); };
  file.replace(0, 4, "LASF");
  place(24, static_cast<unsigned char>(1));
  place(25, static_cast<unsigned char>(minor));
  place(94, static_cast<unsigned short>(header_bytes));
  // The points begin after two bytes of padding.
  place(96, static_cast<unsigned>(header_bytes + 2));
  place(104, static_cast<unsigned char>(format));
  place(105, static_cast<unsigned short>(las_record_bytes[format] + extra_bytes));
  if (minor >= 4) {
    place(247, static_cast<unsigned long long>(points.size()));
  } else {
    place(107, static_cast<unsigned>(points.size()));
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    place(131 + (8 * axis), 0.01);
    place(155 + (8 * axis), 500'000.0);
  }
  file += "\xDD\xCC";
  for (const LasPoint& point : points) {
    std::string record(las_record_bytes[format] + extra_bytes, '\x7F');
    const auto field = [&](std::size_t at, auto value) { std::memcpy(&record[at], &value, sizeof value); };
    field(0, point.x);
    field(4, point.y);
    field(8, point.z);
    field(12, point.intensity);
    field(format < 6 ? 15 : 16, point.classification);
    const std::size_t colour = format == 2 ? 20 : format == 3 || format == 5 ? 28 : 30;
    if (format == 2 || format == 3 || format == 5 || format == 7 || format == 8 || format == 10) {
      field(colour, point.red);
      field(colour + 2, point.green);
      field(colour + 4, point.blue);
    }
    file += record;
  }
  return file;
}

/// Returns `file` after writing `value` at byte `at`.
template <class Number> std::string with(std::string file, std::size_t at, Number value) {
  std::memcpy(&file[at], &value, sizeof value);
  return file;
}

}  // namespace spira::test
