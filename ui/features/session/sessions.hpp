// Saves and opens sessions, which are files with the state of the open scene. Also stores the view of each
// scene as the user last left it.
#pragma once

#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"
#include "ui/model/session.hpp"

#include <QObject>
#include <QString>

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace spira::ui {

class DockLayout;
class EngineJobs;
class OpenDocument;
class ParameterHistory;
class Recents;
class SceneMemory;
class SceneView;
class ViewParts;

[[nodiscard]] std::span<const CommandFacts> session_commands() noexcept;

class Sessions : public QObject {
  Q_OBJECT
 public:
  /// The parts of the program whose state a session holds.
  struct Parts {
    EngineJobs& jobs;
    SceneView& view;
    ViewParts& parts;
    OpenDocument& document;
    DockLayout& docks;
    ParameterHistory& history;
  };
  Sessions(const FeatureContext& context, const Parts& parts, Recents& recents, SceneMemory& memory);

  /// Returns the open scene or report, the parameters, the selection and the camera.
  [[nodiscard]] SessionState state() const;
  /// Returns the state as the content of a file in `folder`; empty if it cannot be saved.
  [[nodiscard]] std::string text(const std::filesystem::path& folder = {}) const;
  /// Returns why the open scene or report cannot be saved as a session; empty if it can.
  [[nodiscard]] QString whyNone() const;
  [[nodiscard]] static bool isSession(const QString& file);
  /// Saves the session to a file. Returns false if the file cannot be written; failed() reports why.
  bool save(const QString& file);
  void open(const QString& file);
  /// Opens the scene of a session and restores the rest of the session when the scene is open. `file` is the
  /// session file, if there is one. Then calls `arrived`. Throws Error(input) if the file of the scene is
  /// missing.
  void arrive(const SessionState& session, const QString& file = {}, std::function<void()> arrived = {});
  /// Must be called if another request replaces a session whose scene is being opened. That session is then
  /// not restored.
  void abandon() { arriving_.reset(); }
  /// Must be called after a scene or report was opened.
  void takeOpened(const QString& reopen);

  /// Stores the camera, the crop and the colours of the open scene. Must be called before another scene
  /// replaces it.
  void remember();
  /// Opens the scene with the stored camera and colours. Returns false if none are stored for the scene, or
  /// if they must not be restored.
  bool openAsLeft(const QString& scene);
  /// Resets colours and hidden parts that were restored from an earlier time, so that they do not affect
  /// another scene.
  void forgetLook();

 signals:
  void failed(const spira::Error& error);

 private:
  struct Arriving {
    SessionState session;
    QString file = {};
    std::function<void()> arrived = {};
    // Restore only the camera and the colours, and keep the network and the selection.
    bool look_only = false;
    QString scene = {};  // Scene of the camera and colours; only used if `look_only`.
  };
  void bind();
  void saveDialog();
  void takeArrived();
  void takeParameters(const SessionState& session);
  void takeLook(const SessionState& session);

  FeatureContext context_;
  Parts parts_;
  Recents& recents_;
  SceneMemory& memory_;
  std::optional<Arriving> arriving_;  // State to restore when its scene is open.
  // True if the look was restored from the last time the scene was open, which may be weeks ago.
  bool look_was_left_ = false;
};

}  // namespace spira::ui
