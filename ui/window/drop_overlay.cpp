#include "ui/window/drop_overlay.hpp"

#include "ui/theme/theme.hpp"

#include <QFileInfo>
#include <QPainter>

#include <algorithm>

namespace spira::ui {

DropOverlay::DropOverlay(Theme* theme, QWidget* window) : QWidget(window), theme_(theme) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  hide();
}

void DropOverlay::showFor(const QStringList& files) {
  const bool reports = std::all_of(files.begin(), files.end(), [](const QString& file) {
    return file.endsWith(".json", Qt::CaseInsensitive);
  });
  if (files.size() > 1 && reports) {
    text_ = tr("Drop to compare %Ln reports", nullptr, static_cast<int>(files.size()));
  } else if (files.size() > 1) {
    text_ = tr("Drop to open %Ln files as a sequence", nullptr, static_cast<int>(files.size()));
  } else {
    const QFileInfo file(files.value(0));
    text_ = file.isDir() ? tr("Drop to open the folder %1 as a sequence").arg(file.fileName())
                         : tr("Drop to open %1").arg(file.fileName());
  }
  setAccessibleName(text_);
  setGeometry(parentWidget()->rect());
  show();
  raise();
}

void DropOverlay::paintEvent(QPaintEvent*) {
  constexpr int margin = 24, corner = 12;
  const Palette& colours = theme_->palette();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QColor veil = colours.window;
  veil.setAlpha(215);
  painter.fillRect(rect(), veil);
  painter.setPen(QPen(colours.accent, 3, Qt::DashLine));
  const QRect frame = rect().adjusted(margin, margin, -margin, -margin);
  painter.drawRoundedRect(frame, corner, corner);
  QFont large = font();
  large.setPointSizeF(large.pointSizeF() * 1.6);
  painter.setFont(large);
  painter.setPen(colours.text);
  painter.drawText(frame.adjusted(margin, margin, -margin, -margin), Qt::AlignCenter | Qt::TextWordWrap,
                   text_);
}

}  // namespace spira::ui
