// The start page is shown while nothing is open. It offers to open a scan or a recent file, a built-in scene,
// a recorded run on a GPU, or a lesson.
#pragma once

#include "ui/features/feature_context.hpp"
#include "ui/settings/recent_files.hpp"

#include <QObject>
#include <QPointer>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <vector>

class QBoxLayout;
class QGridLayout;
class QLabel;
class QPushButton;
class QSpacerItem;
class QVBoxLayout;

namespace spira {
struct GeneratorFacts;
}

namespace spira::ui {

class RecordedPage;
class SceneView;
class SummaryPanel;

class EmptyPage : public QWidget {
  Q_OBJECT
 public:
  explicit EmptyPage(QWidget* parent = nullptr);
  /// Shows the first six files. Missing files are grey.
  void setRecent(const std::vector<RecentFile>& files);
  /// Shows a table with a button for each report. Each combination of a machine and a network has a row, and
  /// each scene has a column. The names come from the reports and from file names such as
  /// "h100-minkunet42-street.spira.json".
  void setReports(const QStringList& files);

 signals:
  void openRequested(const QString& scene);
  void dialogRequested();
  void lessonsRequested();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QVBoxLayout* addTile(QBoxLayout& to, const QString& heading, const QString& explanation,
                       bool has_room = false);
  void addTiles();
  [[nodiscard]] QPushButton* cardOf(const GeneratorFacts& facts);
  void addGap();
  void arrange();
  void fillRecent();

  QVBoxLayout *outer_ = nullptr, *reports_ = nullptr;
  QGridLayout* recent_ = nullptr;
  std::vector<RecentFile> files_;  // The recent files on the page.
  bool low_ = false;               // True if the page is so low that it must be compact.
  QBoxLayout *tiles_ = nullptr, *below_ = nullptr;
  std::vector<QPointer<QLabel>> texts_;  // Explanations that make their tiles taller.
  // Explanations in tiles with spare height. They are hidden only if the page is both low and narrow.
  std::vector<QPointer<QLabel>> roomy_texts_;
  std::vector<QSpacerItem*> gaps_;  // Spacers between the groups.
};

/// The pages that the centre of the window shows while no voxels are open. Also contains the bar that shows
/// where a recorded run was measured.
class CentrePages : public QObject {
  Q_OBJECT
 public:
  CentrePages(const FeatureContext& context, SceneView& view);
  [[nodiscard]] EmptyPage& empty() const noexcept { return *empty_; }
  /// Lets the Summary panel handle the clicks on the layers and stages of a recorded run.
  void connectSummary(SummaryPanel& summary);

 signals:
  void openRequested(const QString& scene);
  void dialogRequested();

 private:
  EmptyPage* empty_;
  RecordedPage* recorded_;
};

}  // namespace spira::ui
