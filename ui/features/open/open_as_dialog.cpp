#include "ui/features/open/open_as_dialog.hpp"

#include "engine/base/text.hpp"
#include "engine/scene/readings.hpp"
#include "engine/scene/rows/row_layout.hpp"
#include "ui/theme/screen_number.hpp"

#include <QDialogButtonBox>
#include <QFile>
#include <QFileInfo>
#include <QFontDatabase>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTimer>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <QtEndian>

#include <algorithm>
#include <string>
#include <vector>

namespace spira::ui {
namespace {

constexpr int id_role = Qt::UserRole;
constexpr std::size_t shown_points = 3;

QString text_of(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// Returns a text with the values of one point, such as "12.31  -4.2  0.55  |  0.31".
QString point_text(const PointCloud& cloud, std::size_t at) {
  QStringList numbers;
  for (const double value : cloud.positions[at])
    numbers += onScreen(value, 'g', 5);
  QString text = numbers.join("  ");
  if (at < cloud.intensity.size())
    text += "  |  " + onScreen(static_cast<double>(cloud.intensity[at]), 'g', 4);
  if (at < cloud.colour.size()) {
    const Colour& rgb = cloud.colour[at];
    text += QString("  |  %1 %2 %3").arg(rgb[0]).arg(rgb[1]).arg(rgb[2]);
  }
  return text;
}

void guess_formats(const std::string& path, Job& job, const Send<std::vector<Reading>>& send) {
  send(readings_of(path, job));
}

struct RowsArgs {
  std::string path, description;
};

void read_first_rows(const RowsArgs& args, Job& job, const Send<PointCloud>& send) {
  send(first_rows(args.path, args.description, job));
}

}  // namespace

OpenAsDialog::OpenAsDialog(Tasks& tasks, const QString& file, QWidget* parent)
    : QDialog(parent),
      file_(file),
      word_(new QLabel(this)),
      list_(new QTreeWidget(this)),
      guessing_(tasks),
      previewing_(tasks) {
  setWindowTitle(tr("Open as"));
  resize(860, 460);
  auto* layout = new QVBoxLayout(this);
  auto* heading = new QLabel(tr("Read %1 as").arg(QFileInfo(file).fileName()), this);
  layout->addWidget(heading);
  layout->addWidget(list_, 1);
  layout->addWidget(word_);
  word_->setWordWrap(true);
  addDescription();
  list_->setObjectName("readings");
  list_->setAccessibleName(tr("Formats, and the first points read with each format"));
  list_->setHeaderLabels({tr("Format"), tr("Confidence"), tr("First points: x y z | values")});
  list_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  list_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  list_->setRootIsDecorated(false);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, this);
  open_ = buttons->button(QDialogButtonBox::Open);
  open_->setEnabled(false);
  layout->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(list_, &QTreeWidget::itemActivated, this, &QDialog::accept);
  connect(list_, &QTreeWidget::currentItemChanged, this, [this](const QTreeWidgetItem* now) {
    open_->setEnabled(now != nullptr);
    if (now != nullptr) word_->setText(now->toolTip(1));
  });
  connect(&guessing_, &TaskSlot::failed, this,
          [this](const Error& error) { word_->setText(QString::fromStdString(error.what())); });
  word_->setText(tr("Reading the file..."));
  guessing_.start({}, guess_formats, file.toStdString(),
                  [this](const std::vector<Reading>& readings) { fill(readings); });
}

void OpenAsDialog::addDescription() {
  auto* form = new QFormLayout;
  rows_ = new QLineEdit(this);
  rows_->setObjectName("row_description");
  rows_->setPlaceholderText("f32:x,y,z,intensity,-");
  rows_->setClearButtonEnabled(true);
  rows_->setToolTip(tr("Type and columns of each row, for a file without a header. Types: %1. A hyphen skips "
                       "a column. Options: :planar, :big, :skip=BYTES")
                        .arg(QString::fromStdString(scalar_names(' '))));
  form->addRow(tr("&Row layout (no header)"), rows_);
  preview_ = new QLabel(this);
  preview_->setObjectName("row_preview");
  preview_->setWordWrap(true);
  form->addRow(tr("First points"), preview_);
  static_cast<QVBoxLayout*>(layout())->addLayout(form);
  auto* pause = new QTimer(this);
  pause->setSingleShot(true);
  constexpr int pause_ms = 150;
  pause->setInterval(pause_ms);
  connect(rows_, &QLineEdit::textChanged, this, [this, pause] {
    list_->setEnabled(rows_->text().isEmpty());
    open_->setEnabled(rows_->text().isEmpty() && list_->currentItem() != nullptr);
    preview_->clear();
    pause->start();
  });
  connect(pause, &QTimer::timeout, this, &OpenAsDialog::previewRows);
  connect(&previewing_, &TaskSlot::failed, this, [this](const Error& error) {
    if (!rows_->text().isEmpty()) preview_->setText(QString::fromStdString(error.what()));
  });
}

void OpenAsDialog::previewRows() {
  const QString description = rows_->text().trimmed();
  if (description.isEmpty()) return;
  previewing_.start({}, read_first_rows, {file_.toStdString(), description.toStdString()},
                    [this, description](const PointCloud& cloud) {
                      if (rows_->text().trimmed() != description) return;
                      QStringList points;
                      for (std::size_t at = 0; at < std::min(shown_points, cloud.positions.size()); ++at)
                        points += point_text(cloud, at);
                      preview_->setText(points.join("\n"));
                      open_->setEnabled(true);
                    });
}

QString OpenAsDialog::format() const {
  if (!rows_->text().trimmed().isEmpty()) return "rows:" + rows_->text().trimmed();
  const QTreeWidgetItem* item = list_->currentItem();
  return item != nullptr ? item->data(0, id_role).toString() : QString();
}

/// Adds one row per format. The user can select any format, even if the file does not seem to have this
/// format.
void OpenAsDialog::fill(const std::vector<Reading>& readings) {
  constexpr double min_confidence = 0.1;  // Minimum confidence for opening a file without an explicit format.
  for (const Reading& reading : readings) {
    const bool best = &reading == &readings.front() && reading.confidence >= min_confidence;
    QString guess = reading.confidence > 0 ? tr("%1 %").arg(onScreen(100 * reading.confidence, 'f', 0))
                                           : tr("not detected");
    if (best) guess = tr("%1 (best match)").arg(guess);
    QStringList points;
    for (std::size_t at = 0; at < std::min(shown_points, reading.first.positions.size()); ++at)
      points += point_text(reading.first, at);
    if (points.isEmpty()) points += reading.confidence > 0 ? tr("detected by the file header") : QString();
    QString id = text_of(reading.format->id), label = text_of(reading.format->label);
    if (!reading.detail.empty()) {
      const QString detail = QString::fromStdString(reading.detail);
      id += ":" + detail;
      label = tr("%1: array %2").arg(label, detail);
    }
    auto* row = new QTreeWidgetItem(list_, {label, guess, points.join("\n")});
    row->setData(0, id_role, id);
    const QString why = QString::fromStdString(reading.why);
    for (const int column : {0, 1, 2})
      row->setToolTip(column, why.isEmpty() ? tr("the file does not look like this format") : why);
  }
  list_->setCurrentItem(list_->topLevelItem(0));
  list_->setFocus();
}

namespace {

constexpr qsizetype row_bytes = 16, float_bytes = 4;
constexpr qint64 shown_bytes = 512;

QString letters(const QByteArray& row) {
  QString text;
  for (const char byte : row)
    text += byte >= ' ' && byte <= '~' ? QLatin1Char(byte) : QLatin1Char('.');
  return text;
}

QString floats(const QByteArray& row) {
  QString text;
  for (qsizetype at = 0; at + float_bytes <= row.size(); at += float_bytes)
    text += QString::number(qFromLittleEndian<float>(row.constData() + at), 'g', 5).rightJustified(13);
  return text;
}

}  // namespace

QString bytes_text(const QByteArray& bytes) {
  QString text;
  for (qsizetype at = 0; at < bytes.size(); at += row_bytes) {
    const QByteArray row = bytes.mid(at, row_bytes);
    text += QString("%1  %2  %3 %4\n")
                .arg(at, 6)
                .arg(QString::fromLatin1(row.toHex(' ')), -3 * row_bytes)
                .arg(letters(row), -row_bytes)
                .arg(floats(row));
  }
  return text;
}

FirstBytesDialog::FirstBytesDialog(const QString& file, QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("First bytes of %1").arg(QFileInfo(file).fileName()));
  QFile source(file);
  const QByteArray bytes = source.open(QIODevice::ReadOnly) ? source.read(shown_bytes) : QByteArray();
  auto* layout = new QVBoxLayout(this);
  auto* facts = new QLabel(
      source.isOpen()
          ? tr("%1 bytes in total. Each row shows 16 bytes: offset, bytes, text, four float32 values.")
                .arg(onScreen(count_text(source.size())))
          : tr("Cannot open the file: %1").arg(source.errorString()),
      this);
  facts->setWordWrap(true);
  auto* text = new QPlainTextEdit(bytes_text(bytes), this);
  text->setReadOnly(true);
  text->setLineWrapMode(QPlainTextEdit::NoWrap);
  text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  text->setAccessibleName(tr("First bytes"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout->addWidget(facts);
  layout->addWidget(text, 1);
  layout->addWidget(buttons);
  constexpr int letters_wide = 132, rows_high = 22;
  const QFontMetrics metrics(text->font());
  resize((metrics.horizontalAdvance('0') * letters_wide) + 40, (metrics.lineSpacing() * rows_high) + 100);
}

}  // namespace spira::ui
