// Defines a pseudo-language for tests. In this language, every text of the window is in brackets, has
// accents, and is a third longer. A text without brackets did not pass through tr(). A text that is cut off
// would also be cut off in German.
#pragma once

#include <QCoreApplication>
#include <QRegularExpression>
#include <QTranslator>

namespace spira::ui {

class PseudoTranslator : public QTranslator {
 public:
  [[nodiscard]] bool isEmpty() const override { return false; }
  [[nodiscard]] QString translate(const char* context, const char* source, const char* /*disambiguation*/,
                                  int /*n*/) const override {
    static const QRegularExpression ours(
        "^(spira::.*|Breakdown|Command|Help|Percentiles|Setting|StageGroup)$");
    const QString text = QString::fromUtf8(source);
    if (text.isEmpty() || !ours.match(QString::fromUtf8(context)).hasMatch()) return {};
    return "[" + accented(text) + QString(text.size() / 3, '~') + "]";
  }

 private:
  /// Keeps placeholders (%1), tags, entities and mnemonics (&x) unchanged.
  static QString accented(const QString& text) {
    static const QRegularExpression kept("%L?[0-9n]+|</?[a-z][^>]*>|&[a-z]+;|&.|\\(\\*[^)]*\\)");
    QString out;
    qsizetype at = 0;
    for (auto found = kept.globalMatch(text); found.hasNext();) {
      const auto match = found.next();
      out += letters(text.mid(at, match.capturedStart() - at)) + match.captured();
      at = match.capturedEnd();
    }
    return out + letters(text.mid(at));
  }
  static QString letters(QString text) {
    const QString plain = QStringLiteral("aeiouycnAEIOUYCN");
    const QString marked = QStringLiteral("áéíóúýçñÁÉÍÓÚÝÇÑ");
    for (QChar& letter : text) {
      const qsizetype which = plain.indexOf(letter);
      if (which >= 0) letter = marked[which];
    }
    return text;
  }
};

/// Installs the pseudo-language. A fixture must inherit from this class before the class that creates the
/// window, because the window reads its texts when it is created.
class InPseudoLanguage {
 public:
  InPseudoLanguage() { QCoreApplication::installTranslator(&translator_); }
  ~InPseudoLanguage() { QCoreApplication::removeTranslator(&translator_); }
  InPseudoLanguage(const InPseudoLanguage&) = delete;
  InPseudoLanguage& operator=(const InPseudoLanguage&) = delete;

 private:
  PseudoTranslator translator_;
};

}  // namespace spira::ui
