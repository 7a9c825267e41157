#include "ui/features/settings/settings_dialog.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace spira::ui {
namespace {

QString words_of(const char* text) {
  return QCoreApplication::translate("Setting", text);
}

}  // namespace

SettingsDialog::SettingsDialog(Settings* settings, QWidget* parent)
    : QDialog(parent),
      settings_(settings),
      words_(new QLineEdit(this)),
      none_(new QLabel(tr("No matching settings"), this)),
      scroll_(new QScrollArea(this)),
      reset_all_(new QPushButton(tr("Reset all"), this)) {
  setWindowTitle(tr("Settings"));
  resize(560, 470);
  words_->setPlaceholderText(tr("Search the settings"));
  words_->setAccessibleName(tr("Search"));
  words_->setClearButtonEnabled(true);
  auto* page = new QWidget;
  auto* grid = new QGridLayout(page);
  grid->setColumnStretch(0, 1);
  for (const SettingFacts& facts : setting_facts()) {
    if (*facts.group != '\0') addRow(*grid, facts);
  }
  grid->setRowStretch(grid->rowCount(), 1);
  scroll_->setWidget(page);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(words_);
  layout->addWidget(none_);
  layout->addWidget(scroll_, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  auto* keys = buttons->addButton(tr("Keyboard shortcuts..."), QDialogButtonBox::ActionRole);
  buttons->addButton(reset_all_, QDialogButtonBox::ResetRole);
  layout->addWidget(buttons);
  connect(keys, &QPushButton::clicked, this, &SettingsDialog::keysRequested);
  connect(reset_all_, &QPushButton::clicked, settings_, &Settings::resetAll);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(words_, &QLineEdit::textChanged, this, &SettingsDialog::find);
  connect(settings_, &Settings::changed, this, &SettingsDialog::follow);
  find({});
  follow();
}

void SettingsDialog::focusSetting(const QString& id) {
  for (const Row& row : rows_) {
    if (row.id != id) continue;
    row.editor->setFocus(Qt::ShortcutFocusReason);
    // The page has its size only after the dialog is shown.
    QMetaObject::invokeMethod(
        this, [this, editor = row.editor] { scroll_->ensureWidgetVisible(editor); }, Qt::QueuedConnection);
  }
}

QWidget* SettingsDialog::editorOf(const SettingFacts& facts, std::function<void()>& follow) {
  const QString id = QString::fromLatin1(facts.id);
  if (facts.kind == SettingKind::truth) {
    auto* box = new QCheckBox;
    connect(box, &QCheckBox::toggled, this, [this, id](bool on) { settings_->set(id, on); });
    follow = [this, id, box] { box->setChecked(settings_->truth(id)); };
    return box;
  }
  if (facts.kind == SettingKind::whole) {
    auto* box = new QSpinBox;
    box->setRange(facts.min, facts.max);
    box->setSuffix(QString::fromUtf8(facts.unit));
    box->setKeyboardTracking(false);
    if (box->maximum() <= 200) box->setSingleStep(5);
    connect(box, &QSpinBox::valueChanged, this, [this, id](int value) { settings_->set(id, value); });
    follow = [this, id, box] { box->setValue(settings_->whole(id)); };
    return box;
  }
  auto* box = new QComboBox;
  for (const SettingChoice& choice : facts.choices)
    box->addItem(words_of(choice.text), QString::fromLatin1(choice.value));
  connect(box, &QComboBox::activated, this,
          [this, id, box] { settings_->set(id, box->currentData().toString()); });
  follow = [this, id, box] { box->setCurrentIndex(box->findData(settings_->text(id))); };
  return box;
}

void SettingsDialog::addRow(QGridLayout& grid, const SettingFacts& facts) {
  const QString group = words_of(facts.group), title = words_of(facts.title), tip = words_of(facts.tip);
  if (rows_.empty() || rows_.back().group != group) {
    headings_.push_back(new QLabel(QString("<b>%1</b>").arg(group.toHtmlEscaped())));
    headings_.back()->setObjectName(group);
    grid.addWidget(headings_.back(), grid.rowCount(), 0, 1, 3);
  }
  Row row;
  row.id = QString::fromLatin1(facts.id);
  row.group = group;
  row.words = group + " " + title + " " + tip + " " + row.id;
  auto* label = new QLabel(QString("%1<br><span style='font-size: small'>%2</span>")
                               .arg(title.toHtmlEscaped(), tip.toHtmlEscaped()));
  label->setWordWrap(true);
  row.title = label;
  row.editor = editorOf(facts, row.follow);
  row.editor->setObjectName(row.id);
  row.editor->setAccessibleName(title);
  row.editor->setToolTip(tip);
  row.reset = new QToolButton;
  row.reset->setText(QStringLiteral("\u21ba"));
  row.reset->setAccessibleName(tr("Reset \"%1\"").arg(title));
  connect(row.reset, &QToolButton::clicked, this, [this, id = row.id] { settings_->reset(id); });
  const int at = grid.rowCount();
  grid.addWidget(row.title, at, 0);
  grid.addWidget(row.editor, at, 1);
  grid.addWidget(row.reset, at, 2);
  rows_.push_back(row);
}

void SettingsDialog::find(const QString& words) {
  const QStringList all = words.split(' ', Qt::SkipEmptyParts);
  QStringList groups;
  for (const Row& row : rows_) {
    const bool found = std::all_of(all.begin(), all.end(), [&](const QString& word) {
      return row.words.contains(word, Qt::CaseInsensitive);
    });
    if (found) groups.append(row.group);
    for (QWidget* part : std::initializer_list<QWidget*>{row.title, row.editor, row.reset})
      part->setVisible(found);
  }
  for (QLabel* heading : headings_)
    heading->setVisible(groups.contains(heading->objectName()));
  none_->setVisible(groups.isEmpty());
}

void SettingsDialog::follow() {
  bool any = false;
  for (const Row& row : rows_) {
    const QSignalBlocker quiet(row.editor);
    row.follow();
    const bool initial = settings_->isInitial(row.id);
    any = any || !initial;
    row.reset->setEnabled(!initial);
    row.reset->setToolTip(initial ? tr("Default value") : tr("Reset to default"));
  }
  reset_all_->setEnabled(any);
  reset_all_->setToolTip(any ? tr("Reset all settings to their defaults, except keyboard shortcuts")
                             : tr("All settings have their default values"));
}

}  // namespace spira::ui
