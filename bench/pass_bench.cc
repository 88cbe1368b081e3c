// SPDX-License-Identifier: Apache-2.0
//
// Single passes on models that consist of what they rewrite.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/synthetic_model.h"
#include "onnx_legalize/legalize.h"

namespace onnx_legalize {
namespace {

void RunPass(benchmark::State& state, const std::string& pass,
             std::string (*make_model)(int64_t)) {
  const std::string bytes = make_model(state.range(0));
  Options options;
  options.passes = std::vector<std::string>{pass};
  for (auto _ : state) {
    state.PauseTiming();
    absl::StatusOr<std::unique_ptr<Model>> model = ParseModel(bytes);
    state.ResumeTiming();
    if (!model.ok()) return state.SkipWithError("does not parse");
    absl::StatusOr<Report> report = Legalize(*model, options);
    if (!report.ok() || !report->changed) {
      return state.SkipWithError("is not rewritten");
    }
    state.PauseTiming();
    model->reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_DecomposeAutoPad(benchmark::State& state) {
  RunPass(state, "decompose-auto-pad", SamePaddingModel);
}
BENCHMARK(BM_DecomposeAutoPad)->Arg(1000)->Unit(benchmark::kMillisecond);

void BM_DecomposeTrilu(benchmark::State& state) {
  RunPass(state, "decompose-trilu", TriluModel);
}
BENCHMARK(BM_DecomposeTrilu)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace onnx_legalize
