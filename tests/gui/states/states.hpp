// Error states and empty states: empty views, refused files, lost devices. Each test brings the window into
// the state as a user would, and checks its message, the remaining content and the offered actions.
#pragma once

#include "tests/gui/view/pictures.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/altered_backend.hpp"
#include "ui/theme/elided_label.hpp"
#include "ui/window/banner.hpp"

#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>

#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace spira::ui {

/// Returns a registry entry for one back end that tests can alter. It reports the kind `kind`.
[[nodiscard]] inline Registry::Entry altered_entry(BackendKind kind,
                                                   std::function<void(test::AlteredBackend&)> change,
                                                   const BackendOptions& limits = {}) {
  DeviceListing row;
  row.facts.kind = kind;
  row.usable = true;
  return {kind, [row] { return std::vector<DeviceListing>{row}; },
          [change = std::move(change), limits](const BackendOptions&) -> std::shared_ptr<Backend> {
            auto device = std::make_shared<test::AlteredBackend>(app::make_registry().make("cpu", limits));
            change(*device);
            return device;
          }};
}

class States : public testing::Test {
 protected:
  void make(std::vector<Registry::Entry> back_ends, const QString& state_folder = {}) {
    window =
        std::make_unique<MainWindow>(std::make_shared<const Registry>(std::move(back_ends)), state_folder);
    window->resize(1440, 900);
    window->show();
    static_cast<void>(QTest::qWaitForWindowExposed(window.get()));
  }
  void make() {
    make({altered_entry(BackendKind::cpu, [](test::AlteredBackend&) {})});
  }

  [[nodiscard]] static bool waitFor(const std::function<bool()>& condition) {
    return QTest::qWaitFor(condition, 60'000);
  }
  [[nodiscard]] bool idle() const {
    return !window->jobs().lane().busy() && window->workspace().followUps().empty();
  }
  [[nodiscard]] bool ready() const {
    return idle() && window->workspace().shownMap(-1).map && window->sceneView().settled();
  }
  void open(const QString& scene) {
    window->open(scene);
    ASSERT_TRUE(waitFor([&] { return ready(); }));
  }
  /// Opens a file and waits until it is refused.
  void refused(const QString& file) {
    const QSignalSpy failed(&window->jobs().lane(), &EngineLane::failed);
    window->open(file);
    ASSERT_TRUE(waitFor([&] { return failed.count() == 1 && idle(); })) << file.toStdString();
    EXPECT_TRUE(window->banner().isVisible());
  }
  QString write(const QString& name, const QByteArray& bytes) const {
    QFile file(folder.filePath(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    return file.fileName();
  }
  [[nodiscard]] std::string said() const { return window->banner().text().toStdString(); }
  [[nodiscard]] std::vector<std::string> offered() const {
    std::vector<std::string> texts;
    for (const auto* button : window->banner().findChildren<QPushButton*>()) {
      if (button->isVisible()) texts.push_back(button->text().toStdString());
    }
    return texts;
  }
  void take(const QString& way_out) {
    for (auto* button : window->banner().findChildren<QPushButton*>()) {
      if (button->isVisible() && button->text().startsWith(way_out))
        return QTest::mouseClick(button, Qt::LeftButton);
    }
    ADD_FAILURE() << "no way out is called " << way_out.toStdString();
  }
  /// Returns all visible sentences of a view.
  [[nodiscard]] static std::string textOn(const QWidget& view) {
    std::string all;
    for (const auto* label : view.findChildren<QLabel*>()) {
      if (label->isVisible()) all += label->text().toStdString() + "\n";
    }
    for (const auto* label : view.findChildren<ElidedLabel*>()) {
      if (label->isVisible()) all += label->text().toStdString() + "\n";
    }
    return all;
  }
  [[nodiscard]] static QPushButton* buttonOn(const QWidget& view) {
    for (auto* button : view.findChildren<QPushButton*>()) {
      if (button->isVisible()) return button;
    }
    return nullptr;
  }
  void pictures(const QString& name) { picture_in_all_looks(*window, name); }

  QTemporaryDir folder;
  std::unique_ptr<MainWindow> window;
};

}  // namespace spira::ui
