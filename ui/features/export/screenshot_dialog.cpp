#include "ui/features/export/screenshot_dialog.hpp"

#include "engine/base/error.hpp"
#include "engine/base/file.hpp"
#include "ui/charts/chart.hpp"
#include "ui/commands/command_set.hpp"
#include "ui/features/file_dialogs.hpp"
#include "ui/jobs/file_jobs.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/model/notices.hpp"
#include "ui/model/workspace.hpp"
#include "ui/theme/busy_cursor.hpp"
#include "ui/view3d/scene_view.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QMainWindow>
#include <QPainter>
#include <QPushButton>
#include <QStandardPaths>
#include <QVBoxLayout>

#include <utility>

namespace spira::ui {

ScreenshotDialog::ScreenshotDialog(QWidget* window, const QWidget* view, const ScreenPicture& how)
    : QDialog(window),
      window_(window),
      view_(view),
      what_(new QComboBox(this)),
      scale_(new QComboBox(this)),
      transparent_(new QCheckBox(tr("Transparent background"), this)),
      state_(new QCheckBox(tr("Include session"), this)),
      size_(new QLabel(this)) {
  setWindowTitle(tr("Save screenshot"));
  what_->addItem(tr("The window"), false);
  what_->addItem(tr("The 3D view only"), true);
  const bool has_view = view != nullptr;
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
  state_->setToolTip(
      tr("The picture can then be opened as a session. It contains the path of the scene file."));
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
  const QSize size = (how.view_only ? view_ : window_)->size() * how.scale;
  size_->setText(tr("%1 \u00d7 %2 pixels").arg(size.width()).arg(size.height()));
}

Screenshots::Screenshots(const FeatureContext& context, Parts parts)
    : QObject(&context.window), context_(context), parts_(std::move(parts)) {
  context_.commands.bind("file.screenshot", [this] { ask(); });
  context_.commands.bind("file.copy_screenshot", [this] { copy(last_); });
}

std::function<std::string()> Screenshots::painted(const ScreenPicture& how, const QString& file) {
  const bool has_view = context_.workspace.scene().voxels() != nullptr;
  PngTexts texts{{"Title", context_.window.windowTitle()}};
  if (has_view) texts.emplace_back("View", parts_.view.pictureText());
  for (const auto& tag : parts_.run.tags())
    texts.push_back(tag);
  const std::filesystem::path folder = QFileInfo(file).absolutePath().toStdString();
  std::function<std::string()> bytes;
  if (has_view || !how.view_only)
    bytes = painted_screen(context_.window, parts_.view, how, std::move(texts),
                           how.state ? parts_.session(folder) : std::string());
  if (!bytes) throw Error(ErrorKind::usage, "there is no 3D view to save; open a scene first");
  last_ = how;
  return bytes;
}

void Screenshots::save(const ScreenPicture& how, const QString& file) {
  write_file(file.toStdString(), painted(how, file)());
}

void Screenshots::copy(const ScreenPicture& how) {
  ScreenPicture wanted = how;
  wanted.view_only = how.view_only && context_.workspace.scene().voxels();
  const QImage image = screen_picture(context_.window, parts_.view, wanted);
  QApplication::clipboard()->setImage(image);
  last_ = how;
  context_.workspace.addLog(
      tr("screenshot copied: %1 \u00d7 %2 pixels").arg(image.width()).arg(image.height()));
}

/// Returns the first unused file name, such as "scan_3.png", in the pictures folder of the user.
QString Screenshots::fileName() const {
  QString name = "spirascope";
  if (const auto& scene = context_.workspace.scene().facts())
    name = QFileInfo(QString::fromStdString(scene->name)).completeBaseName();
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation);
  for (int number = 1;; ++number) {
    QString file = QString("%1/%2_%3.png").arg(folder, name).arg(number);
    if (!QFileInfo::exists(file)) return file;
  }
}

void Screenshots::ask() {
  const QWidget* view = context_.workspace.scene().voxels() ? parts_.view.canvas() : nullptr;
  ScreenshotDialog dialog(&context_.window, view, last_);
  connect(&dialog, &ScreenshotDialog::copyRequested, this, [this, &dialog] {
    copy(dialog.request());
    dialog.accept();
  });
  connect(&dialog, &ScreenshotDialog::saveRequested, this, [this, &dialog] {
    const QString file =
        context_.dialogs.saveFile(&dialog, tr("Save screenshot"), fileName(), tr("Pictures (*.png)"));
    if (file.isEmpty()) return;
    try {
      parts_.writer.write(file, painted(dialog.request(), file));
      dialog.accept();
    } catch (const Error& error) {
      dialog.reject();
      context_.notices.showError(error);
    }
  });
  dialog.exec();
}

namespace {

constexpr const char* state_key = "SpiraScope session";
// Maximum number of bytes that are read from a file. The text metadata is at the beginning of a PNG file.
constexpr qint64 max_bytes = 4 << 20;

/// Renders the 3D view again at `scale`, because the picture of the window contains the view only in screen
/// resolution.
void draw_view(QPainter& painter, const QWidget& window, SceneView& view, int scale) {
  QWidget* canvas = view.canvas();
  if (!canvas->isVisible()) return;
  const QRect place(canvas->mapTo(&window, QPoint(0, 0)), canvas->size());
  const QImage picture = view.picture(scale, false);
  if (!picture.isNull()) painter.drawImage(place, picture);
  for (QWidget* child : canvas->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
    const bool drawn = child->inherits("spira::ui::ViewOverlay");
    if (child->isVisible() && !drawn)
      child->render(&painter, child->mapTo(&window, QPoint(0, 0)), QRegion(), QWidget::DrawChildren);
  }
}

}  // namespace

QImage screen_picture(QWidget& window, SceneView& view, const ScreenPicture& how) {
  // The window cannot react while the picture is painted, because OpenGL and widgets can paint only on this
  // thread.
  const BusyCursor busy;
  if (how.view_only) return view.picture(how.scale, how.transparent);
  replot_charts(window, how.scale);
  // Finish all pending resizes first, because resizing one view can change the cameras of the other views.
  for (SceneView* one : window.findChildren<SceneView*>())
    one->followSize();
  QImage image(window.size() * how.scale, QImage::Format_RGB32);
  image.setDevicePixelRatio(how.scale);
  window.render(&image);
  QPainter painter(&image);
  draw_view(painter, window, view, how.scale);
  painter.end();
  replot_charts(window, window.devicePixelRatioF());
  image.setDevicePixelRatio(1);
  return image;
}

std::function<std::string()> painted_screen(QWidget& window, SceneView& view, const ScreenPicture& how,
                                            PngTexts texts, const std::string& session) {
  if (!session.empty()) texts.emplace_back(state_key, QString::fromStdString(session));
  const QImage image = screen_picture(window, view, how);
  if (image.isNull()) return nullptr;
  return [image, texts = std::move(texts)] { return png_with_text(image, texts).toStdString(); };
}

QString state_of_picture(const QString& file) {
  QFile picture(file);
  if (!file.endsWith(".png", Qt::CaseInsensitive) || !picture.open(QIODevice::ReadOnly)) return {};
  return text_of_png(picture.read(max_bytes), state_key);
}

}  // namespace spira::ui
