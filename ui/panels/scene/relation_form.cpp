#include "ui/panels/scene/relation_form.hpp"

#include "engine/base/error.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStringList>

#include <array>

namespace spira::ui {
namespace {

// The order of the items of the boxes.
constexpr std::array methods{FeatureMethod::by_layout, FeatureMethod::gather_gemm_scatter};
constexpr std::array precisions{Precision::fp32, Precision::fp16};
constexpr std::array factors{Normalise::mean, Normalise::sum};

template <class Values, class Value> void choose(QComboBox& box, const Values& values, Value value) {
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (values[at] == value) box.setCurrentIndex(static_cast<int>(at));
  }
}

template <class Values> auto chosen(const QComboBox& box, const Values& values) {
  return values.at(static_cast<std::size_t>(box.currentIndex()));
}

}  // namespace

RelationForm::RelationForm(QWidget* parent)
    : QWidget(parent),
      layers_(new QLineEdit(this)),
      dataflow_(new QComboBox(this)),
      precision_(new QComboBox(this)),
      factor_(new QComboBox(this)),
      inverse_(new QCheckBox(tr("Inverse relations"), this)),
      fault_(new QLabel(this)) {
  auto* form = new QFormLayout(this);
  form->setContentsMargins(2, 2, 2, 2);
  layers_->setObjectName("relation_layers");
  layers_->setToolTip(tr("Channels of the input, then of the output of each layer, such as 16,64,16"));
  form->addRow(tr("Layers"), layers_);
  dataflow_->addItem("ws");
  dataflow_->setItemData(0, tr("Multiplies the means block by block"), Qt::ToolTipRole);
  dataflow_->addItem(tr("gather"));
  dataflow_->setItemData(1, tr("Stores all means of a relation, then multiplies them (only on the CPU)"),
                         Qt::ToolTipRole);
  dataflow_->setAccessibleName(tr("Dataflow"));
  precision_->addItems({"fp32", "fp16"});
  precision_->setAccessibleName(tr("Precision"));
  auto* flow = new QHBoxLayout;
  flow->addWidget(dataflow_, 1);
  flow->addWidget(precision_, 1);
  form->addRow(tr("Dataflow"), flow);
  factor_->addItems({tr("mean"), tr("sum")});
  factor_->setAccessibleName(tr("Combination of the sources of a relation"));
  factor_->setToolTip(tr("How the sources of a node in one relation are combined"));
  inverse_->setToolTip(tr("Also run each relation with heads and tails exchanged"));
  auto* sources = new QHBoxLayout;
  sources->addWidget(factor_, 1);
  sources->addWidget(inverse_, 1);
  form->addRow(tr("Sources"), sources);
  auto* measure_button = new QPushButton(tr("Measure the graph"), this);
  measure_button->setObjectName("measure_graph");
  form->addRow({}, measure_button);
  fault_->setObjectName("relation_fault");
  fault_->setTextFormat(Qt::PlainText);
  fault_->setWordWrap(true);
  fault_->hide();
  form->addRow(fault_);
  connect(measure_button, &QPushButton::clicked, this, &RelationForm::measure);
  connect(layers_, &QLineEdit::returnPressed, this, &RelationForm::measure);
  hide();
}

void RelationForm::setReport(const std::shared_ptr<const Report>& report) {
  const bool shown = report && report->graph;
  setVisible(shown);
  if (report == report_) return;
  report_ = report;
  fault_->hide();
  if (!shown) return;
  QStringList channels{QString::number(report->network.in_channels)};
  for (const Layer& layer : report->network.layers)
    channels += QString::number(layer.out_channels);
  layers_->setText(channels.join(','));
  const Plan& plan = report->measurement.plan;
  choose(*dataflow_, methods, plan.layers.front().method);
  choose(*precision_, precisions, plan.precision);
  choose(*factor_, factors, report->scene.triples->normalise);
  inverse_->setChecked(report->scene.triples->inverse);
}

void RelationForm::measure() {
  try {
    RelationChoice choice;
    choice.settings.channels = parse_channels(layers_->text().toStdString(), tr("Layers").toStdString());
    choice.settings.method = chosen(*dataflow_, methods);
    choice.settings.precision = chosen(*precision_, precisions);
    choice.settings.normalise = chosen(*factor_, factors);
    choice.inverse = inverse_->isChecked();
    fault_->hide();
    emit measureRequested(choice);
  } catch (const Error& error) {
    fault_->setText(QString::fromStdString(error.what()));
    fault_->show();
  }
}

}  // namespace spira::ui
