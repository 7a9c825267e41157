#include "app/spira/survey_table.hpp"

#include "app/spira/table.hpp"
#include "engine/base/text.hpp"
#include "engine/scene/reader.hpp"
#include "engine/scene/sequence.hpp"
#include "engine/survey/frame_neighbours_json.hpp"
#include "engine/survey/summary.hpp"
#include "engine/survey/survey.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

namespace spira::app {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t columns = 80;
/// Maximum number of lines in a list, unless the user asks for all frames.
constexpr std::size_t max_listed = 10;

/// Wraps `text` at spaces into lines of 80 columns. Indents all lines except the first by four more columns.
std::string wrapped(const std::string& indent, const std::string& text) {
  std::string lines, line = indent;
  bool fresh = true;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!fresh && line.size() + 1 + word.size() > columns) {
      lines += line + "\n";
      line = indent + "    ";
      fresh = true;
    }
    line += (fresh ? "" : " ") + word;
    fresh = false;
    at = end + 1;
  }
  return lines + line + "\n";
}

bool inside_a_letter(const std::string& utf8, std::size_t at) {
  return at < utf8.size() && (static_cast<unsigned char>(utf8[at]) & 0xC0U) == 0x80U;
}

/// Shortens a name to `room` characters. Keeps more characters from its end, because the names of frames
/// usually differ there.
std::string elided(const std::string& name, std::size_t room) {
  constexpr std::size_t dots = 3;
  if (name.size() <= room) return name;
  std::size_t head = (room - dots) / 3, tail = name.size() - (room - dots - head);
  while (inside_a_letter(name, head))
    --head;
  while (inside_a_letter(name, tail))
    ++tail;
  return name.substr(0, head) + "..." + name.substr(tail);
}

std::string value_text(double value) {
  const bool whole = value == std::round(value) || std::abs(value) >= 100.0;
  return whole ? count_text(static_cast<std::int64_t>(std::llround(value))) : fixed(value, 1);
}

std::string survey_heading(const Survey& survey) {
  const std::string found = count_text(std::ssize(survey.request.frames));
  const std::optional<Shard>& shard = survey.request.shard;
  std::string text = printable(survey.request.folder) + ": " +
                     (shard ? "shard " + shard->text() + ", " : "") + found +
                     (survey.request.frames.size() == 1 ? " frame" : " frames") +
                     (shard ? " of " + count_text(shard->frames) : "");
  if (survey.partial())
    text += "; INCOMPLETE: the survey stopped after " + count_text(std::ssize(survey.rows)) + " frames";
  if (survey.summary.faults > 0) text += "; " + count_text(survey.summary.faults) + " failed";
  text += "\n";
  if (!survey.grid) return text;
  const auto& size = survey.grid->voxel_m;
  std::string grid =
      "grid: " +
      with_unit(shortest(size[0]) + ", " + shortest(size[1]) + ", " + shortest(size[2]), survey.unit);
  if (!survey.grid_from.empty())
    grid += " (automatic, from " + printable(survey.grid_from) + "; set it with --grid)";
  return text + wrapped("  ", grid);
}

std::string spreads_text(const SurveySummary& all) {
  Rows rows{{"  over frames", "n", "min", "q1", "median", "q3", "max"}};
  const auto add = [&](const std::string& name, const Spread& s) {
    if (s.n == 0) return;
    rows.push_back({"  " + name, count_text(s.n), value_text(s.min), value_text(s.q1), value_text(s.median),
                    value_text(s.q3), value_text(s.max)});
  };
  add("points", all.points);
  add("voxels", all.voxels);
  for (std::size_t axis = 0; axis < 3; ++axis)
    add(std::string("cells ") + "xyz"[axis], all.cells.at(axis));
  for (std::size_t axis = 0; axis < 3; ++axis)
    add(std::string("bits ") + "xyz"[axis], all.bits.at(axis));
  add("bits in total", all.bits_sum);
  return rows.size() == 1 ? "" : table_text(rows);
}

