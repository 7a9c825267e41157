// Identifies the open scene or report, its session file, and the window title.
#pragma once

#include <QObject>
#include <QString>

#include <utility>

namespace spira::ui {

class OpenDocument : public QObject {
  Q_OBJECT
 public:
  struct Names {
    QString reopen;  ///< File, folder or built-in name of the open scene or report. Empty if nothing is open.
    QString session;  ///< Path of the session file. Empty if the session was neither saved nor opened.
    QString title;
  };

  explicit OpenDocument(QObject* parent = nullptr) : QObject(parent) {}

  [[nodiscard]] const Names& names() const noexcept { return names_; }
  void setNames(Names names) {
    names_ = std::move(names);
    emit changed();
  }
  void setReopen(const QString& reopen) { setNames({reopen, names_.session, names_.title}); }
  void setSession(const QString& file) { setNames({names_.reopen, file, names_.title}); }
  void setTitle(const QString& title) { setNames({names_.reopen, names_.session, title}); }

 signals:
  void changed();

 private:
  Names names_;
};

}  // namespace spira::ui
