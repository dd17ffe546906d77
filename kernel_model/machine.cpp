#include "kernel_model/machine.hpp"

#include <cstdlib>

namespace auopt {
namespace {

constexpr std::uint32_t arch_64bit_flag = 0x80000000;

const std::vector<MachineModel>& models() {
    static const std::vector<MachineModel> all = [] {
        const auto pair = [](Machine native, Machine compat) {
            return MachineModel{native, {machine_elf(native), machine_elf(compat)}, {native, compat}};
        };
        return std::vector<MachineModel>{pair(Machine::x86_64, Machine::i386), pair(Machine::aarch64, Machine::arm),
                                         pair(Machine::ppc64le, Machine::ppc), pair(Machine::ppc64, Machine::ppc),
                                         pair(Machine::s390x, Machine::s390)};
    }();
    return all;
}

}  // namespace

bool MachineModel::classified_compat(std::uint32_t rule_arch) const {
    // lib/audit.c: audit_is_compat. The others compare with the one value.
    if (machine == Machine::aarch64) return (rule_arch & arch_64bit_flag) == 0;
    return rule_arch == abi_arch(Abi::compat);
}

const MachineModel* find_machine_model(Machine machine) {
    for (const MachineModel& m : models())
        if (m.machine == machine) return &m;
    return nullptr;
}

const MachineModel& machine_model(Machine machine) {
    const MachineModel* model = find_machine_model(machine);
    if (model == nullptr) std::abort();  // callers ask only about machines that make_setting let through
    return *model;
}

const std::vector<Machine>& modelled_machines() {
    static const std::vector<Machine> machines = [] {
        std::vector<Machine> m;
        for (const MachineModel& model : models()) m.push_back(model.machine);
        return m;
    }();
    return machines;
}

}  // namespace auopt
