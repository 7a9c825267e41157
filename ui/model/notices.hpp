// The message that the window shows to the user: an error with suggested fixes, a note, or a question. A new
// message replaces the previous one.
#pragma once

#include "engine/base/error.hpp"

#include <QObject>
#include <QString>

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace spira::ui {

struct NoticeAction {
  QString text;
  std::function<void()> run;
};

struct Notice {
  enum class Kind {
    error,
    note,
    question  ///< Stays until the user answers it or another message replaces it.
  };
  Kind kind = Kind::note;
  QString title, message;
  std::vector<NoticeAction> actions;
  bool takes_focus = false;  ///< If true, the button of the first action gets the keyboard focus.
};

class Notices : public QObject {
  Q_OBJECT
 public:
  /// Identifies a message for withdraw(). 0 means no message.
  using Id = int;

  explicit Notices(QObject* parent = nullptr) : QObject(parent) {}

  /// Shows an error. If `title` is empty, uses the default title for this kind of error.
  Id showError(const Error& error, std::vector<NoticeAction> actions = {}, const QString& title = {});
  Id showNote(const QString& title, const QString& message, std::vector<NoticeAction> actions = {});
  Id show(Notice notice);
  /// Returns the visible message, or an empty value if there is none.
  [[nodiscard]] const std::optional<Notice>& shown() const noexcept { return shown_; }
  /// Removes the message, then runs the action with this index.
  void answer(std::size_t action);
  void dismiss();     ///< Removes a message of any kind.
  void clear();       ///< Removes the message if it is an error or a note.
  void clearError();  ///< Removes the message if it is an error.
  /// Removes the message with this id. Does nothing if another message has replaced it.
  void withdraw(Id notice);

 signals:
  void changed();
  /// Emitted for each displayed error, so that automated runs can detect errors.
  void errorShown(const spira::Error& error);

 private:
  std::optional<Notice> shown_;
  Id last_ = 0;
};

}  // namespace spira::ui
