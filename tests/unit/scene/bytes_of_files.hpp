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

}  // namespace spira::test
