#include "ui/theme/line_icon.hpp"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

#include <utility>

namespace spira::ui {
namespace {

QByteArray svg_in_colour(QByteArray svg, const QColor& colour) {
  return svg.replace("#000", colour.name().toLatin1());
}

/// Returns a colour between the faint text colour and the line colour. An icon in this colour is visible but
/// looks disabled.
QColor disabled_colour(const Palette& palette) {
  const QColor &a = palette.faint_text, &b = palette.line;
  return {(a.red() + b.red()) / 2, (a.green() + b.green()) / 2, (a.blue() + b.blue()) / 2};
}

class LineIconEngine : public QIconEngine {
 public:
  LineIconEngine(QByteArray normal, QByteArray disabled)
      : normal_(std::move(normal)), disabled_(std::move(disabled)) {}

  void paint(QPainter* painter, const QRect& area, QIcon::Mode mode, QIcon::State /*state*/) override {
    QSvgRenderer(mode == QIcon::Disabled ? disabled_ : normal_).render(painter, area);
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    QPixmap picture(size);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    paint(&painter, picture.rect(), mode, state);
    return picture;
  }
  [[nodiscard]] QIconEngine* clone() const override { return new LineIconEngine(*this); }

 private:
  QByteArray normal_, disabled_;
};

}  // namespace

QIcon line_icon(const QString& name, const Palette& palette) {
  QFile file(QString(":/icons/line-%1.svg").arg(name));
  if (!file.open(QIODevice::ReadOnly)) return {};
  const QByteArray svg = file.readAll();
  return QIcon(
      new LineIconEngine(svg_in_colour(svg, palette.text), svg_in_colour(svg, disabled_colour(palette))));
}

}  // namespace spira::ui
