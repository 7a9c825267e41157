// A dialog that lists the recovery copies. The user can restore one copy or discard copies.
#pragma once

#include <QDialog>
#include <QString>

#include <vector>

class QLabel;
class QPushButton;
class QTreeWidget;

namespace spira::ui {

struct RecoveryRow {
  QString file;
  QString scene;    ///< Scene that was open. Empty if the copy is damaged.
  QString written;  ///< Date and time of the copy.
  QString fault;    ///< Reason why the copy cannot be restored. Empty if it can be restored.
};

class RecoveryDialog : public QDialog {
  Q_OBJECT
 public:
  explicit RecoveryDialog(const std::vector<RecoveryRow>& rows, QWidget* parent = nullptr);
  /// Returns the file of the selected copy. Empty if no row is selected.
  [[nodiscard]] QString chosen() const;

 signals:
  void discardRequested(const QString& file);

 private:
  void follow();
  void discard();

  QTreeWidget* list_;
  QLabel* fault_;
  QPushButton *restore_, *discard_;
};

}  // namespace spira::ui
