// Implements study/measure/variant.hpp.
#include "study/measure/variant.hpp"

#include "core/error.hpp"
#include "graphs/capture.hpp"
#include "study/exit_code.hpp"

namespace gvf::study {

Variant::Variant(const Pipeline& pipeline, Structure structure, const SubmissionKind& submission,
                 Workload& workload, const Problem& problem, cudaStream_t stream)
    : pipeline_(&pipeline),
      structure_(structure),
      kind_(&submission),
      workload_(&workload),
      problem_(problem),
      stream_(stream),
      slices_(pipeline.slices(structure, problem, workload.device())) {
  const Implementation* implementation = pipeline.find(structure);
  if (implementation == nullptr) throw BadInput(name() + ": this pipeline has no such structure");
  program_ = implementation->make(workload, slices_);
  program_->prepare();
  const Enqueue enqueue = [program = program_.get()](Launcher& launcher) { program->enqueue(launcher); };
  // The first run loads modules, which a capture must not meet.
  StreamLauncher launcher(stream_);
  enqueue(launcher);
  synchronize();
  kernels_ = static_cast<int>(graphs::node_count(graphs::capture(enqueue).get()));
  submission_ = submission.make(enqueue, stream_, submission.repeats(problem));
}

void Variant::synchronize() {
  GVF_CUDA(cudaStreamSynchronize(stream_), "waiting for " + name());
}

ByteModel Variant::byte_model() const {
  Problem resolved = problem_;
  resolved.slices = slices_;
  return pipeline_->byte_model(structure_, resolved);
}

std::string Variant::name() const {
  return variant_name(*pipeline_, structure_, kind_->name, problem_);
}

double Variant::expected_us() const {
  return iterations() * study::expected_us(byte_model(), workload_->device());
}

double expected_us(const ByteModel& model, const Device& device) {
  const double gbps = device.memory_gbps > 0 ? device.memory_gbps : 500;
  return 8 + 2.0 * model.launches() + static_cast<double>(model.bytes()) / (0.75 * gbps * 1e3);
}

}  // namespace gvf::study
