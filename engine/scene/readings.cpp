#include "engine/scene/readings.hpp"

#include "engine/base/error.hpp"
#include "engine/base/file.hpp"

#include <algorithm>
#include <cctype>

namespace spira {
namespace {

/// The head of a file as a whole file: whole rows of 4, 5 and 6 float32, and of text whole lines.
std::span<const std::byte> head_of(std::span<const std::byte> bytes, bool lines) {
  constexpr std::size_t rows_bytes = 240, lines_bytes = 4096;
  if (!lines) return bytes.first(std::min(bytes.size(), rows_bytes));
  if (bytes.size() <= lines_bytes) return bytes;
  const auto head = bytes.first(lines_bytes);
  const auto end = std::find(head.rbegin(), head.rend(), std::byte{'\n'});
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
    reading.first = format.reader->read(head_of(bytes, format.id == "text"), name, {}, job);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    if (guess.confidence == 0.0) reading.why = error.what();  // a sound file may say so of its head alone
  }
  return reading;
}

}  // namespace

std::vector<Reading> readings_of(const std::filesystem::path& path, Job& job) {
  const auto bytes = read_file(path, LoadOptions{}.max_bytes);
  std::string name = path.filename().string();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::vector<Reading> readings;
  for (const FormatFacts& format : formats()) {
    job.checkpoint({"looking at the file", std::ssize(readings), std::ssize(formats())});
    if (format.reader != nullptr) readings.push_back(reading_as(format, bytes, name, job));
  }
  std::stable_sort(readings.begin(), readings.end(),
                   [](const Reading& a, const Reading& b) { return a.confidence > b.confidence; });
  return readings;
}

}  // namespace spira
