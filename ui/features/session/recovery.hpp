// Stores a copy of the session while a window is open, and finds the copies of windows that did not shut down
// properly. The copy of another window is deleted only after the user has restored or discarded it.
#pragma once

#include <QDateTime>
#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>
#include <memory>
#include <string>
#include <vector>

class QLockFile;

namespace spira::ui {

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

}  // namespace spira::ui
