// Makes the application after the surface format, and keeps the state of the user out of the tests.
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/application.hpp"

#include <QStandardPaths>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();  // no display is needed to list
  QStandardPaths::setTestModeEnabled(true);
  spira::ui::setSurfaceFormat();
  const spira::ui::Application application(argc, argv);
  QApplication::setStyle("Fusion");
  return RUN_ALL_TESTS();
}

#if defined(__SANITIZE_ADDRESS__)
// Mesa's drivers are unloaded before leaks are looked for, so their own leaks cannot be told by their name.
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0";
}  // NOLINT: the name is given
#endif
