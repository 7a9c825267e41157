// The left side of the window contains the scenes and, below them, the network. A narrow window shows one of
// them below a row of buttons: the scenes before the first run, then the network. Each button opens or closes
// one part. If no part is open, the buttons form a column.
#pragma once

#include <QWidget>

#include <array>
#include <optional>

class QBoxLayout;
class QSplitter;
class QToolButton;

namespace spira::ui {

class Theme;

class LeftSide : public QWidget {
  Q_OBJECT
 public:
  enum class Part { scenes, network };

  LeftSide(QWidget* scenes, QWidget* network, Theme* theme, QWidget* parent = nullptr);

  void setNarrow(bool narrow);  ///< If false, shows both parts and hides the buttons.
  [[nodiscard]] bool narrow() const noexcept { return narrow_; }
  [[nodiscard]] bool folded() const noexcept { return narrow_ && (!opened_ || (empty_ && !by_user_)); }
  /// Must be true while no scene and no report is open. A narrow window then shows only the buttons, unless
  /// the user opened a part.
  void setEmpty(bool empty);
  void open(Part part);  ///< Opens the part. In a narrow window, it replaces the open part.
  void openLast() { open(last_); }
  void fold();
  /// Shows the part in a narrow window, unless the user opened or closed a part.
  void propose(Part part);
  void enter(Part part);
  /// Returns the part that is open in a narrow window: "scenes" or "network". Returns an empty string if no
  /// part is open.
  [[nodiscard]] QString opened() const;
  void setOpened(const QString& part);
  /// Opens the part that was open when the window was closed. It stays open even if no scene is open.
  void restoreOpened(const QString& part) {
    by_user_ = true;
    setOpened(part);
  }
  [[nodiscard]] QToolButton* button(Part part) const;

 signals:
  void roomChanged();  ///< Emitted after the result of folded() or narrow() changed.

 private:
  static constexpr std::size_t parts = 2;
  void show(std::optional<Part> part);
  void follow();
  void retheme();
  void placeButtons();

  Theme* theme_;
  std::array<QWidget*, parts> parts_;
  std::array<QToolButton*, parts> buttons_{};
  QWidget* rail_;
  QSplitter* both_;
  QBoxLayout *around_, *row_;  // The layouts of this widget and of the buttons.
  bool narrow_ = false;
  bool empty_ = false;
  bool by_user_ = false;     // True after the user opened or closed a part.
  bool was_folded_ = false;  // Value of folded() when roomChanged() was last emitted.
  std::optional<Part> opened_ = Part::network;
  Part last_ = Part::network;
};

}  // namespace spira::ui
