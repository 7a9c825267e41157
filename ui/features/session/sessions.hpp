// Saves and opens sessions. A session is a file with the state of the open scene. Also stores the view of
// each scene when the user leaves the scene.
#pragma once

#include "engine/base/error.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/model/session.hpp"

#include <QObject>
#include <QString>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace spira::ui {

class DockLayout;
class EngineJobs;
class CapturedLayers;
class OpenDocument;
class ParameterHistory;
class Recents;
class SceneMemory;
class SceneView;
class UnsavedResults;
class ViewParts;

[[nodiscard]] std::span<const CommandFacts> session_commands() noexcept;

class Sessions : public QObject {
  Q_OBJECT
 public:
  /// The parts of the program whose state a session contains.
  struct Parts {
    EngineJobs& jobs;
    SceneView& view;
    ViewParts& parts;
    OpenDocument& document;
    DockLayout& docks;
    ParameterHistory& history;
  };
  Sessions(const FeatureContext& context, const Parts& parts, Recents& recents, SceneMemory& memory);

  /// Must be called once. Sessions then contain the layer that is open from its captured input.
  void follow(CapturedLayers& captured) { captured_ = &captured; }

  /// Returns the open scene or report, the parameters, the selection and the camera.
  [[nodiscard]] SessionState state() const;
  /// Returns the content of a session file that will be stored in `folder`. Returns an empty string if the
  /// state cannot be saved.
  [[nodiscard]] std::string text(const std::filesystem::path& folder = {}) const;
  /// Returns why the open scene or report cannot be saved as a session. Returns an empty string if it can be
  /// saved.
  [[nodiscard]] QString whyNone() const;
  [[nodiscard]] static bool isSession(const QString& file);
  /// Saves the session to a file. Returns false if the file cannot be written; failed() then reports the
  /// reason.
  bool save(const QString& file);
  void open(const QString& file);
  /// Opens the scene of a session, and restores the rest of the session when the scene is open. Then calls
  /// `arrived`. `file` is the session file, if there is one. Throws Error(input) if the file of the scene is
  /// missing.
  void arrive(const SessionState& session, const QString& file = {}, std::function<void()> arrived = {});
  /// Must be called if another request replaces a session while its scene is being opened. That session is
  /// then not restored.
  void abandon() { arriving_.reset(); }
  /// Must be called after a scene or report was opened.
  void takeOpened(const QString& reopen);

  /// Stores the camera, the crop and the colours of the open scene. Must be called before another scene
  /// replaces this scene.
  void remember();
  /// Opens the scene with its stored camera, colours and crop. Returns false if nothing is stored for the
  /// scene, if the setting scenes.remember is off, or if the program reads only every n-th point.
  bool openAsLeft(const QString& scene);
  /// Resets restored colours and hidden parts, so that they do not affect another scene.
  void forgetLook();

 signals:
  void failed(const spira::Error& error);

 private:
  struct Arriving {
    SessionState session;
    QString file = {};
    std::function<void()> arrived = {};
    // If true, restores only the camera and the colours, and does not change the network or the selection.
    bool look_only = false;
    QString scene = {};  // Scene to which the camera and colours belong. Only used if `look_only` is true.
  };
  void bind();
  void saveDialog();
  void takeArrived();
  void arriveWithoutScene(const SessionState& session);
  [[nodiscard]] std::uint64_t sceneFingerprint(const std::shared_ptr<const PointCloud>& cloud) const;
  void takeParameters(const SessionState& session);
  void takeSelection(const SessionState& session);
  void openCapturedLayer(const SessionState& session);
  void takeLook(const SessionState& session);

  FeatureContext context_;
  Parts parts_;
  Recents& recents_;
  SceneMemory& memory_;
  CapturedLayers* captured_ = nullptr;
  mutable struct {
    std::weak_ptr<const PointCloud> cloud;
    std::uint64_t fingerprint = 0;
  } hashed_;                          // The last result of sceneFingerprint().
  std::optional<Arriving> arriving_;  // State that is restored when its scene has been opened.
  // True if the colours were stored when the scene was open before, possibly weeks ago.
  bool look_was_left_ = false;
};

/// Reads the file of the open scene again, on request or when the file changes.
class Reloading : public QObject {
  Q_OBJECT
 public:
  Reloading(const FeatureContext& context, Sessions& sessions, UnsavedResults& unsaved,
            const OpenDocument& document);

 signals:
  void failed(const spira::Error& error);

 private:
  void bindWatch(UnsavedResults& unsaved);
  [[nodiscard]] QString unavailableReason() const;
  /// Reads the scene again. The camera, the colours, the crop, the network and the selection do not change.
  void reload();

  FeatureContext context_;
  Sessions& sessions_;
  const OpenDocument& document_;
};

}  // namespace spira::ui
