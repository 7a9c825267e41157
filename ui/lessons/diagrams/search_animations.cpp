#include "engine/backend/host_read.hpp"
#include "engine/base/text.hpp"
#include "engine/lesson/diagrams/search_motion.hpp"
#include "ui/lessons/diagrams/animation_scenes.hpp"
#include "ui/theme/screen_number.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

namespace spira::ui {
namespace {

using Kind = SearchMotionKind;

constexpr std::array<std::pair<std::string_view, Kind>, 8> kinds{{{"queries", Kind::queries},
                                                                  {"bracket", Kind::bracket},
                                                                  {"searches", Kind::searches},
                                                                  {"anchors", Kind::anchors},
                                                                  {"scan", Kind::scan},
                                                                  {"off_grid", Kind::grid},
                                                                  {"probes", Kind::probes},
                                                                  {"sectors", Kind::sectors}}};

QString note_text(const char* text) {
  return QCoreApplication::translate("spira::ui::Lessons", text);
}

QString counted(std::int64_t count) {
  return onScreen(count_text(count));
}

MotionMark::Kind mark_of(SearchMark mark) {
  switch (mark) {
    case SearchMark::compared:
      return MotionMark::Kind::compared;
    case SearchMark::wanted:
      return MotionMark::Kind::wanted;
    case SearchMark::hit:
      return MotionMark::Kind::hit;
    case SearchMark::miss:
      return MotionMark::Kind::miss;
    case SearchMark::intruder:
      return MotionMark::Kind::stray;
    case SearchMark::asks:
      return MotionMark::Kind::asks;
    case SearchMark::read:
      return MotionMark::Kind::read;
    case SearchMark::stored:
      return MotionMark::Kind::stored;
    case SearchMark::read_slot:
      break;
  }
  return MotionMark::Kind::read_slot;
}

QString note_of(const SearchMotion& motion, std::size_t at) {
  const SearchMoment& moment = motion.moments[at];
  if (motion.kind == Kind::sectors) {
    if (at == 0)
      return note_text(QT_TRANSLATE_NOOP("spira::ui::Lessons",
                                         "searches at the same time, for neighbouring voxels: %1"))
          .arg(counted(std::ssize(moment.cells)));
    const QString text =
        moment.in_table ? note_text(QT_TRANSLATE_NOOP(
                              "spira::ui::Lessons", "hash table: sectors in which these searches begin: %1"))
                        : note_text(QT_TRANSLATE_NOOP(
                              "spira::ui::Lessons", "sorted array: sectors in which these searches end: %1"));
    return text.arg(counted(moment.sectors));
  }
  if (motion.kind == Kind::queries || motion.kind == Kind::anchors)
    return note_text(QT_TRANSLATE_NOOP("spira::ui::Lessons", "z-group %1 of %2"))
        .arg(at + 1)
        .arg(motion.moments.size());
  if (motion.kind == Kind::grid) return {};
  if (moment.built > 0)
    return note_text(QT_TRANSLATE_NOOP("spira::ui::Lessons", "voxels in the table: %1 of %2; slots read: %3"))
        .arg(counted(moment.built), counted(motion.rows), counted(moment.comparisons));
  const QString text = motion.kind == Kind::probes
                           ? note_text(QT_TRANSLATE_NOOP("spira::ui::Lessons", "slots read: %1"))
                           : note_text(QT_TRANSLATE_NOOP("spira::ui::Lessons", "comparisons: %1"));
  QString note = text.arg(counted(moment.comparisons));
  if (moment.end > moment.begin)
    note += note_text(QT_TRANSLATE_NOOP("spira::ui::Lessons", "; remaining rows: %1"))
                .arg(counted(moment.end - moment.begin));
  return note;
}

/// Adds the marks of all cells. A later mark of a cell normally replaces its earlier mark. The exception is a
/// comparison in an animation with many searches, or in a search that is followed by a scan: a compared cell
/// is marked only during its comparison, and this mark does not replace a hit or a miss.
void add_marks(const SearchMotion& motion, const LessonInput& input, AnimationScene& picture) {
  const bool trail =
      motion.kind == Kind::bracket || motion.kind == Kind::probes || motion.kind == Kind::sectors;
  const auto place = [&](const Voxel& cell) { return input.scene->centre_m(cell, motion.stride); };
  std::map<Voxel, std::size_t> last_mark;
  const auto mark = [&](const MarkedCell& cell, MotionMark::Kind kind, int first) {
    const auto earlier = last_mark.find(cell.cell);
    if (earlier != last_mark.end()) {
      MotionMark& before = picture.marks[earlier->second];
      before.last = std::min(before.last, first - 1);
    }
    last_mark[cell.cell] = picture.marks.size();
    picture.marks.push_back({kind, place(cell.cell), first});
  };
  const auto is_answered = [&](const Voxel& cell) {
    const auto there = last_mark.find(cell);
    if (there == last_mark.end()) return false;
    const MotionMark::Kind kind = picture.marks[there->second].kind;
    return kind == MotionMark::Kind::hit || kind == MotionMark::Kind::miss;
  };
  if (motion.kind != Kind::sectors && motion.kind != Kind::grid)
    mark(motion.output, MotionMark::Kind::asks, -1);
  for (std::size_t at = 0; at < motion.moments.size(); ++at) {
    for (const MarkedCell& cell : motion.moments[at].cells) {
      // The query also finds its own voxel. The mark of this voxel must not change.
      if (cell.cell == motion.output.cell && motion.kind != Kind::grid && motion.kind != Kind::sectors)
        continue;
      const bool passes = motion.moments[at].built > 0 || (cell.mark == SearchMark::compared && !trail);
      if (passes && is_answered(cell.cell)) continue;
      const bool missed = motion.kind == Kind::grid && cell.mark == SearchMark::miss;
      mark(cell, missed ? MotionMark::Kind::missed : mark_of(cell.mark),
           motion.kind == Kind::sectors && at == 0 ? -1 : static_cast<int>(at));
      if (passes) picture.marks.back().last = static_cast<int>(at);
    }
  }
}

void add_memory(const SearchMotion& motion, AnimationScene& picture) {
  const bool reads = std::any_of(motion.moments.begin(), motion.moments.end(),
                                 [](const SearchMoment& moment) { return !moment.positions.empty(); });
  if (!reads) return;
  const bool array = motion.kind != Kind::probes;
  if (array)
    picture.memory.push_back({note_text(QT_TRANSLATE_NOOP("spira::ui::Lessons", "sorted array: %1 words"))
                                  .arg(counted(motion.rows)),
                              motion.rows});
  if (motion.table > 0)
    picture.memory.push_back({note_text(QT_TRANSLATE_NOOP("spira::ui::Lessons", "hash table: %1 slots"))
                                  .arg(counted(motion.table)),
                              motion.table});
}

/// Adds all voxels, so that each step of the binary search can show the half that remains.
void add_array(const LessonInput& input, AnimationScene& picture) {
  constexpr std::int64_t max_points = 100'000;
  const CoordSet& level = input.scene->level(input.stride);
  picture.of = size_of(level);
  const std::int64_t step = std::max<std::int64_t>(1, (picture.of + max_points - 1) / max_points);
  for (std::int64_t row = 0; row < picture.of; row += step)
    picture.from.push_back(input.scene->centre_m(voxel_at(level, row), input.stride));
  picture.alone = true;
}

}  // namespace

std::optional<AnimationScene> search_animation(const std::string& kind, const LessonInput& input, Job& job) {
  const auto* found =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto& one) { return one.first == kind; });
  if (found == kinds.end()) return std::nullopt;
  const SearchMotion motion = search_motion(found->second, input, job);
  AnimationScene picture;
  picture.role = AnimationScene::Role::curve;
  picture.framed = motion.kind == Kind::grid;
  picture.nothing = motion.moments.empty();
  if (picture.nothing) return picture;
  for (std::size_t axis = 0; axis < 3; ++axis)
    picture.cell_m[axis] = input.scene->grid.voxel_m[axis] * motion.stride;
  add_memory(motion, picture);
  add_marks(motion, input, picture);
  if (motion.kind == Kind::bracket) add_array(input, picture);
  for (std::size_t at = 0; at < motion.moments.size(); ++at) {
    const SearchMoment& moment = motion.moments[at];
    const bool second = moment.in_table && picture.memory.size() > 1;
    picture.moments.push_back(
        {moment.begin, moment.end, moment.positions, second ? std::size_t{1} : 0, note_of(motion, at)});
  }
  return picture;
}

}  // namespace spira::ui
