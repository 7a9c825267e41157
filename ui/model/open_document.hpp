// Names the open scene or report, its session file, and the title of the window.
#pragma once

#include <QObject>
#include <QString>

#include <utility>

namespace spira::ui {

class OpenDocument : public QObject {
  Q_OBJECT
 public:
  struct Names {
    QString reopen;  ///< File, folder or built-in name of the open scene or report; empty if nothing is open.
    QString session;  ///< File of the session; empty if it was neither saved nor opened as a file.
    QString title;    ///< Title of the window.
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
