// Builds kernel maps. First searches for the inputs of all outputs (stages "preprocess" and "search"), then
// builds the layouts (stages "filter" and "transpose", and the stages of mask_sort.cu).
#include "kernels/cuda/map/build_map.hpp"
#include "kernels/cuda/map/map_layouts.cuh"
#include "kernels/cuda/map/map_search.cuh"
#include "kernels/cuda/map/native_map.hpp"
#include "kernels/cuda/map/pair_lists.hpp"
#include "kernels/cuda/map/pair_writes.cuh"

#include <algorithm>
#include <array>
#include <type_traits>

namespace spira::cuda {
namespace {

struct Nothing {
  template <class Word> __device__ void operator()(const Word*, int, int) const {}
};
template <int K> struct CountPairs {
  PairCounts counts;
  template <class Word> __device__ void operator()(const Word* words, int rows, int groups) const {
    count_pairs<K>(counts, words, rows, groups);
  }
};

/// The pair lists that the search kernel fills while it computes the words of the map. `pairs` is `nullptr`
/// if the search fills no lists.
struct Lists {
  PairLists* pairs = nullptr;
  bool alone = false;  ///< True if the map has only pair lists. Then no later kernel reads the words.
  int cube = 0;        ///< Result of fast_kernel_size(). If it is 0, later kernels fill the lists.
};

/// Returns the group limit of a launch that searches `groups` z-groups. A group limit is a maximum number of
/// z-groups. The kernels are compiled only for a few group limits.
constexpr int max_groups_of_launch(int groups) {
  return groups <= 5 ? 5 : groups <= 9 ? 9 : groups <= 13 ? 13 : groups <= 25 ? 25 : max_groups;
}
/// Returns true if pair lists can be built by a launch with this group limit. Pair lists need either all
/// z-groups of a kernel, or the first half including the middle group.
constexpr bool counts_lists_of(int group_limit, int kernel_size) {
  const int all = kernel_size * kernel_size;
  return group_limit == max_groups_of_launch(all) || group_limit == max_groups_of_launch((all + 1) / 2);
}

constexpr int threads_of_search(int group_limit) {
  return group_limit == 5 ? 320 : group_limit == 9 ? 288 : 416;
}
constexpr int rows_of_walk(int group_limit) {
  return group_limit == 5 ? 4 : 8;
}

/// Launch parameters of a search that also builds the pair lists. No thread block can end before all thread
/// blocks have published their counts. Therefore such a search has more threads, and fewer rows per thread,
/// than a search without lists.
template <int group_limit> struct OneLaunch {
  static constexpr int threads = 2 * threads_of_search(group_limit), rows = rows_of_block(group_limit);
  /// True if the kernel is also compiled for `more_rows` rows per thread block. This size is used if a launch
  /// with `rows` rows per thread block would need more thread blocks than can run at once.
  static constexpr bool has_more_rows = group_limit == 5;
  static constexpr int more_rows = rows * 5 / 4;
  /// Number of thread blocks per multiprocessor for which the compiler reserves registers.
  static constexpr int blocks_of_sm = group_limit <= 9 ? 2 : 1;
};
/// Maximum kernel size for which a single launch can build the lists.
constexpr int max_size_of_one_launch = 5;
/// Maximum shared memory of a thread block in bytes, including the part that the system uses.
constexpr int max_shared_of_one_launch = 49 * 1024;

/// Returns the number of thread blocks that can run at the same time. Only such thread blocks may wait for
/// each other.
template <int group_limit> [[nodiscard]] std::int64_t blocks_at_once(const Device& device) {
  const int of_sm =
      std::min({OneLaunch<group_limit>::blocks_of_sm, device.threads_of_sm / OneLaunch<group_limit>::threads,
                device.shared_of_sm / max_shared_of_one_launch});
  return device.cooperative ? std::int64_t{of_sm} * device.sm_count : 0;
}

/// Returns the number of outputs per thread block for a single launch that builds all lists for `outputs`
/// outputs. Returns 0 if a single launch cannot do this.
template <int group_limit> [[nodiscard]] int rows_of_one_launch(const Device& device, std::int64_t outputs) {
  using Launch = OneLaunch<group_limit>;
  const std::int64_t blocks = blocks_at_once<group_limit>(device);
  if (blocks_for(outputs, Launch::rows) <= blocks) return Launch::rows;
  return Launch::has_more_rows && blocks_for(outputs, Launch::more_rows) <= blocks ? Launch::more_rows : 0;
}

/// Calls `then` with an integral constant: the group limit of a launch that searches `groups` z-groups.
template <class Then> auto visit_launch(int groups, Then then) {
  switch (max_groups_of_launch(groups)) {
    case 5:
      return then(std::integral_constant<int, 5>{});
    case 9:
      return then(std::integral_constant<int, 9>{});
    case 13:
      return then(std::integral_constant<int, 13>{});
    case 25:
      return then(std::integral_constant<int, 25>{});
    default:
      return then(std::integral_constant<int, max_groups>{});
  }
}

/// Launches the z-delta search. Selects the number of outputs per thread block. Their words and the window of
/// keys must fit in 48 kB of shared memory, and a multiprocessor must be able to run two thread blocks.
template <int group_limit, class Key, class Word> class ZdeltaLaunch {
 public:
  ZdeltaLaunch(const Device& device, const SearchTask<Key, Word>& task) : device_(device), task_(task) {}

  void words() const { launch(Nothing{}); }
  template <int K> void words_and_lists(Lists lists) const {
    // Maps with 64-bit words have too many inputs for building the lists in one launch.
    if constexpr (K <= max_size_of_one_launch && sizeof(Word) == sizeof(std::uint32_t)) {
      using Launch = OneLaunch<group_limit>;
      const PairListShape shape{MapAlgorithm::z_delta,  K,   task_.output_count,
                                lists.pairs->columns(), 0.0, lists.alone};
      const int of_block = room_for_all_pairs(device_, shape) == 0
                               ? 0
                               : rows_of_one_launch<group_limit>(device_, shape.outputs);
      if (of_block == Launch::rows && lists_at_once<K, Launch::rows, rows_of_walk(group_limit) / 2>(lists))
        return;
      if constexpr (Launch::has_more_rows) {
        if (of_block == Launch::more_rows &&
            lists_at_once<K, Launch::more_rows, rows_of_walk(group_limit) * 3 / 4>(lists))
          return;
      }
    }
    launch(CountPairs<K>{lists.pairs->to_count()});
  }

 private:
  static constexpr int window_keys = 16'384 / static_cast<int>(sizeof(Key));
  template <class Then> void launch(Then then) const {
    constexpr int rows = rows_of_block(group_limit), threads = threads_of_search(group_limit);
    zdelta_kernel<Key, Word, rows, threads, rows_of_walk(group_limit), window_keys>
        <<<blocks_for(task_.output_count, rows), threads, shared_bytes(rows), device_.stream>>>(task_, then);
  }
  /// Builds the lists in one launch without storing the words. Returns false and changes nothing if the
  /// device can run fewer thread blocks at once than it reported.
  template <int K, int block_rows, int walk> [[nodiscard]] bool lists_at_once(Lists lists) const {
    constexpr auto kernel =
        zdelta_kernel<Key, Word, block_rows, OneLaunch<group_limit>::threads, walk, window_keys,
                      ListPairs<K, block_rows>, OneLaunch<group_limit>::blocks_of_sm>;
    const unsigned blocks = blocks_for(task_.output_count, block_rows);
    SearchTask<Key, Word> task = task_;
    task.words = nullptr;
    ListPairs<K, block_rows> then{lists.pairs->published_counts(blocks), lists.pairs->room_for_all()};
    std::array<void*, 2> arguments{&task, &then};
    const cudaError_t result =
        cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(OneLaunch<group_limit>::threads),
                                    arguments.data(), shared_bytes(block_rows), device_.stream);
    // This error occurs if other programs use some of the device's resources.
    if (result == cudaErrorCooperativeLaunchTooLarge) {
      static_cast<void>(cudaGetLastError());
      lists.pairs->give_room_back();
      return false;
    }
    SPIRA_CUDA(result);
    lists.pairs->launched();
    return true;
  }
  [[nodiscard]] std::size_t shared_bytes(int block_rows) const {
    return (static_cast<std::size_t>(block_rows) * static_cast<std::size_t>(task_.queries.groups) *
            sizeof(Word)) +
           (window_keys * sizeof(Key));
  }

