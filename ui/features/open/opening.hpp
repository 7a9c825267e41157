// Opens scenes, reports, profiles, surveys and sessions. The requests come from dialogs, commands, drops and
// the command line.
#pragma once

#include "engine/base/error.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"

#include <QObject>
#include <QString>
#include <QStringList>

#include <span>

namespace spira {
struct RelationChoice;
}

namespace spira::ui {

class DockLayout;
class EmptyPage;
class EngineJobs;
class OpenDocument;
class ProfileTools;
class Recents;
class SceneView;
struct OpenedNetwork;
class Sessions;
class Surveys;
class UnsavedResults;

[[nodiscard]] std::span<const CommandFacts> open_commands() noexcept;

class Opening : public QObject {
  Q_OBJECT
 public:
  struct Parts {
    EngineJobs& jobs;
    Sessions& sessions;
    UnsavedResults& unsaved;
    ProfileTools& profiles;
    Recents& recents;
    OpenDocument& document;
    SceneView& view;
    DockLayout& docks;
    EmptyPage& empty;
    Surveys& surveys;
  };
  Opening(const FeatureContext& context, const Parts& parts);

  /// Opens a scene, a report, a profile, a survey or a session. `format` is an id of formats(). If it is
  /// empty, the format is detected from the content.
  void open(const QString& scene, const QString& format = {});
  /// Opens several files together. If a tuning profile is among them, opens the other files and applies the
  /// profile as soon as their scene is open.
  void openAll(const QStringList& files, const QString& format = {});
  /// Opens several files as one batch: the network runs once on all of them.
  void openBatch(const QStringList& files);
  /// Appends files to the open frames. If this is not possible, calls openAll().
  void addAll(const QStringList& files);
  void openAs(QString file);  ///< If `file` is empty, asks for the file first.
  void openDialog();
  /// Measures the open graph again with other settings. If this succeeds, graphs that are opened later use
  /// them too.
  void measureTriples(const RelationChoice& choice);
  /// Returns the scene that was requested last, even if opening it failed.
  [[nodiscard]] const QString& askedFor() const noexcept { return asked_for_; }
  void forgetRequest() { asked_for_.clear(); }

 signals:
  void failed(const spira::Error& error);
  void filesOpened(const QStringList& files);  ///< Emitted after several files became a sequence of frames.

 private:
  void bind();
  /// Prepares for another file that replaces the open scene: stores the view of the scene and removes its
  /// message.
  void leaveScene();
  [[nodiscard]] bool mayReplaceScene();
  /// Returns true and shows an error if a file is a named pipe or a device. Reading from such a file can
  /// block forever.
  [[nodiscard]] bool refusesPipe(const QStringList& files);
  /// Offers to open the session that a screenshot contains. Returns false if `file` contains no session.
  [[nodiscard]] bool offerPicture(const QString& file);
  void openPictured(const QString& session, const QString& file);
  void opened(const QString& scene, const QString& reopen);
  void focusOpened(bool first);
  [[nodiscard]] QString openWith() const;
  void showLeftOut(const QStringList& files, const QStringList& why);
  void showLostParts();
  [[nodiscard]] QStringList framesOpen() const;
  /// Returns why the open frames cannot be joined to a batch. Returns an empty string if they can.
  [[nodiscard]] QString whyNoBatch() const;
  void networkOpened(const OpenedNetwork& opened);
  /// Offers to open the network that belongs to an opened capture.
  void offerNetworkOf(const QString& scene);

  FeatureContext context_;
  Parts parts_;
  QString asked_for_;
  QString opened_;        // The scene or report that was opened last.
  QString network_file_;  // The network file that was opened last.
  QStringList picked_;    // The files of the last openAll(), until they are open.
  QString profile_;       // The profile that was opened together with a scene, until the scene is open.
};

}  // namespace spira::ui
