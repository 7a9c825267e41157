#include "engine/voxel/pack_spec.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

namespace spira {

std::string PackSpec::text() const {
  return std::to_string(x_bits) + "/" + std::to_string(y_bits) + "/" + std::to_string(z_bits);
}

std::string PackSpec::batch_text() const {
  if (batch_bits == 0) return text();
  return text() + " and " + counted_text(batch_bits, "bit", "bits") + " for the batch";
}

PackSpec parse_pack_spec(std::string_view text) {
  if (text == "32") return PackSpec::bits32();
  if (text == "64") return PackSpec::bits64();
  const auto fault = [&](const std::string& why) {
    return Error(ErrorKind::usage, "packing '" + std::string(text) + "': " + why +
                                       "; expected 32, 64 or three widths such as 12/12/8");
  };
  std::array<int, 3> bits{};
  std::string_view rest = text;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto end = rest.find_first_of(",/");
    if ((end == std::string_view::npos) != (axis == 2)) throw fault("not three widths");
    const auto width = parse_int(rest.substr(0, end));
    if (!width) throw fault("'" + std::string(rest.substr(0, end)) + "' is not a whole number");
    if (*width < 1 || *width > 31) throw fault("each width must be 1 to 31 bits");
    bits.at(axis) = static_cast<int>(*width);
    if (axis < 2) rest.remove_prefix(end + 1);
  }
  const PackSpec pack{bits[0], bits[1], bits[2]};
  // 24/24/16 is allowed although it has 64 bits, because fit() uses only 63 of them.
  if (bits[0] + bits[1] + bits[2] > 63 && pack != PackSpec::bits64())
    throw fault("the widths add up to more than 63 bits");
  return pack;
}

}  // namespace spira
