// The left side: scenes above the network. A narrow window shows a rail of icons in its place, each of which
// opens its part beside the view and folds it again.
#pragma once

#include <QWidget>

#include <array>
#include <optional>

class QSplitter;
class QToolButton;

namespace spira::ui {

class Theme;

class LeftSide : public QWidget {
  Q_OBJECT
 public:
  enum class Part { scenes, network };

  LeftSide(QWidget* scenes, QWidget* network, Theme* theme, QWidget* parent = nullptr);

  void setNarrow(bool narrow);  ///< wide: both parts are there, and no rail
  [[nodiscard]] bool narrow() const noexcept { return narrow_; }
  [[nodiscard]] bool folded() const noexcept { return narrow_ && !opened_; }
  void open(Part part);  ///< in a narrow window in the place of the other one
  void openLast() { open(last_); }
  void fold();
  /// Gives it the keyboard.
  void enter(Part part);
  /// "scenes", "network": what stands open while the window is narrow; empty: nothing does.
  [[nodiscard]] QString opened() const;
  void setOpened(const QString& part);
  [[nodiscard]] QToolButton* button(Part part) const;

 signals:
  void roomChanged();  ///< folded, or not any more

 private:
  static constexpr std::size_t parts = 2;
  void show(std::optional<Part> part);
  void follow();
  void retheme();

  Theme* theme_;
  std::array<QWidget*, parts> parts_;
  std::array<QToolButton*, parts> buttons_{};
  QWidget* rail_;
  QSplitter* both_;
  bool narrow_ = false;
  bool was_folded_ = false;  // when it was told last
  std::optional<Part> opened_;
  Part last_ = Part::scenes;
};

}  // namespace spira::ui
