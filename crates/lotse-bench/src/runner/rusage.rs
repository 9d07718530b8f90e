//! The plain runner: two clocks and the sixteen fields of `rusage`, for every run.

use super::{Runner, RunnerKind, refuse_events};

pub(super) const KIND: RunnerKind = RunnerKind {
    id: "rusage",
    title: "wall and CPU time, peak memory, faults, switches: the clocks and all fields of rusage",
    temci: &["time", "rusage"],
    tool: None,
    primary: "wall",
    create: |events| {
        refuse_events("rusage", events)?;
        Ok(Box::new(Rusage))
    },
};

struct Rusage;

impl Runner for Rusage {}
