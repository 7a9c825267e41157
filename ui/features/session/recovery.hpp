// Stores a copy of the session while a window is open, and finds the copies of windows that did not shut down
// properly. The copy of another window is deleted only after the user has restored or discarded it.
#pragma once

#include "engine/base/error.hpp"
#include "ui/features/feature_context.hpp"

#include <QDateTime>
#include <QDialog>
#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>
#include <memory>
#include <string>
#include <vector>

class QLockFile;
class QLabel;
class QPushButton;
class QTreeWidget;

namespace spira::ui {

struct RecoveryRow;
class Sessions;
class UnsavedResults;

class Recovery : public QObject {
  Q_OBJECT
 public:
  /// If `state_folder` is empty, no copies are stored. `snapshot` returns the content of a session file, or
  /// an empty string if nothing is open.
  Recovery(const QString& state_folder, std::function<std::string()> snapshot, QObject* parent = nullptr);
  ~Recovery() override;
  Recovery(const Recovery&) = delete;
  Recovery& operator=(const Recovery&) = delete;

  struct Found {
    QString file;
    QDateTime written;
  };
  /// Returns the copies of windows that did not shut down properly, the newest first. Copies of running
  /// windows are not included.
  [[nodiscard]] const std::vector<Found>& found() const noexcept { return found_; }
  void discard(const QString& file);  ///< Deletes one of the copies in found().
  void set(bool on, int seconds);
  /// Writes the session if it has changed. Returns true if the file then contains the current session.
  bool write();
  void close();  ///< Deletes the copy of this window. Must be called when the window shuts down properly.

 private:
  [[nodiscard]] QString own() const;

  QString folder_, name_;
  std::vector<Found> found_;
  std::function<std::string()> snapshot_;
  std::unique_ptr<QLockFile> lock_;
  QTimer timer_;
  std::string written_;
};

/// Offers to restore the sessions of windows that did not shut down properly. Also stores a recovery copy of
/// the session of this window.
class CrashRecovery : public QObject {
  Q_OBJECT
 public:
  /// If `state_folder` is empty, no recovery copies are stored.
  CrashRecovery(const FeatureContext& context, Sessions& sessions, UnsavedResults& unsaved,
                const QString& state_folder);
  /// Asks whether to restore the recovery copies. If the user closes the question without an answer, the
  /// copies are kept and the next start asks again.
  void offer();
  void close() { recovery_.close(); }  ///< Deletes the recovery copy of this window.

 signals:
  void failed(const spira::Error& error);

 private:
  [[nodiscard]] std::vector<RecoveryRow> rows() const;
  void showDialog();
  void restore(const QString& file);

  FeatureContext context_;
  Sessions& sessions_;
  UnsavedResults& unsaved_;
  Recovery recovery_;
};

// A dialog that lists the recovery copies. The user can restore one copy or discard copies.

struct RecoveryRow {
  QString file;
  QString scene;    ///< Scene that was open. Empty if the copy is damaged.
  QString written;  ///< Date and time of the copy.
  QString fault;    ///< Reason why the copy cannot be restored. Empty if it can be restored.
};

class RecoveryDialog : public QDialog {
  Q_OBJECT
 public:
  explicit RecoveryDialog(const std::vector<RecoveryRow>& rows, QWidget* parent = nullptr);
  /// Returns the file of the selected copy. Returns an empty string if no row is selected.
  [[nodiscard]] QString chosen() const;

 signals:
  void discardRequested(const QString& file);

 private:
  void follow();
  void discard();

  QTreeWidget* list_;
  QLabel* fault_;
  QPushButton *restore_, *discard_;
};

}  // namespace spira::ui
