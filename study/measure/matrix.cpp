// Implements study/measure/matrix.hpp.
#include "study/measure/matrix.hpp"

#include <algorithm>

namespace gvf::study {
namespace {

constexpr std::int64_t power(int exponent) {
  return std::int64_t{1} << exponent;
}

std::vector<Problem> at_default_k(const Pipeline& pipeline, const std::vector<int>& exponents) {
  std::vector<Problem> problems;
  for (const int exponent : exponents) problems.push_back({power(exponent), pipeline.default_k});
  return problems;
}

}  // namespace

std::vector<Problem> bench_problems(const Pipeline& pipeline, Depth depth) {
  if (depth == Depth::quick) return at_default_k(pipeline, {10, 16, 20, 24, 28});
  std::vector<Problem> problems = at_default_k(pipeline, {10, 13, 16, 18, 20, 22, 24, 26, 28});
  if (pipeline.has_k) {
    for (const int k : {1, 4, 64}) {
      for (const int exponent : {10, 16, 26}) problems.push_back({power(exponent), k});
    }
  }
  for (const int repeats : {1, 4, 64}) problems.push_back({power(10), pipeline.default_k, 0, repeats});
  return problems;
}

std::vector<Problem> attribution_problems(const Pipeline& pipeline, Depth depth) {
  return at_default_k(pipeline,
                      depth == Depth::quick ? std::vector{16, 28} : std::vector{10, 16, 20, 24, 28});
}

bool is_basic(const SubmissionKind& submission) {
  return submission.name == "stream" || submission.name == "graph";
}

bool is_measured(const SubmissionKind& submission, const Problem& problem) {
  if (problem.repeats > 0) return submission.has_repeats();
  return is_basic(submission) || problem.n <= power(21);
}

bool is_benched(const Pipeline& pipeline, const SubmissionKind& submission, const Problem& problem) {
  if (problem.repeats > 0 || is_basic(submission)) return is_measured(submission, problem);
  // Launch-bound, in between, resident in L2; and as many launches as there can be where they are all there
  // is.
  if (problem.k == pipeline.default_k)
    return problem.n == power(10) || problem.n == power(16) || problem.n == power(20);
  return problem.n == power(10) && problem.k == pipeline.max_k;
}

bool is_attributed(const SubmissionKind& submission, const Problem& problem) {
  return is_measured(submission, problem) && (is_basic(submission) || problem.n <= power(16));
}

std::vector<int> slice_sweep(const Pipeline& pipeline, const Problem& problem, const Device& device) {
  constexpr double enough_waves = 4;
  std::vector<int> counts{pipeline.slices(Structure::sliced, problem, device)};
  for (const int slices : {2, 4, 8, 16, 32}) {
    if (pipeline.waves_per_slice(problem, slices, device) >= enough_waves) counts.push_back(slices);
  }
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

}  // namespace gvf::study
