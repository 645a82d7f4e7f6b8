// The recorder over a fake CUPTI: from activity records to a timeline file that reads back, and what happens
// to records, buffers and files that are not as they should be.
#include "profiling/record/recorder.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <set>

#include "profiling/record/timeline_file.hpp"
#include "tests/catch.hpp"
#include "tests/host/profiling_fake_cupti.hpp"
#include "tests/host/study_fixture.hpp"

using namespace gvf::profiling;
using namespace gvf::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr std::uint64_t epoch = 1'000'000;

// A recorder into a file of its own that flushes when the test says so.
class Recording {
 public:
  explicit Recording(RecorderOptions options = {}) {
    options.flush_interval = std::chrono::hours(1);
    options.buffer_bytes = 4096;
    fake().clock = epoch;
    recorder_.emplace(fake_api(), options, open(path().c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600),
                      [this](const std::string& line) { complaints.push_back(line); });
  }
  std::string path() const { return (folder_.path() / "a.gvft").string(); }
  std::optional<CuptiProblem> start() {
    return recorder_->start({{"pid", 42}, {"exe", "/bin/app"}, {"command", {"app", "-x"}}});
  }
  RecordedProcess finish() {
    REQUIRE(recorder_->finish(std::chrono::seconds(10)));
    recorder_.reset();
    auto process = read_timeline(path());
    if (!process) FAIL(process.reason().text);
    return *process;
  }
  void drop() { recorder_.reset(); }

  std::vector<std::string> complaints;

 private:
  ScratchFolder folder_;
  std::optional<Recorder> recorder_;
};

// The process that `deliver` leaves behind.
template <class Deliver>
RecordedProcess record(Deliver&& deliver, RecorderOptions options = {}) {
  fake() = {};
  Recording recording(options);
  REQUIRE_FALSE(recording.start());
  deliver();
  return recording.finish();
}

}  // namespace

TEST_CASE("every kind of record arrives in the timeline and reads back", "[profiling][record]") {
  const RecordedProcess process = record([] {
    fake().deliver(call_record(epoch + 100, epoch + 400, 1));
    fake().deliver(kernel_record(epoch + 5000, epoch + 5900, 1, 3, 9));
    CUpti_ActivityMemcpy6 copy{};
    copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    copy.start = epoch + 6000;
    copy.end = epoch + 6100;
    copy.bytes = 64;
    copy.correlationId = 2;
    copy.deviceId = 1;
    fake().deliver(copy);
    CUpti_ActivityMemcpyPtoP4 peer{};
    peer.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
    peer.start = epoch + 6200;
    peer.end = epoch + 6300;
    peer.bytes = 65;
    fake().deliver(peer);
    CUpti_ActivityMemset4 memset{};
    memset.kind = CUPTI_ACTIVITY_KIND_MEMSET;
    memset.start = epoch + 6400;
    memset.end = epoch + 6500;
    memset.bytes = 66;
    fake().deliver(memset);
    CUpti_ActivityGraphTrace2 graph{};
    graph.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
    graph.correlationId = 5;
    graph.start = epoch + 7000;
    graph.end = epoch + 9000;
    graph.graphId = 8;
    graph.streamId = 7;
    fake().deliver(graph);
    CUpti_ActivitySynchronization2 wait{};
    wait.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
    wait.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
    wait.start = epoch + 9000;
    wait.end = epoch + 9500;
    wait.correlationId = 6;
    wait.streamId = 7;
    fake().deliver(wait);
    CUpti_ActivityDevice5 device{};
    device.kind = CUPTI_ACTIVITY_KIND_DEVICE;
    device.name = "NVIDIA \"H200\"";
    device.numMultiprocessors = 132;
    device.uuid.bytes[0] = static_cast<char>(0xab);
    fake().deliver(device);
    fake().deliver(marker_record(CUPTI_ACTIVITY_FLAG_MARKER_START, epoch + 50, 1, 77, "step \xff", "lib"));
    fake().deliver(marker_record(CUPTI_ACTIVITY_FLAG_MARKER_START, epoch + 60, 2, 77, "inner"));
    fake().deliver(marker_record(CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS, epoch + 65, 3, 77, "now"));
    fake().deliver(marker_record(CUPTI_ACTIVITY_FLAG_MARKER_END, epoch + 70, 2, 77));
    fake().deliver(marker_record(CUPTI_ACTIVITY_FLAG_MARKER_END, epoch + 90, 1, 78));
    CUpti_ActivityName uninvited{};
    uninvited.kind = CUPTI_ACTIVITY_KIND_NAME;
    fake().deliver(uninvited);
  });
  CHECK(process.pid == 42);
  CHECK(process.exe == "/bin/app");
  CHECK(process.command == std::vector<std::string>{"app", "-x"});
  CHECK_FALSE(process.graph_nodes);
  CHECK(process.has_end);
  CHECK_FALSE(process.has_cut_line);
  CHECK(process.lost == LostRecords{});

  REQUIRE(process.calls.size() == 1);
  CHECK(process.calls[0].at == Interval{epoch + 100, epoch + 400});
  CHECK(process.names[process.calls[0].name] == "cudaLaunchKernel");
  REQUIRE(process.works.size() == 5);
  CHECK(process.works[0].at == Interval{epoch + 5000, epoch + 5900});
  CHECK(process.names[process.works[0].name] == "_Z6squarePf");
  CHECK(process.works[0].graph_id == 3);
  CHECK(process.works[0].node_id == 9);
  CHECK(process.works[0].stream == 7);
  CHECK(process.works[1].kind == WorkKind::memcpy);
  CHECK(process.works[1].bytes == 64);
  CHECK(process.works[1].device == 1);
  CHECK(process.works[2].kind == WorkKind::memcpy);
  CHECK(process.works[2].bytes == 65);
  CHECK(process.works[3].kind == WorkKind::memset);
  CHECK(process.works[3].bytes == 66);
  CHECK(process.works[4].kind == WorkKind::graph);
  CHECK(process.works[4].graph_id == 8);
  REQUIRE(process.waits.size() == 1);
  CHECK(process.waits[0].correlation_id == 6);
  CHECK(process.waits[0].stream == 7);
  CHECK(process.waits[0].type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE);
  REQUIRE(process.devices.size() == 1);
  CHECK(process.devices[0].name == "NVIDIA \"H200\"");
  CHECK(process.devices[0].uuid == "ab000000000000000000000000000000");
  REQUIRE(process.ranges.size() == 2);
  CHECK(process.names[process.ranges[0].name] == "inner");
  CHECK(process.ranges[0].at == Interval{epoch + 60, epoch + 70});
  CHECK(process.names[process.ranges[1].name] == "step \xEF\xBF\xBD");  // what is no UTF-8
  CHECK(process.names[process.ranges[1].domain] == "lib");
  CHECK(process.ranges[1].thread == 77);
  CHECK(process.ranges[1].end_thread == 78);
}

