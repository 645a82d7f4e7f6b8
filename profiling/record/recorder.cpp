// The recorder: see recorder.hpp.
#include "profiling/record/recorder.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <exception>
#include <utility>

namespace gvf::profiling {

namespace {

// The recorder that CUPTI's callbacks work for; null before, after, and in a forked child.
std::atomic<Recorder*> current{nullptr};

// CUPTI wants a callback to subscribe; none is ever enabled.
void CUPTIAPI ignore_callback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

// The program's signal handlers must not run on the recorder's thread, and a file that grows over a limit
// must give an error, not SIGXFSZ.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

Recorder::Recorder(const CuptiApi& api, const RecorderOptions& options, int descriptor, Complain complain)
    : api_(api),
      options_(options),
      descriptor_(descriptor),
      complain_(std::move(complain)),
      pool_(options.buffer_bytes, options.most_buffers) {
  completed_.reserve(options.most_buffers);
}

Recorder::~Recorder() {
  while (thread_.joinable() && !finish(std::chrono::hours(1))) {
  }
  disable_all();
  close(descriptor_);
}

std::optional<CuptiProblem> Recorder::start(nlohmann::json header) {
  Recorder* none = nullptr;
  if (!current.compare_exchange_strong(none, this))
    return CuptiProblem{Degraded::already_active, "this process is recorded already"};

  std::uint64_t epoch = 0;
  auto problem = enable_all();
  if (!problem) {
    if (const CUptiResult status = api_.get_timestamp(&epoch); status != CUPTI_SUCCESS)
      problem = describe(api_, status, "cuptiGetTimestamp");
  }
  if (!problem) {
    header["gvf_timeline"] = timeline_version;
    header["epoch_ns"] = epoch;
    header["cupti"] = api_.version;
    header["cupti_library"] = api_.path;
    header["graphs"] = options_.graph_nodes ? "nodes" : "launches";
    header["flush_interval_ms"] = options_.flush_interval.count();
    if (!refused_calls_.empty()) header["refused_calls"] = refused_calls_;
    writer_.emplace(api_, descriptor_, static_cast<Nanoseconds>(epoch));
    writer_->add_object(header);
    if (!writer_->flush())
      problem = CuptiProblem{Degraded::cupti_error, fmt::format("the timeline cannot be written ({})",
                                                                std::strerror(writer_->error()))};
  }
  if (!problem) {
    const SignalsBlocked blocked;  // the thread inherits the mask
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::exception& error) {
      problem =
          CuptiProblem{Degraded::cupti_error, fmt::format("no thread to record with ({})", error.what())};
    }
  }
  if (problem) {
    disable_all();
    current = nullptr;
  }
  return problem;
}

std::optional<CuptiProblem> Recorder::enable_all() {
  // Two subscribers disturb each other: fails where another tool has the process.
  if (const CUptiResult status = api_.subscribe(&subscriber_, ignore_callback, nullptr);
      status != CUPTI_SUCCESS) {
    subscriber_ = nullptr;
    return describe(api_, status, "cuptiSubscribe");
  }
  // Refinements: recording is right without them.
  if (api_.activity_set_attribute) {
    // The pool zeroes buffers on the recorder's thread; else CUPTI does it in the program's.
    std::uint8_t zeroed = 1;
    std::size_t size = sizeof zeroed;
    (void)api_.activity_set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &zeroed);
  }
  // Thread ids as ps and gdb show them, not the low half of a pthread_t.
  if (api_.set_thread_id_type) (void)api_.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);

  pool_.make_ready(options_.ready_buffers);
  if (const CUptiResult status = api_.activity_register_callbacks(buffer_requested, buffer_completed);
      status != CUPTI_SUCCESS)
    return describe(api_, status, "cuptiActivityRegisterCallbacks");

  const auto enable = [&](CUpti_ActivityKind kind, const char* name) -> std::optional<CuptiProblem> {
    const CUptiResult status = api_.activity_enable(kind);
    if (status != CUPTI_SUCCESS) return describe(api_, status, fmt::format("cuptiActivityEnable({})", name));
    enabled_kinds_.push_back(kind);
    return std::nullopt;
  };
  if (auto p = enable(CUPTI_ACTIVITY_KIND_DEVICE, "DEVICE")) return p;
  if (auto p = enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "CONCURRENT_KERNEL")) return p;
  if (auto p = enable(CUPTI_ACTIVITY_KIND_MEMCPY, "MEMCPY")) return p;
  if (auto p = enable(CUPTI_ACTIVITY_KIND_MEMCPY2, "MEMCPY2")) return p;
  if (auto p = enable(CUPTI_ACTIVITY_KIND_MEMSET, "MEMSET")) return p;
  if (!options_.graph_nodes)
    if (auto p = enable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE, "GRAPH_TRACE")) return p;
  // A synchronising call's record does not say which stream it waits for; this one does. Programs that poll
  // events would flood the file: queries that found the work unfinished are left out.
  if (api_.activity_enable_all_sync_records) (void)api_.activity_enable_all_sync_records(0);
  if (auto p = enable(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, "SYNCHRONIZATION")) return p;
  if (auto p = enable(CUPTI_ACTIVITY_KIND_MARKER, "MARKER")) return p;
  if (auto p = enable_calls(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_SIZE)) return p;
  return enable_calls(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_SIZE);
}

