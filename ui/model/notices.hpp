// The message for the user: an error with suggested fixes, a note, or a question. A new message replaces the
// shown message.
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
  QString text;  ///< Text of the button.
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
  bool takes_focus = false;  ///< The first action gets the keyboard focus.
};

class Notices : public QObject {
  Q_OBJECT
 public:
  /// Identifies a message, to withdraw it later. 0 is no message.
  using Id = int;

  explicit Notices(QObject* parent = nullptr) : QObject(parent) {}

  /// If `title` is empty, uses the usual title for this kind of error.
  Id showError(const Error& error, std::vector<NoticeAction> actions = {}, const QString& title = {});
  Id showNote(const QString& title, const QString& message, std::vector<NoticeAction> actions = {});
  Id show(Notice notice);
  /// Returns the shown message; empty if there is none.
  [[nodiscard]] const std::optional<Notice>& shown() const noexcept { return shown_; }
  /// Removes the message and then runs one of its actions.
  void answer(std::size_t action);
  void dismiss();            ///< Removes any message.
  void clear();              ///< Removes an error or a note.
  void clearError();         ///< Removes an error.
  void withdraw(Id notice);  ///< Removes this message, unless another one has replaced it.

 signals:
  void changed();
  /// Emitted for each shown error, so that automated runs can detect it.
  void errorShown(const spira::Error& error);

 private:
  std::optional<Notice> shown_;
  Id last_ = 0;
};

}  // namespace spira::ui
