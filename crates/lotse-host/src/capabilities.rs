//! What this machine lets Lotse measure and change, for `lotse doctor`.
//!
//! Each entry says what is available, what its absence means for a measurement, and how to get it if that is possible. Entries
//! that are read from pseudo files are tested with recorded machines; [`Live`] holds those that must be tried.

use serde::Serialize;

use crate::fingerprint::{switch, turbo, virtual_machine};
use crate::tree::SystemTree;

mod live;

pub use live::{CountingProblem, Live};

/// A facility that a machine has or lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Capability {
    pub name: &'static str,
    pub state: CapabilityState,
    pub detail: String,
    pub consequence: &'static str,
    /// How to get it, if that is possible.
    pub remedy: Option<&'static str>,
}

/// Whether a facility is available.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CapabilityState {
    Available,
    Missing,
    Unknown,
}

/// All capabilities of this machine.
pub fn capabilities() -> Vec<Capability> {
    capabilities_of(&SystemTree::real(), &Live::probe())
}

/// All capabilities of a machine, given its pseudo files and the results of trials on it.
pub fn capabilities_of(tree: &SystemTree, live: &Live) -> Vec<Capability> {
    vec![
        counters_allowed(tree),
        hardware_counters(live),
        pressure(tree),
        scheduler(tree),
        memory_peak(tree),
        frequency(tree),
        turbo_switch(tree),
        smt(tree),
        aslr(tree),
        clock(tree, live),
        real_machine(tree),
        privileged(live),
    ]
}

impl Capability {
    pub(crate) fn new(
        name: &'static str,
        state: CapabilityState,
        detail: impl Into<String>,
        consequence: &'static str,
    ) -> Self {
        Self { name, state, detail: detail.into(), consequence, remedy: None }
    }

    /// Adds how to get the facility, unless it is available.
    pub(crate) fn with_remedy(mut self, remedy: &'static str) -> Self {
        self.remedy = (self.state != CapabilityState::Available).then_some(remedy);
        self
    }
}

fn present(is: bool) -> CapabilityState {
    if is { CapabilityState::Available } else { CapabilityState::Missing }
}

fn counters_allowed(tree: &SystemTree) -> Capability {
    const NAME: &str = "permission to count events";
    let level: Option<i32> = tree.number("/proc/sys/kernel/perf_event_paranoid");
    let consequence = "above 1 users count only their own code, above 2 on some systems nothing at all";
    let (state, detail) = match level {
        Some(level) => (present(level <= 2), format!("perf_event_paranoid is {level}")),
        None => (CapabilityState::Missing, "this kernel has no perf events".into()),
    };
    Capability::new(NAME, state, detail, consequence)
        .with_remedy("as root: sysctl kernel.perf_event_paranoid=1")
}

fn hardware_counters(live: &Live) -> Capability {
    let (state, detail) = match &live.hardware_counters {
        Ok(()) => (CapabilityState::Available, "instructions were counted".to_owned()),
        Err(problem) => (CapabilityState::Missing, problem.to_string()),
    };
    let consequence = "without them no cycles, instructions or cache misses beside the times";
    Capability::new("hardware counters", state, detail, consequence)
        .with_remedy("a virtual machine must be given a PMU; else count instructions with valgrind")
}

fn pressure(tree: &SystemTree) -> Capability {
    let there = tree.has("/proc/pressure/cpu");
    let detail = if there { "/proc/pressure/cpu" } else { "/proc/pressure is not there" };
    let consequence = "without it a machine busy with other work is only seen by load and stolen time";
    Capability::new("pressure (PSI)", present(there), detail, consequence).with_remedy("boot with psi=1")
}

fn scheduler(tree: &SystemTree) -> Capability {
    let files = ["/proc/self/schedstat", "/proc/self/sched"];
    let found: Vec<_> = files.into_iter().filter(|file| tree.has(file)).collect();
    let detail = if found.is_empty() { "neither file is there".to_owned() } else { found.join(", ") };
    let consequence = "without them a run's wait for a CPU and its moves between CPUs are not known";
    Capability::new("scheduler statistics", present(found.len() == files.len()), detail, consequence)
}

