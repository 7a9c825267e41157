// How a file begins that could not be read: as bytes, as text and as float32, which is what most binary scans
// hold.
#pragma once

#include <QByteArray>
#include <QDialog>

namespace spira::ui {

/// A line for each 16 bytes: offset, bytes, letters, four numbers.
[[nodiscard]] QString bytes_text(const QByteArray& bytes);

class FirstBytesDialog : public QDialog {
  Q_OBJECT
 public:
  FirstBytesDialog(const QString& file, QWidget* parent);
};

}  // namespace spira::ui
