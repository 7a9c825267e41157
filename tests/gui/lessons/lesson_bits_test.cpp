// Tests the bits of a word in the lesson on packing. Pointing at a bit, by mouse or by keyboard, must
// highlight the slabs of this bit.
#include "engine/backend/host_read.hpp"
#include "tests/gui/lessons/lessons_fixture.hpp"
#include "tests/gui/mouse.hpp"
#include "ui/model/tables/chosen_rows.hpp"
#include "ui/panels/scene/key_bits.hpp"

#include <QApplication>

namespace spira::ui {
namespace {

class LessonBitsTest : public LessonsTest {
 protected:
  KeyBits& bits() { return *panel().findChild<KeyBits*>(); }
  /// Computes, by division, which voxels have the bit `bit` of the coordinate on `axis` set.
  std::vector<std::int32_t> slabs(std::size_t axis, int bit) {
    const CoordSet& level = app.workspace().scene().voxels()->level(1);
    std::vector<std::int32_t> rows;
    for (std::int64_t row = 0; row < size_of(level); ++row) {
      if (voxel_at(level, row).at(axis) / (1 << bit) % 2 == 1) rows.push_back(static_cast<std::int32_t>(row));
    }
    return rows;
  }
  /// Returns the slabs of the highest x bit that any voxel has set.
  std::vector<std::int32_t> ofHighestBit() {
    const CoordSet& level = app.workspace().scene().voxels()->level(1);
    std::int32_t most = 0;
    for (std::int64_t row = 0; row < size_of(level); ++row)
      most = std::max(most, voxel_at(level, row)[0]);
    int bit = 0;
    while ((most >> (bit + 1)) > 0)
      ++bit;
    return slabs(0, bit);
  }
  std::vector<std::int32_t> shown() {
    const auto rows = app.selection().rows();
    return rows ? rows->rows : std::vector<std::int32_t>();
  }
  void settle() {
    ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
  }
};

TEST_F(LessonBitsTest, ArrowKeysMoveFromBitToBitAndShowTheirSlabs) {
  setCalm(true);
  open("street");
  start("voxelize", 4);
  EXPECT_EQ(shown(), ofHighestBit())
      << "the highest x bit must be highlighted while the user points at no bit";
  EXPECT_EQ(number("voxels whose word has a 1 at the marked bit"), static_cast<double>(shown().size()));
  EXPECT_GT(shown().size(), 0U);
  QFocusEvent tabbed(QEvent::FocusIn, Qt::TabFocusReason);
  QApplication::sendEvent(&bits(), &tabbed);
  const PackSpec pack = app.workspace().requested().pack();
  EXPECT_EQ(bits().pointedAt(), pack.x_bits + pack.y_bits + pack.z_bits - 1);
  while (bits().pointedAt() > 3)
    QTest::keyClick(&bits(), Qt::Key_Right);
  EXPECT_EQ(player().page(), 4) << "the arrow keys must move between bits and not between pages";
  settle();
  EXPECT_EQ(shown(), slabs(2, 3));
  EXPECT_EQ(number("voxels whose word has a 1 at the marked bit"), static_cast<double>(slabs(2, 3).size()));
  EXPECT_EQ(bits().accessibleDescription(), "bit 3 of z: it is 1 in every second slab of 8 voxels");
  while (bits().pointedAt() < pack.z_bits + 5)
    QTest::keyClick(&bits(), Qt::Key_Left);
  settle();
  EXPECT_EQ(shown(), slabs(1, 5));
  QFocusEvent gone(QEvent::FocusOut, Qt::TabFocusReason);
  QApplication::sendEvent(&bits(), &gone);
  settle();
  EXPECT_EQ(shown(), ofHighestBit());
}

TEST_F(LessonBitsTest, ThePointerShowsTheSlabsOfABitAndAClickKeepsThem) {
  setCalm(true);
  open("street");
  start("voxelize", 4);
  const auto moveTo = [&](int x) {
    const QPointF at(x, 30);
    move_mouse(bits(), at);
  };
  const auto leave = [&] {
    panel().takeFocus();
    QEvent gone(QEvent::Leave);
    QApplication::sendEvent(&bits(), &gone);
    settle();
  };
  moveTo(3);
  settle();
  EXPECT_EQ(shown(), slabs(0, app.workspace().requested().pack().x_bits - 1));
  leave();
  EXPECT_EQ(shown(), ofHighestBit());
  int x = 0;
  while (bits().pointedAt() != 2 && x < bits().width())
    moveTo(x += 2);
  ASSERT_EQ(bits().pointedAt(), 2);
  QTest::mouseClick(&bits(), Qt::LeftButton, {}, {x, 30});
  leave();
  EXPECT_EQ(shown(), slabs(2, 2)) << "a selected bit must keep its slabs";
  QTest::mouseClick(&bits(), Qt::LeftButton, {}, {x, 30});
  leave();
  EXPECT_EQ(shown(), ofHighestBit());
}

}  // namespace
}  // namespace spira::ui
