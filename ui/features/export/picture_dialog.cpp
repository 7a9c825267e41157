#include "ui/features/export/picture_dialog.hpp"

#include "ui/theme/screen_number.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace spira::ui {

PictureFacts picture_facts(const Chart& chart, const OpenRun& run) {
  const ChartText text = chart.text();
  PictureFacts facts;
  facts.caption = QStringList{caption_of(text)} + run.caption();
  facts.tags = {{"Title", text.title}, {"Unit", text.unit}, {"Statistic", text.statistic}};
  if (!text.samples.isEmpty()) facts.tags.emplace_back("Samples", text.samples);
  for (const auto& tag : run.tags())
    facts.tags.push_back(tag);
  return facts;
}

PictureDialog::PictureDialog(std::vector<const Chart*> charts, const Chart* chosen, const OpenRun* run,
                             QWidget* parent)
    : QDialog(parent),
      charts_(std::move(charts)),
      run_(run),
      chart_(new QComboBox(this)),
      format_(new QComboBox(this)),
      width_(new QComboBox(this)),
      scale_(new QComboBox(this)),
      caption_(new QCheckBox(tr("Caption with unit, statistic, device and date"), this)),
      preview_(new QLabel(this)),
      size_(new QLabel(this)) {
  setWindowTitle(tr("Export chart"));
  for (const Chart* one : charts_)
    chart_->addItem(one->text().title);
  chart_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  const auto at = std::find(charts_.begin(), charts_.end(), chosen);
  if (at != charts_.end()) chart_->setCurrentIndex(static_cast<int>(at - charts_.begin()));
  format_->addItem(tr("PNG (pixels)"), static_cast<int>(PictureFormat::png));
  format_->addItem(tr("SVG (editable text)"), static_cast<int>(PictureFormat::svg));
  format_->addItem(tr("PDF (embedded fonts)"), static_cast<int>(PictureFormat::pdf));
  width_->addItem(tr("One column (3.25 in)"), one_column_in);
  width_->addItem(tr("Two columns (6.75 in)"), two_columns_in);
  for (const int scale : {1, 2, 4})
    scale_->addItem(tr("%1\u00d7 (%2 dpi)").arg(scale).arg(scale * units_per_inch), scale);
  caption_->setChecked(true);
  auto* form = new QFormLayout;
  form->addRow(tr("Chart"), chart_);
  form->addRow(tr("Format"), format_);
  form->addRow(tr("Width"), width_);
  form->addRow(tr("Pixels"), scale_);
  form->addRow(QString(), caption_);
  preview_->setAlignment(Qt::AlignCenter);
  preview_->setMinimumSize(480, 320);
  preview_->setAccessibleName(tr("Preview"));
  preview_->setFrameShape(QFrame::StyledPanel);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(size_, 1);
  auto* copy = new QPushButton(tr("Copy"), this);
  auto* save = new QPushButton(tr("Save..."), this);
  auto* close = new QPushButton(tr("Close"), this);
  save->setDefault(true);
  for (QPushButton* button : {copy, save, close})
    buttons->addWidget(button);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(form);
  layout->addWidget(preview_, 1);
  layout->addLayout(buttons);
  connect(copy, &QPushButton::clicked, this, &PictureDialog::copyRequested);
  connect(save, &QPushButton::clicked, this, &PictureDialog::saveRequested);
  connect(close, &QPushButton::clicked, this, &QDialog::reject);
  for (QComboBox* box : {chart_, format_, width_, scale_})
    connect(box, &QComboBox::currentIndexChanged, this, &PictureDialog::follow);
  connect(caption_, &QCheckBox::toggled, this, &PictureDialog::follow);
  resize(640, 620);
  setRequest({});
}

const Chart& PictureDialog::chart() const {
  return *charts_.at(static_cast<std::size_t>(std::max(0, chart_->currentIndex())));
}

PictureRequest PictureDialog::request() const {
  PictureRequest how;
  how.format = static_cast<PictureFormat>(format_->currentData().toInt());
  how.width_in = width_->currentData().toDouble();
  how.scale = scale_->currentData().toInt();
  how.caption = caption_->isChecked();
  return how;
}

void PictureDialog::setRequest(const PictureRequest& request) {
  format_->setCurrentIndex(format_->findData(static_cast<int>(request.format)));
  width_->setCurrentIndex(request.width_in == one_column_in ? 0 : 1);
  scale_->setCurrentIndex(scale_->findData(request.scale));
  caption_->setChecked(request.caption);
  follow();
}

void PictureDialog::follow() {
  PictureRequest how = request();
  const bool pixels = how.format == PictureFormat::png;
  scale_->setEnabled(pixels);
  scale_->setToolTip(pixels ? QString()
                            : tr("SVG and PDF files have no pixels; they are sharp at every size"));
  how.scale = 2;
  image_ = chart_image(chart(), picture_facts(chart(), *run_), how);
  const QSize units = image_.size() / how.scale;
  size_->setText(pixels ? tr("%1 \u00d7 %2 pixels")
                              .arg(units.width() * request().scale)
                              .arg(units.height() * request().scale)
                        : tr("%1 \u00d7 %2 in")
                              .arg(onScreen(units.width() / double(units_per_inch), 'f', 2))
                              .arg(onScreen(units.height() / double(units_per_inch), 'f', 2)));
  showPreview();
}

void PictureDialog::showPreview() {
  const QSize room = preview_->contentsRect().size() * devicePixelRatioF();
  if (image_.isNull() || room.isEmpty()) return;
  const QSize fits = image_.size().scaled(room, Qt::KeepAspectRatio).boundedTo(image_.size());
  QPixmap shown = QPixmap::fromImage(image_.scaled(fits, Qt::KeepAspectRatio, Qt::SmoothTransformation));
  shown.setDevicePixelRatio(devicePixelRatioF());
  preview_->setPixmap(shown);
}

void PictureDialog::resizeEvent(QResizeEvent* event) {
  QDialog::resizeEvent(event);
  showPreview();
}

}  // namespace spira::ui
