#include "kernels/cuda/network/network_layout.hpp"

#include "engine/memory/memory_pool.hpp"
#include "kernels/cuda/conv_fp16/weight_order.hpp"

#include <algorithm>
#include <limits>

namespace spira::cuda {
namespace {

/// A tensor in the arena. It contains the features of one layer, or of several layers whose outputs are
/// concatenated.
struct Joined {
  int level = 0, channels = 0;
  int stride = 0;  ///< Number of values of a row, including the padding.
  ArenaTensor place;
};

/// Returns the number of channels of a row that is padded to whole words of the fp16 kernels. They read and
/// write words of 4 channels for layers of up to 16 channels, and of 8 channels for wider layers.
int whole_words(int channels) {
  const int word = channels <= 16 ? 4 : 8;
  return (channels + word - 1) / word * word;
}

class Builder {
 public:
  explicit Builder(const NetworkRunRequest& request)
      : request_(request),
        layers_(request.network->layers),
        tensor_of_(layers_.size(), -1),
        offset_of_(layers_.size(), 0) {}

  NetworkLayout build() {
    input_tensor_ = add(0, request_.network->in_channels);
    for (const Layer& layer : layers_) {
      if (layer.inputs.size() > 1 && layer.convolution() && !join(layer)) return std::move(result_);
    }
    for (std::size_t at = 0; at < layers_.size(); ++at) {
      if (tensor_of_[at] < 0) tensor_of_[at] = add(level_of(at), layers_[at].out_channels);
    }
    set_lifetimes();
    place();
    if (request_.plan.precision == Precision::fp16) require_whole_words();
    return std::move(result_);
  }

 private:
  [[nodiscard]] int level_of(std::size_t layer) const {
    return static_cast<int>(request_.levels.index_of(request_.levels.layers[layer].stride_out));
  }
  [[nodiscard]] int index_of(const std::string& name) const { return request_.network->index_of(name); }
  int add(int level, int channels) {
    const bool fp16 = request_.plan.precision == Precision::fp16;
    joined_.push_back({level, channels, fp16 ? whole_words(channels) : channels, {}});
    return static_cast<int>(joined_.size()) - 1;
  }

  bool join(const Layer& reader) {
    std::vector<std::size_t> parts;
    for (const auto& name : reader.inputs) {
      const int index = index_of(name);
      if (index < 0) return refuse(reader.name + ": concatenates the network input with another input");
      parts.push_back(static_cast<std::size_t>(index));
    }
    if (is_joined(parts)) return true;
    const int tensor = add(level_of(parts.front()), reader.in_channels);
    int channel = 0;
    for (const std::size_t part : parts) {
      if (tensor_of_[part] >= 0)
        return refuse(layers_[part].name + ": is concatenated with different layers");
      tensor_of_[part] = tensor;
      offset_of_[part] = channel;
      channel += layers_[part].out_channels;
    }
    return true;
  }
  /// Returns true if the parts are already adjacent in one tensor, in the order of `parts`.
  [[nodiscard]] bool is_joined(const std::vector<std::size_t>& parts) const {
    int channel = 0;
    for (const std::size_t part : parts) {
      if (tensor_of_[part] < 0 || tensor_of_[part] != tensor_of_[parts.front()] ||
          offset_of_[part] != channel)
        return false;
      channel += layers_[part].out_channels;
    }
    return channel == joined_[static_cast<std::size_t>(tensor_of_[parts.front()])].channels;
  }
  bool refuse(std::string why) {
    result_.why_not = std::move(why);
    return false;
  }

  void set_lifetimes() {
    const int end = static_cast<int>(layers_.size());
    for (Joined& tensor : joined_) {
      tensor.place.first_step = request_.keep_outputs ? 0 : std::numeric_limits<int>::max();
      tensor.place.last_step = request_.keep_outputs ? end : 0;
    }
    const auto use = [&](int layer, int step) {
      const int tensor = layer < 0 ? input_tensor_ : tensor_of_[static_cast<std::size_t>(layer)];
      ArenaTensor& place = joined_[static_cast<std::size_t>(tensor)].place;
      place.first_step = std::min(place.first_step, layer < 0 ? 0 : step);
      place.last_step = std::max(place.last_step, step);
    };
    for (int step = 0; step < end; ++step) {
      const Layer& layer = layers_[static_cast<std::size_t>(step)];
      use(step, step);
      for (const auto& name : layer.inputs)
        use(index_of(name), step);
      if (!layer.residual.empty()) use(index_of(layer.residual), step);
    }
    use(end - 1, end);
    for (const std::string& output : request_.network->outputs)
      use(index_of(output), end);
  }

