// SPDX-License-Identifier: Apache-2.0
//
// The steps of the main job on a synthetic graph: read, infer, legalize, write.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "bench/synthetic_model.h"
#include "onnx_legalize/legalize.h"
#include "ops/inference.h"

namespace onnx_legalize {
namespace {

std::unique_ptr<Model> Parse(const std::string& bytes) {
  absl::StatusOr<std::unique_ptr<Model>> model = ParseModel(bytes);
  return model.ok() ? *std::move(model) : nullptr;
}

void BM_Read(benchmark::State& state) {
  const std::string bytes = SyntheticModel(state.range(0));
  for (auto _ : state) {
    std::unique_ptr<Model> model = Parse(bytes);
    if (model == nullptr) state.SkipWithError("does not parse");
    benchmark::DoNotOptimize(model);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Read)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);

void BM_Infer(benchmark::State& state) {
  std::unique_ptr<Model> model = Parse(SyntheticModel(state.range(0)));
  if (model == nullptr) return state.SkipWithError("does not parse");
  for (auto _ : state) {
    TypeInference types(*model);
    if (!types.InferModel().ok()) state.SkipWithError("does not infer");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Infer)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);

// Of a model that the default pipeline has just rewritten.
void BM_Write(benchmark::State& state) {
  std::unique_ptr<Model> model = Parse(SyntheticModel(state.range(0)));
  if (model == nullptr || !Legalize(model, Options()).ok()) {
    return state.SkipWithError("does not legalize");
  }
  for (auto _ : state) {
    absl::StatusOr<std::string> written = SerializeModel(*model);
    if (!written.ok()) state.SkipWithError("does not write");
    benchmark::DoNotOptimize(written);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Write)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);

void BM_Legalize(benchmark::State& state) {
  const std::string bytes = SyntheticModel(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    std::unique_ptr<Model> model = Parse(bytes);
    state.ResumeTiming();
    if (model == nullptr || !Legalize(model, Options()).ok()) {
      state.SkipWithError("does not legalize");
    }
    state.PauseTiming();
    model.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Legalize)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace onnx_legalize
