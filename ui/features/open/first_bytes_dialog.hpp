// A dialog that shows the first bytes of a file that could not be read, in hexadecimal, as text and as
// float32. Most binary scans contain float32.
#pragma once

#include <QByteArray>
#include <QDialog>

namespace spira::ui {

/// Returns one line for each 16 bytes: offset, hexadecimal bytes, characters, and four float32 numbers.
[[nodiscard]] QString bytes_text(const QByteArray& bytes);

class FirstBytesDialog : public QDialog {
  Q_OBJECT
 public:
  FirstBytesDialog(const QString& file, QWidget* parent);
};

}  // namespace spira::ui