std::string packings_text(const Survey& survey) {
  const auto& tallies = survey.summary.packings;
  if (tallies.empty() || tallies.front().fitting + tallies.front().failing == 0) return "";
  Rows rows{{"  packing", "frames that fit", "frames that do not fit", ""}};
  for (const PackingTally& tally : tallies) {
    rows.push_back({"  " + tally.pack.text(), count_text(tally.fitting), count_text(tally.failing),
                    tally.always_fits() ? "always fits" : ""});
  }
  return "\n" + table_text(rows) + "  checked for K up to " +
         std::to_string(survey.request.judged_kernel_size) + ", strides up to " +
         std::to_string(survey.request.judged_max_stride) +
         (survey.request.network.empty() ? "" : ", network " + printable(survey.request.network)) + "\n";
}

std::string reason_text(const Outlier& outlier) {
  const bool density = outlier.measure.starts_with("density");
  const auto number = [&](double value) { return density ? fixed(value, 4) : value_text(value); };
  return outlier.measure + (density ? ": " : " ") + number(outlier.value) +
         (outlier.value < outlier.low ? ", below " + number(outlier.low) : ", above " + number(outlier.high));
}

/// Returns the first lines of a list, or all lines if `all` is true.
std::string list_text(const std::vector<std::string>& lines, bool all) {
  std::string text;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    if (!all && at == max_listed) {
      return text + "  and " + count_text(std::ssize(lines) - static_cast<std::ptrdiff_t>(at)) +
             " more (--frames lists all)\n";
    }
    text += wrapped("  ", printable(lines[at]));
  }
  return text;
}

std::string outliers_text(const Survey& survey, bool all) {
  const SurveySummary& summary = survey.summary;
  if (!summary.outliers_judged) {
    return "\noutliers: not determined, because only " + count_text(summary.voxels.n) +
           (summary.voxels.n == 1 ? " frame" : " frames") + (summary.voxels.n == 1 ? " was" : " were") +
           " counted; at least " + count_text(fewest_frames_for_outliers) + " are required\n";
  }
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < summary.outliers.size(); ++at) {
    const Outlier& outlier = summary.outliers[at];
    if (at == 0 || summary.outliers[at - 1].frame != outlier.frame) {
      lines.push_back(survey.rows[outlier.frame].name + ": " + reason_text(outlier));
    } else {
      lines.back() += "; " + reason_text(outlier);
    }
  }
  return "\noutliers: " + (lines.empty() ? "none" : count_text(std::ssize(lines))) + "\n" +
         list_text(lines, all) + wrapped("  ", "an outlier lies " + outlier_rule());
}

std::string joined_notes(const FrameRow& row) {
  std::string text;
  for (const std::string& note : row.notes)
    text += (text.empty() ? "" : "; ") + note;
  return text;
}

std::string faults_text(const Survey& survey, bool all) {
  std::vector<std::string> lines;
  for (const FrameRow& row : survey.rows) {
    if (!row.surveyed()) lines.push_back(row.name + ": " + row.fault);
  }
  if (lines.empty()) return "";
  return "\nfaults: " + count_text(std::ssize(lines)) + "\n" + list_text(lines, all);
}

std::string notes_text(const Survey& survey, bool all) {
  std::vector<std::string> lines;
  for (const FrameRow& row : survey.rows) {
    if (!row.notes.empty()) lines.push_back(row.name + ": " + joined_notes(row));
  }
  if (lines.empty()) return "";
  return "\nframes with notes: " + count_text(std::ssize(lines)) + "\n" + list_text(lines, all);
}

template <class Number> std::string joined(const std::array<Number, 3>& values, const std::string& between) {
  return std::to_string(values[0]) + between + std::to_string(values[1]) + between +
         std::to_string(values[2]);
}

