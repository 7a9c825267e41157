// Scene files made by hand, byte by byte.
#pragma once

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

/// Rows of a plausible sweep: a ring of points on the ground, then the extra columns of `row`.
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

/// An archive of one member: `method` 0 stored, 8 deflated. What the directory claims may be false.
inline std::string zip(const std::string& name, int method, const std::string& packed, unsigned plain_bytes,
                       unsigned crc) {
  const auto name_bytes = static_cast<unsigned short>(name.size());
  std::string facts;  // of both headers, from the method on
  put(facts, static_cast<unsigned short>(method));
  put(facts, 0U);  // time and date
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

}  // namespace spira::test
