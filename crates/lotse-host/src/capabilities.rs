//! What this machine lets Lotse see and change, for `lotse doctor`.
//!
//! Each entry says what is there, what its absence means for a measurement, and how to get it where that is
//! possible. What is read from files is tested against recorded machines; what must be tried is [`Live`].

use serde::Serialize;

use crate::fingerprint::{switch, turbo, virtual_machine};
use crate::tree::SystemTree;

mod live;

pub use live::{CountingProblem, Live};

/// One thing a machine offers or does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Capability {
    /// What it is.
    pub name: &'static str,
    /// Whether it is there.
    pub state: State,
    /// What was found.
    pub detail: String,
    /// What it means for measurements.
    pub consequence: &'static str,
    /// What could be done about it, if anything.
    pub remedy: Option<&'static str>,
}

/// Whether something is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It is there.
    Available,
    /// It is not.
    Missing,
    /// It cannot be told.
    Unknown,
}

/// Everything about this machine.
pub fn capabilities() -> Vec<Capability> {
    capabilities_of(&SystemTree::real(), &Live::probe())
}

/// Everything about a machine: its pseudo files, and what was tried on it.
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
        state: State,
        detail: impl Into<String>,
        consequence: &'static str,
    ) -> Self {
        Self { name, state, detail: detail.into(), consequence, remedy: None }
    }

    /// What helps if it is missing.
    pub(crate) fn or(mut self, remedy: &'static str) -> Self {
        self.remedy = (self.state != State::Available).then_some(remedy);
        self
    }
}

fn present(is: bool) -> State {
    if is { State::Available } else { State::Missing }
}

fn counters_allowed(tree: &SystemTree) -> Capability {
    const NAME: &str = "permission to count events";
    let level: Option<i32> = tree.number("/proc/sys/kernel/perf_event_paranoid");
    let consequence = "above 1 users count only their own code, above 2 on some systems nothing at all";
    let (state, detail) = match level {
        Some(level) => (present(level <= 2), format!("perf_event_paranoid is {level}")),
        None => (State::Missing, "this kernel has no perf events".into()),
    };
    Capability::new(NAME, state, detail, consequence).or("as root: sysctl kernel.perf_event_paranoid=1")
}

fn hardware_counters(live: &Live) -> Capability {
    let (state, detail) = match &live.hardware_counters {
        Ok(()) => (State::Available, "instructions were counted".to_owned()),
        Err(problem) => (State::Missing, problem.to_string()),
    };
    let consequence = "without them no cycles, instructions or cache misses beside the times";
    Capability::new("hardware counters", state, detail, consequence)
        .or("a virtual machine must be given a PMU; else count instructions with valgrind")
}

fn pressure(tree: &SystemTree) -> Capability {
    let there = tree.has("/proc/pressure/cpu");
    let detail = if there { "/proc/pressure/cpu" } else { "/proc/pressure is not there" };
    let consequence = "without it a machine busy with other work is only seen by load and stolen time";
    Capability::new("pressure (PSI)", present(there), detail, consequence).or("boot with psi=1")
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
            (State::Available, "cgroup v2 with a memory controller")
        }
        Some(_) => (State::Missing, "cgroup v2 without a memory controller"),
        None if tree.has("/sys/fs/cgroup/memory") => (State::Missing, "cgroup v1"),
        None => (State::Missing, "no cgroups"),
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
    let state = if active.is_some() { State::Available } else { State::Unknown };
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
        Some(2) => (State::Available, "full".to_owned()),
        Some(0) => (State::Missing, "off".to_owned()),
        Some(level) => (State::Available, format!("level {level}")),
        None => (State::Unknown, "unknown".to_owned()),
    };
    let consequence =
        "when off, every run has the same addresses: a lucky layout looks like a faster program";
    Capability::new("random addresses (ASLR)", state, detail, consequence)
        .or("as root: sysctl kernel.randomize_va_space=2")
}

