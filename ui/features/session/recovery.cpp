#include "ui/features/session/recovery.hpp"

#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/session/closing.hpp"
#include "ui/features/session/sessions.hpp"
#include "ui/model/notices.hpp"
#include "ui/model/workspace.hpp"
#include "ui/settings/settings.hpp"
#include "ui/theme/screen_number.hpp"

#include <QDialogButtonBox>
#include <QDir>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QLockFile>
#include <QMainWindow>
#include <QPushButton>
#include <QTreeWidget>
#include <QUuid>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace spira::ui {
namespace {

constexpr const char* ending = ".spirasession";

/// Returns true if a running window holds the lock of this copy. Removes the lock of a program that has
/// ended.
bool is_held(const QString& session) {
  QLockFile lock(session + ".lock");
  lock.setStaleLockTime(0);  // Ignores the age of the lock and checks only whether its process is running.
  return !lock.tryLock(0);
}

}  // namespace

Recovery::Recovery(const QString& state_folder, std::function<std::string()> snapshot, QObject* parent)
    : QObject(parent), snapshot_(std::move(snapshot)) {
  connect(&timer_, &QTimer::timeout, this, &Recovery::write);
  if (state_folder.isEmpty()) return;
  folder_ = state_folder + "/recovery";
  name_ = QUuid::createUuid().toString(QUuid::WithoutBraces);
  if (!QDir().mkpath(folder_)) return;
  const QDir folder(folder_);
  for (const QFileInfo& file : folder.entryInfoList({QString("*") + ending}, QDir::Files, QDir::Time)) {
    if (!is_held(file.filePath())) found_.push_back({file.filePath(), file.lastModified()});
  }
  lock_ = std::make_unique<QLockFile>(own() + ".lock");
  lock_->setStaleLockTime(0);
  if (!lock_->tryLock(0)) lock_.reset();
}

Recovery::~Recovery() = default;

QString Recovery::own() const {
  return folder_ + "/" + name_ + ending;
}

void Recovery::discard(const QString& file) {
  const QString name = file;  // Copy the name, because `file` may refer to the entry that is erased.
  if (std::erase_if(found_, [&](const Found& one) { return one.file == name; }) > 0) QFile::remove(name);
}

void Recovery::set(bool on, int seconds) {
  constexpr int ms = 1000;
  timer_.setInterval(seconds * ms);
  if (on && lock_) {
    timer_.start();
  } else {
    timer_.stop();
    if (!folder_.isEmpty()) QFile::remove(own());
    written_.clear();
  }
}

/// Writes the copy if the session has changed. If writing fails, the next timer event tries again, because
/// the disk may have space by then.
bool Recovery::write() {
  const std::string now = snapshot_();
  if (!lock_ || now.empty()) return false;
  if (now == written_) return true;
  try {
    write_file(own().toStdString(), now);
    written_ = now;
  } catch (const Error&) {
    written_.clear();
  }
  return !written_.empty();
}

void Recovery::close() {
  timer_.stop();
  if (folder_.isEmpty()) return;
  QFile::remove(own());
  lock_.reset();
}

CrashRecovery::CrashRecovery(const FeatureContext& context, Sessions& sessions, UnsavedResults& unsaved,
                             const QString& state_folder)
    : QObject(&context.window),
      context_(context),
      sessions_(sessions),
      unsaved_(unsaved),
      recovery_(state_folder, [&sessions] { return sessions.text(); }) {
  context.commands.bind(
      "file.recover", [this] { showDialog(); },
      [this] { return recovery_.found().empty() ? tr("there is nothing to restore") : QString(); });
  const auto follow = [this] {
    recovery_.set(context_.settings.truth("recovery.on"), context_.settings.whole("recovery.seconds"));
  };
  connect(&context.settings, &Settings::changed, this, follow);
  follow();
}