  const Device& device_;
  const SearchTask<Key, Word>& task_;
};

/// Launches the z-delta search. In its kernel, each thread searches some consecutive rows of one z-group.
template <class Key, class Word>
void search_zdelta(const Device& device, const SearchTask<Key, Word>& task, Lists lists) {
  visit_launch(task.queries.groups, [&]<int group_limit>(std::integral_constant<int, group_limit>) {
    const ZdeltaLaunch<group_limit, Key, Word> search(device, task);
    if (lists.pairs == nullptr || lists.cube == 0) return search.words();
    visit_kernel_size(lists.cube, [&]<int K>(std::integral_constant<int, K>) {
      if constexpr (counts_lists_of(group_limit, K)) {
        search.template words_and_lists<K>(lists);
      } else {
        SPIRA_ASSERT(false, "lists of some z-groups of a kernel");
      }
    });
  });
  SPIRA_CUDA(cudaGetLastError());
}

template <class Key, class Word>
void search_hash(const Device& device, const SearchTask<Key, Word>& task, Job& job) {
  const HashTable<Key> table = [&] {
    const auto stage = job.stage("preprocess");
    return hash_table(device, task.inputs, task.input_count);
  }();
  const auto stage = job.stage("search");
  const std::int64_t words = task.output_count * task.queries.groups;
  hash_kernel<<<blocks_for(words), threads_per_block, 0, device.stream>>>(task, table.slots);
  SPIRA_CUDA(cudaGetLastError());
}

/// Computes the words of a task. Also builds the lists if the search algorithm supports this.
template <class Key, class Word>
void search(const Device& device, const SearchTask<Key, Word>& task, MapAlgorithm algorithm, Lists lists,
            Job& job) {
  if (task.output_count == 0) return;
  if (algorithm == MapAlgorithm::hash) return search_hash(device, task, job);
  const auto stage = job.stage("search");
  const int groups = task.queries.groups;
  if (algorithm == MapAlgorithm::z_delta) return search_zdelta(device, task, lists);
  if (algorithm == MapAlgorithm::binary_search) {
    bsearch_kernel<<<blocks_for(task.output_count * groups), threads_per_block, 0, device.stream>>>(task);
  } else {
    const dim3 grid(blocks_for(task.output_count), static_cast<unsigned>(groups));
    sorted_kernel<<<grid, threads_per_block, 0, device.stream>>>(task);
  }
  SPIRA_CUDA(cudaGetLastError());
}

/// Returns how many z-groups the parts of a map need, counted from the first z-group. A half map of a
/// symmetric kernel does not need all z-groups (trap 5 in docs/architecture.md).
int groups_in_use(const MapRequest& request) {
  int groups = 1;
  for (const MapPartRequest& part : request.parts) {
    if (part.layout != MapLayout::pair_lists) return request.offsets->z_groups();
    const auto columns = stored_columns(part, request);
    if (!columns.empty()) groups = std::max(groups, (columns.back() / request.offsets->z_cells()) + 1);
  }
  return groups;
}

/// Builds the parts of a map from its z-run words.
class Parts {
 public:
  Parts(const Device& device, const MapRequest& request, KernelMap& map, int groups)
      : device_(device), request_(request), map_(map), groups_(groups) {
    for (const MapPartRequest& wanted : request.parts) {
      if (wanted.layout == MapLayout::pair_lists)
        lists_.emplace_back(device, map, stored_columns(wanted, request), groups);
    }
  }
  /// Returns the lists that the search can fill. The search can fill lists only if exactly one part of the
  /// map has pair lists, which is the usual case. Otherwise, Lists::pairs of the result is `nullptr`.
  [[nodiscard]] Lists lists_of_search() {
    return {lists_.size() == 1 ? &lists_.front() : nullptr, request_.parts.size() == 1,
            fast_kernel_size(map_.offsets->kernel())};
  }

