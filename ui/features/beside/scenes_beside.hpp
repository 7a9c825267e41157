// Shows up to four scenes next to each other, with one camera, one voxel size and one colour range. No
// network is run. The open scene stays open.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/jobs/tasks.hpp"
#include "ui/model/selection.hpp"

#include <QDialog>
#include <QPointer>
#include <QStringList>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

class QCheckBox;
class QHBoxLayout;
class QLabel;
class QToolButton;

namespace spira {
class Registry;
}

namespace spira::ui {

class ActivityRow;
class EngineJobs;
class OpenDocument;
class ScenePane;
class ViewTopBar;
struct SideLook;
struct SideScene;

[[nodiscard]] std::span<const CommandFacts> beside_commands() noexcept;

/// The window with the scenes. Scenes are read one after the other.
class BesideWindow : public QDialog {
  Q_OBJECT
 public:
  static constexpr qsizetype max_scenes = 4;
  /// Settings for reading and checking scenes. They are the same for all scenes that are shown together.
  struct Settings {
    std::optional<std::array<double, 3>> voxel_m;  ///< If empty, a size that suits the first scene is used.
    PackSpec pack;
    int kernel_size = 3, max_kernel_size = 5;
    std::int64_t every = 1;
    std::optional<std::uint64_t> memory_limit;
  };

  BesideWindow(const FeatureContext& context, std::shared_ptr<const Registry> registry);

  /// Sets the settings for the next scenes. Must be called only while no scene is shown.
  void setSettings(const Settings& settings);
  /// Adds the open scene, which is not read again.
  void addOpen(const QString& scene, const std::shared_ptr<const VoxelScene>& voxels);
  /// Reads and adds scenes: files or built-in scenes. Adds none and shows a message if there would be more
  /// than `max_scenes`.
  void add(const QStringList& scenes);
  void removeAll();
  [[nodiscard]] const std::vector<ScenePane*>& panes() const noexcept { return panes_; }
  [[nodiscard]] bool busy() const noexcept { return task_.busy(); }
  /// Returns true if all scenes are read and drawn.
  [[nodiscard]] bool settled() const;
  /// Returns the message above the scenes, for example about too many scenes. Returns an empty string if
  /// there is none.
  [[nodiscard]] QString notice() const;
  /// Returns the selection whose stride and colouring all scenes use.
  [[nodiscard]] Selection& selection() noexcept { return *selection_; }

 signals:
  void filesRequested();  ///< Requests a file dialog. The selected files must be passed to add().

 protected:
  void hideEvent(QHideEvent* event) override;

 private:
  void makeTools();
  [[nodiscard]] QToolButton* makeAddButton();
  [[nodiscard]] QWidget* makeEmptyPage();
  ScenePane* addPane(const QString& scene, const std::shared_ptr<const VoxelScene>& open);
  void remove(ScenePane* pane);
  void discard(ScenePane* pane);
  void readNext();
  void stop();
  void take(const std::shared_ptr<const SideScene>& result);
  void follow();
  void followLook();
  void nameScenes();
  void followCamera(ScenePane* moved);
  void showFirst(ScenePane* pane);
  void resetCameras();
  [[nodiscard]] ScenePane* largest()
      const;  // Returns the pane with the largest scene, or `nullptr` if no pane has drawn a scene.
  void showNotice(const QString& text);
  [[nodiscard]] SideLook commonLook() const;

  // Many members: each widget of the toolbar is one member.
  FeatureContext context_;
  std::shared_ptr<const Registry> registry_;
  Settings settings_;
  Workspace* first_;  // Contains the first scene. The toolbar uses it.
  Selection* selection_;
  ViewTopBar* bar_;
  QCheckBox* linked_;
  QToolButton* add_;
  QLabel *facts_, *notice_;
  ActivityRow* progress_;
  QWidget* empty_;
  QHBoxLayout* row_;
  std::vector<ScenePane*> panes_;
  QPointer<ScenePane> reading_;
  bool camera_moved_ = false;     // True if the user has moved a camera.
  bool placing_cameras_ = false;  // True while the window moves cameras itself.
  TaskSlot task_;
};

/// The command that shows the window.
class ScenesBeside : public QObject {
  Q_OBJECT
 public:
  ScenesBeside(const FeatureContext& context, EngineJobs& jobs, const OpenDocument& document,
               std::shared_ptr<const Registry> registry);

  /// Shows the window with the open scene. If the open scene is a short sequence, shows all frames of the
  /// sequence.
  void show();
  /// Shows the window with these scenes instead of the scenes that it shows now.
  void showScenes(const QStringList& scenes);
  /// If a few files were opened as a sequence, offers to show them next to each other.
  void offer(const QStringList& files);

 private:
  void start();
  void raise();

  FeatureContext context_;
  EngineJobs& jobs_;
  const OpenDocument& document_;
  BesideWindow* window_;
};

}  // namespace spira::ui