  void place() {
    std::vector<ArenaTensor> places;
    for (Joined& tensor : joined_) {
      const auto rows =
          static_cast<std::size_t>(request_.capacity.voxels[static_cast<std::size_t>(tensor.level)]);
      tensor.place.bytes = rows * static_cast<std::size_t>(tensor.stride) * bytes_of(request_.plan.precision);
      places.push_back(tensor.place);
    }
    result_.bytes = plan_arena(places);
    const auto at = [&](int tensor, int first, int channels) {
      const Joined& whole = joined_[static_cast<std::size_t>(tensor)];
      const std::size_t offset = places[static_cast<std::size_t>(tensor)].offset +
                                 (static_cast<std::size_t>(first) * bytes_of(request_.plan.precision));
      const bool last = first + channels == whole.channels;
      return FeaturePlace{offset, whole.level, channels, whole.stride,
                          last ? whole.stride - whole.channels : 0};
    };
    result_.input = at(input_tensor_, 0, request_.network->in_channels);
    for (std::size_t layer = 0; layer < layers_.size(); ++layer)
      result_.outputs.push_back(at(tensor_of_[layer], offset_of_[layer], layers_[layer].out_channels));
    for (const Layer& layer : layers_) {
      const int first = index_of(layer.inputs.front());
      FeaturePlace from = first < 0 ? result_.input : result_.outputs[static_cast<std::size_t>(first)];
      from.channels = layer.in_channels;
      from.pad = place_of(layer.inputs.back()).pad;
      result_.inputs.push_back(from);
    }
  }

  /// Rejects the layout if the words of the fp16 kernels contain channels of other features. This happens if
  /// the features are concatenated and their channels do not fill whole words.
  void require_whole_words() {
    for (std::size_t at = 0; at < layers_.size() && result_.why_not.empty(); ++at) {
      const Layer& layer = layers_[at];
      if (!layer.convolution()) continue;
      const FragmentShape shape{layer.in_channels, layer.out_channels, 1};
      const FeaturePlace &from = result_.inputs[at], &to = result_.outputs[at];
      const int read = shape.fp16_per_lane(), written = 2 * shape.group();
      const auto whole = [](const FeaturePlace& place, int step) {
        return (place.channels % step == 0 || place.pad > 0) && place.stride % step == 0 &&
               place.offset % (static_cast<std::size_t>(step) * 2) == 0;
      };
      if (!whole(from, read)) {
        refuse(layer.name + ": " + std::to_string(from.channels) + " input channels; must be a multiple of " +
               std::to_string(read));
      } else if (!whole(to, written)) {
        refuse(layer.name + ": " + std::to_string(to.channels) + " output channels; must be a multiple of " +
               std::to_string(written));
      } else if (!layer.residual.empty() && !whole(place_of(layer.residual), written)) {
        refuse(layer.name + ": the rows of its residual " + layer.residual +
               " do not begin at multiples of " + std::to_string(written) + " channels");
      }
    }
  }

  [[nodiscard]] const FeaturePlace& place_of(const std::string& name) const {
    const int index = index_of(name);
    return index < 0 ? result_.input : result_.outputs[static_cast<std::size_t>(index)];
  }

  const NetworkRunRequest& request_;
  const std::vector<Layer>& layers_;
  // For each layer, the tensor that contains its output (as an index), and the first channel of the output in
  // this tensor.
  std::vector<int> tensor_of_, offset_of_;
  std::vector<Joined> joined_;
  int input_tensor_ = 0;
  NetworkLayout result_;
};

}  // namespace

NetworkLayout lay_out(const NetworkRunRequest& request) {
  return Builder(request).build();
}

}  // namespace spira::cuda