fn memory_peak(tree: &SystemTree) -> Capability {
    let controllers = tree.text("/sys/fs/cgroup/cgroup.controllers");
    let (state, detail) = match controllers {
        Some(all) if all.split_ascii_whitespace().any(|it| it == "memory") => {
            (CapabilityState::Available, "cgroup v2 with a memory controller")
        }
        Some(_) => (CapabilityState::Missing, "cgroup v2 without a memory controller"),
        None if tree.has("/sys/fs/cgroup/memory") => (CapabilityState::Missing, "cgroup v1"),
        None => (CapabilityState::Missing, "no cgroups"),
    };
    let consequence = "peak memory is that of the largest single process of a run, not their sum";
    Capability::new("memory controller", state, detail, consequence)
}

fn frequency(tree: &SystemTree) -> Capability {
    let governor = tree.text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    let state = present(governor.is_some());
    let detail = governor.map_or("no cpufreq".to_owned(), |it| format!("the governor is {it}"));
    let consequence = "without it the clock's speed can neither be seen nor held";
    Capability::new("frequency control", state, detail, consequence)
}

fn turbo_switch(tree: &SystemTree) -> Capability {
    let turbo = turbo(tree);
    let detail = on_or_off(turbo);
    let consequence =
        "with turbo on, heat and neighbours change the clock; without a switch it stays as it is";
    Capability::new("turbo switch", present(turbo.is_some()), detail, consequence)
}

fn smt(tree: &SystemTree) -> Capability {
    let active = switch(tree, "/sys/devices/system/cpu/smt/active");
    let state = if active.is_some() { CapabilityState::Available } else { CapabilityState::Unknown };
    let consequence = "when on, a program shares its core with whatever runs on the other thread";
    Capability::new("threads per core (SMT)", state, on_or_off(active), consequence)
}

fn on_or_off(switch: Option<bool>) -> &'static str {
    match switch {
        Some(true) => "on",
        Some(false) => "off",
        None => "unknown",
    }
}

fn aslr(tree: &SystemTree) -> Capability {
    let level: Option<u32> = tree.number("/proc/sys/kernel/randomize_va_space");
    let (state, detail) = match level {
        Some(2) => (CapabilityState::Available, "full".to_owned()),
        Some(0) => (CapabilityState::Missing, "off".to_owned()),
        Some(level) => (CapabilityState::Available, format!("level {level}")),
        None => (CapabilityState::Unknown, "unknown".to_owned()),
    };
    let consequence =
        "when off, every run has the same addresses: a lucky layout looks like a faster program";
    Capability::new("random addresses (ASLR)", state, detail, consequence)
        .with_remedy("as root: sysctl kernel.randomize_va_space=2")
}