TEST_CASE("what is enabled follows the granularity, and ends with the recorder", "[profiling][record]") {
  for (const bool nodes : {false, true}) {
    RecorderOptions options;
    options.graph_nodes = nodes;
    const RecordedProcess process = record([] {}, options);
    CHECK(process.graph_nodes == nodes);
    const std::set<int> kinds(fake().enabled.begin(), fake().enabled.end());
    CHECK(kinds.count(CUPTI_ACTIVITY_KIND_GRAPH_TRACE) == (nodes ? 0 : 1));
    CHECK(kinds.count(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) == 1);
    CHECK(kinds.count(CUPTI_ACTIVITY_KIND_MARKER) == 1);
    // All calls would be dearer by far: only chosen ones.
    CHECK(kinds.count(CUPTI_ACTIVITY_KIND_RUNTIME) == 0);
    CHECK(kinds.count(CUPTI_ACTIVITY_KIND_DRIVER) == 0);
    CHECK(fake().disabled == fake().enabled);
    CHECK_FALSE(fake().calls_enabled.empty());
    CHECK(fake().calls_disabled == fake().calls_enabled);
    CHECK_FALSE(fake().driver_calls_enabled.empty());
    CHECK(fake().driver_calls_disabled == fake().driver_calls_enabled);
    CHECK(fake().subscribed == fake().unsubscribed);
  }
}

TEST_CASE("a call that CUPTI refuses costs that call, and the header names it",
          "[profiling][record][degraded]") {
  fake() = {};
  fake().fail["enable_runtime_api:7"] = CUPTI_ERROR_INVALID_PARAMETER;
  Recording recording;
  REQUIRE_FALSE(recording.start());
  CHECK_THAT(read_text(recording.path()),
             ContainsSubstring("\"refused_calls\":[\"cudaLaunchKernel_v7000\"]"));
  CHECK(recording.finish().has_end);
  CHECK(fake().calls_enabled.size() == fake().calls_disabled.size() + 1);
}

