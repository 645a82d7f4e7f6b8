// Records this process into a timeline file: CUPTI fills buffers, one thread of ours flushes, formats and
// writes. Nothing of ours runs in the program's launches except handing out a buffer now and then.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "profiling/cupti_api.hpp"
#include "profiling/record/buffer_pool.hpp"
#include "profiling/record/timeline_writer.hpp"

namespace gvf::profiling {

struct RecorderOptions {
  bool graph_nodes = false;  ///< a record for every node of a graph, instead of one for the launch
  /// A crash loses at most this and the records that are not finished yet.
  std::chrono::milliseconds flush_interval{500};
  std::size_t buffer_bytes = std::size_t{1} << 20;
  std::size_t most_buffers = 96;  ///< 96 MiB; CUPTI holds one for each thread that calls CUDA
  std::size_t ready_buffers = 4;
};

/// One at a time in a process, since CUPTI's callbacks carry no context.
class Recorder {
 public:
  /// Gets one line when recording ends before its time.
  using Complain = std::function<void(const std::string&)>;

  /// `descriptor` is open for writing and closed by the recorder.
  Recorder(const CuptiApi& api, const RecorderOptions& options, int descriptor, Complain complain);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder();

  /// Writes `header`, completed with CUPTI's and the options' fields, and starts. On failure nothing stays
  /// enabled.
  std::optional<CuptiProblem> start(nlohmann::json header);

  /// Flushes what there is, finished or not, writes the end line and stops. False when that took longer than
  /// `patience`: the thread then stays behind, and this object must never be destroyed.
  bool finish(std::chrono::milliseconds patience);

  /// In a child after fork: forgets the parent's recording without touching locks, CUPTI or the file.
  static void forget_after_fork() noexcept;

 private:
  std::optional<CuptiProblem> enable_all();
  std::optional<CuptiProblem> enable_calls(CUpti_CallbackDomain domain, CUpti_CallbackId end);
  void disable_all() noexcept;
  void run() noexcept;
  void work();
  void flush_cupti(std::uint32_t flag);
  void write_completed();
  void write_counts(bool is_end);

  static void CUPTIAPI buffer_requested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records);
  static void CUPTIAPI buffer_completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                                        std::size_t bytes, std::size_t valid_bytes);

  CuptiApi api_;
  RecorderOptions options_;
  int descriptor_;
  Complain complain_;
  BufferPool pool_;
  std::optional<TimelineWriter> writer_;
  LostRecords written_lost_;

  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::vector<CUpti_ActivityKind> enabled_kinds_;
  std::vector<std::pair<CUpti_CallbackDomain, CUpti_CallbackId>> enabled_calls_;
  std::vector<std::string> refused_calls_;

  struct Completed {
    std::uint8_t* buffer;
    std::size_t valid_bytes;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Completed> completed_;
  bool stopping_ = false;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace gvf::profiling
