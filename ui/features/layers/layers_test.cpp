#include "tests/gui/window_fixture.hpp"

#include <QClipboard>

namespace spira::ui {
namespace {

using LayersTest = WindowTest;

TEST_F(LayersTest, TheNameOfTheChosenLayerIsCopied) {
  open("room");
  EXPECT_FALSE(app.commands().trigger("layer.copy_name")) << "no layer is chosen";
  app.selection().setLayer(1);
  ASSERT_TRUE(app.commands().trigger("layer.copy_name"));
  EXPECT_EQ(QApplication::clipboard()->text().toStdString(), app.workspace().network()->layers[1].name);
}

}  // namespace
}  // namespace spira::ui
