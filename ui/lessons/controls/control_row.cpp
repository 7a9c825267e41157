#include "ui/lessons/controls/control_row.hpp"

#include "ui/lessons/lesson_facts.hpp"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>

#include <algorithm>
#include <cmath>
#include <utility>

namespace spira::ui {
namespace {

constexpr int spacing = 6;

}  // namespace

ChoiceRow::ChoiceRow(QWidget* parent) : QWidget(parent) {
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void ChoiceRow::add(QPushButton* button) {
  button->setParent(this);
  button->show();
  buttons_.push_back(button);
  updateGeometry();
  place();
}

QSize ChoiceRow::minimumSizeHint() const {
  QSize size(0, 0);
  for (const QPushButton* button : buttons_)
    size = size.expandedTo(button->sizeHint());
  return size;
}

int ChoiceRow::heightForWidth(int width) const {
  const int count = static_cast<int>(buttons_.size()), height = minimumSizeHint().height();
  if (count == 0) return height;
  const int columns = columnsIn(width), rows = (count + columns - 1) / columns;
  return (rows * height) + ((rows - 1) * spacing);
}

/// Returns the number of buttons side by side. All buttons have the width of the widest button, and all rows
/// except the last one are full. Must not be called without buttons.
int ChoiceRow::columnsIn(int width) const {
  const int count = static_cast<int>(buttons_.size());
  const int fit = std::clamp((width + spacing) / (minimumSizeHint().width() + spacing), 1, count);
  const int rows = (count + fit - 1) / fit;
  return (count + rows - 1) / rows;
}

void ChoiceRow::place() {
  const int count = static_cast<int>(buttons_.size()), height = minimumSizeHint().height();
  if (count == 0) return;
  const int columns = columnsIn(width()), each = (width() - ((columns - 1) * spacing)) / columns;
  const bool mirrored = layoutDirection() == Qt::RightToLeft;
  for (int at = 0; at < count; ++at) {
    const int column = mirrored ? columns - 1 - (at % columns) : at % columns;
    const QPoint corner(column * (each + spacing), at / columns * (height + spacing));
    buttons_[static_cast<std::size_t>(at)]->setGeometry(QRect(corner, QSize(each, height)));
  }
}

void ChoiceRow::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  place();
}

bool ChoiceRow::event(QEvent* event) {
  const bool result = QWidget::event(event);
  if (event->type() == QEvent::LayoutRequest) {  // A button has changed its size hint.
    updateGeometry();
    place();
  }
  return result;
}

namespace {

constexpr int settle_ms = 150;

QString text_of(const std::string& text) {
  return QString::fromStdString(text);
}

}  // namespace

ControlRow::ControlRow(LessonControl control, const LessonFacts* facts, QWidget* parent)
    : QWidget(parent),
      control_(std::move(control)),
      facts_(facts),
      present_(new QLabel(this)),
      shows_(new QLabel(this)) {
  settle_.setSingleShot(true);
  settle_.setInterval(settle_ms);
  connect(&settle_, &QTimer::timeout, this, &ControlRow::ask);
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 4);
  grid->setVerticalSpacing(4);
  grid->setColumnStretch(0, 1);
  auto* label = new QLabel(text_of(control_.label), this);
  label->setWordWrap(true);
  grid->addWidget(label, 0, 0);
  present_->setAlignment(Qt::AlignRight | Qt::AlignTop);
  grid->addWidget(present_, 0, 1);
  grid->addWidget(control_.names.empty() ? makeSlider() : makeChoices(), 1, 0, 1, 2);
  shows_->setWordWrap(true);
  shows_->setTextFormat(Qt::RichText);
  shows_->setVisible(!control_.shows.texts.empty());
  grid->addWidget(shows_, 2, 0, 1, 2);
  refresh();
}