fn clock(tree: &SystemTree, live: &Live) -> Capability {
    const FINE_NS: u64 = 1000;
    let source = tree.text("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    let name = source.as_deref().unwrap_or("unknown");
    let (state, step) = match live.clock_step_ns {
        Some(step) => (present(step <= FINE_NS), format!("{step} ns between two readings")),
        None => (State::Unknown, "it never moved".to_owned()),
    };
    let consequence = "a coarse clock hides small differences of short programs";
    Capability::new("fine clock", state, format!("source {name}, {step}"), consequence)
}

fn real_machine(tree: &SystemTree) -> Capability {
    let cpuinfo = tree.text("/proc/cpuinfo");
    let (state, detail) = match virtual_machine(tree, cpuinfo.as_deref()) {
        Some(true) => (State::Missing, "a hypervisor runs below"),
        Some(false) => (State::Available, "no hypervisor"),
        None => (State::Unknown, "unknown"),
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
    use super::{Capability, CountingProblem, Live, State, capabilities, capabilities_of};
    use crate::tree::{SystemTree, recorded};

    fn of(tree: &SystemTree) -> Vec<Capability> {
        let hardware_counters = Err(CountingProblem::Idle);
        capabilities_of(tree, &Live { hardware_counters, clock_step_ns: Some(40), root: false })
    }

    fn check(all: &[Capability], name: &str, state: State, detail: &str) {
        let found = all.iter().find(|it| it.name == name).unwrap();
        assert_eq!((found.state, found.detail.as_str()), (state, detail), "{name}");
    }

    #[test]
    fn a_laptop_offers_nearly_all() {
        let all = of(&recorded::laptop().tree);
        check(&all, "permission to count events", State::Available, "perf_event_paranoid is 2");
        check(&all, "hardware counters", State::Missing, "a counter was opened but counted nothing");
        check(&all, "pressure (PSI)", State::Available, "/proc/pressure/cpu");
        check(&all, "memory controller", State::Available, "cgroup v2 with a memory controller");
        check(&all, "frequency control", State::Available, "the governor is powersave");
        check(&all, "turbo switch", State::Available, "on");
        check(&all, "threads per core (SMT)", State::Available, "on");
        check(&all, "fine clock", State::Available, "source tsc, 40 ns between two readings");
        check(&all, "a machine of its own", State::Available, "no hypervisor");
    }

    #[test]
    fn a_virtual_machine_offers_little_and_says_how_to_get_more() {
        let all = of(&recorded::virtual_machine().tree);
        check(&all, "permission to count events", State::Missing, "perf_event_paranoid is 4");
        check(&all, "pressure (PSI)", State::Missing, "/proc/pressure is not there");
        check(&all, "scheduler statistics", State::Missing, "/proc/self/schedstat");
        check(&all, "memory controller", State::Missing, "cgroup v1");
        check(&all, "random addresses (ASLR)", State::Missing, "off");
        check(&all, "a machine of its own", State::Missing, "a hypervisor runs below");
        assert!(all.iter().any(|it| it.remedy.is_some_and(|remedy| remedy.contains("psi=1"))));
    }

    #[test]
    fn a_board_tells_less_and_nothing_is_made_up_for_it() {
        let all = of(&recorded::aarch64().tree);
        check(&all, "permission to count events", State::Missing, "this kernel has no perf events");
        check(&all, "memory controller", State::Missing, "no cgroups");
        check(&all, "turbo switch", State::Available, "off");
        check(&all, "threads per core (SMT)", State::Unknown, "unknown");
        check(&all, "random addresses (ASLR)", State::Unknown, "unknown");
        check(&all, "a machine of its own", State::Unknown, "unknown");
    }

    #[test]
    fn what_was_tried_is_told() {
        let tried = |hardware_counters, clock_step_ns, root| {
            let live = Live { hardware_counters, clock_step_ns, root };
            capabilities_of(&SystemTree::at("/nonexistent"), &live)
        };
        let good = tried(Ok(()), Some(1_000), true);
        check(&good, "hardware counters", State::Available, "instructions were counted");
        check(&good, "fine clock", State::Available, "source unknown, 1000 ns between two readings");
        check(&good, "root", State::Available, "root");
        let untried = CountingProblem::from(crate::problem::LaunchError::Unsupported);
        let bad = tried(Err(untried), None, false);
        let why = "it could not be tried: programs can be measured on Linux on x86-64 and aarch64 only";
        check(&bad, "hardware counters", State::Missing, why);
        check(&bad, "fine clock", State::Unknown, "source unknown, it never moved");
        check(&bad, "root", State::Missing, "an ordinary user");
        let coarse = tried(Ok(()), Some(4_000_000), false);
        check(&coarse, "fine clock", State::Missing, "source unknown, 4000000 ns between two readings");
    }

    #[test]
    fn what_is_there_needs_no_remedy() {
        for tree in [recorded::laptop(), recorded::virtual_machine(), recorded::aarch64()] {
            assert!(of(&tree.tree).iter().all(|it| it.state != State::Available || it.remedy.is_none()));
        }
    }

    #[test]
    fn this_machine_answers_every_question() {
        let here = capabilities();
        assert_eq!(here.len(), of(&SystemTree::at("/nonexistent")).len());
        assert!(here.iter().all(|it| !it.detail.is_empty() && !it.consequence.is_empty()));
    }
}
