// Runs a fuzz target on the files of a folder, and on seeded mutations of each file.
#include "engine/base/file.hpp"
#include "engine/base/hash_and_random.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(const std::vector<std::byte>& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

/// Changes, removes or repeats a few random bytes of `bytes`, and returns the result.
std::vector<std::byte> mutated(std::vector<std::byte> bytes, spira::Random& random) {
  for (std::uint64_t change = 0; change <= random.below(4) && !bytes.empty(); ++change) {
    const auto at = static_cast<std::ptrdiff_t>(random.below(bytes.size()));
    const auto length = static_cast<std::ptrdiff_t>(
        std::min<std::uint64_t>(1 + random.below(16), bytes.size() - static_cast<std::size_t>(at)));
    switch (random.below(4)) {
      case 0:
        bytes[static_cast<std::size_t>(at)] = static_cast<std::byte>(random.below(256));
        break;
      case 1:
        bytes.erase(bytes.begin() + at, bytes.begin() + at + length);
        break;
      case 2:
        bytes.resize(static_cast<std::size_t>(at));
        break;
      default: {
        const std::vector<std::byte> piece(bytes.begin() + at, bytes.begin() + at + length);
        bytes.insert(bytes.begin() + at, piece.begin(), piece.end());
      }
    }
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int mutations_per_file = 500;
  int files = 0;
  for (int argument = 1; argument < argc; ++argument) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[argument])) {
      const auto bytes = spira::read_file(entry.path(), 1 << 20);
      spira::Random random(static_cast<std::uint64_t>(bytes.size()));
      run(bytes);
      for (int round = 0; round < mutations_per_file; ++round)
        run(mutated(bytes, random));
      ++files;
    }
  }
  std::printf("%d files, %d mutations of each\n", files, mutations_per_file);
  return files == 0 ? 1 : 0;
}
