// The start page, which is shown while nothing is open: ways to open a file, recent files, three built-in
// scenes, recorded runs.
#pragma once

#include "ui/settings/recent_files.hpp"

#include <QStringList>
#include <QWidget>

#include <vector>

class QBoxLayout;
class QPushButton;
class QSpacerItem;
class QVBoxLayout;

namespace spira::ui {

class EmptyPage : public QWidget {
  Q_OBJECT
 public:
  explicit EmptyPage(QWidget* parent = nullptr);
  void setRecent(const std::vector<RecentFile>& files);  ///< Shows the first six; missing files are grey.
  /// Shows a button for each report, in a table. A row is a machine and a network, a column is a scene. The
  /// names come from file names such as "h200-minkunet42-street.spira.json".
  void setReports(const QStringList& files);

 signals:
  void openRequested(const QString& scene);
  void dialogRequested();
  void lessonsRequested();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct CardText {
    QPushButton* button;
    QString name, what, size;
  };
  void addWaysToOpen();
  void addCards();
  void addGap();

  QVBoxLayout *outer_ = nullptr, *reports_ = nullptr, *recent_ = nullptr;
  QBoxLayout *cards_ = nullptr, *below_ = nullptr;
  std::vector<CardText> texts_;
  std::vector<QSpacerItem*> gaps_;  // Spacers between the groups.
};

}  // namespace spira::ui
