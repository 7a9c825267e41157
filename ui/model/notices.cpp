#include "ui/model/notices.hpp"

#include <utility>

namespace spira::ui {

Notices::Id Notices::show(Notice notice) {
  shown_ = std::move(notice);
  const Id id = ++last_;
  emit changed();
  return id;
}

Notices::Id Notices::showError(const Error& error, std::vector<NoticeAction> actions, const QString& title) {
  const auto usual = facts(error.kind()).title;
  const Id id =
      show({Notice::Kind::error,
            title.isEmpty() ? QString::fromUtf8(usual.data(), static_cast<qsizetype>(usual.size())) : title,
            QString::fromStdString(error.what()), std::move(actions)});
  emit errorShown(error);
  return id;
}

Notices::Id Notices::showNote(const QString& title, const QString& message,
                              std::vector<NoticeAction> actions) {
  return show({Notice::Kind::note, title, message, std::move(actions)});
}

void Notices::answer(std::size_t action) {
  const auto run = shown_->actions.at(action).run;
  dismiss();
  run();
}

void Notices::dismiss() {
  if (!shown_) return;
  shown_.reset();
  emit changed();
}

void Notices::clear() {
  if (shown_ && shown_->kind != Notice::Kind::question) dismiss();
}

void Notices::clearError() {
  if (shown_ && shown_->kind == Notice::Kind::error) dismiss();
}

void Notices::withdraw(Id notice) {
  if (notice == last_) dismiss();
}

}  // namespace spira::ui