  void fill(Buffer words, int word_bits, Job& job) {
    const RunWordsOnDevice runs{&words, word_bits, groups_};
    std::size_t list = 0;
    for (const MapPartRequest& wanted : request_.parts) {
      KernelMap::Part part;
      part.layout = wanted.layout;
      part.columns = stored_columns(wanted, request_);
      part.word_bits = word_bits;
      if (wanted.layout == MapLayout::pair_lists) {
        const auto stage = job.stage("filter");
        lists_.at(list++).finish(runs, part);
        part.orders = std::make_shared<RowOrders>();
      } else if (wanted.layout == MapLayout::mask_sorted) {
        part.splits = wanted.splits;
        fill_mask_sorted(device_, runs, map_, part, job);
      } else if (wanted.layout != MapLayout::z_runs) {
        const auto stage = job.stage("transpose");
        fill_dense(device_, runs, map_, part);
      }
      map_.parts.push_back(std::move(part));
    }
    // Move the words last, because the code above still reads them.
    for (auto& part : map_.parts) {
      if (part.layout != MapLayout::z_runs) continue;
      part.entries = std::move(words);
      part.orders = std::make_shared<RowOrders>();
      break;
    }
  }

 private:
  const Device& device_;
  const MapRequest& request_;
  KernelMap& map_;
  int groups_;
  std::vector<PairLists> lists_;
};

}  // namespace