TEST_CASE("records that are no use are counted and left out", "[profiling][record][degraded]") {
  const RecordedProcess process = record([] {
    fake().deliver(kernel_record(0, 0, 1));
    fake().deliver(kernel_record(epoch + 100, 0, 1));  // unfinished at the last flush
    fake().deliver(kernel_record(epoch + 900, epoch + 800, 2));
    fake().deliver(kernel_record(epoch + 900, epoch + 900, 3));
    fake().deliver(call_record(0, 0, 4));
    fake().deliver(marker_record(CUPTI_ACTIVITY_FLAG_MARKER_START, 0, 1, 77, "x"));
    fake().deliver(marker_record(CUPTI_ACTIVITY_FLAG_MARKER_START, epoch + 1, 2, 77, "never ended"));
    fake().deliver(marker_record(CUPTI_ACTIVITY_FLAG_MARKER_END, epoch + 2, 3, 77));
    fake().deliver(kernel_record(epoch + 1000, epoch + 1001, 5));
    fake().dropped = 7;
    fake().buffer_ends_broken = 1;
  });
  CHECK(process.works.size() == 1);
  CHECK(process.calls.empty());
  CHECK(process.lost.dropped == 7);
  CHECK(process.lost.without_times == 4);
  CHECK(process.lost.reversed == 1);
  CHECK(process.lost.zero_length == 1);
  CHECK(process.lost.broken_buffers == 1);
  CHECK(process.unclosed_ranges == 1);
  CHECK(process.unopened_ranges == 1);
}

TEST_CASE("the end of a range may come before its begin: threads have buffers of their own",
          "[profiling][record]") {
  const RecordedProcess process = record([] {
    fake().deliver(marker_record(CUPTI_ACTIVITY_FLAG_MARKER_END, epoch + 90, 1, 78));
    fake().deliver(marker_record(CUPTI_ACTIVITY_FLAG_MARKER_START, epoch + 50, 1, 77, "x"));
  });
  REQUIRE(process.ranges.size() == 1);
  CHECK(process.ranges[0].at == Interval{epoch + 50, epoch + 90});
}

TEST_CASE("buffers: never one twice, and no more than allowed", "[profiling][record][degraded]") {
  fake() = {};
  RecorderOptions options;
  options.most_buffers = 3;
  options.ready_buffers = 1;
  Recording recording(options);
  REQUIRE_FALSE(recording.start());
  std::set<std::uint8_t*> lent;
  const auto request = [] {
    std::uint8_t* buffer = nullptr;
    std::size_t bytes = 7, most = 7;
    fake().request(&buffer, &bytes, &most);
    CHECK(bytes == (buffer ? 4096 : 0));
    CHECK(most == 0);
    return buffer;
  };
  for (int i = 0; i < 3; ++i) lent.insert(request());
  CHECK(lent.size() == 3);
  CHECK(lent.count(nullptr) == 0);
  CHECK(request() == nullptr);
  for (std::uint8_t* buffer : lent) {
    std::memset(buffer, 0xff, 4096);
    fake().complete(nullptr, 0, buffer, 4096, 0);
  }
  const RecordedProcess process = recording.finish();
  CHECK(process.lost.starved == 1);

  BufferPool pool(4096, 1);
  std::uint8_t* const once = pool.take();
  REQUIRE(once);
  std::memset(once, 0xff, 4096);
  pool.give_back(once);
  CHECK(pool.take() == once);
  CHECK(std::count(once, once + 4096, 0) == 4096);  // CUPTI was told that buffers are zeroed
}

TEST_CASE("a recorder that cannot start says why and leaves nothing enabled",
          "[profiling][record][degraded]") {
  const auto outcome = [](const std::string& call, CUptiResult result) {
    fake() = {};
    fake().fail[call] = result;
    Recording recording;
    const auto problem = recording.start();
    REQUIRE(problem);
    CHECK(fake().enabled == fake().disabled);
    CHECK(fake().subscribed == fake().unsubscribed);
    CHECK_THAT(problem->text, ContainsSubstring("CUPTI_ERROR_"));
    return problem->kind;
  };
  CHECK(outcome("subscribe", CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) == Degraded::other_tool);
  const std::string marker = "enable:" + std::to_string(CUPTI_ACTIVITY_KIND_MARKER);
  CHECK(outcome(marker, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES) == Degraded::no_permission);
  CHECK(outcome("register_callbacks", CUPTI_ERROR_UNKNOWN) == Degraded::cupti_error);
  CHECK(outcome("enable_runtime_api", CUPTI_ERROR_NOT_INITIALIZED) == Degraded::not_initialized);
  CHECK(outcome("enable_driver_api", CUPTI_ERROR_NOT_INITIALIZED) == Degraded::not_initialized);
  CHECK(outcome("get_timestamp", CUPTI_ERROR_NOT_INITIALIZED) == Degraded::not_initialized);

  // After each of these a recorder can start, and a second one beside it cannot.
  fake() = {};
  Recording first;
  REQUIRE_FALSE(first.start());
  Recording second;
  CHECK(second.start()->kind == Degraded::already_active);
  second.drop();
  fake().deliver(kernel_record(epoch + 1, epoch + 2, 1));
  CHECK(first.finish().works.size() == 1);
}

