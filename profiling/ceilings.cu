// The kernels behind profiling/ceilings.hpp.
#include <algorithm>
#include <functional>

#include "core/error.hpp"
#include "core/handles.hpp"
#include "profiling/ceilings.hpp"

namespace gvf::profiling {
namespace {

// Keeps a read alive without a write: stores only if the data holds a value that nobody put there.
__device__ __forceinline__ void consume(float sum, float* sink) {
  if (sum == 12345.678f) *sink = sum;
}

__device__ __forceinline__ float add4(float4 v) {
  return (v.x + v.y) + (v.z + v.w);
}

template <int Threads, int Loads>
__global__ void __launch_bounds__(Threads) read_strided(const float4* x, std::int64_t vectors, float* sink) {
  float sum = 0;
  const std::int64_t tile = std::int64_t{Threads} * Loads;
  for (std::int64_t begin = blockIdx.x * tile; begin + tile <= vectors; begin += gridDim.x * tile) {
    float4 loaded[Loads];
#pragma unroll
    for (int i = 0; i < Loads; ++i) loaded[i] = x[begin + i * Threads + threadIdx.x];
#pragma unroll
    for (int i = 0; i < Loads; ++i) sum += add4(loaded[i]);
  }
  consume(sum, sink);
}

template <int Threads, int Loads>
__global__ void __launch_bounds__(Threads) read_tiled(const float4* x, float* sink) {
  const std::int64_t begin = std::int64_t{blockIdx.x} * Threads * Loads + threadIdx.x;
  float4 loaded[Loads];
#pragma unroll
  for (int i = 0; i < Loads; ++i) loaded[i] = x[begin + i * Threads];
  float sum = 0;
#pragma unroll
  for (int i = 0; i < Loads; ++i) sum += add4(loaded[i]);
  consume(sum, sink);
}

template <int Threads, int Stores>
__global__ void __launch_bounds__(Threads) write_tiled(float4* y, float value) {
  const std::int64_t begin = std::int64_t{blockIdx.x} * Threads * Stores + threadIdx.x;
#pragma unroll
  for (int i = 0; i < Stores; ++i) y[begin + i * Threads] = make_float4(value, value, value, value);
}

template <int Threads, int Loads>
__global__ void __launch_bounds__(Threads) copy_tiled(const float4* x, float4* y) {
  const std::int64_t begin = std::int64_t{blockIdx.x} * Threads * Loads + threadIdx.x;
  float4 loaded[Loads];
#pragma unroll
  for (int i = 0; i < Loads; ++i) loaded[i] = x[begin + i * Threads];
#pragma unroll
  for (int i = 0; i < Loads; ++i) y[begin + i * Threads] = loaded[i];
}

// Reads the same `vectors` again and again, each pass from another place, so that no pass is served by L1.
template <int Threads, int Loads>
__global__ void __launch_bounds__(Threads)
    read_resident(const float4* x, std::int64_t vectors, int passes, float* sink) {
  float sum = 0;
  const std::int64_t tile = std::int64_t{Threads} * Loads;
  const std::int64_t tiles = vectors / tile;
  for (int pass = 0; pass < passes; ++pass) {
    for (std::int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
      const std::int64_t begin = (t + pass * 7) % tiles * tile + threadIdx.x;
#pragma unroll
      for (int i = 0; i < Loads; ++i) sum += add4(__ldcg(&x[begin + i * Threads]));
    }
  }
  consume(sum, sink);
}

// Bits like those of data: constant memory can read faster than any input would.
__global__ void noise_kernel(unsigned* words, std::int64_t count) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    unsigned bits = static_cast<unsigned>(i) * 2654435761u;
    bits ^= bits >> 15;
    words[i] = (bits * 2246822519u) >> 1;
  }
}

class Trials {
 public:
  explicit Trials(cudaStream_t stream) : stream_(stream), begin_(make_event()), end_(make_event()) {}

  // Times `enqueue`, which moves `bytes`, `repetitions` times after a warm-up, back to back in pairs: the
  // second of a pair starts with the host ahead, so its launch is hidden.
  void run(const char* kind, const std::string& kernel, double bytes, const std::function<void()>& enqueue) {
    constexpr int repetitions = 15;
    enqueue();
    GVF_CUDA(cudaGetLastError(), "launching a ceiling kernel");
    std::vector<double> times_us;
    for (int i = 0; i < repetitions; ++i) {
      enqueue();
      GVF_CUDA(cudaEventRecord(begin_.get(), stream_), "timing a ceiling kernel");
      enqueue();
      GVF_CUDA(cudaEventRecord(end_.get(), stream_), "timing a ceiling kernel");
      GVF_CUDA(cudaStreamSynchronize(stream_), "running a ceiling kernel");
      float ms = 0;
      GVF_CUDA(cudaEventElapsedTime(&ms, begin_.get(), end_.get()), "reading a ceiling kernel's time");
      times_us.push_back(1e3 * ms);
    }
    std::sort(times_us.begin(), times_us.end());
    const double median = times_us[repetitions / 2];
    const double spread = (times_us[repetitions * 9 / 10] - times_us[repetitions / 10]) / median;
    trials_.push_back({kind, kernel, bytes / median * 1e-3, spread});
  }