std::size_t room_for_all_pairs(const Device& device, const PairListShape& lists) {
  const std::size_t room = static_cast<std::size_t>(lists.outputs) * lists.columns * bytes_of_pair;
  const int size = fast_kernel_size(lists.kernel);
  if (!lists.alone || lists.algorithm != MapAlgorithm::z_delta || lists.kernel.native() || size == 0 ||
      size > max_size_of_one_launch || room > max_bytes_to_spare)
    return 0;
  const int groups = (static_cast<int>(lists.columns) + size - 1) / size;
  const int rows = visit_launch(groups, [&]<int group_limit>(std::integral_constant<int, group_limit>) {
    return rows_of_one_launch<group_limit>(device, lists.outputs);
  });
  return rows != 0 ? room : 0;
}

KernelMap build_map(const Device& device, const CoordSet& in, const CoordSet& out, const MapRequest& request,
                    Job& job) {
  require_sound(request, in, out);
  SPIRA_ASSERT(in.pack == out.pack, "inputs and outputs are packed differently");
  job.checkpoint({"building the kernel map", 0, 1});
  KernelMap map;
  map.offsets = request.offsets;
  map.inputs = in.size.value();
  map.outputs = out.size.value();
  map.half = request.half;
  map.submanifold = in.stride == out.stride && !map.many();
  map.algorithm = request.algorithm;
  if (map.many()) {
    map.parts.push_back(native_part(device, in, out, request, job));
    return map;
  }
  const bool narrow = map.inputs <= (std::int64_t{1} << (32 - request.offsets->z_cells()));
  const int groups = groups_in_use(request);
  const Queries queries = queries_of(*request.offsets, in.pack, groups);
  const auto run = [&]<class Key, class Word>(Key, Word) {
    Buffer words(device.pool, static_cast<std::size_t>(map.outputs * queries.groups) * sizeof(Word));
    const SearchTask<Key, Word> task{values<Key>(in.keys), values<Key>(out.keys), map.inputs,
                                     map.outputs,          values<Word>(words),   queries};
    Parts parts(device, request, map, groups);
    search(device, task, request.algorithm, parts.lists_of_search(), job);
    parts.fill(std::move(words), static_cast<int>(sizeof(Word)) * 8, job);
  };
  visit_key(in.pack, [&]<class Key>(Key key) {
    if (narrow) {
      run(key, std::uint32_t{});
    } else {
      run(key, std::uint64_t{});
    }
  });
  return map;
}

}  // namespace spira::cuda