QWidget* ControlRow::makeSlider() {
  slider_ = new QSlider(Qt::Horizontal, this);
  slider_->setRange(0, static_cast<int>(control_.values.size()) - 1);
  slider_->setPageStep(1);
  slider_->setTickPosition(QSlider::TicksBelow);
  slider_->setTickInterval(1);
  slider_->setFocusPolicy(Qt::StrongFocus);
  slider_->setAccessibleName(text_of(control_.label));
  slider_->installEventFilter(this);
  connect(slider_, &QSlider::valueChanged, this, &ControlRow::set);
  connect(slider_, &QSlider::sliderReleased, this, &ControlRow::refresh);
  return slider_;
}

QWidget* ControlRow::makeChoices() {
  auto* box = new ChoiceRow(this);
  for (std::size_t at = 0; at < control_.names.size(); ++at) {
    auto* button = new QPushButton(text_of(control_.names[at]), box);
    button->setCheckable(true);
    button->setAutoDefault(false);
    button->setAccessibleName(text_of(control_.label + ": " + control_.names[at]));
    button->setStyleSheet("padding: 4px;");
    connect(button, &QPushButton::clicked, this, [this, at] { set(static_cast<int>(at)); });
    box->add(button);
    buttons_.push_back(button);
  }
  return box;
}

/// Ignores the mouse wheel if the slider has no focus, so that scrolling the page does not change a slider
/// under the pointer.
bool ControlRow::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::Wheel || slider_->hasFocus()) return QWidget::eventFilter(watched, event);
  event->ignore();
  return true;
}

QString ControlRow::nameOf(int place) const {
  const auto at = static_cast<std::size_t>(place);
  if (!control_.names.empty()) return text_of(control_.names[at]);
  const QString unit = control_.unit.empty() ? QString() : " " + text_of(control_.unit);
  return digits_text(control_.values[at], control_.digits) + unit;
}

int ControlRow::nearest(double value) const {
  const auto farther = [value](double a, double b) { return std::abs(a - value) < std::abs(b - value); };
  return static_cast<int>(std::min_element(control_.values.begin(), control_.values.end(), farther) -
                          control_.values.begin());
}

int ControlRow::place() const {
  const auto found = control_.now.evaluate(lookup_in(*facts_));
  if (!found) return -1;
  if (!control_.values.empty()) return nearest(found->value);
  const double at = std::round(found->value);
  return at >= 0 && at < static_cast<double>(control_.names.size()) ? static_cast<int>(at) : -1;
}

QString ControlRow::present() const {
  if (control_.names.empty())
    return number_text(control_.now, control_.digits, text_of(control_.unit), *facts_);
  return place() < 0 ? QString() : nameOf(place());
}

void ControlRow::set(int place) {
  wanted_ = place;
  settle_.start();
  refresh();
}

void ControlRow::ask() {
  if (wanted_ < 0) return;
  asked_ = true;
  emit commandsRequested({control_.commands[static_cast<std::size_t>(wanted_)]});
}

void ControlRow::settled() {
  asked_ = false;
  refresh();
}

/// Shows the requested value until the window has applied or refused it. Otherwise, the slider would jump
/// back to the previous value for a moment.
void ControlRow::refresh() {
  const bool held = slider_ != nullptr && slider_->isSliderDown();
  if (!held && !asked_ && !settle_.isActive() && !is_coming(control_.now, *facts_)) wanted_ = -1;
  const int there = place();
  const int shown = wanted_ >= 0 ? wanted_ : there;
  if (slider_ != nullptr && shown >= 0) {
    const QSignalBlocker quiet(slider_);
    slider_->setValue(shown);
  }
  for (std::size_t at = 0; at < buttons_.size(); ++at)
    buttons_[at]->setChecked(static_cast<int>(at) == shown);
  const QString text = wanted_ >= 0 && wanted_ != there ? nameOf(wanted_) : present();
  if (slider_ != nullptr) {
    present_->setText("<b>" + text.toHtmlEscaped() + "</b>");
    slider_->setAccessibleDescription(text);
    slider_->setToolTip(text);
  }
  if (!control_.shows.texts.empty()) shows_->setText(template_text(control_.shows, *facts_));
}

}  // namespace spira::ui
