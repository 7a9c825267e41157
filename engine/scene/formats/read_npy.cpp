#include "engine/base/error.hpp"
#include "engine/scene/formats/npy_table.hpp"
#include "engine/scene/readers.hpp"

namespace spira {
namespace {

class NpyReader final : public SceneReader {
 public:
  [[nodiscard]] Guess guess(std::span<const std::byte> bytes, std::string_view) const override {
    if (text_of(bytes).starts_with("\x93NUMPY")) return {1.0, "begins with an NPY signature"};
    return {};
  }
  [[nodiscard]] PointCloud read(std::span<const std::byte> bytes, std::string_view file_name,
                                const ReadLimits& limits, Job& job) const override {
    NpyTable table = table_of(read_npy_header(bytes, file_name), "", bytes.size());
    const std::string shape = shape_text(table.header);
    if (!table.fault.empty())
      throw Error(ErrorKind::input, std::string(file_name) + ": array of shape " + shape +
                                        ", expected N x 3 or " + "more columns: " + table.fault);
    if (!table.header.named && table.columns.size() < 3)
      throw Error(ErrorKind::input,
                  std::string(file_name) + ": array of shape " + shape + ", expected N x 3 or more columns");
    table.data = bytes.subspan(table.header.data_offset);
    return points_of({&table}, file_name, "npy", "NPY " + type_text(table) + " " + shape,
                     bytes.size() - table.file_bytes(), limits, job);
  }
};

}  // namespace

const SceneReader& npy_reader() noexcept {
  static const NpyReader reader;
  return reader;
}

}  // namespace spira