fn clock(tree: &SystemTree, live: &Live) -> Capability {
    const FINE_NS: u64 = 1000;
    let source = tree.text("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    let name = source.as_deref().unwrap_or("unknown");
    let (state, step) = match live.clock_step_ns {
        Some(step) => (present(step <= FINE_NS), format!("{step} ns between two readings")),
        None => (CapabilityState::Unknown, "it never moved".to_owned()),
    };
    let consequence = "a coarse clock hides small differences of short programs";
    Capability::new("fine clock", state, format!("source {name}, {step}"), consequence)
}

fn real_machine(tree: &SystemTree) -> Capability {
    let cpuinfo = tree.text("/proc/cpuinfo");
    let (state, detail) = match virtual_machine(tree, cpuinfo.as_deref()) {
        Some(true) => (CapabilityState::Missing, "a hypervisor runs below"),
        Some(false) => (CapabilityState::Available, "no hypervisor"),
        None => (CapabilityState::Unknown, "unknown"),
    };
    let consequence = "on a virtual machine neighbours steal time; compare in the same session only";
    Capability::new("a machine of its own", state, detail, consequence)
}

fn privileged(live: &Live) -> Capability {
    let detail = if live.root { "root" } else { "an ordinary user" };
    let consequence = "separation (governor, turbo, cpusets, stopping others) is root's; measuring is not";
    Capability::new("root", present(live.root), detail, consequence)
}

#[cfg(test)]
mod tests {
    use super::{Capability, CapabilityState, CountingProblem, Live, capabilities, capabilities_of};
    use crate::tree::{SystemTree, recorded};

    fn capabilities_in(tree: &SystemTree) -> Vec<Capability> {
        let hardware_counters = Err(CountingProblem::Idle);
        capabilities_of(tree, &Live { hardware_counters, clock_step_ns: Some(40), root: false })
    }

    fn check(all: &[Capability], name: &str, state: CapabilityState, detail: &str) {
        let found = all.iter().find(|it| it.name == name).unwrap();
        assert_eq!((found.state, found.detail.as_str()), (state, detail), "{name}");
    }

    #[test]
    fn a_laptop_offers_nearly_all() {
        let all = capabilities_in(&recorded::laptop().tree);
        check(&all, "permission to count events", CapabilityState::Available, "perf_event_paranoid is 2");
        check(
            &all,
            "hardware counters",
            CapabilityState::Missing,
            "a counter was opened but counted nothing",
        );
        check(&all, "pressure (PSI)", CapabilityState::Available, "/proc/pressure/cpu");
        check(&all, "memory controller", CapabilityState::Available, "cgroup v2 with a memory controller");
        check(&all, "frequency control", CapabilityState::Available, "the governor is powersave");
        check(&all, "turbo switch", CapabilityState::Available, "on");
        check(&all, "threads per core (SMT)", CapabilityState::Available, "on");
        check(&all, "fine clock", CapabilityState::Available, "source tsc, 40 ns between two readings");
        check(&all, "a machine of its own", CapabilityState::Available, "no hypervisor");
    }

    #[test]
    fn a_virtual_machine_offers_little_and_says_how_to_get_more() {
        let all = capabilities_in(&recorded::virtual_machine().tree);
        check(&all, "permission to count events", CapabilityState::Missing, "perf_event_paranoid is 4");
        check(&all, "pressure (PSI)", CapabilityState::Missing, "/proc/pressure is not there");
        check(&all, "scheduler statistics", CapabilityState::Missing, "/proc/self/schedstat");
        check(&all, "memory controller", CapabilityState::Missing, "cgroup v1");
        check(&all, "random addresses (ASLR)", CapabilityState::Missing, "off");
        check(&all, "a machine of its own", CapabilityState::Missing, "a hypervisor runs below");
        assert!(all.iter().any(|it| it.remedy.is_some_and(|remedy| remedy.contains("psi=1"))));
    }

    #[test]
    fn what_a_small_board_does_not_report_is_unknown() {
        let all = capabilities_in(&recorded::aarch64().tree);
        check(&all, "permission to count events", CapabilityState::Missing, "this kernel has no perf events");
        check(&all, "memory controller", CapabilityState::Missing, "no cgroups");
        check(&all, "turbo switch", CapabilityState::Available, "off");
        check(&all, "threads per core (SMT)", CapabilityState::Unknown, "unknown");
        check(&all, "random addresses (ASLR)", CapabilityState::Unknown, "unknown");
        check(&all, "a machine of its own", CapabilityState::Unknown, "unknown");
    }

    #[test]
    fn the_results_of_trials_are_reported() {
        let tried = |hardware_counters, clock_step_ns, root| {
            let live = Live { hardware_counters, clock_step_ns, root };
            capabilities_of(&SystemTree::at("/nonexistent"), &live)
        };
        let good = tried(Ok(()), Some(1_000), true);
        check(&good, "hardware counters", CapabilityState::Available, "instructions were counted");
        check(
            &good,
            "fine clock",
            CapabilityState::Available,
            "source unknown, 1000 ns between two readings",
        );
        check(&good, "root", CapabilityState::Available, "root");
        let untried = CountingProblem::from(crate::problem::LaunchError::Unsupported);
        let bad = tried(Err(untried), None, false);
        let why = "it could not be tried: programs can be measured on Linux on x86-64 and aarch64 only";
        check(&bad, "hardware counters", CapabilityState::Missing, why);
        check(&bad, "fine clock", CapabilityState::Unknown, "source unknown, it never moved");
        check(&bad, "root", CapabilityState::Missing, "an ordinary user");
        let coarse = tried(Ok(()), Some(4_000_000), false);
        check(
            &coarse,
            "fine clock",
            CapabilityState::Missing,
            "source unknown, 4000000 ns between two readings",
        );
    }

    #[test]
    fn what_is_there_needs_no_remedy() {
        for tree in [recorded::laptop(), recorded::virtual_machine(), recorded::aarch64()] {
            assert!(
                capabilities_in(&tree.tree)
                    .iter()
                    .all(|it| it.state != CapabilityState::Available || it.remedy.is_none())
            );
        }
    }

    #[test]
    fn this_machine_answers_every_question() {
        let here = capabilities();
        assert_eq!(here.len(), capabilities_in(&SystemTree::at("/nonexistent")).len());
        assert!(here.iter().all(|it| !it.detail.is_empty() && !it.consequence.is_empty()));
    }
}