std::vector<RecoveryRow> CrashRecovery::rows() const {
  std::vector<RecoveryRow> rows;
  for (const Recovery::Found& found : recovery_.found()) {
    RecoveryRow row{found.file, {}, QLocale().toString(found.written, QLocale::ShortFormat), {}};
    try {
      const SessionState session = read_session(found.file.toStdString());
      row.scene = QFileInfo(QString::fromStdString(session.open.front())).fileName();
    } catch (...) {
      row.fault = QString::fromStdString(current_error().what());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void CrashRecovery::offer() {
  const std::vector<RecoveryRow> all = rows();
  if (all.empty()) return;
  for (const RecoveryRow& row : all) {
    if (!row.fault.isEmpty()) context_.workspace.addLog(tr("recovery: %1").arg(row.fault));
  }
  const auto sound =
      std::count_if(all.begin(), all.end(), [](const RecoveryRow& row) { return row.fault.isEmpty(); });
  const RecoveryRow& newest = all.front();
  const std::vector<NoticeAction> one{
      {tr("Restore"), [this, file = newest.file] { restore(file); }},
      {tr("Discard"), [this, file = newest.file] { recovery_.discard(file); }}};
  const std::vector<NoticeAction> list{
      {sound > 0 ? tr("Restore...") : tr("Show..."), [this] { context_.commands.trigger("file.recover"); }}};
  const bool single = all.size() == 1 && sound == 1;
  const QString text =
      single ? tr("%1 was open at %2. It can be restored with its settings, colours and camera.")
                   .arg(newest.scene, newest.written)
      : sound > 0
          ? counted(
                sound,
                tr("1 scene was open in a window that did not shut down properly. It can be restored."),
                tr("%1 scenes were open in windows that did not shut down properly. Each can be restored."))
          : tr("The recovery copy of the scene is damaged and cannot be restored.");
  context_.notices.show(
      {Notice::Kind::question, tr("SpiraScope did not shut down properly"), text, single ? one : list, true});
}

void CrashRecovery::showDialog() {
  RecoveryDialog dialog(rows(), &context_.window);
  connect(&dialog, &RecoveryDialog::discardRequested, this, [this](const QString& file) {
    recovery_.discard(file);
    context_.commands.refreshSoon();
  });
  if (dialog.exec() == QDialog::Accepted) restore(dialog.chosen());
}

/// Restores a recovery copy. The copy is deleted only after this window has written its own recovery copy, so
/// that a second crash does not lose the session.
void CrashRecovery::restore(const QString& file) {
  if (!unsaved_.mayClose(UnsavedResults::Closing::scene, tr("Open another scene?"))) return;
  try {
    sessions_.arrive(read_session(file.toStdString()), {}, [this, file] {
      if (recovery_.write()) recovery_.discard(file);
    });
  } catch (const Error& error) {
    emit failed(error);
  }
}

namespace {

constexpr int file_role = Qt::UserRole, fault_role = Qt::UserRole + 1;

}  // namespace

RecoveryDialog::RecoveryDialog(const std::vector<RecoveryRow>& rows, QWidget* parent)
    : QDialog(parent), list_(new QTreeWidget(this)), fault_(new QLabel(this)) {
  setWindowTitle(tr("Restore after a crash"));
  resize(560, 340);
  auto* layout = new QVBoxLayout(this);
  auto* heading = new QLabel(tr("These scenes were open in windows that did not shut down properly. Each "
                                "recovery copy is kept until you restore or discard it."),
                             this);
  heading->setWordWrap(true);
  layout->addWidget(heading);
  layout->addWidget(list_, 1);
  layout->addWidget(fault_);
  fault_->setWordWrap(true);
  list_->setObjectName("copies");
  list_->setAccessibleName(tr("Recovery copies"));
  list_->setHeaderLabels({tr("Scene"), tr("Last saved")});
  list_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  list_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  list_->header()->setStretchLastSection(false);
  list_->setRootIsDecorated(false);
  for (const RecoveryRow& row : rows) {
    auto* item =
        new QTreeWidgetItem(list_, {row.fault.isEmpty() ? row.scene : tr("Damaged copy"), row.written});
    item->setData(0, file_role, row.file);
    item->setData(0, fault_role, row.fault);
    item->setToolTip(0, row.file);
  }
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  restore_ = buttons->addButton(tr("Restore"), QDialogButtonBox::AcceptRole);
  discard_ = buttons->addButton(tr("Discard"), QDialogButtonBox::DestructiveRole);
  restore_->setObjectName("restore");
  discard_->setObjectName("discard");
  restore_->setDefault(true);
  layout->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(discard_, &QPushButton::clicked, this, &RecoveryDialog::discard);
  connect(list_, &QTreeWidget::currentItemChanged, this, &RecoveryDialog::follow);
  list_->setCurrentItem(list_->topLevelItem(0));
  follow();
  list_->setFocus();
}

QString RecoveryDialog::chosen() const {
  const QTreeWidgetItem* item = list_->currentItem();
  return item != nullptr ? item->data(0, file_role).toString() : QString();
}

void RecoveryDialog::follow() {
  const QTreeWidgetItem* item = list_->currentItem();
  const QString fault = item != nullptr ? item->data(0, fault_role).toString() : QString();
  restore_->setEnabled(item != nullptr && fault.isEmpty());
  discard_->setEnabled(item != nullptr);
  fault_->setText(fault);
}

void RecoveryDialog::discard() {
  emit discardRequested(chosen());
  const std::unique_ptr<QTreeWidgetItem> removed(
      list_->takeTopLevelItem(list_->indexOfTopLevelItem(list_->currentItem())));
  if (list_->topLevelItemCount() == 0) reject();
}

}  // namespace spira::ui
