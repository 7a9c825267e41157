#include "ui/features/export/screenshot_dialog.hpp"

#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "ui/features/export/exports.hpp"
#include "ui/jobs/file_writer.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/main_window.hpp"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStandardPaths>
#include <QVBoxLayout>

namespace spira::ui {

ScreenshotDialog::ScreenshotDialog(MainWindow* window, const ScreenPicture& how)
    : QDialog(window),
      window_(window),
      what_(new QComboBox(this)),
      scale_(new QComboBox(this)),
      transparent_(new QCheckBox(tr("Transparent background"), this)),
      state_(new QCheckBox(tr("Include session"), this)),
      size_(new QLabel(this)) {
  setWindowTitle(tr("Save screenshot"));
  what_->addItem(tr("The window"), false);
  what_->addItem(tr("The 3D view only"), true);
  const bool has_view = window->workspace().voxels() != nullptr;
  what_->setEnabled(has_view);
  if (!has_view) what_->setToolTip(tr("Open a scene to save the 3D view"));
  what_->setCurrentIndex(has_view && how.view_only ? 1 : 0);
  for (const int scale : {1, 2, 4})
    scale_->addItem(tr("%1\u00d7").arg(scale), scale);
  scale_->setCurrentIndex(scale_->findData(how.scale));
  transparent_->setChecked(how.transparent);
  auto* form = new QFormLayout;
  form->addRow(tr("Picture of"), what_);
  form->addRow(tr("Pixels"), scale_);
  form->addRow(QString(), transparent_);
  state_->setObjectName("withState");
  state_->setChecked(how.state);
  state_->setToolTip(tr("The picture can be opened as a session. It contains the path of the scene."));
  form->addRow(QString(), state_);
  form->addRow(tr("Size"), size_);
  auto* copy = new QPushButton(tr("Copy"), this);
  auto* save = new QPushButton(tr("Save..."), this);
  auto* close = new QPushButton(tr("Close"), this);
  save->setDefault(true);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  for (QPushButton* button : {copy, save, close})
    buttons->addWidget(button);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(form);
  layout->addLayout(buttons);
  connect(copy, &QPushButton::clicked, this, &ScreenshotDialog::copyRequested);
  connect(save, &QPushButton::clicked, this, &ScreenshotDialog::saveRequested);
  connect(close, &QPushButton::clicked, this, &QDialog::reject);
  connect(what_, &QComboBox::currentIndexChanged, this, &ScreenshotDialog::follow);
  connect(scale_, &QComboBox::currentIndexChanged, this, &ScreenshotDialog::follow);
  follow();
}

ScreenPicture ScreenshotDialog::request() const {
  ScreenPicture how;
  how.view_only = what_->currentData().toBool();
  how.transparent = how.view_only && transparent_->isChecked();
  how.scale = scale_->currentData().toInt();
  how.state = state_->isChecked();
  return how;
}

void ScreenshotDialog::follow() {
  const ScreenPicture how = request();
  transparent_->setEnabled(how.view_only);
  transparent_->setToolTip(how.view_only ? QString()
                                         : tr("Only the 3D view can have a transparent background"));
  const QSize size = (how.view_only ? window_->sceneView().canvas()->size() : window_->size()) * how.scale;
  size_->setText(tr("%1 \u00d7 %2 pixels").arg(size.width()).arg(size.height()));
}

Screenshots::Screenshots(MainWindow* window) : QObject(window), window_(window) {
  window_->commands().bind("file.screenshot", [this] { ask(); });
  window_->commands().bind("file.copy_screenshot", [this] { copy(last_); });
}

std::function<std::string()> Screenshots::painted(const ScreenPicture& how, const QString& file) {
  auto bytes = painted_screen(*window_, how, QFileInfo(file).absolutePath().toStdString());
  if (!bytes) throw Error(ErrorKind::usage, "there is no 3D view to take a picture of; open a scene first");
  last_ = how;
  return bytes;
}

void Screenshots::save(const ScreenPicture& how, const QString& file) {
  write_file(file.toStdString(), painted(how, file)());
}

void Screenshots::copy(const ScreenPicture& how) {
  ScreenPicture wanted = how;
  wanted.view_only = how.view_only && window_->workspace().voxels();
  const QImage image = screen_picture(*window_, wanted);
  QApplication::clipboard()->setImage(image);
  last_ = how;
  window_->workspace().addLog(
      tr("screenshot copied: %1 \u00d7 %2 pixels").arg(image.width()).arg(image.height()));
}

/// Returns the first name, such as "scan_3.png" in the pictures folder of the user, that does not exist yet.
QString Screenshots::fileName() const {
  QString name = "spirascope";
  if (const auto& scene = window_->workspace().sceneFacts())
    name = QFileInfo(QString::fromStdString(scene->name)).completeBaseName();
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation);
  for (int number = 1;; ++number) {
    QString file = QString("%1/%2_%3.png").arg(folder, name).arg(number);
    if (!QFileInfo::exists(file)) return file;
  }
}

void Screenshots::ask() {
  ScreenshotDialog dialog(window_, last_);
  connect(&dialog, &ScreenshotDialog::copyRequested, this, [this, &dialog] {
    copy(dialog.request());
    dialog.accept();
  });
  connect(&dialog, &ScreenshotDialog::saveRequested, this, [this, &dialog] {
    const QString file =
        window_->fileDialogs().saveFile(&dialog, tr("Save screenshot"), fileName(), tr("Pictures (*.png)"));
    if (file.isEmpty()) return;
    try {
      window_->exports().files().write(file, painted(dialog.request(), file));
      dialog.accept();
    } catch (const Error& error) {
      dialog.reject();
      window_->notices().showError(error);
    }
  });
  dialog.exec();
}

}  // namespace spira::ui
