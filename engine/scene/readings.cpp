#include "engine/scene/readings.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/reader.hpp"
#include "engine/scene/rows/row_layout.hpp"
#include "engine/scene/sequence.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <utility>

namespace spira {
namespace {

/// Returns the beginning of a file, truncated so that a reader accepts it as a complete file. Binary data is
/// cut at 240 bytes, which is a multiple of the row size for rows of 4, 5 and 6 float32 values. Text is cut
/// at the end of a line.
std::span<const std::byte> head_of(std::span<const std::byte> bytes, bool lines) {
  constexpr std::size_t rows_bytes = 240, lines_bytes = 4096;
  if (!lines) return bytes.first(std::min(bytes.size(), rows_bytes));
  if (bytes.size() <= lines_bytes) return bytes;
  const auto head = bytes.first(lines_bytes);
  const auto end = std::find_if(head.rbegin(), head.rend(),
                                [](std::byte b) { return b == std::byte{'\n'} || b == std::byte{'\r'}; });
  return head.first(static_cast<std::size_t>(head.rend() - end));
}

Reading reading_as(const FormatFacts& format, std::span<const std::byte> bytes, const std::string& name,
                   Job& job) {
  Reading reading;
  reading.format = &format;
  const Guess guess = format.reader->guess(bytes, name);
  reading.confidence = guess.confidence;
  reading.why = guess.why;
  try {
    // The layout of rows without a header can be detected only from the whole file.
    const bool whole = format.headerless && guess.confidence > 0.0;
    const auto part = whole ? bytes : head_of(bytes, format.id == "text");
    reading.first = format.reader->read(part, name, {}, job);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    // Reading fails for the beginning of some valid files. Therefore the error message replaces `why` only if
    // the confidence is 0.
    if (guess.confidence == 0.0) reading.why = error.what();
  }
  return reading;
}

/// Reads a file in blocks, so that the user can cancel the reading of a file on a slow disk.
std::vector<std::byte> read_in_blocks(const std::filesystem::path& path, Job& job) {
  constexpr std::uint64_t most = 1ULL << 30, block = 1ULL << 20;
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) throw Error(ErrorKind::input, path.string() + ": cannot be read");
  const auto size = static_cast<std::uint64_t>(in.tellg());
  if (size > most)
    throw Error(ErrorKind::input,
                path.string() + ": is larger than " + bytes_text(most) + " and was not examined");
  in.seekg(0);
  std::vector<std::byte> bytes(size);
  for (std::uint64_t at = 0; at < size; at += block) {
    job.checkpoint({"examining the file", static_cast<std::int64_t>(at), static_cast<std::int64_t>(size)});
    const auto part = static_cast<std::streamsize>(std::min(block, size - at));
    if (!in.read(reinterpret_cast<char*>(bytes.data() + at), part))
      throw Error(ErrorKind::input, path.string() + ": cannot be read completely");
  }
  return bytes;
}

std::vector<std::byte> read_head(const std::filesystem::path& path, std::uint64_t most) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(ErrorKind::input, path.string() + ": cannot be read");
  constexpr std::uint64_t limit = 1U << 24U;
  std::vector<std::byte> bytes(std::min(most, limit));
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

/// Returns all readable formats with confidence 0. A user who knows the format can still select one.
std::vector<Reading> without_values(const std::string& why) {
  std::vector<Reading> readings;
  for (const FormatFacts& format : formats()) {
    if (format.reader == nullptr) continue;
    readings.emplace_back().format = &format;
    readings.back().why = why;
  }
  return readings;
}

/// If the file is an archive of several arrays, adds one reading per array.
void add_details(std::vector<Reading>& readings, std::span<const std::byte> bytes, const std::string& name,
                 Job& job) {
  const auto archive = std::find_if(readings.begin(), readings.end(), [](const Reading& reading) {
    return reading.confidence > 0.0 && reading.format->id == "npz";
  });
  if (archive == readings.end()) return;
  const FormatFacts& format = *archive->format;
  const double confidence = archive->confidence;
  try {
    for (const std::string& detail : format.reader->details(bytes)) {
      Reading reading;
      reading.format = &format;
      reading.detail = detail;
      reading.confidence = confidence / 2.0;
      reading.why = "an array of the archive";
      reading.first = format.reader->read_as(detail, bytes, name, {}, job);
      readings.push_back(std::move(reading));
    }
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled)
      throw;  // Other errors are already contained in the reading of the archive.
  }
}

std::vector<Reading> readings_of_file(const std::filesystem::path& path, Job& job) {
  const auto bytes = read_in_blocks(path, job);
  std::string name = path.filename().string();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::vector<Reading> readings;
  for (const FormatFacts& format : formats()) {
    job.checkpoint({"examining the file", std::ssize(readings), std::ssize(formats())});
    if (format.reader != nullptr) readings.push_back(reading_as(format, bytes, name, job));
  }
  add_details(readings, bytes, name, job);
  std::stable_sort(readings.begin(), readings.end(),
                   [](const Reading& a, const Reading& b) { return a.confidence > b.confidence; });
  return readings;
}

}  // namespace

PointCloud first_rows(const std::filesystem::path& path, const std::string& description, Job& job) {
  const RowLayout layout = parse_row_layout(description);
  constexpr std::uint64_t rows = 16;
  // If the values are stored column by column, the columns y and z are far from the start of the file.
  const bool all = layout.planar;
  auto bytes =
      all ? read_in_blocks(path, job) : read_head(path, layout.skip_bytes + (rows * layout.row_bytes()));
  return row_reader().read_as(description, bytes, path.filename().string(), {}, job);
}

std::vector<Reading> readings_of(const std::filesystem::path& path, Job& job) {
  try {
    std::error_code ignored;
    return readings_of_file(std::filesystem::is_directory(path, ignored) ? list_frames(path).front() : path,
                            job);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    return without_values(error.what());
  }
}

}  // namespace spira