  [[nodiscard]] double best(std::string_view kind) const {
    double gbps = 0;
    for (const CeilingTrial& trial : trials_) {
      if (trial.kind == kind) gbps = std::max(gbps, trial.gbps);
    }
    return gbps;
  }
  [[nodiscard]] std::vector<CeilingTrial> take() { return std::move(trials_); }

 private:
  cudaStream_t stream_;
  Event begin_;
  Event end_;
  std::vector<CeilingTrial> trials_;
};

}  // namespace

Ceilings measure_ceilings(const Device& device) {
  const std::int64_t granule = std::int64_t{1} << 20;
  std::int64_t bytes = std::min<std::int64_t>(std::int64_t{4} << 30, free_device_bytes() / 4);
  bytes = bytes / granule * granule;
  const DeviceBuffer<std::byte> from(static_cast<std::size_t>(bytes));
  const DeviceBuffer<std::byte> to(static_cast<std::size_t>(bytes));
  const DeviceBuffer<float> sink(1);
  const Stream stream = make_stream();
  const auto* x = reinterpret_cast<const float4*>(from.data());
  auto* y = reinterpret_cast<float4*>(to.data());
  const std::int64_t vectors = bytes / 16;
  const auto sms = static_cast<unsigned>(device.sm_count);
  cudaStream_t s = stream.get();
  noise_kernel<<<8 * sms, 256, 0, s>>>(reinterpret_cast<unsigned*>(from.data()), bytes / 4);

  Trials trials(s);
  const auto moved = static_cast<double>(bytes);
  const auto tiles = [vectors](int threads, int loads) {
    return static_cast<unsigned>(vectors / (threads * loads));
  };
  trials.run("read", "strided, 512 threads x 4 loads, 4 blocks an SM", moved,
             [&] { read_strided<512, 4><<<4 * sms, 512, 0, s>>>(x, vectors, sink.data()); });
  trials.run("read", "strided, 256 threads x 4 loads, 8 blocks an SM", moved,
             [&] { read_strided<256, 4><<<8 * sms, 256, 0, s>>>(x, vectors, sink.data()); });
  trials.run("read", "strided, 1024 threads x 4 loads, 2 blocks an SM", moved,
             [&] { read_strided<1024, 4><<<2 * sms, 1024, 0, s>>>(x, vectors, sink.data()); });
  trials.run("read", "tiled, 512 threads x 4 loads", moved,
             [&] { read_tiled<512, 4><<<tiles(512, 4), 512, 0, s>>>(x, sink.data()); });
  trials.run("read", "tiled, 256 threads x 8 loads", moved,
             [&] { read_tiled<256, 8><<<tiles(256, 8), 256, 0, s>>>(x, sink.data()); });
  trials.run("write", "cudaMemsetAsync", moved, [&] {
    GVF_CUDA(cudaMemsetAsync(to.data(), 0x3f, static_cast<std::size_t>(bytes), s), "setting memory");
  });
  trials.run("write", "tiled, 256 threads x 1 store", moved,
             [&] { write_tiled<256, 1><<<tiles(256, 1), 256, 0, s>>>(y, 1.5f); });
  trials.run("write", "tiled, 256 threads x 4 stores", moved,
             [&] { write_tiled<256, 4><<<tiles(256, 4), 256, 0, s>>>(y, 1.5f); });
  trials.run("copy", "cudaMemcpyAsync", 2 * moved, [&] {
    GVF_CUDA(
        cudaMemcpyAsync(to.data(), from.data(), static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, s),
        "copying memory");
  });
  trials.run("copy", "tiled, 256 threads x 1 load", 2 * moved,
             [&] { copy_tiled<256, 1><<<tiles(256, 1), 256, 0, s>>>(x, y); });
  trials.run("copy", "tiled, 512 threads x 2 loads", 2 * moved,
             [&] { copy_tiled<512, 2><<<tiles(512, 2), 512, 0, s>>>(x, y); });
  // An eighth of L2 stays resident even where a line may live in both halves of a split L2.
  const std::int64_t resident = std::max<std::int64_t>(device.l2_bytes / 8 / 16 / 2048 * 2048, 2048);
  constexpr int passes = 200;
  trials.run("l2_read", "resident eighth of L2, 512 threads x 4 loads",
             16.0 * passes * static_cast<double>(resident),
             [&] { read_resident<512, 4><<<4 * sms, 512, 0, s>>>(x, resident, passes, sink.data()); });

  Ceilings ceilings;
  ceilings.read_gbps = trials.best("read");
  ceilings.write_gbps = trials.best("write");
  ceilings.copy_gbps = trials.best("copy");
  ceilings.l2_read_gbps = trials.best("l2_read");
  ceilings.bytes = bytes;
  ceilings.trials = trials.take();
  return ceilings;
}

}  // namespace gvf::profiling
