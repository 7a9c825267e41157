// Fixture for the tests of error states and empty states, such as empty views, refused files and failed
// devices. Each test puts the window into a state in the same way as a user does. Then it checks the message,
// the remaining content and the offered actions.
#pragma once

#include "app/common/backends.hpp"
#include "tests/gui/view/pictures.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/altered_backend.hpp"
#include "ui/theme/labels.hpp"
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

/// Returns a registry entry of the kind `kind`. Its only back end can be changed by tests.
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
    app = std::make_unique<Application>(std::make_shared<const Registry>(std::move(back_ends)), state_folder);
    app->window().resize(1440, 900);
    app->window().show();
    static_cast<void>(QTest::qWaitForWindowExposed(&app->window()));
  }
  void make() {
    make({altered_entry(BackendKind::cpu, [](test::AlteredBackend&) {})});
  }

  [[nodiscard]] static bool waitFor(const std::function<bool()>& condition) {
    return QTest::qWaitFor(condition, 60'000);
  }
  [[nodiscard]] bool idle() const {
    return !app->jobs().lane().busy() && app->workspace().viewUpdates().empty();
  }
  [[nodiscard]] bool ready() const {
    return idle() && app->workspace().shownMap(-1).map && app->sceneView().settled();
  }
  void open(const QString& scene) {
    app->opening().open(scene);
    ASSERT_TRUE(waitFor([&] { return ready(); }));
  }
  /// Opens a file and waits until it is refused.
  void refused(const QString& file) {
    const QSignalSpy failed(&app->jobs().lane(), &EngineLane::failed);
    app->opening().open(file);
    ASSERT_TRUE(waitFor([&] { return failed.count() == 1 && idle(); })) << file.toStdString();
    EXPECT_TRUE(banner_of(app->window()).isVisible());
  }
  QString write(const QString& name, const QByteArray& bytes) const {
    QFile file(folder.filePath(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    return file.fileName();
  }
  [[nodiscard]] std::string said() const { return banner_of(app->window()).text().toStdString(); }
  [[nodiscard]] std::vector<std::string> offered() const {
    std::vector<std::string> texts;
    for (const auto* button : banner_of(app->window()).findChildren<QPushButton*>()) {
      if (button->isVisible()) texts.push_back(button->text().toStdString());
    }
    return texts;
  }
  void take(const QString& way_out) {
    for (auto* button : banner_of(app->window()).findChildren<QPushButton*>()) {
      if (button->isVisible() && button->text().startsWith(way_out))
        return QTest::mouseClick(button, Qt::LeftButton);
    }
    ADD_FAILURE() << "the banner has no button " << way_out.toStdString();
  }
  /// Returns the texts of all visible labels of a view.
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
  void pictures(const QString& name) { picture_in_all_looks(*app, name); }

  QTemporaryDir folder;
  std::unique_ptr<Application> app;
};

}  // namespace spira::ui
