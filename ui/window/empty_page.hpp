// What the centre shows while nothing is open: how to open something, recent files, three built-in scenes.
#pragma once

#include <QStringList>
#include <QWidget>

class QVBoxLayout;

namespace spira::ui {

class EmptyPage : public QWidget {
  Q_OBJECT
 public:
  explicit EmptyPage(QWidget* parent = nullptr);
  void setRecent(const QStringList& files);

 signals:
  void openRequested(const QString& scene);
  void dialogRequested();

 private:
  QVBoxLayout* recent_;
};

}  // namespace spira::ui
