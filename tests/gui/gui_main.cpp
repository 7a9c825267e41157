// Main function of the GUI tests. Sets the surface format before it creates the application, and ignores the
// settings of the user.
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/qt_application.hpp"

#include <QCursor>
#include <QScreen>
#include <QStandardPaths>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();  // Listing the tests requires no display.
  QStandardPaths::setTestModeEnabled(true);
  spira::ui::setSurfaceFormat();
  const spira::ui::QtApplication application(argc, argv);
  QApplication::setStyle("Fusion");
  // Other tests open and close their windows on the same display. The pointer must be outside of all windows,
  // so that no widget comes below it and receives events.
  QCursor::setPos(application.primaryScreen()->geometry().bottomRight());
  return RUN_ALL_TESTS();
}

#if defined(__SANITIZE_ADDRESS__)
// Mesa unloads its drivers before the leak check, so leaks in the drivers cannot be suppressed by their
// names.
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0";
}  // NOLINT: the name is given
#endif
