// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/library_kernel.h"

#include <array>
#include <memory>

#include "engine/context.h"

namespace tilewright::lab {

namespace {

/// A handle's context, made at the first call and never destroyed: the driver may be gone before it.
struct Opened {
    Status status;
    std::unique_ptr<engine::Context> context;
};

Opened& opened(bool gpu) {
    static auto* const both = new std::array<Opened, 2>;
    Opened& one = (*both)[gpu];
    if (one.context || !one.status.ok()) return one;
    auto backend = gpu ? engine::open_gpu_backend(one.status) : engine::open_cpu_backend();
    if (!backend) return one;
    one.context = std::make_unique<engine::Context>(std::move(backend));
    one.status = one.context->open();
    return one;
}

template <Arithmetic mode, bool gpu>
Status run(const Problem& problem, const Execution& execution) {
    Opened& one = opened(gpu);
    if (!one.status.ok()) return one.status;
    engine::Context& context = *one.context;
    if (const std::string why = engine::refusal_of(mode, context.backend().traits()); !why.empty())
        return {StatusCode::not_supported, why};
    if (Status status = context.set_stream(execution.stream); !status.ok()) return status;
    Problem in_mode = problem;
    in_mode.arithmetic = mode;
    return context.run(in_mode);
}

template <Arithmetic mode, bool gpu>
const KernelDefinition& definition() {
    static constexpr Variant variants[] = {{"default", {}, run<mode, gpu>}};
    static const KernelDefinition definition{
        .file = kLibrary,
        .id = kLibrary,
        .aliases = {},
        .parent = "",
        .kind = Kind::engine,
        .title = "the library",
        .idea = "Whatever kernel the library's dispatch takes for a product.",
        .requirements = "",
        .variants = variants,
        .arithmetic = mode,
    };
    return definition;
}

template <bool gpu>
const KernelDefinition& in_mode(Arithmetic mode) {
    switch (mode) {
        case Arithmetic::fp16x3:
            return definition<Arithmetic::fp16x3, gpu>();
        case Arithmetic::bf16x6:
            return definition<Arithmetic::bf16x6, gpu>();
        case Arithmetic::bf16x9:
            return definition<Arithmetic::bf16x9, gpu>();
        case Arithmetic::tf32:
            return definition<Arithmetic::tf32, gpu>();
        case Arithmetic::fp32:
        case Arithmetic::tf32x3:  // no compute mode
            break;
    }
    return definition<Arithmetic::fp32, gpu>();
}

}  // namespace

const KernelDefinition& library_definition(Arithmetic mode, bool gpu) {
    return gpu ? in_mode<true>(mode) : in_mode<false>(mode);
}

LibraryChoice library_choice(bool gpu) {
    const Opened& one = opened(gpu);
    if (!one.context || !one.context->last_choice().kernel) return {};
    const engine::Choice& choice = one.context->last_choice();
    return {engine::name_of(choice), choice.tuned};
}

}  // namespace tilewright::lab
