// Reads surveys. Checks every value, because a survey can come from another machine or an editor.
#include "engine/base/error.hpp"
#include "engine/base/fields_json.hpp"
#include "engine/network/map_key_json.hpp"
#include "engine/scene/shard_json.hpp"
#include "engine/survey/frame_neighbours_json.hpp"
#include "engine/survey/survey.hpp"

#include <algorithm>

namespace spira {
namespace {

constexpr std::size_t max_frames = 10'000'000, max_groups = 64, max_notes = 10'000, max_packings = 1000;

template <class Value> std::array<Value, 3> three_counts(const JsonFields& fields, const std::string& key) {
  const auto values = fields.counts(key, 3);
  if (values.size() != 3) fields.fail(key, "expected three numbers");
  return {static_cast<Value>(values[0]), static_cast<Value>(values[1]), static_cast<Value>(values[2])};
}

Point three_numbers(const JsonFields& fields, const std::string& key) {
  const auto& value = fields.value(key);
  if (!value.is_array() || value.size() != 3 ||
      !std::all_of(value.begin(), value.end(), [](const auto& one) { return one.is_number(); }))
    fields.fail(key, "expected three numbers");
  return {value[0].get<double>(), value[1].get<double>(), value[2].get<double>()};
}

FrameDensities densities_from(const JsonFields& fields) {
  FrameDensities found{fields.count("voxels"), fields.count("map_entries"), {}};
  for (const JsonFields& group : fields.rows("by_l1", max_groups))
    found.groups.push_back({static_cast<int>(group.whole("l1", 0, 100)),
                            static_cast<int>(group.whole("offsets", 1, 1000)), group.number("mean", 0, 1),
                            group.number("min", 0, 1), group.number("max", 0, 1)});
  return found;
}

/// Returns for each packing whether the frame fits it, or an empty list if this is not known.
std::vector<bool> fits_from(const JsonFields& fields, const std::vector<PackSpec>& packings) {
  if (!fields.has("packings_that_fit")) return {};
  const std::vector<std::string> fitting = fields.texts("packings_that_fit", max_packings);
  std::vector<bool> fits;
  for (const PackSpec& pack : packings)
    fits.push_back(std::find(fitting.begin(), fitting.end(), pack.text()) != fitting.end());
  return fits;
}

FrameRow row_from(const JsonFields& fields, const std::vector<PackSpec>& packings) {
  FrameRow row;
  row.name = fields.text("frame");
  if (fields.has("points")) row.points = fields.count("points");
  if (fields.has("voxels")) row.voxels = fields.count("voxels");
  if (fields.has("fit_cells")) {
    row.extent =
        FrameExtent{three_counts<std::int64_t>(fields, "extent_cells"),
                    three_counts<std::int64_t>(fields, "fit_cells"), three_counts<int>(fields, "bits")};
  }
  if (fields.has("densities")) row.densities = densities_from(fields.at("densities"));
  if (fields.has("neighbours")) row.neighbours = frame_neighbours_from(fields.at("neighbours"));
  row.fits = fits_from(fields, packings);
  if (fields.has("notes")) row.notes = fields.texts("notes", max_notes);
  if (fields.has("fault")) {
    row.fault = fields.text("fault");
    // The kind of the error is not in the file. Frames that do not fit have a list of packings.
    row.fault_kind = fields.has("packings_that_fit") ? ErrorKind::does_not_fit : ErrorKind::input;
  }
  return row;
}

PackSpec pack_from(const JsonFields& fields, const std::string& key) {
  try {
    return parse_pack_spec(fields.text(key));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    fields.fail(key, error.what());
  }
}

void read_shard(const JsonFields& fields, SurveyRequest& request) {
  request.shard = shard_from(fields);
  request.format = fields.text_or("format", "");
  if (fields.has("pack")) request.pack = pack_from(fields, "pack");
  if (fields.has("network_fingerprint"))
    request.network_fingerprint = fields.fingerprint("network_fingerprint");
}

SurveyRequest request_from(const JsonFields& fields) {
  SurveyRequest request;
  request.folder = fields.text("folder");
  if (!fields.value("grid_m").is_null()) request.grid = Grid{three_numbers(fields, "grid_m"), {}};
  if (fields.has("crop")) {
    const JsonFields crop = fields.at("crop");
    request.crop_m = Bounds{three_numbers(crop, "low_m"), three_numbers(crop, "high_m")};
  }
  const JsonFields judged = fields.at("judged");
  request.judged_kernel_size = static_cast<int>(judged.whole("kernel_size", 1, 100));
  request.judged_max_stride = static_cast<int>(judged.whole("max_stride", 1, 1 << 20));
  request.network = judged.text_or("network", "");
  if (!fields.value("densities_of").is_null()) {
    const JsonFields densities = fields.at("densities_of");
    request.density_kernel_size = static_cast<int>(densities.whole("kernel_size", 1, 100));
    request.density_stride = static_cast<int>(densities.whole("stride", 1, 1 << 20));
  }
  if (fields.has("neighbours_of")) {
    const JsonFields neighbours = fields.at("neighbours_of");
    request.neighbours_of = map_key_from(neighbours);
    if (!request.neighbours_of->kernel.native())
      neighbours.fail("neighbours", "must be \"cube\" or \"ball\"");
    request.positions = position_kind_from(neighbours, "positions");
  }
  if (fields.has("shard")) read_shard(fields.at("shard"), request);
  return request;
}

}  // namespace

Survey read_survey(std::string_view text, const std::string& file) {
  const nlohmann::json document = parse_json_object(text, file);
  const JsonFields fields(document, file, "");
  static_cast<void>(check_schema(fields, "spira.survey", "survey", {1, 6}));
  Survey survey;
  survey.request = request_from(fields);
  survey.grid = survey.request.grid;
  survey.grid_from = fields.text("grid_from");
  if (fields.text_or("unit", "") == text_of(LengthUnit::cells)) survey.unit = LengthUnit::cells;
  for (const JsonFields& packing : fields.at("summary").rows("packings", max_packings))
    survey.packings.push_back(pack_from(packing, "packing"));
  for (const JsonFields& row : fields.rows("frames", max_frames))
    survey.rows.push_back(row_from(row, survey.packings));
  survey.summary = summarise(survey.rows, survey.packings);
  const std::int64_t found =
      survey.request.shard ? survey.request.shard->own_frames() : fields.count("frames_found");
  if (found < std::ssize(survey.rows) || found > static_cast<std::int64_t>(max_frames))
    fields.fail("frames", "contains " + std::to_string(survey.rows.size()) + " frames; expected at most " +
                              std::to_string(found));
  // The survey does not contain the paths of frames that have no row.
  survey.request.frames.resize(static_cast<std::size_t>(found));
  for (std::size_t at = 0; at < survey.rows.size(); ++at)
    survey.request.frames[at] = survey.rows[at].name;
  return survey;
}

}  // namespace spira