std::string frames_text(const Survey& survey) {
  constexpr std::size_t room_for_name = 20;
  Rows rows{{"frame", "points", "voxels", "cells", "bits"}};
  for (const FrameRow& row : survey.rows) {
    rows.push_back({elided(row.name, room_for_name), row.points ? count_text(*row.points) : "",
                    row.voxels ? count_text(*row.voxels) : "",
                    row.extent ? joined(row.extent->span, "x") : "",
                    row.extent ? joined(row.extent->bits, "+") : ""});
  }
  return "\n" + table_text(rows);
}

std::vector<std::string> densities_of(const FrameRow& row, std::size_t from, int decimals) {
  std::vector<std::string> cells;
  for (std::size_t at = from; row.densities && at < row.densities->groups.size(); ++at) {
    const double mean = row.densities->groups[at].mean;
    cells.push_back(decimals < 0 ? shortest(mean) : fixed(mean, decimals));
  }
  return cells;
}

/// Returns the table of densities by frame. Omits L1 = 0, because this density is always 1: a voxel matches
/// itself.
std::string frame_densities_text(const Survey& survey) {
  constexpr std::size_t width_of_voxels = 12;
  const auto& groups = survey.summary.densities;
  const int decimals = groups.size() > 7 ? 2 : 4;
  const std::size_t width = groups.empty() ? 0 : (groups.size() - 1) * static_cast<std::size_t>(decimals + 4);
  const std::size_t room = columns - width_of_voxels - width;
  Rows rows{{"frame", "voxels"}};
  for (std::size_t at = 1; at < groups.size(); ++at)
    rows.front().push_back("L1 " + std::to_string(groups[at].l1));
  for (const FrameRow& row : survey.rows) {
    std::vector<std::string> cells{elided(row.name, std::min<std::size_t>(room, 32)),
                                   row.densities ? count_text(row.densities->voxels) : ""};
    const auto more = densities_of(row, 1, decimals);
    cells.insert(cells.end(), more.begin(), more.end());
    cells.resize(rows.front().size());
    rows.push_back(std::move(cells));
  }
  return "\n" + table_text(rows);
}

Rows density_rows(const Survey& survey, bool exact) {
  const auto number = [&](double value) { return exact ? shortest(value) : fixed(value, 4); };
  Rows rows{{"l1", "offsets", "n", "min", "p5", "q1", "median", "q3", "p95", "max"}};
  for (const DensitySpread& group : survey.summary.densities) {
    const Spread& s = group.mean;
    rows.push_back({std::to_string(group.l1), std::to_string(group.offsets), std::to_string(s.n),
                    number(s.min), number(s.p5), number(s.q1), number(s.median), number(s.q3), number(s.p95),
                    number(s.max)});
  }
  return rows;
}

}  // namespace

std::string survey_text(const Survey& survey, bool frames) {
  return survey_heading(survey) + spreads_text(survey.summary) + packings_text(survey) +
         outliers_text(survey, frames) + faults_text(survey, frames) + notes_text(survey, frames) +
         (frames ? frames_text(survey) : "");
}

std::string survey_densities_text(const Survey& survey, bool frames) {
  std::string text = survey_heading(survey);
  if (!survey.summary.densities.empty()) {
    text += wrapped("  ", "mean density per L1 norm across frames; K = " +
                              std::to_string(survey.request.density_kernel_size) + ", stride " +
                              std::to_string(survey.request.density_stride)) +
            table_text(density_rows(survey, false));
  }
  return text + outliers_text(survey, frames) + faults_text(survey, frames) + notes_text(survey, frames) +
         (frames ? frame_densities_text(survey) : "");
}

std::string densities_csv(const Survey& survey) {
  return csv_text(density_rows(survey, true));
}

