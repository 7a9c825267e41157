#include "engine/scene/batch.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/extents.hpp"

#include <algorithm>

namespace spira {
namespace {

template <class Value> void append(std::vector<Value>& to, const std::vector<Value>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// Appends the values of points to an attribute, or clears it if the frame lacks the attribute.
template <class Value>
void append_or_clear(std::vector<Value>& to, const std::vector<Value>& from, const PointCloud& frame,
                     bool& kept) {
  kept = kept && (frame.positions.empty() || !from.empty());
  if (kept) {
    append(to, from);
  } else {
    to.clear();
  }
}

/// Returns the points of all frames, or `nullptr` if a frame with voxels lacks points or if only some frames
/// have features of points.
std::shared_ptr<const PointRows> joined_points(std::span<const std::shared_ptr<const PointCloud>> clouds) {
  auto rows = std::make_shared<PointRows>();
  bool first = true;
  for (std::size_t frame = 0; frame < clouds.size(); ++frame) {
    if (clouds[frame]->positions.empty()) continue;
    const PointRows* const own = clouds[frame]->point_rows.get();
    if (own == nullptr || (!first && own->channels != rows->channels)) return nullptr;
    first = false;
    rows->channels = own->channels;
    append(rows->positions, own->positions);
    append(rows->features, own->features);
    rows->frames.resize(rows->positions.size(), static_cast<std::uint8_t>(frame));
  }
  return first ? nullptr : rows;
}

/// Returns the batch of `clouds`, which may have any origin. Empty clouds have no attributes.
PointCloud joined(std::span<const std::shared_ptr<const PointCloud>> clouds) {
  PointCloud batch;
  bool colour = true, label = true;
  const bool intensity =
      std::any_of(clouds.begin(), clouds.end(), [](const auto& cloud) { return !cloud->intensity.empty(); });
  batch.frame_starts.push_back(0);
  for (const auto& cloud : clouds) {
    append(batch.positions, cloud->positions);
    append(batch.features, cloud->features);
    append_or_clear(batch.colour, cloud->colour, *cloud, colour);
    append_or_clear(batch.label, cloud->label, *cloud, label);
    append(batch.intensity, cloud->intensity);
    if (intensity) batch.intensity.resize(batch.positions.size(), 1.0F);
    if (!cloud->positions.empty() || batch.feature_channels == 0)
      batch.feature_channels = cloud->feature_channels;
    batch.from_voxel_file = batch.from_voxel_file || cloud->from_voxel_file;
    batch.in_file += cloud->in_file;
    batch.dropped_non_finite += cloud->dropped_non_finite;
    batch.frame_starts.push_back(batch.size());
  }
  batch.point_rows = joined_points(clouds);
  return batch;
}

}  // namespace

std::shared_ptr<const PointCloud> batch_of(std::span<const std::shared_ptr<const PointCloud>> clouds,
                                           const std::optional<Bounds>& crop_m) {
  SPIRA_ASSERT(!clouds.empty(), "a batch has at least one scene");
  if (clouds.size() == 1) return clouds.front();
  if (clouds.size() > max_batch)
    throw Error(ErrorKind::usage, counted_text(std::ssize(clouds), "scene", "scenes") +
                                      "; a batch has at most " + std::to_string(max_batch));
  const PointCloud& first = *clouds.front();
  for (const auto& cloud : clouds) {
    if (cloud->batch() > 1)
      throw Error(ErrorKind::usage, cloud->name + ": is already a batch of " +
                                        std::to_string(cloud->batch()) + " frames; run this scene alone");
    if (cloud->feature_channels != first.feature_channels)
      throw Error(ErrorKind::usage, cloud->name + " and " + first.name +
                                        " have different input features; a batch needs the same features");
  }
  auto batch = std::make_shared<PointCloud>(joined(clouds));
  for (const auto& cloud : clouds) {
    if (cloud->feature_channels == 0 && !cloud->positions.empty() &&
        display_origin(*cloud, crop_m) != display_origin(*batch, crop_m))
      throw Error(ErrorKind::usage, cloud->name +
                                        ": lies farther than 10,000 m from the origin, and its centre "
                                        "differs from that of the batch; x, y and z are input "
                                        "features relative to the centre, so run this scene alone");
  }
  batch->name = "batch of " + std::to_string(clouds.size());
  batch->format = first.format;
  batch->every = first.every;
  batch->skipped = first.skipped;
  batch->attributes = first.attributes;
  for (std::size_t at = 0; at < clouds.size(); ++at) {
    const PointCloud* const cloud = clouds[at].get();
    batch->name += (at == 0 ? ": " : ", ") + cloud->name;
    batch->source += (at == 0 ? "" : " ") + cloud->source;
    batch->frame_sources.push_back(cloud->source);
    for (const std::string& note : cloud->notes)
      batch->notes.push_back(cloud->name + ": " + note);
  }
  batch->reading = "read as a batch of " + std::to_string(clouds.size()) + " frames; " +
                   counted_text(batch->size(), "point", "points");
  return batch;
}

namespace {

std::shared_ptr<const PointRows> points_of_frame(const PointRows& batch, int frame) {
  auto rows = std::make_shared<PointRows>();
  rows->channels = batch.channels;
  for (std::int64_t row = 0; row < batch.size(); ++row) {
    if (batch.frame(row) != frame) continue;
    rows->positions.push_back(batch.positions[static_cast<std::size_t>(row)]);
    const auto first = batch.features.begin() + (row * batch.channels);
    rows->features.insert(rows->features.end(), first, first + batch.channels);
  }
  return rows;
}

}  // namespace

PointCloud frame_of(const PointCloud& batch, int frame) {
  if (batch.batch() == 1) return batch;
  const auto begin = batch.frame_starts.at(static_cast<std::size_t>(frame)),
             end = batch.frame_starts.at(static_cast<std::size_t>(frame) + 1);
  PointCloud result;
  const auto take = [&](const auto& from, auto& to, std::int64_t per_point) {
    if (!from.empty()) to.assign(from.begin() + (begin * per_point), from.begin() + (end * per_point));
  };
  take(batch.positions, result.positions, 1);
  take(batch.intensity, result.intensity, 1);
  take(batch.colour, result.colour, 1);
  take(batch.label, result.label, 1);
  take(batch.features, result.features, batch.feature_channels);
  result.from_voxel_file = batch.from_voxel_file;
  if (batch.point_rows) result.point_rows = points_of_frame(*batch.point_rows, frame);
  result.feature_channels = batch.feature_channels;
  result.name = batch.name + ", frame " + std::to_string(frame);
  result.source = batch.source;
  if (!batch.frame_sources.empty()) {
    result.source = batch.frame_sources.at(static_cast<std::size_t>(frame));
    result.name = std::filesystem::path(result.source).filename().string();
  }
  result.format = batch.format;
  result.in_file = end - begin;
  return result;
}

std::shared_ptr<const PointCloud> for_each_frame(
    const std::shared_ptr<const PointCloud>& cloud,
    const std::function<std::shared_ptr<const PointCloud>(const std::shared_ptr<const PointCloud>&)>& make) {
  if (cloud->batch() == 1) return make(cloud);
  std::vector<std::shared_ptr<const PointCloud>> made;
  for (int frame = 0; frame < cloud->batch(); ++frame) {
    auto here = std::make_shared<const PointCloud>(frame_of(*cloud, frame));
    made.push_back(here->positions.empty() ? here : make(here));
  }
  auto result = std::make_shared<PointCloud>(joined(made));
  result->name = cloud->name;
  result->source = cloud->source;
  result->frame_sources = cloud->frame_sources;
  result->format = cloud->format;
  result->reading = cloud->reading;
  result->every = cloud->every;
  result->in_file = cloud->in_file;
  result->notes = cloud->notes;
  result->attributes = cloud->attributes;
  for (const auto& one : made) {
    for (const std::string& note : one->notes)
      result->notes.push_back(one->name + ": " + note);
  }
  return result;
}

std::vector<std::uint8_t> frames_of_points(const PointCloud& cloud) {
  if (cloud.batch() == 1) return {};
  std::vector<std::uint8_t> frames;
  frames.reserve(cloud.positions.size());
  for (int frame = 0; frame < cloud.batch(); ++frame)
    frames.resize(static_cast<std::size_t>(cloud.frame_starts[static_cast<std::size_t>(frame) + 1]),
                  static_cast<std::uint8_t>(frame));
  return frames;
}

}  // namespace spira
