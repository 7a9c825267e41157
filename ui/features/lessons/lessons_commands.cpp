#include "ui/features/lessons/lessons.hpp"

#include <QtGlobal>

#include <array>

namespace spira::ui {
namespace {

constexpr auto lessons_table = std::to_array<CommandFacts>({
    {"lesson.list", QT_TRANSLATE_NOOP("Command", "Lessons..."), "Ctrl+L",
     QT_TRANSLATE_NOOP("Command", "Learn how sparse convolution works, using the open scene as an example"),
     1270, Menu::learn, 1, Opens::dialog},
    {"lesson.voxelize", QT_TRANSLATE_NOOP("Command", "Voxelise and pack"), "",
     QT_TRANSLATE_NOOP("Command",
                       "Lesson: how points become voxels, and how coordinates are packed into one word"),
     1280, Menu::learn, 1},
    {"lesson.search", QT_TRANSLATE_NOOP("Command", "Search"), "",
     QT_TRANSLATE_NOOP("Command", "Lesson: how a kernel map is built, and what each search costs"), 1290,
     Menu::learn, 1},
    {"lesson.density", QT_TRANSLATE_NOOP("Command", "Density and L1 norm"), "",
     QT_TRANSLATE_NOOP("Command",
                       "Lesson: why offsets near the kernel centre match more often than distant ones"),
     1300, Menu::learn, 1},
    {"lesson.dataflows", QT_TRANSLATE_NOOP("Command", "Dataflows and t"), "",
     QT_TRANSLATE_NOOP(
         "Command",
         "Lesson: how outputs are computed by rows or by pairs, and how the threshold t selects the method"),
     1310, Menu::learn, 1},
    {"lesson.indexing", QT_TRANSLATE_NOOP("Command", "Network-wide indexing"), "",
     QT_TRANSLATE_NOOP("Command", "Lesson: how all voxels and kernel maps of a network are built together"),
     1320, Menu::learn, 1},
    {"lesson.open", QT_TRANSLATE_NOOP("Command", "Open lesson file..."), "",
     QT_TRANSLATE_NOOP("Command", "Open a lesson that you wrote or changed"), 1330, Menu::learn, 1,
     Opens::dialog},
    {"lesson.play", QT_TRANSLATE_NOOP("Command", "Play the step"), "",
     QT_TRANSLATE_NOOP("Command",
                       "Play the animation, then go to the next step (Space key while a lesson is open)"),
     1340, Menu::learn, 1},
    {"lesson.back", QT_TRANSLATE_NOOP("Command", "Previous step"), "PgUp",
     QT_TRANSLATE_NOOP("Command", "Go to the previous step (also with the Left key while a lesson is open)"),
     1350, Menu::learn, 1},
    {"lesson.next", QT_TRANSLATE_NOOP("Command", "Next step"), "PgDown",
     QT_TRANSLATE_NOOP("Command", "Go to the next step (also with the Right key while a lesson is open)"),
     1360, Menu::learn, 1},
    {"lesson.slower", QT_TRANSLATE_NOOP("Command", "Slower animation"), "Ctrl+Shift+Left", "", 1370,
     Menu::learn, 1},
    {"lesson.faster", QT_TRANSLATE_NOOP("Command", "Faster animation"), "Ctrl+Shift+Right", "", 1380,
     Menu::learn, 1},
    {"lesson.classroom", QT_TRANSLATE_NOOP("Command", "Classroom"), "Ctrl+Shift+L",
     QT_TRANSLATE_NOOP("Command",
                       "Use larger text and projector colours; show only the 3D view and the lesson"),
     1390, Menu::learn, 1},
    {"lesson.handout", QT_TRANSLATE_NOOP("Command", "Save lesson handout (PDF)..."), "",
     QT_TRANSLATE_NOOP("Command", "Save one page per step, with the numbers and pictures of this scene"),
     1400, Menu::learn, 1, Opens::dialog},
    {"lesson.copy_link", QT_TRANSLATE_NOOP("Command", "Copy link to this step"), "",
     QT_TRANSLATE_NOOP("Command", "Copy a command line that opens this scene at this lesson step"), 1410,
     Menu::learn, 1},
    {"lesson.leave", QT_TRANSLATE_NOOP("Command", "Leave the lesson"), "",
     QT_TRANSLATE_NOOP("Command", "Restore the state before the lesson"), 1420, Menu::learn, 1},
});

}  // namespace

std::span<const CommandFacts> lessons_commands() noexcept {
  return lessons_table;
}

}  // namespace spira::ui
