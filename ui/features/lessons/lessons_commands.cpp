#include "ui/features/lessons/lessons.hpp"

#include <QtGlobal>

#include <array>

namespace spira::ui {
namespace {

constexpr auto lessons_table = std::to_array<CommandFacts>({
    {"lesson.list", QT_TRANSLATE_NOOP("Command", "Lessons..."), "Ctrl+L",
     QT_TRANSLATE_NOOP("Command", "Learn how sparse convolution works, on the open scene"), 1270, Menu::learn,
     1, Opens::dialog},
    {"lesson.voxelize", QT_TRANSLATE_NOOP("Command", "Voxelise and pack"), "",
     QT_TRANSLATE_NOOP("Command", "Lesson: how points become voxels, and coordinates one word"), 1280,
     Menu::learn, 1},
    {"lesson.search", QT_TRANSLATE_NOOP("Command", "Search"), "",
     QT_TRANSLATE_NOOP("Command", "Lesson: how a kernel map is found, and the cost of each search"), 1290,
     Menu::learn, 1},
    {"lesson.density", QT_TRANSLATE_NOOP("Command", "Density and L1 norm"), "",
     QT_TRANSLATE_NOOP("Command", "Lesson: why near offsets of a kernel match often, and far ones rarely"),
     1300, Menu::learn, 1},
    {"lesson.dataflows", QT_TRANSLATE_NOOP("Command", "Dataflows and t"), "",
     QT_TRANSLATE_NOOP("Command", "Lesson: rows or pairs, and the trade-off of the threshold t"), 1310,
     Menu::learn, 1},
    {"lesson.indexing", QT_TRANSLATE_NOOP("Command", "Network-wide indexing"), "",
     QT_TRANSLATE_NOOP("Command", "Lesson: all voxels and kernel maps of a network at once"), 1320,
     Menu::learn, 1},
    {"lesson.open", QT_TRANSLATE_NOOP("Command", "Open lesson file..."), "",
     QT_TRANSLATE_NOOP("Command", "Open a lesson that you wrote or changed"), 1330, Menu::learn, 1,
     Opens::dialog},
    {"lesson.play", QT_TRANSLATE_NOOP("Command", "Play the step"), "",
     QT_TRANSLATE_NOOP("Command",
                       "Play the animation, then go to the next step; Space while a lesson is open"),
     1340, Menu::learn, 1},
    {"lesson.back", QT_TRANSLATE_NOOP("Command", "Previous step"), "PgUp",
     QT_TRANSLATE_NOOP("Command", "Left does the same while a lesson is open"), 1350, Menu::learn, 1},
    {"lesson.next", QT_TRANSLATE_NOOP("Command", "Next step"), "PgDown",
     QT_TRANSLATE_NOOP("Command", "Right does the same while a lesson is open"), 1360, Menu::learn, 1},
    {"lesson.slower", QT_TRANSLATE_NOOP("Command", "Slower motion"), "Ctrl+Shift+Left", "", 1370, Menu::learn,
     1},
    {"lesson.faster", QT_TRANSLATE_NOOP("Command", "Faster motion"), "Ctrl+Shift+Right", "", 1380,
     Menu::learn, 1},
    {"lesson.classroom", QT_TRANSLATE_NOOP("Command", "Classroom"), "Ctrl+Shift+L",
     QT_TRANSLATE_NOOP("Command", "Larger text, projector colours, only view and lesson"), 1390, Menu::learn,
     1},
    {"lesson.handout", QT_TRANSLATE_NOOP("Command", "Handout of the lesson (PDF)..."), "",
     QT_TRANSLATE_NOOP("Command", "One page per step, with the numbers and pictures of this scene"), 1400,
     Menu::learn, 1, Opens::dialog},
    {"lesson.copy_link", QT_TRANSLATE_NOOP("Command", "Copy link to this step"), "",
     QT_TRANSLATE_NOOP("Command", "A command line that opens this scene at this step of the lesson"), 1410,
     Menu::learn, 1},
    {"lesson.leave", QT_TRANSLATE_NOOP("Command", "Leave the lesson"), "",
     QT_TRANSLATE_NOOP("Command", "Restore the state before the lesson"), 1420, Menu::learn, 1},
});

}  // namespace

std::span<const CommandFacts> lessons_commands() noexcept {
  return lessons_table;
}

}  // namespace spira::ui