// Of the hundreds of calls only those that submit or wait, by their names: all stream flavours and versions,
// and no record for the queries that frameworks make between launches. CUPTI may refuse single ones, of old
// runtimes.
std::optional<CuptiProblem> Recorder::enable_calls(CUpti_CallbackDomain domain, CUpti_CallbackId end) {
  const bool is_runtime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;
  const auto enable = is_runtime ? api_.activity_enable_runtime_api : api_.activity_enable_driver_api;
  if (!enable)
    return CuptiProblem{Degraded::symbol_missing,
                        "CUPTI at " + api_.path + " has no cuptiActivityEnableDriverApi: use one of CUDA 13"};
  std::optional<CuptiProblem> first_problem;
  bool is_any_enabled = false;
  for (CUpti_CallbackId cbid = 1; cbid < end; ++cbid) {
    const char* name = nullptr;
    if (api_.get_callback_name(domain, cbid, &name) != CUPTI_SUCCESS || !name) continue;
    if (!is_submitting_call(name) && !is_sync_call(name)) continue;
    if (const CUptiResult status = enable(cbid, 1); status == CUPTI_SUCCESS) {
      is_any_enabled = true;
      enabled_calls_.emplace_back(domain, cbid);
    } else {
      refused_calls_.emplace_back(name);
      if (!first_problem)
        first_problem =
            describe(api_, status,
                     fmt::format("cuptiActivityEnable{}Api({})", is_runtime ? "Runtime" : "Driver", name));
    }
  }
  return is_any_enabled ? std::nullopt : first_problem;
}

void Recorder::disable_all() noexcept {
  // Nothing can be done about a failure here.
  for (const CUpti_ActivityKind kind : std::exchange(enabled_kinds_, {})) (void)api_.activity_disable(kind);
  for (const auto& [domain, cbid] : std::exchange(enabled_calls_, {})) {
    const bool is_runtime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;
    (void)(is_runtime ? api_.activity_enable_runtime_api : api_.activity_enable_driver_api)(cbid, 0);
  }
  if (subscriber_) (void)api_.unsubscribe(std::exchange(subscriber_, nullptr));
}

void CUPTIAPI Recorder::buffer_requested(std::uint8_t** buffer, std::size_t* bytes,
                                         std::size_t* max_records) {
  Recorder* const recorder = current;
  *buffer = recorder ? recorder->pool_.take() : nullptr;  // null: CUPTI drops records and counts them
  *bytes = *buffer ? recorder->pool_.buffer_bytes() : 0;
  *max_records = 0;  // as many as fit
}

void CUPTIAPI Recorder::buffer_completed(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                                         std::size_t valid_bytes) {
  Recorder* const recorder = current;
  if (!recorder || !buffer) return;
  {
    const std::lock_guard lock(recorder->mutex_);
    recorder->completed_.push_back({buffer, valid_bytes});  // room for all was reserved
  }
  recorder->changed_.notify_all();
}

void Recorder::run() noexcept {
  try {
    work();
  } catch (const std::exception& error) {
    complain_(fmt::format("recording ends here: {}", error.what()));
    disable_all();
  }
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

void Recorder::work() {
  bool is_recording = true;
  auto next_flush = std::chrono::steady_clock::now() + options_.flush_interval;
  for (;;) {
    bool stopping = false;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_until(lock, next_flush, [&] { return stopping_ || !completed_.empty(); });
      stopping = stopping_;
    }
    const auto now = std::chrono::steady_clock::now();
    if (stopping) {
      if (is_recording) flush_cupti(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    } else if (now >= next_flush) {
      next_flush = now + options_.flush_interval;
      if (is_recording) flush_cupti(0);
    }
    write_completed();
    if (is_recording) write_counts(stopping);
    if (is_recording && !writer_->flush()) {
      complain_(fmt::format("recording ends here: the timeline cannot be written ({})",
                            std::strerror(writer_->error())));
      disable_all();
      is_recording = false;
    }
    if (stopping) return;
    pool_.make_ready(options_.ready_buffers);
  }
}

void Recorder::flush_cupti(std::uint32_t flag) {
  // Fails where CUDA is gone already at exit; what has been delivered is written all the same.
  (void)api_.activity_flush_all(flag);
  std::size_t dropped = 0;
  if (api_.activity_get_num_dropped_records(nullptr, 0, &dropped) == CUPTI_SUCCESS)
    writer_->lost().dropped += dropped;
}

void Recorder::write_completed() {
  std::vector<Completed> completed;
  completed.reserve(options_.most_buffers);
  {
    const std::lock_guard lock(mutex_);
    completed_.swap(completed);
  }
  for (const auto& [buffer, valid_bytes] : completed) {
    writer_->add_buffer(buffer, valid_bytes);
    pool_.give_back(buffer);
  }
}

void Recorder::write_counts(bool is_end) {
  LostRecords& lost = writer_->lost();
  lost.starved = pool_.starved();
  if (lost == written_lost_ && !is_end) return;
  written_lost_ = lost;
  nlohmann::json counts;
  LostRecords::each(lost, [&](const char* name, std::size_t count) { counts[name] = count; });
  nlohmann::json line{{"lost", counts}};
  if (is_end) line["end"] = true;
  writer_->add_object(line);
}

bool Recorder::finish(std::chrono::milliseconds patience) {
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
    if (!changed_.wait_for(lock, patience, [&] { return stopped_; })) return false;
  }
  thread_.join();
  current = nullptr;  // at exit CUDA may be half gone: CUPTI gets no further call, and no further buffer
  return true;
}

void Recorder::forget_after_fork() noexcept {
  if (Recorder* const recorder = current.exchange(nullptr)) close(recorder->descriptor_);
}

}  // namespace gvf::profiling
