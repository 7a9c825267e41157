// A copy of the session of each running window, and what windows that ended without closing have left behind.
#pragma once

#include <QDateTime>
#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>
#include <string>

class QLockFile;

namespace spira::ui {

class Recovery : public QObject {
  Q_OBJECT
 public:
  /// Empty folder: nothing is kept. `snapshot`: the session as its file says it; empty: nothing is open.
  Recovery(const QString& state_folder, std::function<std::string()> snapshot, QObject* parent = nullptr);
  ~Recovery() override;
  Recovery(const Recovery&) = delete;
  Recovery& operator=(const Recovery&) = delete;

  struct Found {
    QString file;
    QDateTime written;
  };
  /// The newest copy of the windows that did not close; older ones are gone.
  [[nodiscard]] std::optional<Found> found() const;
  void forget();  ///< what was found, for good: it was restored, or it is not wanted
  void set(bool on, int seconds);
  void write();  ///< now, if the session is another one than was written last
  void close();  ///< the window closes in good order: nothing is left behind

 private:
  [[nodiscard]] QString own() const;

  QString folder_, name_, left_behind_;
  std::function<std::string()> snapshot_;
  std::unique_ptr<QLockFile> lock_;
  QTimer timer_;
  std::string written_;
};

}  // namespace spira::ui