std::string frame_densities_csv(const Survey& survey) {
  Rows rows{{"frame", "points", "voxels", "level_voxels", "map_entries"}};
  for (const DensitySpread& group : survey.summary.densities)
    rows.front().push_back("l1_" + std::to_string(group.l1));
  const std::size_t width = rows.front().size();
  rows.front().insert(rows.front().end(), {"fault", "notes"});
  for (const FrameRow& row : survey.rows) {
    std::vector<std::string> cells{row.name, row.points ? std::to_string(*row.points) : "",
                                   row.voxels ? std::to_string(*row.voxels) : "",
                                   row.densities ? std::to_string(row.densities->voxels) : "",
                                   row.densities ? std::to_string(row.densities->pairs) : ""};
    const auto more = densities_of(row, 0, -1);
    cells.insert(cells.end(), more.begin(), more.end());
    cells.resize(width);
    cells.push_back(row.fault);
    cells.push_back(joined_notes(row));
    rows.push_back(std::move(cells));
  }
  return csv_text(rows);
}

namespace {

std::string neighbours_text(const std::vector<FrameRow>& frames) {
  constexpr std::size_t room_for_name = 32;
  Rows rows{{"frame", "outputs", "voxel pairs", "triplets", "per output", "fan-in", "folded", "stay",
             "same column", "new", "p99", "most"}};
  for (const FrameRow& row : frames) {
    if (!row.neighbours) continue;
    const FrameNeighbours& found = *row.neighbours;
    const NeighbourCounts& counts = found.facts.counts;
    rows.push_back({elided(row.name, room_for_name), count_text(found.facts.outputs),
                    count_text(found.voxel_pairs), count_text(counts.triplets), fixed(found.per_output(), 2),
                    fixed(counts.fan_in(), 2), count_text(counts.folded), percent_text(found.stay()),
                    percent_text(found.same_column()), percent_text(found.added()),
                    count_text(found.facts.percentiles[2]), count_text(counts.most_neighbours)});
  }
  return table_text(rows);
}

std::string survey_neighbours_text(const Survey& survey) {
  const MapKey& key = *survey.request.neighbours_of;
  const SurveySummary& all = survey.summary;
  return survey_heading(survey) + "  K = " + text_of(key.kernel) + ", stride " +
         std::to_string(key.stride_in) + (key.submanifold() ? "" : ">" + std::to_string(key.stride_out)) +
         ", positions " + std::string(text_of(survey.request.positions)) + "\n" +
         neighbours_text(survey.rows) + "median of " + counted_text(all.fan_in.n, "frame", "frames") + ": " +
         fixed(all.triplets_per_output.median, 2) + " triplets per output, fan-in " +
         fixed(all.fan_in.median, 2) + "\n" + outliers_text(survey, true) + faults_text(survey, true) +
         notes_text(survey, true);
}

}  // namespace

std::string neighbours_csv(const std::vector<FrameRow>& rows) {
  Rows table(1, {"frame"});
  const auto heading = frame_neighbours_json({});
  for (const auto& [key, value] : heading.items())
    table.front().push_back(key);
  const std::size_t width = table.front().size();
  table.front().insert(table.front().end(), {"fault", "notes"});
  for (const FrameRow& row : rows) {
    std::vector<std::string> cells{row.name};
    const auto members =
        row.neighbours ? frame_neighbours_json(*row.neighbours) : nlohmann::ordered_json::object();
    for (const auto& [key, value] : members.items())
      cells.push_back(value.is_string()         ? value.get<std::string>()
                      : value.is_number_float() ? shortest(value.get<double>())
                                                : value.dump());
    cells.resize(width);
    cells.push_back(row.fault);
    cells.push_back(joined_notes(row));
    table.push_back(std::move(cells));
  }
  return csv_text(table);
}

std::string text_of(const Survey& survey, const SurveyView& view) {
  if (view.json) return survey_json(survey);
  if (survey.request.neighbours_of)
    return view.csv ? neighbours_csv(survey.rows) : survey_neighbours_text(survey);
  if (view.csv) return view.frames ? frame_densities_csv(survey) : densities_csv(survey);
  return view.densities ? survey_densities_text(survey, view.frames) : survey_text(survey, view.frames);
}

