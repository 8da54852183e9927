// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/tune/fallback.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/text.h"

namespace tilewright::lab {

namespace {

/// Of the engine's entries: why they are not this device's.
std::string others_in(const engine::TunedText& text, const engine::TunedDevice& device) {
    size_t rungs = 0, devices = 0, versions = 0;
    for (const engine::TunedEntry& entry : text.entries)
        if (entry.subject != engine::kEngine)
            ++rungs;
        else if (entry.device != device)
            ++devices;
        else if (entry.version != engine::kernels_version())
            ++versions;
    std::string others;
    const auto add = [&](size_t count, const char* what) {
        if (count > 0) others += fmt::format("{}{} {}", others.empty() ? "" : ", ", count, what);
    };
    add(devices, "of other devices");
    add(versions, "of other kernels");
    add(rungs, "of rungs, which the library does not use");
    return others.empty() ? "" : fmt::format(" (not used: {})", others);
}

std::string date_and_time_of(const engine::TunedEntry& entry) {
    return fmt::format("{:.2f} us on {}", entry.median_us, entry.date.substr(0, 10));
}

}  // namespace

std::string explain_choice(const Case& test, Arithmetic mode, const DeviceInfo& info) {
    const engine::TunedDevice device = tuned_device_of(info);
    const Problem problem = problem_nowhere(test, mode);
    const engine::ProblemClass of = engine::class_of(problem);
    std::string text = wrapped(text_of(of));
    text += wrapped(fmt::format("on {}, {} SMs, compute capability {}.{}, version {}", device.name,
                                device.multiprocessors, device.compute_capability / 10,
                                device.compute_capability % 10, engine::kernels_version()));
    const engine::TunedPlace place = engine::tuned_place();
    engine::TunedFile file;
    if (!place.path.empty()) file = engine::read_tuned_file(place.path);
    const engine::Tuned tuned(file.text.entries, device);
    engine::DeviceTraits traits = traits_of(device);
    traits.tuned = &tuned;
    if (place.path.empty())
        text += wrapped(fmt::format("1. tuning database: none, as {}", place.why));
    else
        text += wrapped(fmt::format(
            "1. tuning database {}: {}{}", place.path,
            file.exists ? fmt::format("{} entries", file.text.entries.size()) : "is not there",
            others_in(file.text, device)));
    for (const std::string& complaint : file.text.complaints) text += wrapped(complaint, "   ");
    const auto steps = engine::tuned_steps(problem, traits, engine::own_workspace_bytes(mode));
    const bool has_exact = tuned.exact(of) != nullptr;
    if (!has_exact) text += "2. an entry for this problem: none\n";
    bool taken = false;
    for (const engine::TunedStep& step : steps) {
        const bool exact = step.entry->problem == of;
        text += wrapped(fmt::format("{} {}, {}: {}",
                                    exact ? "2. an entry for this problem:"
                                          : "3. the nearest, " + text_of(step.entry->problem) + ":",
                                    step.entry->kernel, date_and_time_of(*step.entry),
                                    step.candidate.refusal ? step.candidate.refusal : "taken"));
        taken = !step.candidate.refusal;
    }
    if (!taken && tuned.near(of).empty())
        text +=
            wrapped(fmt::format("3. an entry of sizes that differ by a factor of {} at most: none",
                                engine::kNearFactor));
    const engine::Choice choice =
        engine::choose(problem, traits, engine::own_workspace_bytes(mode));
    if (!taken)
        text += wrapped(fmt::format("4. the fastest by prediction: {}, {:.1f} us", name_of(choice),
                                    choice.predicted_us));
    return text + wrapped(fmt::format("chosen: {}{}", name_of(choice), taken ? ", tuned" : ""));
}

}  // namespace tilewright::lab