TEST_CASE("a file that takes no more ends the recording with one line, not the program",
          "[profiling][record][degraded]") {
  fake() = {};
  std::vector<std::string> complaints;
  const auto complain = [&](const std::string& line) { complaints.push_back(line); };
  RecorderOptions options;
  options.flush_interval = std::chrono::hours(1);
  {
    Recorder recorder(fake_api(), options, open("/dev/full", O_WRONLY), complain);
    CHECK_THAT(recorder.start(nlohmann::json::object())->text, ContainsSubstring("No space left"));
    CHECK(fake().enabled == fake().disabled);
  }
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const auto previous = std::signal(SIGPIPE, SIG_DFL);  // blocked on the recorder's thread all the same
  {
    fake() = {};
    Recorder recorder(fake_api(), options, ends[1], complain);
    REQUIRE_FALSE(recorder.start(nlohmann::json::object()));
    close(ends[0]);
    fake().deliver(kernel_record(epoch + 1, epoch + 2, 1));
    CHECK(recorder.finish(std::chrono::seconds(10)));
  }
  std::signal(SIGPIPE, previous);
  REQUIRE(complaints.size() == 1);
  CHECK_THAT(complaints[0], ContainsSubstring("recording ends here") && ContainsSubstring("Broken pipe"));
  CHECK(fake().enabled == fake().disabled);
}

TEST_CASE("a flush that hangs holds up the end of the program for a while only",
          "[profiling][record][degraded]") {
  fake() = {};
  static std::atomic<bool> hangs{true};
  CuptiApi api = fake_api();
  api.activity_flush_all = [](std::uint32_t) {
    while (hangs) usleep(1000);
    return CUPTI_SUCCESS;
  };
  Recorder recorder(api, {}, open("/dev/null", O_WRONLY), [](const std::string&) {});
  REQUIRE_FALSE(recorder.start(nlohmann::json::object()));
  CHECK_FALSE(recorder.finish(std::chrono::milliseconds(20)));
  hangs = false;
  CHECK(recorder.finish(std::chrono::seconds(10)));
}

TEST_CASE("a forked child is inert: it writes nothing, and CUPTI gets no buffer from it",
          "[profiling][record]") {
  fake() = {};
  Recording recording;
  REQUIRE_FALSE(recording.start());
  const pid_t child = fork();
  if (child == 0) {
    Recorder::forget_after_fork();
    std::uint8_t* buffer = nullptr;
    std::size_t bytes = 7, most = 7;
    fake().request(&buffer, &bytes, &most);
    std::uint8_t memory[8] = {};
    fake().complete(nullptr, 0, memory, 8, 8);
    _exit(buffer == nullptr && bytes == 0 ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  fake().deliver(kernel_record(epoch + 1, epoch + 2, 1));
  CHECK(recording.finish().works.size() == 1);
}

TEST_CASE("names start anew rather than fill the memory, and still read back", "[profiling][record]") {
  fake() = {};
  const ScratchFolder folder;
  const std::string path = (folder.path() / "names.gvft").string();
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  TimelineWriter writer(fake_api(), descriptor, 0);
  writer.add_object(
      {{"gvf_timeline", timeline_version}, {"epoch_ns", 0}, {"pid", 1}, {"exe", ""}, {"graphs", "nodes"}});
  const std::string filler(1 << 20, 'x');
  for (int i = 0; i < 40; ++i) {
    const std::string name = std::to_string(i % 20) + filler;  // 20 MB of different names, twice
    auto begin =
        marker_record(CUPTI_ACTIVITY_FLAG_MARKER_START, 10, static_cast<std::uint32_t>(i), 1, name.c_str());
    writer.add_buffer(reinterpret_cast<std::uint8_t*>(&begin), sizeof begin);
    auto end = marker_record(CUPTI_ACTIVITY_FLAG_MARKER_END, 20, static_cast<std::uint32_t>(i), 1);
    writer.add_buffer(reinterpret_cast<std::uint8_t*>(&end), sizeof end);
  }
  REQUIRE(writer.flush());
  close(descriptor);
  const auto process = read_timeline(path);
  REQUIRE(process.ok());
  REQUIRE(process->ranges.size() == 40);
  CHECK(process->names.size() == 21);  // and the default domain's empty one
  for (int i = 0; i < 40; ++i)
    CHECK(process->names[process->ranges[static_cast<std::size_t>(i)].name].substr(0, 3) ==
          (std::to_string(i % 20) + "xx").substr(0, 3));
}
