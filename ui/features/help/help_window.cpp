#include "ui/features/help/help_window.hpp"

#include <QAbstractTextDocumentLayout>
#include <QCoreApplication>
#include <QFile>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextTable>
#include <QVBoxLayout>

#include <array>

namespace spira::ui {
namespace {

constexpr const char* place_property = "spira_help";

struct PageFacts {
  /// The page shows the file docs/ID.md, where ID is this value. The page "keys" has no file; it is created
  /// from the commands.
  const char* id;
  const char* title;
};
constexpr auto pages = std::to_array<PageFacts>({
    {"window", QT_TRANSLATE_NOOP("Help", "The window")},
    {"keys", QT_TRANSLATE_NOOP("Help", "Keys")},
    {"exploring", QT_TRANSLATE_NOOP("Help", "Exploring a scene")},
    {"lessons", QT_TRANSLATE_NOOP("Help", "Lessons")},
    {"measuring", QT_TRANSLATE_NOOP("Help", "Measuring")},
    {"tuning", QT_TRANSLATE_NOOP("Help", "Tuning")},
    {"packing", QT_TRANSLATE_NOOP("Help", "Packed coordinates")},
    {"network-files", QT_TRANSLATE_NOOP("Help", "Network files")},
    {"file-formats", QT_TRANSLATE_NOOP("Help", "File formats")},
    {"performance", QT_TRANSLATE_NOOP("Help", "Performance")},
    {"command-line", QT_TRANSLATE_NOOP("Help", "The command line")},
});

/// Returns the text of a help page without its pictures. The pictures show the window itself and would double
/// the size of the program.
QString page_text(const QString& page) {
  QFile file(":/help/" + page + ".md");
  if (!file.open(QIODevice::ReadOnly)) return {};
  return QString::fromUtf8(file.readAll()).remove(QRegularExpression(R"(!\[[^\]]*\]\([^)]*\)\n?)"));
}

}  // namespace

void set_help(QWidget* view, const QString& place) {
  view->setProperty(place_property, place);
}

HelpWindow::HelpWindow(CommandSet* commands, QWidget* parent)
    : QDialog(parent),
      commands_(commands),
      pages_(new QListWidget(this)),
      text_(new QTextBrowser(this)),
      note_(new QLabel(this)) {
  setWindowTitle(tr("Help"));
  resize(900, 680);
  auto* layout = new QHBoxLayout(this);
  auto* right = new QVBoxLayout;
  layout->addWidget(pages_);
  layout->addLayout(right, 1);
  right->addWidget(text_, 1);
  right->addWidget(note_);
  pages_->setFixedWidth(190);
  pages_->setSpacing(2);
  pages_->setAccessibleName(tr("Pages"));
  text_->setAccessibleName(tr("Help"));
  text_->setOpenLinks(false);
  note_->setWordWrap(true);
  note_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  note_->hide();
  for (const PageFacts& page : pages) {
    auto* item = new QListWidgetItem(QCoreApplication::translate("Help", page.title), pages_);
    item->setData(Qt::UserRole, page.id);
  }
  connect(pages_, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* now) {
    if (now != nullptr) showPage(now->data(Qt::UserRole).toString());
  });
  connect(text_, &QTextBrowser::anchorClicked, this, &HelpWindow::follow);
}

QString HelpWindow::heading() const {
  return heading_;
}

void HelpWindow::showFor(const QWidget* focused) {
  QString place = "window";
  for (const QWidget* at = focused; at != nullptr; at = at->parentWidget()) {
    if (const QVariant found = at->property(place_property); found.isValid()) {
      place = found.toString();
      break;
    }
  }
  show();
  raise();
  activateWindow();
  showPlace(place);
}

void HelpWindow::showPlace(const QString& place) {
  const QString page = place.section('#', 0, 0), heading = place.section('#', 1);
  for (int row = 0; row < pages_->count(); ++row) {
    if (pages_->item(row)->data(Qt::UserRole).toString() != page) continue;
    const QSignalBlocker quiet(pages_);
    pages_->setCurrentRow(row);
  }
  showPage(page);
  if (heading.isEmpty()) return;
  heading_ = heading;
  // The position of the heading is known only after Qt has laid out the page.
  QMetaObject::invokeMethod(this, &HelpWindow::scrollToHeading, Qt::QueuedConnection);
}

void HelpWindow::scrollToHeading() {
  for (QTextBlock block = text_->document()->begin(); block.isValid(); block = block.next()) {
    if (block.blockFormat().headingLevel() == 0 || block.text() != heading_) continue;
    const QRectF area = text_->document()->documentLayout()->blockBoundingRect(block);
    return text_->verticalScrollBar()->setValue(static_cast<int>(area.top()));
  }
}

void HelpWindow::showPage(const QString& page) {
  note_->hide();
  text_->document()->setMarkdown(page == "keys" ? keysPage() : page_text(page),
                                 QTextDocument::MarkdownDialectGitHub);
  constexpr double air = 5;
  for (QTextFrame* frame : text_->document()->rootFrame()->childFrames()) {
    auto* table = qobject_cast<QTextTable*>(frame);
    if (table == nullptr) continue;
    QTextTableFormat format = table->format();
    format.setCellPadding(air);
    format.setBorderCollapse(true);
    format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    format.setBorderBrush(palette().mid());
    table->setFormat(format);
  }
  text_->document()->setDocumentMargin(2 * air);
  text_->verticalScrollBar()->setValue(0);
  heading_ = text_->document()->begin().text();
}

/// Opens a link to another help page. If the link leads elsewhere, for example to a source file or a web
/// page, only shows its address.
void HelpWindow::follow(const QUrl& link) {
  const QString page = link.path().section('/', -1).section(".md", 0, 0);
  for (const PageFacts& known : pages) {
    if (link.scheme().isEmpty() && link.path().endsWith(".md") && page == known.id) return showPlace(page);
  }
  note_->setText(tr("This link is not part of the offline help: %1").arg(link.toString()));
  note_->show();
}

QString HelpWindow::keysPage() const {
  QString text = tr("# Keys") + "\n\n" + tr("| command | keys |") + "\n| --- | --- |\n";
  for (const QAction* action : commands_->all()) {
    QStringList keys;
    for (const QKeySequence& one : action->shortcuts())
      keys.append(one.toString(QKeySequence::NativeText).replace('|', "\\|"));
    text += QString("| %1 | %2 |\n")
                .arg(action->text(), keys.isEmpty() ? QStringLiteral("\u2013") : keys.join(", "));
  }
  return text;
}

}  // namespace spira::ui
