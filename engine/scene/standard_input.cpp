#include "engine/scene/standard_input.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/read_limits.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <string>
#include <unistd.h>
#include <utility>

namespace spira {
namespace {

using Block = std::vector<std::byte>;

/// Copies the blocks into one allocation. Frees each block after it was copied, so that the data is never in
/// memory twice.
Block joined(std::vector<Block> blocks, std::uint64_t bytes) {
  if (blocks.size() == 1) return std::move(blocks.front());
  Block all;
  all.reserve(bytes);
  for (Block& block : blocks) {
    all.insert(all.end(), block.begin(), block.end());
    block = {};
  }
  return all;
}

}  // namespace

std::vector<std::byte> read_to_end(int descriptor, std::string_view name, std::uint64_t max_bytes,
                                   std::optional<std::uint64_t> free_bytes, Job& job) {
  constexpr std::size_t block_bytes = std::size_t{4} << 20U;
  constexpr int wait_ms = 50;  // limits the delay of a cancel when the writer is slow
  const std::string start = std::string(name) + ": ";
  std::vector<Block> blocks;
  std::uint64_t bytes = 0;
  std::size_t filled = block_bytes;  // number of bytes used in the last block
  const auto end_block = [&] {
    if (!blocks.empty()) blocks.back().resize(filled);
  };
  while (true) {
    job.checkpoint({"reading standard input", static_cast<std::int64_t>(bytes), 0});
    pollfd ready{descriptor, POLLIN, 0};
    const int there = poll(&ready, 1, wait_ms);
    if (there == 0 || (there < 0 && errno == EINTR)) continue;
    if (filled == block_bytes) {
      blocks.emplace_back(block_bytes);
      filled = 0;
    }
    const ssize_t got = read(descriptor, blocks.back().data() + filled, block_bytes - filled);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) throw Error(ErrorKind::input, start + "cannot be read: " + std::strerror(errno));
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    bytes += static_cast<std::uint64_t>(got);
    if (bytes > max_bytes)
      throw Error(ErrorKind::input, start + "is longer than the limit of " + bytes_text(max_bytes));
    if (free_bytes && bytes > *free_bytes)
      throw NotEnoughMemory(start + "is longer than the free memory of " + bytes_text(*free_bytes) +
                                "; save it to a file and read every N-th point with --every",
                            0);
  }
  end_block();
  if (bytes == 0) throw Error(ErrorKind::input, start + "is empty or was already read");
  return joined(std::move(blocks), bytes);
}

std::vector<std::byte> read_standard_input(std::uint64_t max_bytes, std::optional<std::uint64_t> free_bytes,
                                           Job& job) {
  const std::string name(standard_input_name);
  if (isatty(STDIN_FILENO) != 0)
    throw Error(ErrorKind::input, name +
                                      ": is a terminal, expected a scene from a pipe or a file, as in "
                                      "\"spira info - < scan.bin\"");
  return read_to_end(STDIN_FILENO, name, max_bytes, free_bytes, job);
}

}  // namespace spira
