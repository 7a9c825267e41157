// Opens scenes, reports, profiles and sessions: from dialogs, commands, drops and the command line.
#pragma once

#include "engine/base/error.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/feature_context.hpp"

#include <QObject>
#include <QString>
#include <QStringList>

#include <span>

namespace spira::ui {

class DockLayout;
class EmptyPage;
class EngineJobs;
class OpenDocument;
class ProfileTools;
class Recents;
class SceneView;
class Sessions;
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
  };
  Opening(const FeatureContext& context, const Parts& parts);

  /// Opens a scene, a report, a profile or a session. `format` is an id of formats(); if it is empty, the
  /// content decides.
  void open(const QString& scene, const QString& format = {});
  /// Opens several files as the frames of a sequence.
  void openAll(const QStringList& files, const QString& format = {});
  /// Appends files to the open frames. Does the same as openAll() if that is not possible.
  void addAll(const QStringList& files);
  void openAs(QString file);  ///< If `file` is empty, asks for it first.
  void openDialog();
  /// Returns the scene that was requested last, even if it was refused.
  [[nodiscard]] const QString& askedFor() const noexcept { return asked_for_; }
  void forgetRequest() { asked_for_.clear(); }

 signals:
  void failed(const spira::Error& error);

 private:
  void bind();
  /// Stores the view of the open scene and removes its message, because another file replaces it.
  void leaveScene();
  [[nodiscard]] bool mayReplaceScene();
  /// Shows an error for a named pipe or a device, because reading from one can block forever.
  [[nodiscard]] bool refusesPipe(const QStringList& files);
  [[nodiscard]] bool offerPicture(const QString& file);  ///< Returns false if the picture has no session.
  void openPictured(const QString& session, const QString& file);
  void opened(const QString& scene, const QString& reopen);
  void focusOpened(bool first);
  [[nodiscard]] QString openWith() const;
  void showLeftOut(const QStringList& files, const QStringList& why);
  void showLostParts();

  FeatureContext context_;
  Parts parts_;
  QString asked_for_;
};

}  // namespace spira::ui
