// Tests that texts with a count use the singular form if the count is 1.
#include "tests/gui/window_fixture.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/theme/screen_number.hpp"

#include <QFile>
#include <QLabel>
#include <QTemporaryDir>
#include <QTreeWidget>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira::ui {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

void addTexts(const QTreeWidgetItem& item, QStringList& to) {
  to += item.text(0);
  for (int child = 0; child < item.childCount(); ++child)
    addTexts(*item.child(child), to);
}

TEST(CountedText, UsesTheSingularForOne) {
  EXPECT_EQ(counted(0, "1 voxel", "%1 voxels"), "0 voxels");
  EXPECT_EQ(counted(1, "1 voxel", "%1 voxels"), "1 voxel");
  EXPECT_EQ(counted(12345, "1 voxel", "%1 voxels"), "12,345 voxels");
}

TEST_F(WindowTest, ASceneOfOnePointUsesTheSingularEverywhere) {
  QTemporaryDir folder;
  QFile file(folder.filePath("one.xyz"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("1 2 3\n");
  file.close();
  open(file.fileName());
  QStringList all;
  for (const QLabel* label : window.findChildren<QLabel*>())
    all += label->text();
  const auto* tree = window.findChild<QTreeWidget*>("scenes");
  for (int row = 0; row < tree->topLevelItemCount(); ++row)
    addTexts(*tree->topLevelItem(row), all);
  all += child<DensityPanel>(window).findChild<QLabel*>("densityTitle")->text();
  const std::string said = all.join('\n').toStdString();
  EXPECT_THAT(said, HasSubstr("1 output, 1 pair"));
  EXPECT_THAT(said, HasSubstr("\n1 point; "));
  EXPECT_THAT(said, HasSubstr("1 voxel (1.0 points per voxel)"));
  EXPECT_THAT(said, Not(ContainsRegex("(^|[^0-9.,])1 (voxels|points|outputs|pairs|layers|offsets|files)")));
}

}  // namespace
}  // namespace spira::ui
