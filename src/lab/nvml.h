// SPDX-FileCopyrightText: 2026 The Tilewright authors
// SPDX-License-Identifier: Apache-2.0
// Clocks, power, energy and the reasons for holding them down, from the driver's management library; found
// when the program runs, never linked.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lab/device.h"

namespace tilewright::lab {

class Nvml {
  public:
    /// Watches the GPU at this PCI address; without the library everything below is empty.
    explicit Nvml(const std::string& pci_bus_id);
    ~Nvml();

    std::string driver_version() const;
    std::optional<Vitals> vitals() const;
    /// That the GPU has taken since the driver was loaded; GPUs before 2017 do not count it.
    std::optional<double> joules() const;

  private:
    struct Library;
    std::unique_ptr<Library> library_;
};

}  // namespace tilewright::lab