namespace {

Error worst_fault(const Survey& survey) {
  auto worst = ErrorKind::input;
  for (const FrameRow& row : survey.rows) {
    if (row.fault_kind && facts(*row.fault_kind).exit_code > facts(worst).exit_code) worst = *row.fault_kind;
  }
  return {worst, survey.request.folder + ": no frame could be surveyed"};
}

}  // namespace

bool names_folder(const std::string& scene) {
  // If the path cannot be examined, treat it as a file. The file reader then reports the error.
  std::error_code fault;
  return !is_standard_input(scene) && std::filesystem::is_directory(scene, fault) && !is_scene_folder(scene);
}

bool is_survey(const std::vector<std::string>& scenes, bool frames, std::int64_t every) {
  const auto folder = std::find_if(scenes.begin(), scenes.end(), names_folder);
  if (folder != scenes.end() && scenes.size() > 1)
    throw Error(ErrorKind::usage, *folder + ": if you survey a folder, it must be the only scene");
  const bool picked = frames && scenes.size() > 1;
  if (folder == scenes.end() && frames && !picked)
    throw Error(ErrorKind::usage, "--frames requires a folder or several files, but only one file was given");
  if ((folder != scenes.end() || picked) && every > 1)
    throw Error(ErrorKind::usage, "--every cannot be used with a survey, because a survey reads all points");
  return folder != scenes.end() || picked;
}

void require_folder_and_grid(const std::string& shard, const std::vector<std::string>& scenes,
                             const std::string& grid) {
  if (shard.empty()) return;
  static_cast<void>(parse_shard(shard));
  if (scenes.size() != 1 || !names_folder(scenes.front()))
    throw Error(ErrorKind::usage, "--shard " + shard + ": requires one folder of frames");
  if (grid.empty())
    throw Error(ErrorKind::usage,
                "--shard " + shard + ": requires --grid, so that all shards have the same voxel size");
}

void print_survey(const Context& context, const std::vector<std::string>& scenes, const std::string& grid,
                  const std::string& shard, SurveyRequest request, const SurveyView& view) {
  request.folder = scenes.front();
  request.picked = scenes.size() > 1;
  if (request.picked) {
    request.folder = std::filesystem::path(scenes.front()).parent_path().string();
    request.frames.assign(scenes.begin(), scenes.end());
  } else {
    request.frames = list_frames(scenes.front());
    if (!shard.empty()) request.shard = take_shard(shard, request.frames);
  }
  if (!grid.empty()) request.grid = parse_grid(grid);
  const auto backend = context.registry.make("cpu", context.backend_options());
  Job job = context.job();
  // Print the grid as soon as it is known, so that the user can stop a survey with an unsuitable grid.
  bool grid_said = false;
  const auto say_grid = [&](const Survey& so_far) {
    if (grid_said || so_far.grid_from.empty()) return;
    grid_said = true;
    context.say("grid: " + with_unit(grid_text(so_far.grid->voxel_m), so_far.unit) + " (automatic, from " +
                so_far.grid_from + "; set it with --grid)");
  };
  const Survey survey = survey_frames(std::move(request), *backend, job, say_grid);
  const std::string progress =
      std::to_string(survey.rows.size()) + " of " + std::to_string(survey.request.frames.size()) + " frames";
  if (survey.rows.empty() && survey.partial())
    throw Error(ErrorKind::cancelled, "cancelled after " + progress);
  std::cout << text_of(survey, view) << std::flush;
  if (survey.partial()) throw Error(ErrorKind::cancelled, "cancelled after " + progress);
  if (survey.summary.faults > 0 && survey.summary.faults == std::ssize(survey.rows))
    throw worst_fault(survey);
  if (survey.summary.faults > 0)
    context.say(std::to_string(survey.summary.faults) + " of " + std::to_string(survey.rows.size()) +
                " frames cannot be surveyed");
}

}  // namespace spira::app
