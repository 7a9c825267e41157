#include "engine/scene/npy_header.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/point_sink.hpp"

#include <algorithm>

namespace spira {
namespace {

/// The value after 'key': in the Python dictionary of the header, up to the comma that ends it.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::string quoted = "'" + std::string(key) + "'";
  std::size_t at = header.find(quoted);
  if (at == std::string_view::npos) return {};
  at = header.find(':', at + quoted.size());
  if (at == std::string_view::npos) return {};
  at = header.find_first_not_of(' ', at + 1);
  if (at == std::string_view::npos) return {};
  const std::size_t end = header[at] == '(' ? header.find(')', at) : header.find_first_of(",}", at);
  return end == std::string_view::npos ? std::string_view{}
                                       : header.substr(at, end - at + (header[at] == '(' ? 1 : 0));
}

}  // namespace

NpyHeader read_npy_header(std::span<const std::byte> bytes, std::string_view file_name) {
  const auto bad = [&](const std::string& text) {
    return Error(ErrorKind::input, std::string(file_name) + ": NPY: " + text);
  };
  if (bytes.size() < 12 || !text_of(bytes).starts_with("\x93NUMPY"))
    throw bad("does not begin with an NPY signature");
  const auto major = std::to_integer<int>(bytes[6]);
  const std::size_t prefix = major == 1 ? 10 : 12;
  const std::uint64_t length =
      major == 1 ? load<std::uint16_t>(bytes.data() + 8) : load<std::uint32_t>(bytes.data() + 8);
  if (major < 1 || major > 3) throw bad("version " + std::to_string(major) + ", expected 1 to 3");
  if (length > bytes.size() - prefix)
    throw bad("header of " + std::to_string(length) + " bytes is longer than the file");
  const std::string_view text = text_of(bytes).substr(prefix, length);
  NpyHeader header;
  header.data_offset = prefix + length;

  std::string_view type = value_of(text, "descr");
  if (type.size() >= 2 && type.front() == '\'') type = type.substr(1, type.size() - 2);
  if (type.find('O') != std::string_view::npos)
    throw bad("an array of objects (a pickle) is not read; save it as float32");
  if (type == "<f4" || type == ">f4") {
    header.type = Scalar::f32;
  } else if (type == "<f8" || type == ">f8") {
    header.type = Scalar::f64;
  } else {
    throw bad("type " + std::string(type.substr(0, 48)) + ", expected float32 or float64");
  }
  header.order = type.front() == '>' ? ByteOrder::big : ByteOrder::little;
  const std::string_view order = value_of(text, "fortran_order");
  if (order != "True" && order != "False") throw bad("no fortran_order");
  header.column_major = order == "True";

  std::string_view shape = value_of(text, "shape");
  if (shape.size() < 2 || shape.front() != '(') throw bad("no shape");
  shape = shape.substr(1, shape.size() - 2);
  while (!shape.empty()) {
    const std::size_t comma = shape.find(',');
    std::string_view word = shape.substr(0, comma);
    word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
    if (!word.empty()) {
      const auto size = parse_int(word);
      if (!size || *size < 0 || header.shape.size() == 8)
        throw bad("shape has '" + std::string(word.substr(0, 32)) + "'");
      header.shape.push_back(static_cast<std::uint64_t>(*size));
    }
    shape = comma == std::string_view::npos ? std::string_view{} : shape.substr(comma + 1);
  }
  return header;
}

std::uint64_t bytes_of_points_npy(const NpyHeader& header, std::uint64_t file_bytes,
                                  std::string_view file_name) {
  const auto bad = [&](const std::string& text) {
    return Error(ErrorKind::input, std::string(file_name) + ": " + text);
  };
  constexpr std::uint64_t most_columns = 256;
  if (header.shape.size() != 2 || header.shape[1] < 3 || header.shape[1] > most_columns) {
    std::string shape;
    for (const auto size : header.shape)
      shape += (shape.empty() ? "" : " x ") + std::to_string(size);
    throw bad("array of shape " + (shape.empty() ? std::string("()") : shape) +
              ", expected N x 3 or more columns");
  }
  const std::uint64_t rows = header.shape[0], row_bytes = header.shape[1] * bytes_of(header.type);
  const std::uint64_t data_bytes = file_bytes - std::min<std::uint64_t>(file_bytes, header.data_offset);
  if (rows > data_bytes / row_bytes) {
    throw bad("the header promises " + std::to_string(rows) + " x " + std::to_string(header.shape[1]) +
              " values, but only " + std::to_string(data_bytes) + " bytes follow (truncated?)");
  }
  return header.data_offset + (rows * row_bytes);
}

PointCloud points_of_npy(std::span<const std::byte> bytes, std::string_view file_name,
                         std::string_view format, const std::string& title, std::uint64_t cut_bytes,
                         const ReadLimits& limits, Job& job) {
  const NpyHeader header = read_npy_header(bytes, file_name);
  const std::uint64_t needed = bytes_of_points_npy(header, bytes.size(), file_name);
  const std::uint64_t rows = header.shape[0], columns = header.shape[1];
  const std::size_t value_bytes = bytes_of(header.type);
  const auto data = bytes.subspan(header.data_offset);
  const auto value = [&](std::uint64_t row, std::uint64_t column) {
    const std::uint64_t at = header.column_major ? (column * rows) + row : (row * columns) + column;
    return load_scalar(data.data() + (at * value_bytes), header.type, header.order);
  };
  PointSink sink(columns_by_value(static_cast<std::int64_t>(rows), columns, is_integral(header.type),
                                  [&](std::int64_t row, std::size_t column) {
                                    return value(static_cast<std::uint64_t>(row), column);
                                  }),
                 static_cast<std::int64_t>(rows), file_name, limits, job);
  std::vector<double> values(columns);
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (const std::size_t column : sink.used())
      values[column] = value(row, column);
    sink.add(values);
  }
  sink.note_left_over(bytes.size() - needed + cut_bytes);
  return sink.take(
      file_name, format,
      title + (header.type == Scalar::f32 ? " float32" : " float64") + " N x " + std::to_string(columns));
}

}  // namespace spira
